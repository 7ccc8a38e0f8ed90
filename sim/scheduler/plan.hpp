#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/scheduler/packed_plan.hpp"
#include "sim/scheduler/placement.hpp"
#include "sim/scheduler/plan_rows.hpp"

namespace fleetsim {

/// When the devices of a pool will be free. Where every gang takes whole nodes a row is one number, and a
/// question costs by the rows; where gangs take parts of nodes it is one number a node, since devices of a
/// node count alike, and a question costs by rows x nodes; packed nodes have a plan of their own.
class Plan {
 public:
  enum class Grain : std::uint8_t { whole_nodes, devices, cards };
  /// @param grain  cards for packed nodes, and for no others
  Plan(const Pool& pool, Grain grain, MemberChoice choice);
  Grain grain() const { return grain_; }

  /// Begins anew: what is free now stays free.
  void reset(const Pool& pool, SimTime now);
  /// What ends at or before `now` is forgotten.
  void advance(SimTime now) { rows_.advance(now); }
  /// The job leaves; overdue if not after now.
  void give_back(const Placement& parts, JobId job, SimTime at);
  /// Devices that no job holds serve again.
  void serve_again(const Part& part, SimTime at);

  using Slot = PlannedSlot;
  /// Finds the earliest start of a stay of `hold` on one set of nodes that have room all the time, by choice
  /// (whole members, then the remainder); `places` gets them, where rows know nodes: as many devices, which
  /// are those in the end only of packed nodes. Nothing if there never is room. All nodes are of one domain
  /// of the level, and the stay does not begin before `from`.
  std::optional<Slot> earliest(const GangShape& shape, TopologyLevel level, Duration hold, SimTime from,
                               Placement& places);
  void take(const GangShape& shape, const Placement& places, const Slot& slot, Duration hold);
  /// Nobody else gets what there is of it until the stay begins.
  void keep(const GangShape& shape, const Placement& places, const Slot& slot);

 private:
  bool knows_nodes() const { return grain_ == Grain::devices; }
  void add(const Placement& parts, SimTime at);
  bool choose(const GangShape& shape, TopologyLevel level, Placement& places) const;
  bool choose_in(const GangShape& shape, const Within& within, MemberChoice choice, Placement& places) const;
  void choose_again(const GangShape& shape, TopologyLevel level, Placement& places) const;

  const Pool* pool_;
  Grain grain_;
  MemberChoice choice_;
  PlanRows<std::uint32_t> rows_;
  std::vector<std::uint32_t> least_;  ///< scratch: least free of each node over a stay
  std::optional<PackedPlan> packed_;
};

}  // namespace fleetsim
