#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/random_stream.hpp"

/// How the FGD study makes its runs out of a list of tasks and one of nodes. Source: Weng et al., USENIX ATC
/// 2023, section 6.1, and its public simulator, which before each run puts the nodes in random order too:
/// that order, not the one of the file, decides ties (and moves packing and clustering by a point).
namespace fleetsim {

/// The numbers 0 .. count - 1 in random order, each order with the same chance.
std::vector<std::uint32_t> shuffled(std::uint32_t count, RandomStream& draws);

/// An order in which the tasks of a list arrive, as indices, so that their requests for devices come to
/// `target_milli`: the list shuffled; then, if it asks for more, tasks left out at random until it does not;
/// else tasks of the list, drawn with repetition, added behind until the next would go beyond. A list that
/// asks for no device is only shuffled.
std::vector<std::uint32_t> arrivals_up_to(std::span<const std::int64_t> requested_milli,
                                          std::int64_t target_milli, RandomStream& draws);

}  // namespace fleetsim
