#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>
#include <utility>
#include <vector>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {

void place_random(const Pool& pool, const GangShape& shape, const Within& within, Placement& out) {
  std::vector<std::uint32_t> nodes;
  const auto take = [&](std::uint32_t count, std::uint32_t devices) {
    nodes.clear();
    for (auto node = pool.next_with_at_least(devices, within.first); node && *node <= within.last;
         node = pool.next_with_at_least(devices, *node + 1)) {
      const bool used =
          std::any_of(out.begin(), out.end(), [&](const Part& part) { return part.node == *node; });
      if (!used && within.contains(*node)) nodes.push_back(*node);
    }
    for (std::size_t next = 0; next < count; ++next) {
      boost::random::uniform_int_distribution<std::size_t> any{next, nodes.size() - 1};
      std::swap(nodes[next], nodes[any(pool.draws())]);
      out.push_back(lowest_devices(pool, nodes[next], devices));
    }
  };
  take(shape.nodes, shape.per_node);
  if (shape.remainder != 0) take(1, shape.remainder);
}

}  // namespace fleetsim
