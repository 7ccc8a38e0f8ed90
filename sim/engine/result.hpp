#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/device_time.hpp"
#include "sim/core/size_cohort.hpp"
#include "sim/core/time.hpp"
#include "sim/engine/job_times.hpp"
#include "sim/ledger/ledger.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

enum class RunState : std::uint8_t {
  completed,    ///< every fate inside the window is known
  bound,        ///< the run ended at its bound with some time unresolved
  stalled,      ///< jobs wait for each other and nothing can ever happen
  out_of_time,  ///< until all is done, and what is left ends after the last instant that there is
};
inline constexpr std::size_t kRunStates = 4;

/// One job as it ended, or as it stood when the run ended.
struct JobOutcome {
  std::string id;
  std::uint64_t sequence = 0;  ///< order of arrival
  std::uint32_t job_class = 0;
  SimTime submit;
  std::optional<SimTime> first_start, end;
  std::optional<FinalState> state;  ///< absent: not ended
  std::string_view doing;           ///< when the run ended, of one that had not: "queued", "running", ...
  /// Before the first gang complete; between attempts; gang complete to release, of which survivors waiting
  /// for a member. Of a job that had not ended, or gave up, up to then.
  Duration queue_wait, requeue_wait, held, member_wait;
  std::int64_t commits = 0, failures = 0, evictions = 0, drains = 0, resizes = 0, swaps = 0, steps = 0;
  Capacity capacity;
};

/// A job has starved that waited longer than so many times its length: the stepping time of its work, and at
/// least 10 s. One without an end has no length and does not starve.
inline constexpr std::int64_t kStarvedAfter = 10;

/// What is too small for a gang that is refused. Of several pools, the later of these counts.
enum class RefusalLimit : std::uint8_t {
  quota,            ///< what its quota may ever hold
  devices_of_node,  ///< a member needs more devices than a node has
  nodes,            ///< it needs more nodes than there are, spares aside, at the level that it keeps to
  nodes_with_room,  ///< there are as many nodes, but some have not what a member needs
};
struct Refusal {
  RefusalLimit limit = RefusalLimit::quota;
  std::uint32_t pool = 0;  ///< or quota
  TopologyLevel level = TopologyLevel::pool;
  std::int64_t wanted = 0, most = 0;  ///< nodes, devices of one, or milli-devices of a quota
};

/// Sums over the jobs of a class submitted inside the window; times of completed jobs alone unless named
/// otherwise.
struct ClassOutcome {
  std::int64_t submitted = 0, started = 0, completed = 0, failed = 0, cancelled = 0, killed_at_limit = 0;
  std::int64_t unsatisfiable = 0, no_progress = 0, gave_up = 0, unfinished = 0;
  DeviceTime time_to_result, queue_wait, requeue_wait, held, member_wait;  ///< job-time: 1,000 units a job
  double bounded_slowdown = 0.0;  ///< sum of max(1, JCT / max(run, 10 s))
  /// Of all jobs that were queued, to the end of the run: the longest stay in the queue, from submission or
  /// release to gang complete, and how many waited in all more than kStarvedAfter times their length.
  Duration longest_wait;
  std::int64_t starved = 0;
  std::optional<Refusal> refusal{};  ///< of the first that was unsatisfiable
  std::uint64_t completed_set =
      0;  ///< equal of two runs if the same jobs completed, which hardly happens else
  ///< Inside the window, all jobs of the class; `drains` are those that stopped one.
  std::int64_t failures = 0, evictions = 0, drains = 0, commits = 0, resizes = 0;
  DeviceTime resize_pauses;  ///< held by gangs that pause at a new size
  std::int64_t swaps = 0;    ///< times that a job was stopped to be rid of stragglers
  /// Replicas wanted inside the window that became ready, and how long that took in all, 1,000 units each.
  std::int64_t ready = 0;
  DeviceTime ready_wait;
  std::int64_t from_warm = 0;  ///< replicas wanted inside the window that were there already, warm
};

/// What a row of failures did inside the window.
struct FaultOutcome {
  std::int64_t failures = 0;       ///< entities in service that it struck
  std::int64_t interruptions = 0;  ///< gangs it stopped
};

/// Device-time of gangs of like size.
struct SizeTime {
  DeviceTime held, partial;  ///< by complete gangs, and by those that assemble or lack a member
  DeviceTime free;           ///< free in a pool while such a gang that accepts the pool was queued
};

