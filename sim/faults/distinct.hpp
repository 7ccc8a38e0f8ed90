#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/random_stream.hpp"

namespace fleetsim {

/// `count` of the numbers below `of`, no more than that, every such set with equal chance: which they are.
std::vector<bool> draw_distinct(RandomStream& stream, std::uint32_t count, std::uint32_t of);

}  // namespace fleetsim
