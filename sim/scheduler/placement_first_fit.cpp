#include <algorithm>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {

void place_first_fit(const Pool& pool, const GangShape& shape, const Within& within, Placement& out) {
  const auto take = [&](std::uint32_t nodes, std::uint32_t devices) {
    const std::size_t before = out.size();
    std::uint32_t from = within.first;
    for (std::uint32_t taken = 0; taken < nodes;) {
      const std::uint32_t node = *pool.next_with_at_least(devices, from);
      from = node + 1;
      if (!within.contains(node)) continue;
      if (std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                      [&](const Part& part) { return part.node == node; }))
        continue;
      out.push_back(lowest_devices(pool, node, devices));
      ++taken;
    }
  };
  const bool are_contiguous = within.domains == nullptr || within.domains->are_contiguous();
  if (are_contiguous && shape.per_node == pool.devices_per_node()) {
    pool.first_whole_nodes(shape.nodes, within.first, out);
  } else {
    take(shape.nodes, shape.per_node);
  }
  if (shape.remainder != 0) take(1, shape.remainder);
}

}  // namespace fleetsim
