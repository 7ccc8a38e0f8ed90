#pragma once

#include <cstddef>
#include <cstdint>

namespace fleetsim {

// How large a scenario may be: far above any fleet there is, far below where sums of integers would overflow.

inline constexpr std::uint32_t kMostNodes = 10'000'000;  ///< of a pool
inline constexpr std::uint32_t kMostPerNode = 64;        ///< devices of a node
inline constexpr std::uint32_t kMostDevices = kMostNodes * kMostPerNode;
inline constexpr std::size_t kMostSizes = 4096;  ///< of an elastic gang

}  // namespace fleetsim
