#include "sim/scenario/installed.hpp"

#include <algorithm>

namespace fleetsim {

std::uint32_t devices_of_node(const PoolSpec& pool, std::uint32_t node) {
  return pool.packed.empty() ? pool.devices_per_node : pool.packed[node].cards;
}

std::int64_t devices_of(const PoolSpec& pool) {
  if (pool.packed.empty()) return std::int64_t{pool.nodes} * pool.devices_per_node;
  std::int64_t devices = 0;
  for (const NodeSpec& node : pool.packed) devices += node.cards;
  return devices;
}

DeviceTime installed(const PoolSpec& pool, SimTime from, SimTime to) {
  std::int64_t always = devices_of(pool);
  DeviceTime total;
  for (const DatedNodes& dated : pool.dated) {
    std::int64_t devices = 0;
    for (const std::uint32_t node : dated.nodes) devices += devices_of_node(pool, node);
    always -= devices;
    const SimTime first = std::max(dated.from, from), last = std::min(dated.until, to);
    if (first < last) total += Capacity::devices(devices) * (last - first);
  }
  return total + Capacity::devices(always) * (to - from);
}

}  // namespace fleetsim
