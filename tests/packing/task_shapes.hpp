#pragma once

#include "sim/packing/node_room.hpp"

namespace fleetsim {

inline TaskShape whole(std::uint32_t cards) { return {.cards = cards, .milli_per_card = 1000}; }
inline TaskShape share(std::uint32_t milli) { return {.cards = 1, .milli_per_card = milli}; }

}  // namespace fleetsim
