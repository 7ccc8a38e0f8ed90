#include <algorithm>
#include <vector>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

/// Takes up to `nodes` nodes of the rack, those with the least room first; returns how many.
std::uint32_t take_from_rack(const Pool& pool, std::uint32_t rack, std::uint32_t nodes, std::uint32_t devices,
                             Placement& out) {
  std::uint32_t taken = 0;
  for (std::uint32_t room = devices; room <= pool.devices_per_node() && taken < nodes; ++room) {
    for (auto node = pool.next_with(room, 0); node && taken < nodes; node = pool.next_with(room, *node + 1)) {
      if (pool.rack_of(*node) != rack) continue;
      if (std::any_of(out.begin(), out.end(), [&](const Part& part) { return part.node == *node; })) continue;
      out.push_back(lowest_devices(pool, *node, devices));
      ++taken;
    }
  }
  return taken;
}

}  // namespace

void place_compact(const Pool& pool, const GangShape& shape, std::optional<std::uint32_t> rack,
                   Placement& out) {
  if (rack || pool.racks() == 1) {
    place_best_fit(pool, shape, rack, out);
    return;
  }
  const auto take = [&](std::uint32_t nodes, std::uint32_t devices) {
    while (nodes > 0) {
      // The rack with the least room that is enough; failing that, the one with the most.
      std::uint32_t best = 0, best_room = 0;
      for (std::uint32_t each = 0; each < pool.racks(); ++each) {
        const auto used = static_cast<std::uint32_t>(std::count_if(
            out.begin(), out.end(), [&](const Part& part) { return pool.rack_of(part.node) == each; }));
        const std::uint32_t with_room = pool.nodes_with_at_least(devices, each);
        const std::uint32_t room = with_room > used ? with_room - used : 0;
        const bool enough = room >= nodes, best_enough = best_room >= nodes;
        if (enough != best_enough ? enough : enough ? room < best_room : room > best_room) {
          best = each;
          best_room = room;
        }
      }
      const std::uint32_t taken = take_from_rack(pool, best, nodes, devices, out);
      if (taken == 0) break;
      nodes -= taken;
    }
    return nodes == 0;
  };
  const bool whole = take(shape.nodes, shape.per_node);
  if (!whole || (shape.remainder != 0 && !take(1, shape.remainder))) {
    out.clear();
    place_best_fit(pool, shape, std::nullopt, out);
  }
}

}  // namespace fleetsim
