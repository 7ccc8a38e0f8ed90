#include "sim/scheduler/placement.hpp"

namespace fleetsim {

void place_worst_fit(const Pool& pool, const GangShape& shape, const Within& within, Placement& out) {
  const auto take = [&](std::uint32_t nodes, std::uint32_t devices) {
    const std::size_t before = out.size(), end = before + nodes;
    for (std::uint32_t room = pool.devices_per_node(); room >= devices && out.size() < end; --room)
      take_nodes_with(pool, room, devices, within, before, end, out);
  };
  take(shape.nodes, shape.per_node);
  if (shape.remainder != 0) take(1, shape.remainder);
}

}  // namespace fleetsim
