#pragma once

#include <cstddef>
#include <cstdint>

namespace fleetsim {

/// How near each other the nodes of a gang are: on one node, in one rack, ... Each level lies inside the
/// next.
enum class TopologyLevel : std::uint8_t { node, rack, pod, spine, pool };
inline constexpr std::size_t kTopologyLevels = 5;

}  // namespace fleetsim
