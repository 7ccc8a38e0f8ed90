#include "sim/scheduler/placement.hpp"

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>

namespace fleetsim {

std::size_t distance(const Pool& pool, std::span<const Part> parts, std::uint32_t node) {
  std::size_t level = 0;
  for (; level < pool.levels().size(); ++level) {
    const Domains& domains = pool.levels()[level];
    if (std::any_of(parts.begin(), parts.end(),
                    [&](const Part& part) { return domains.of(part.node) == domains.of(node); }))
      break;
  }
  return level;
}

std::size_t draw_below(std::size_t count, RandomStream& draws) {
  return boost::random::uniform_int_distribution<std::size_t>{0, count - 1}(draws);
}

Part lowest_devices(const Pool& pool, std::uint32_t node, std::uint32_t count) {
  const DeviceMask free = pool.free_devices(node);
  if (count == pool.devices_per_node()) return Part{.node = node, .devices = free};
  DeviceMask rest = free;
  for (std::uint32_t taken = 0; taken < count; ++taken) rest &= rest - 1;
  return Part{.node = node, .devices = free & ~rest};
}

void take_nodes_with(const Pool& pool, std::uint32_t room, std::uint32_t devices, const Within& within,
                     std::size_t before, std::size_t end, Placement& out) {
  for (auto node = pool.next_with(room, within.first); node && *node <= within.last && out.size() < end;
       node = pool.next_with(room, *node + 1)) {
    if (!within.contains(*node)) continue;
    const bool used = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                                  [&](const Part& part) { return part.node == *node; });
    if (!used) out.push_back(lowest_devices(pool, *node, devices));
  }
}

bool place(const Pool& pool, const GangShape& shape, TopologyLevel level, const PlacementPolicy& policy,
           Placement& out) {
  const Domains* const domains = pool.domains(level);
  if (const PackedNodes* const packed = pool.packed()) {
    const bool is_near = level != TopologyLevel::node || pool.fits(shape, level);
    return is_near && packed->place(shape, domains, out);
  }
  if (shape.milli != 0) {
    const auto share = pool.find_share(shape.milli);
    if (share) out.push_back(*share);
    return share.has_value();
  }
  if (domains == nullptr) {
    const auto with_at_least = [&](std::uint32_t count) { return pool.nodes_with_at_least(count); };
    if (!Pool::is_near(shape, level) || !can_hold(shape, with_at_least)) return false;
    policy.place(pool, shape, {}, out);
    return true;
  }
  const auto domain = domains->next_with_room(shape);
  // A policy that chooses takes no more than one where one is enough.
  const bool is_first = policy.members != MemberChoice::nearest;
  if (domain) policy.place(pool, shape, is_first ? domains->within(*domain) : Within{}, out);
  return domain.has_value();
}

}  // namespace fleetsim
