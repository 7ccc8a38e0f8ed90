#include "sim/fleet/placement.hpp"

namespace fleetsim {

Capacity capacity(std::span<const Part> parts) {
  Capacity total;
  for (const Part& part : parts) total += part.capacity();
  return total;
}

void Placement::list_nodes() const {
  std::size_t count = 0;
  for (const NodeWord& each : words_) count += static_cast<std::size_t>(std::popcount(each.nodes));
  parts_.insert(parts_.begin(), count, Part{});
  Part* part = parts_.data();
  for (const NodeWord& each : words_)
    for (std::uint64_t left = each.nodes; left != 0; left &= left - 1)
      *part++ = {.node = each.word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)),
                 .devices = devices_of_each_};
  words_.clear();
}

}  // namespace fleetsim
