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

/// A live job. Slots are reused: counters that guard events are never reset.
struct Job : boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>> {
  // Identity.
  JobId slot{0};
  ClassId job_class{0};
  std::uint64_t number = 0;    ///< of the class, in order of arrival
  std::uint64_t sequence = 0;  ///< of the run, in order of arrival
  const ListedJob* listed = nullptr;
  std::uint32_t record = 0;  ///< index into Records::jobs

  // Queue.
  JobPhase phase = JobPhase::ended;
  SimTime submit, queue_time;
  Int128 key = 0;
  GangShape shape;
  std::uint32_t shape_index = 0;
  std::uint32_t size_cohort = 0;  ///< of gangs of like size

  const StepTimes* step = nullptr;          ///< at its present size
  const ProgramSplit* program = nullptr;    ///< at its present size
  std::uint32_t size = 0, next_resize = 0;  ///< of an elastic class: index of its size, of its script
  DeviceTime at_other_sizes;  ///< held there, beyond what it would have been at the present size

  // Backfill.
  Duration estimate;     ///< of the next attempt, from gang complete to release
  SimTime expected_end;  ///< of the present allocation
  boost::intrusive::set_member_hook<> release_hook;
  SimTime planned_start = SimTime::never();
  bool is_newcomer = false;  ///< queued since the last pass

  bool pauses_at_new_size = false;  ///< what precedes the stepping is the pause of a resize

  // Topology.
  SimTime near_until =
      SimTime::never();           ///< until then it waits for a place near together; never: it does not
  std::uint32_t later_shape = 0;  ///< index of its shape from then on

  // Allocation.
  PoolId pool{0};
  Placement parts;  ///< the gang, or what it has of it
  Placement own_spares;
  struct Broken {
    Part part;
    Duration repair;
  };
  std::vector<Broken> broken;          ///< members that failed and are not yet known to have
  std::vector<std::uint32_t> missing;  ///< sizes, in devices, of members to be filled
  std::uint32_t attempt = 0;
  std::uint32_t running_index = 0;  ///< its place among those who run
  Capacity preemptible;             ///< what it counts among what its priority holds
  Capacity gang_capacity;           ///< of `parts`
  Capacity assigned;                ///< of everything it holds
  SimTime gang_complete;            ///< of this attempt
  SimTime allocation_from;          ///< the record of the present allocation begins here
  SimTime charged;                  ///< what does not wait for a commit is charged up to here

  // Progress.
  std::int64_t steps = 0;       ///< to do; max: endless
  std::int64_t steps_done = 0;  ///< committed
  std::int64_t position = 0;    ///< committed part of the next step
  Leaf phase_leaf = Leaf::runtime_startup;
  SimTime phase_until;                       ///< launch or recovery until here, then stepping
  Leaf launch_leaf = Leaf::runtime_startup;  ///< of the phase before the stepping: of its slow first steps
  std::int64_t slow_steps_left = 0;          ///< of this launch ...
  std::int64_t slow_excess = 0;              ///< ... each longer by this
  double link_speed = 1.0;                   ///< of its exchange, on links that it shares with others
  std::optional<SimTime> slow_since;         ///< stragglers have slowed it since; where it minds
  bool stepping = false;                     ///< phase_until is followed by the stretch
  Stretch stretch;
  std::int64_t stretch_base = 0;  ///< whole steps before the stretch's origin
  SimTime committed;              ///< everything held before it has its fate
  SimTime pending_cover;          ///< a flush of an earlier stretch is durable at `pending_durable` ...
  SimTime pending_durable = SimTime::never();  ///< ... and covers what precedes `pending_cover`
  std::vector<Piece> pieces;                   ///< provisional, before the current stretch
  /// Own step time inside the window by pool and split, until it is split at close.
  struct Retained {
    PoolId pool;
    const ProgramSplit* program;
    DeviceTime amount;
  };
  std::vector<Retained> retained;

  // Service.
  bool standby = false;       ///< warm: loaded, and idle
  bool was_ready = false;     ///< since it is wanted
  bool life_is_over = false;  ///< it drains for the last time
  SimTime wanted;
  std::optional<Duration> life;  ///< from gang complete, where that bounds it
  SimTime life_ends = SimTime::never();
  Duration drain;

  // Interruptions.
  const LaunchSpec* relaunch = nullptr;  ///< of the next start
  Leaf relaunch_leaf = Leaf::runtime_startup;
  const EvictionTerms* eviction = nullptr;  ///< the terms of an eviction under way
  std::optional<RandomStream> eviction_stream;
  std::optional<Duration> eviction_left;  ///< on the eviction clock
  SimTime eviction_clock_from;
  bool eviction_clock_runs = false;
  std::uint32_t stops_since_commit = 0;
  std::vector<SimTime> preempted_at;     ///< as far as a budget has to know
  std::uint32_t preemptions = 0;         ///< evictions by the scheduler
  std::uint32_t cascade = 0;             ///< of the preemption that put it back into the queue; 0: none did
  bool leaves_at_commit = false;         ///< some of its nodes are drained
  SimTime leaves_at = SimTime::never();  ///< the next commit, as far as it steps on

  // Guards of events: an event of an older generation is void.
  std::uint32_t run_generation = 0, attempt_generation = 0, eviction_generation = 0, live_generation = 0;

  // Outcome.
  std::optional<SimTime> first_start;
  SimTime released, stopped;
  FinalState final_state = FinalState::completed;  ///< of a zombie
  SimTime member_wait_from;
  Duration requeue_wait, held, member_wait;
  Duration longest_wait;  ///< of its stays in the queue that are over
  std::int64_t commits = 0, failures = 0, evictions = 0, drains = 0, resizes = 0, swaps = 0;
  bool unresolved = false;  ///< counted among those the run waits for after the window

  bool holds() const {
    return phase != JobPhase::queued && phase != JobPhase::away && phase != JobPhase::ended;
  }
};

}  // namespace fleetsim
