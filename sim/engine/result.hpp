#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"
#include "sim/ledger/ledger.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

enum class RunState : std::uint8_t {
  completed,  ///< every fate inside the window is known
  bound,      ///< the run ended at its bound with some time unresolved
  stalled,    ///< jobs wait for each other and nothing can ever happen
};

/// One job as it ended, or as it stood when the run ended.
struct JobOutcome {
  std::string id;
  std::uint64_t sequence = 0;  ///< order of arrival
  std::uint32_t job_class = 0;
  SimTime submit;
  std::optional<SimTime> first_start, end;
  std::optional<FinalState> state;    ///< absent: not ended
  Duration queue_wait, requeue_wait;  ///< before the first gang complete; between attempts
  Duration held, member_wait;         ///< gang complete to release, of which survivors waiting for a member
  std::int64_t commits = 0, failures = 0, evictions = 0, drains = 0, resizes = 0, steps = 0;
  Capacity capacity;
};

/// Sums over the jobs of a class submitted inside the window; times of completed jobs alone unless named
/// otherwise.
struct ClassOutcome {
  std::int64_t submitted = 0, started = 0, completed = 0, failed = 0, cancelled = 0, killed_at_limit = 0;
  std::int64_t unsatisfiable = 0, no_progress = 0, unfinished = 0;
  DeviceTime time_to_result, queue_wait, requeue_wait, held, member_wait;  ///< job-time: 1,000 units a job
  double bounded_slowdown = 0.0;  ///< sum of max(1, JCT / max(run, 10 s))
  ///< Inside the window, all jobs of the class; `drains` are those that stopped one.
  std::int64_t failures = 0, evictions = 0, drains = 0, commits = 0;
};

/// What a row of failures did inside the window.
struct FaultOutcome {
  std::int64_t failures = 0;       ///< entities in service that it struck
  std::int64_t interruptions = 0;  ///< gangs it stopped
};

/// One job stopped by the scheduler for another.
struct PreemptionRow {
  SimTime at;
  std::uint64_t victim = 0, beneficiary = 0;  ///< jobs, by order of arrival
  std::uint32_t pool = 0;
  Capacity capacity;        ///< that the victim gave back
  DeviceTime lost;          ///< discarded, inside the window
  std::uint32_t depth = 1;  ///< 1 + that of the preemption that had put the beneficiary into the queue
};

struct Preemptions {
  std::int64_t count = 0;  ///< inside the window, as the others
  DeviceTime lost;
  std::uint32_t deepest = 0;        ///< longest cascade
  std::vector<PreemptionRow> rows;  ///< of the whole run, when jobs are asked for
};

/// One replication.
struct RunResult {
  std::uint32_t replication = 0;
  Ledger ledger;
  SimTime window_start, window_end, ended;
  RunState state = RunState::completed;
  std::vector<std::string> holders;  ///< of a stalled run
  std::vector<ClassOutcome> classes;
  std::vector<std::vector<FaultOutcome>> faults;  ///< by pool, by row
  Preemptions preemptions{};
  std::vector<DeviceTime> queue_depth;  ///< by pool: queued jobs x time, 1,000 units a job
  std::optional<SimTime> makespan;      ///< end of the last job that ended
  std::vector<JobOutcome> jobs;         ///< in order of arrival, when asked for
  std::uint64_t events = 0;
};

}  // namespace fleetsim
