#include <algorithm>
#include <vector>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

bool is_used(const Placement& parts, std::uint32_t node) {
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.node == node; });
}

/// Takes up to `nodes` nodes of the rack, those with the least room first; returns how many.
std::uint32_t take_from_rack(const Pool& pool, const Within& rack, std::uint32_t nodes, std::uint32_t devices,
                             Placement& out) {
  std::uint32_t taken = 0;
  for (std::uint32_t room = devices; room <= pool.devices_per_node() && taken < nodes; ++room) {
    for (auto node = pool.next_with(room, rack.first); node && *node <= rack.last && taken < nodes;
         node = pool.next_with(room, *node + 1)) {
      if (!rack.contains(*node) || is_used(out, *node)) continue;
      out.push_back(lowest_devices(pool, *node, devices));
      ++taken;
    }
  }
  return taken;
}

struct Room {
  std::uint32_t nodes, rack;
};

/// Nodes with so many free devices that the gang does not use, by rack; racks without any are left out.
std::vector<Room> rooms(const Domains& racks, std::uint32_t devices, const Within& within,
                        const Placement& used) {
  std::vector<std::uint32_t> used_of(racks.count());
  for (const Part& part : used) ++used_of[racks.of(part.node)];
  std::vector<Room> rooms;
  for (std::uint32_t rack = 0; rack < racks.count(); ++rack) {
    const std::uint32_t with_room = racks.nodes_with_at_least(devices, rack);
    if (with_room > used_of[rack] && within.contains(racks.within(rack).first))
      rooms.push_back({with_room - used_of[rack], rack});
  }
  return rooms;
}

/// Takes the rack with the least room that is enough; failing that, the one with the most, and so on.
bool take(const Pool& pool, const Domains& racks, const Within& within, std::uint32_t nodes,
          std::uint32_t devices, Placement& out) {
  if (nodes == 0) return true;
  std::vector<Room> heap = rooms(racks, devices, within, out);
  const auto less = [](const Room& a, const Room& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.rack > b.rack;
  };
  std::make_heap(heap.begin(), heap.end(), less);
  while (!heap.empty()) {
    auto best = heap.begin();
    for (auto each = heap.begin(); each != heap.end() && heap.front().nodes >= nodes; ++each) {
      const bool tighter =
          each->nodes < best->nodes || (each->nodes == best->nodes && each->rack < best->rack);
      if (each->nodes >= nodes && tighter) best = each;
    }
    const std::uint32_t taken = take_from_rack(pool, racks.within(best->rack), nodes, devices, out);
    if (taken == 0) return false;
    nodes -= taken;
    if (nodes == 0) return true;
    std::pop_heap(heap.begin(), heap.end(), less);
    heap.pop_back();
  }
  return false;
}

}  // namespace

void place_compact(const Pool& pool, const GangShape& shape, const Within& within, Placement& out) {
  const Domains* const racks = pool.domains(TopologyLevel::rack);
  if (racks == nullptr || within.domains == racks) return place_best_fit(pool, shape, within, out);
  const bool whole = take(pool, *racks, within, shape.nodes, shape.per_node, out);
  if (whole && (shape.remainder == 0 || take(pool, *racks, within, 1, shape.remainder, out))) return;
  out.clear();
  place_best_fit(pool, shape, within, out);
}

}  // namespace fleetsim
