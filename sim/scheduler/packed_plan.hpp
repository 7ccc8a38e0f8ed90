#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/fleet/packed_nodes.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/scheduler/plan_rows.hpp"

namespace fleetsim {

/// When CPU, memory and cards of packed nodes will be free. A stay gets its nodes when it is planned, and a
/// share its card: where the packing policy would put the gang if there were only what is free all the time
/// of the stay. Whole cards of a node count alike until it begins, since then any that are free will do.
/// Costs rows x nodes.
class PackedPlan {
 public:
  explicit PackedPlan(const PackedNodes& nodes);

  void reset(const PackedNodes& nodes, SimTime now);
  void give_back(const Placement& parts, JobId job, SimTime at);
  /// Devices that nobody holds serve again, and their node with them.
  void serve_again(const Pool& pool, const Part& part, SimTime at);
  /// The cards in `parts` are those to take if the stay begins at once.
  std::optional<PlannedSlot> earliest(const GangShape& shape, const Domains* domains, Duration hold,
                                      SimTime from, Placement& parts);
  void take(const GangShape& shape, const Placement& parts, const PlannedSlot& slot, Duration hold);
  /// Nobody else gets what there is of it until the stay begins.
  void keep(const GangShape& shape, const Placement& parts, const PlannedSlot& slot);

 private:
  // Of each node: whether it is open, CPU, memory, how many whole cards stays may take, and the milli of each
  // card that neither jobs hold nor shares to come.
  enum Column : std::size_t { kOpen, kCpu, kMemory, kWhole, kFirstCard };
  using Number = std::int64_t;
  std::size_t first_of(std::uint32_t node) const { return node * stride_; }
  static void add_cards(Number* node, const Part& part, int sign);
  static void add_host(Number* node, const TaskShape& task, int sign);
  bool has_room(std::uint32_t node, ShapeId task) const;
  void see_least(std::size_t first, std::size_t index);
  void show_least(std::size_t first);

  PackedNodes nodes_;  ///< what is free now, or all the time of a stay
  std::size_t stride_;
  PlanRows<Number> rows_;
  std::vector<Number> least_;  ///< over a stay
};

}  // namespace fleetsim
