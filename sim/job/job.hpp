#pragma once

#include <boost/intrusive/set_hook.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/ids.hpp"
#include "sim/core/random_stream.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/job/stretch.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// Where a job stands. `running` covers launch, recovery and stepping: what lies between two events is
/// computed.
enum class JobPhase : std::uint8_t {
  queued,
  assembling,    ///< partial hold: some of the gang
  provisioning,  ///< a replica has its nodes, and they are made ready for it
  running,
  detecting,       ///< stopped by a failure that takes a member out, not yet noticed
  waiting_member,  ///< survivors wait for a replacement
  saving,          ///< graceful save before an eviction
  draining,        ///< a replica takes no more requests, and ends those it has
  away,            ///< requeue delay
  reserved,        ///< a reservation: no steps
  zombie,          ///< execution has stopped, the lease goes on
  ended,
};

/// A finished stretch whose end is still provisional (a change of speed between two commits).
struct Piece {
  Stretch stretch;
  SimTime from, to;
  std::int64_t base;  ///< whole steps before the stretch's origin
};

/// A live job. Slots are reused: counters that guard events are never reset. What every job passes through
/// lies in front, and together; what only some meet lies behind.
struct Job : boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>> {
  // Queue, after the hook.
  SimTime queue_time;
  Int128 key = 0;
  std::uint64_t sequence = 0;            ///< of the run, in order of arrival
  std::optional<std::uint32_t> room_in;  ///< the pool in which room is being made for it, while it is queued
  std::uint64_t promise_kept = 0;        ///< number of the last look that has seen to that room

  // Identity.
  JobId slot{0};
  ClassId job_class{0};
  const JobClass* spec = nullptr;  ///< its class
  const ListedJob* listed = nullptr;
  std::uint64_t number = 0;  ///< of the class, in order of arrival
  GangShape shape;
  std::uint32_t shape_index = 0;
  std::uint32_t size_cohort = 0;  ///< of gangs of like size

  // Guards of events: an event of an older generation is void.
  std::uint32_t run_generation = 0, attempt_generation = 0, eviction_generation = 0, live_generation = 0;

  // Topology.
  SimTime near_until =
      SimTime::never();           ///< until then it waits for a place near together; never: it does not
  std::uint32_t later_shape = 0;  ///< index of its shape from then on

  // Allocation.
  JobPhase phase = JobPhase::ended;
  Leaf phase_leaf = Leaf::runtime_startup;
  Leaf launch_leaf = Leaf::runtime_startup;    ///< of the phase before the stepping: of its slow first steps
  Leaf relaunch_leaf = Leaf::runtime_startup;  ///< of the next start
  bool stepping = false;                       ///< phase_until is followed by the stretch
  bool unresolved = false;                     ///< counted among those the run waits for after the window
  bool eviction_clock_runs = false;
  bool pauses_at_new_size = false;  ///< what precedes the stepping is the pause of a resize
  bool is_plain = false;            ///< it starts, steps, and ends; what only others meet is at rest
  bool is_newcomer = false;         ///< queued since the last pass
  bool standby = false;             ///< a warm replica: loaded, and idle
  bool leaves_at_commit = false;    ///< some of its nodes are drained
  FinalState final_state = FinalState::completed;  ///< of a zombie
  PoolId pool{0};
  Placement parts;          ///< the gang, or what it has of it
  Capacity gang_capacity;   ///< of `parts`
  Capacity assigned;        ///< of everything it holds
  SimTime gang_complete;    ///< of this attempt
  SimTime allocation_from;  ///< the record of the present allocation begins here
  SimTime charged;          ///< what does not wait for a commit is charged up to here

  // Progress.
  const StepTimes* step = nullptr;             ///< at its present size
  const ProgramSplit* program = nullptr;       ///< at its present size
  const LaunchSpec* relaunch = nullptr;        ///< of the next start
  SimTime phase_until;                         ///< launch or recovery until here, then stepping
  SimTime committed;                           ///< everything held before it has its fate
  SimTime pending_durable = SimTime::never();  ///< a flush of an earlier stretch is durable then ...
  SimTime pending_cover;                       ///< ... and covers what precedes this
  SimTime leaves_at = SimTime::never();        ///< the next commit, as far as it steps on
  std::int64_t steps = 0;                      ///< to do; max: endless
  std::int64_t steps_done = 0;                 ///< committed
  std::int64_t position = 0;                   ///< committed part of the next step
  std::int64_t stretch_base = 0;               ///< whole steps before the stretch's origin
  /// Own step time inside the window of one pool and split, until it is split at close.
  struct Retained {
    const ProgramSplit* program;
    PoolId pool;
    DeviceTime amount;
  };
  Retained retained{};
  Stretch stretch;
  std::int64_t slow_steps_left = 0;       ///< of this launch ...
  std::int64_t slow_excess = 0;           ///< ... each longer by this
  double link_speed = 1.0;                ///< of its exchange, on links that it shares with others
  std::optional<SimTime> slow_since;      ///< stragglers have slowed it since; where it minds
  std::vector<Piece> pieces;              ///< provisional, before the current stretch
  std::vector<Retained> retained_before;  ///< in other pools, or by other splits

  // Outcome.
  SimTime submit;
  std::optional<SimTime> first_start;
  SimTime released;
  Duration requeue_wait, held, member_wait;
  Duration longest_wait;  ///< of its stays in the queue that are over
  std::int64_t commits = 0;
  std::uint32_t attempt = 0, stops_since_commit = 0;
  std::uint32_t record = 0;  ///< index into Records::jobs

  // Members.
  struct Broken {
    Part part;
    Duration repair;
  };
  std::vector<Broken> broken;          ///< members that failed and are not yet known to have
  std::vector<std::uint32_t> missing;  ///< sizes, in devices, of members to be filled
  Placement own_spares;
  SimTime member_wait_from;
  std::int64_t failures = 0, drains = 0, swaps = 0;

  // Backfill.
  boost::intrusive::set_member_hook<> release_hook;
  SimTime expected_end;  ///< of the present allocation
  Duration estimate;     ///< of the next attempt, from gang complete to release
  SimTime planned_start = SimTime::never();

  // Service.
  bool was_ready = false;     ///< since it is wanted
  bool life_is_over = false;  ///< it drains for the last time
  SimTime wanted;
  std::optional<Duration> life;  ///< from gang complete, where that bounds it
  SimTime life_ends = SimTime::never();
  Duration drain;

  // Interruptions.
  const EvictionTerms* eviction = nullptr;  ///< the terms of an eviction under way
  std::optional<Duration> eviction_left;    ///< on the eviction clock
  SimTime eviction_clock_from;
  std::vector<SimTime> preempted_at;  ///< as far as a budget has to know
  std::uint32_t preemptions = 0;      ///< evictions by the scheduler
  std::uint32_t cascade = 0;          ///< of the preemption that put it back into the queue; 0: none did
  std::uint32_t running_index = 0;    ///< its place among those who run
  Capacity preemptible;               ///< what it counts among what its priority holds
  SimTime stopped;                    ///< of a zombie
  std::int64_t evictions = 0;
  std::optional<RandomStream> eviction_stream;

  // Sizes.
  std::uint32_t size = 0, next_resize = 0;  ///< of an elastic class: index of its size, of its script
  DeviceTime at_other_sizes;  ///< held there, beyond what it would have been at the present size
  std::int64_t resizes = 0;

  bool holds() const {
    return phase != JobPhase::queued && phase != JobPhase::away && phase != JobPhase::ended;
  }
};

}  // namespace fleetsim
