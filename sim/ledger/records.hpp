#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"
#include "sim/ledger/leaf.hpp"
#include "sim/ledger/ledger.hpp"

/// The evidence: what a scheduler, a job's log and a step profile record. The ledger can be computed from
/// these alone (`account`), for a simulated run and for a real one.
namespace fleetsim {

/// An interval in which a job is assigned a constant capacity in one pool.
struct AllocationRow {
  std::uint32_t job = 0;      ///< index into Records::jobs
  std::uint32_t attempt = 0;  ///< from 1
  std::uint32_t pool = 0;
  SimTime from, to;
  std::optional<SimTime> gang_complete;  ///< absent: still assembling, or waiting for a member
  Capacity capacity;                     ///< of the gang
  Capacity spare;                        ///< held beside it
  /// What it is until the gang is complete: waiting for members, or provisioned.
  Leaf incomplete = Leaf::scheduling_partial_gang;
  std::string reason;  ///< why the interval ended
  friend bool operator==(const AllocationRow&, const AllocationRow&) = default;
};

/// Capacity of a pool that no job holds, with the leaf it is charged to: free, spare, in transition, out of
/// service.
struct PoolRow {
  std::uint32_t pool = 0;
  SimTime from, to;
  Leaf leaf = Leaf::scheduling_no_demand;
  Capacity capacity;
  std::int64_t queue_depth = 0;
  friend bool operator==(const PoolRow&, const PoolRow&) = default;
};

enum class TimelineKind : std::uint8_t {
  leaf,     ///< [from, to) is charged to `leaf` whatever happens
  stretch,  ///< stepping and pauses, provisional until a commit or a discard
  commit,   ///< retains the provisional rows that end at or before `to`
  discard,  ///< charges all provisional rows to `leaf`
};

/// What a job did, in the order in which it became known. Rows are cut at window edges, fates and capacity
/// changes.
struct TimelineRow {
  std::uint32_t job = 0;
  std::uint32_t attempt = 0;
  TimelineKind kind = TimelineKind::leaf;
  SimTime from, to;
  Leaf leaf = Leaf::runtime_startup;  ///< of leaf and discard rows
  Capacity capacity;
  std::int64_t steps = 0;  ///< whole steps that ended in the row
  /// The row's time: to - from = step + wait + pause + excess + straggler + neighbour +
  /// placement + warm_up.
  Duration step, wait, pause;
  Duration excess;  ///< steps slowed beyond their profile, charged to `excess_leaf` if retained
  Leaf excess_leaf = Leaf::program_checkpoint_write;
  Duration straggler, neighbour,
      placement;     ///< steps slowed by a slow member, by traffic of others, by links
  Duration warm_up;  ///< excess of slow first steps, charged to `warm_up_leaf` whatever happens
  Leaf warm_up_leaf = Leaf::runtime_startup;
  friend bool operator==(const TimelineRow&, const TimelineRow&) = default;
};

/// How the retained time of a job divides below the program boundary.
struct StepRow {
  std::uint32_t job = 0;
  Leaf leaf = Leaf::program_unmodelled;
  std::int64_t weight = 1;
  Capacity capacity{};  ///< of the gang whose time it divides; zero: of every size without rows of its own
  friend bool operator==(const StepRow&, const StepRow&) = default;
};

struct RecordedJob {
  std::string id;
  std::uint32_t job_class = 0;
  SimTime submit;
  friend bool operator==(const RecordedJob&, const RecordedJob&) = default;
};

struct Records {
  std::vector<std::string> pools, classes;
  std::vector<RecordedJob> jobs;
  SimTime window_start, window_end;
  std::vector<AllocationRow> allocations;
  std::vector<PoolRow> pool_rows;
  std::vector<TimelineRow> timeline;
  std::vector<StepRow> steps;
  friend bool operator==(const Records&, const Records&) = default;
};

/// The ledger of a window from its records.
struct Accounting {
  Ledger ledger;
  std::vector<std::string> problems;  ///< contradictions; if there are any, the ledger is not to be used
};

/// The ledger of the window from its records alone: a pure fold that knows nothing of the engine.
///
/// What a job holds, assembling included, is charged to its class; pool rows to none. An allocation is
/// `scheduling.partial_gang` until its gang is complete, its spare capacity `runtime.idle_reservation`
/// throughout, and the timeline accounts for the rest. A commit turns provisional steps into retained time,
/// waits into `runtime.input_wait` and pauses into `runtime.checkpoint`. Provisional rows without a fate are
/// `runtime.unresolved`. The retained step time of each job in each pool is split over the job's step rows by
/// largest remainder, in their order; without any it is `program.unmodelled`.
Accounting account(const Records& records);

}  // namespace fleetsim
