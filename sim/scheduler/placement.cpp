#include "sim/scheduler/placement.hpp"

#include <algorithm>

namespace fleetsim {

Part lowest_devices(const Pool& pool, std::uint32_t node, std::uint32_t count) {
  const DeviceMask free = pool.free_devices(node);
  if (count == pool.devices_per_node()) return Part{.node = node, .devices = free};
  DeviceMask rest = free;
  for (std::uint32_t taken = 0; taken < count; ++taken) rest &= rest - 1;
  return Part{.node = node, .devices = free & ~rest};
}

void take_nodes_with(const Pool& pool, std::uint32_t room, std::uint32_t devices,
                     std::optional<std::uint32_t> rack, std::size_t before, std::size_t end, Placement& out) {
  for (auto node = pool.next_with(room, 0); node && out.size() < end;
       node = pool.next_with(room, *node + 1)) {
    if (rack && pool.rack_of(*node) != *rack) continue;
    const bool used = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                                  [&](const Part& part) { return part.node == *node; });
    if (!used) out.push_back(lowest_devices(pool, *node, devices));
  }
}

bool place(const Pool& pool, const GangShape& shape, bool within_rack, PlaceFunction policy, Placement& out) {
  if (const PackedNodes* const packed = pool.packed()) return packed->place(shape, within_rack, out);
  if (shape.milli != 0) {
    const auto share = pool.find_share(shape.milli);
    if (share) out.push_back(*share);
    return share.has_value();
  }
  if (!pool.fits_devices(shape, within_rack)) return false;
  if (!within_rack || pool.racks() == 1) {
    policy(pool, shape, std::nullopt, out);
    return true;
  }
  for (std::uint32_t rack = 0; rack < pool.racks(); ++rack) {
    const bool enough =
        (shape.nodes == 0 || pool.nodes_with_at_least(shape.per_node, rack) >= shape.nodes) &&
        (shape.remainder == 0 || pool.nodes_with_at_least(shape.remainder, rack) >= shape.nodes + 1);
    if (!enough) continue;
    policy(pool, shape, rack, out);
    return true;
  }
  return false;
}

}  // namespace fleetsim
