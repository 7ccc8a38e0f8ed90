#include "sim/fleet/placement.hpp"

namespace fleetsim {

Capacity capacity(std::span<const Part> parts) {
  Capacity total;
  for (const Part& part : parts) total += part.capacity();
  return total;
}

void Placement::list_nodes() const {
  Parts all;
  for_each([&](const Part& part) { all.push_back(part); });
  parts_.swap(all);
  words_.clear();
}

}  // namespace fleetsim
