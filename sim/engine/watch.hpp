#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/device_time.hpp"
#include "sim/core/ids.hpp"
#include "sim/core/time.hpp"
#include "sim/engine/result.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// What a job does; while it is queued, what keeps it from starting, this job and not the others that its
/// pools' free capacity may be kept from. Of several pools the one that comes nearest counts, in this order.
enum class WatchState : std::uint8_t {
  // Queued.
  quota,           ///< its quota has no room for it
  order,           ///< it would fit, but somebody ahead may not be passed
  reservation,     ///< it would fit, but might delay a start that is reserved
  backfill_depth,  ///< it would fit and delay nobody, but stands further back than the scheduler looks
  holders,         ///< partial hold: as many gangs assemble as may
  topology,        ///< it would fit, but not within one rack
  fragmentation,   ///< enough is free in total, in the wrong shape
  leaving,         ///< it would fit when those have left that are saving or being torn down
  out_of_service,  ///< it would fit if what is out of service were free
  no_room,         ///< less is free than it needs
  // Not queued, or holding something.
  assembling,
  provisioning,
  running,
  detecting,
  waiting_member,
  saving,
  draining,
  away,
  zombie,
};

struct WatchStateInfo {
  WatchState state;
  std::string_view name;
  std::string_view about;
};
std::span<const WatchStateInfo> watch_states();  ///< in the order of the enumeration
enum class JobPhase : std::uint8_t;
std::string_view name_of(JobPhase phase);  ///< "queued", or the name of the state
inline bool is_queued(WatchState state) { return state < WatchState::assembling; }

/// From one instant to another, in which the job's state was the same.
struct WatchSpan {
  SimTime from, to;
  WatchState state = WatchState::no_room;
  std::string
      who;  ///< whom it waits for: a job ahead, a job that leaves, a quota; "" if nobody in particular
  std::optional<SimTime> reserved;  ///< for when that job's start, or its own, was reserved, when last seen
  // While it is queued: jobs ahead of it that want its pools, and what was free in these; least and most.
  std::size_t least_ahead = 0, most_ahead = 0;
  Capacity least_free, most_free;
  // While it holds something.
  std::uint32_t pool = 0;
  Capacity assigned;  ///< at the beginning
  Placement parts;    ///< its own spares with them
  // At its beginning.
  std::int64_t starts = 0, failures = 0, evictions = 0, drains = 0, swaps = 0;
  std::string gave_way_to;  ///< the job for which the scheduler had just stopped it
};

/// One job of a replication, watched: ask for it by name, and the rest is filled in.
struct Watch {
  std::string id;
  bool arrived = false;
  std::uint32_t job_class = 0;
  SimTime submit, end;
  GangShape shape;
  Capacity asked;                         ///< with its own spares
  std::optional<FinalState> state;        ///< absent: it had not ended when the run did
  std::optional<Refusal> refusal{};       ///< of one that is unsatisfiable
  std::vector<WatchSpan> spans{};         ///< without gaps, from submission to the end
  std::vector<std::uint64_t> arrivals{};  ///< by class: how many jobs came
  std::uint64_t namesakes = 0;            ///< jobs that came later and have the same id
};

}  // namespace fleetsim
