#include "sim/scheduler/placement.hpp"

namespace fleetsim {

void place_best_fit(const Pool& pool, const GangShape& shape, const Within& within, Placement& out) {
  const auto take = [&](std::uint32_t nodes, std::uint32_t devices) {
    const std::size_t before = out.size(), end = before + nodes;
    for (std::uint32_t room = devices; room <= pool.devices_per_node() && out.size() < end; ++room)
      take_nodes_with(pool, room, devices, within, before, end, out);
  };
  // The remainder last: it takes the tightest node that the gang does not use.
  take(shape.nodes, shape.per_node);
  if (shape.remainder != 0) take(1, shape.remainder);
}

}  // namespace fleetsim