/// Why a job is stopped, or has to give something up.
enum class StopCause : std::uint8_t {
  order,             ///< for one that stands before it in the order
  priority,          ///< for one of larger priority
  reclaim,           ///< for one whose queue takes back what it is guaranteed
  idle_reservation,  ///< for another, and it did nothing
  moved,             ///< it gives up its nodes, and is given others
  shrink,            ///< for another, and goes on smaller
  drain,             ///< its nodes are drained or taken away
  swap,              ///< it gives up a member that is slow
  outside,           ///< by an eviction of the scenario
};
inline constexpr std::size_t kStopCauses = 9;
std::string_view name_of(StopCause cause);
/// Whether the job had to give up all that it held, or goes on with the rest.
enum class StopExtent : std::uint8_t { all, part };

struct PreemptionRow {
  SimTime at;
  StopCause cause = StopCause::order;
  StopExtent extent = StopExtent::all;
  std::uint64_t victim = 0;  ///< jobs, by order of arrival
  std::optional<std::uint64_t> beneficiary{};
  std::uint32_t pool = 0;
  Capacity capacity;        ///< that the victim gave back
  DeviceTime lost;          ///< discarded, inside the window
  std::uint32_t depth = 1;  ///< 1 + that of the preemption that had put the beneficiary into the queue
  /// Whether the scheduler stopped it for another.
  bool is_preemption() const {
    return cause <= StopCause::idle_reservation && extent == StopExtent::all && beneficiary;
  }
};

struct Preemptions {
  std::int64_t count = 0;  ///< by the scheduler for others, inside the window; as are lost and deepest
  std::array<std::int64_t, kStopCauses> by_cause{};  ///< inside the window
  DeviceTime lost;
  std::uint32_t deepest = 0;        ///< longest cascade
  std::vector<PreemptionRow> rows;  ///< of the whole run, when jobs are asked for
};

/// What of a pool's free capacity jobs could not use, over the window. A gang of the device level takes free
/// devices wherever they are, of the node level it is spread over nodes as it asks, of the rack level it
/// keeps to one rack if it asks for that, of the pod level to one pod or spine. Where jobs are queued that
/// accept the pool, what a pass over them in their order could not start is stranded; otherwise what the next
/// job could not, on average over the jobs that the scenario expects.
struct FragmentationSums {
  DeviceTime free, device, node, rack, pod;
  DeviceTime typical;  ///< of packed nodes, for typical tasks: the measure of the FGD study
};

/// The same at an instant.
struct FragmentationSample {
  SimTime at;
  std::uint32_t pool = 0;
  Capacity free, device, node, rack, pod, typical;
};
inline constexpr std::size_t kMostSamples = 1'000'000;

/// A pool at the end of the window.
struct PoolEnd {
  Capacity held, installed;
};

/// One replication.
struct RunResult {
  std::uint32_t replication = 0;
  Ledger ledger;
  SimTime window_start, window_end, ended;
  RunState state = RunState::completed;
  std::vector<std::string> holders;  ///< of a stalled run; or, of one out of time, the jobs that are left
  std::vector<ClassOutcome> classes;
  std::vector<std::vector<FaultOutcome>> faults;      ///< by pool, by row
  std::vector<std::vector<std::int64_t>> episodes{};  ///< of slowness that began, by pool, by row
  Preemptions preemptions{};
  /// By pool, by reason for what is free: queued jobs that accept the pool x time, 1,000 units a job. The
  /// place of no_demand has the time in which nothing is free.
  std::vector<LeafTotals> waiting;
  std::array<SizeTime, kSizeCohorts> by_size{};
  std::vector<PoolEnd> pool_ends{};                          ///< by pool
  std::vector<FragmentationSums> fragmentation{};            ///< by pool; of those that are to be measured
  std::vector<FragmentationSample> fragmentation_samples{};  ///< by instant and pool, when jobs are asked for
  std::vector<JobPercentiles> percentiles{};  ///< by class, and at last of all jobs; when asked for
  std::optional<SimTime> makespan;            ///< end of the last job that ended
  std::vector<JobOutcome> jobs;               ///< in order of arrival, when asked for
  std::uint64_t events = 0;
};

}  // namespace fleetsim
