#include "sim/scenario/installed.hpp"

#include <algorithm>

namespace fleetsim {

DeviceTime installed(const PoolSpec& pool, SimTime from, SimTime to) {
  const auto nodes = [&](std::int64_t count) { return Capacity::devices(count * pool.devices_per_node); };
  std::int64_t always = pool.nodes;
  DeviceTime total;
  for (const DatedNodes& dated : pool.dated) {
    const auto count = static_cast<std::int64_t>(dated.nodes.size());
    always -= count;
    const SimTime first = std::max(dated.from, from), last = std::min(dated.until, to);
    if (first < last) total += nodes(count) * (last - first);
  }
  return total + nodes(always) * (to - from);
}

}  // namespace fleetsim
