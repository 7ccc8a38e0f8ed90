#include <algorithm>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {

void place_worst_fit(const Pool& pool, const GangShape& shape, std::optional<std::uint32_t> rack,
                     Placement& out) {
  const auto take = [&](std::uint32_t nodes, std::uint32_t devices) {
    const std::size_t before = out.size(), end = before + nodes;
    const auto already_used = [&](std::uint32_t node) {
      return std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                         [&](const Part& part) { return part.node == node; });
    };
    for (std::uint32_t room = pool.devices_per_node(); room >= devices && out.size() < end; --room) {
      for (auto node = pool.next_with(room, 0); node && out.size() < end;
           node = pool.next_with(room, *node + 1)) {
        if (rack && pool.rack_of(*node) != *rack) continue;
        if (already_used(*node)) continue;
        out.push_back(lowest_devices(pool, *node, devices));
      }
    }
  };
  take(shape.nodes, shape.per_node);
  if (shape.remainder != 0) take(1, shape.remainder);
}

}  // namespace fleetsim
