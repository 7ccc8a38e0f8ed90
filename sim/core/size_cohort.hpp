#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "sim/core/device_time.hpp"

namespace fleetsim {

/// Gangs of like size: cohort k has 2^k to 2^(k+1) - 1 devices. A part of a device counts as one; the last
/// cohort is open above, beyond any fleet.
inline constexpr std::uint32_t kSizeCohorts = 32;

/// The cohort of a gang of this capacity, a job's own spares aside.
constexpr std::uint32_t size_cohort(Capacity gang) {
  const auto devices = static_cast<std::uint64_t>(gang.milli()) / 1000;
  if (devices == 0) return 0;
  return std::min(static_cast<std::uint32_t>(std::bit_width(devices)) - 1, kSizeCohorts - 1);
}

/// Its sizes in devices: "1", "2-3", "8-15".
inline std::string size_cohort_name(std::uint32_t cohort) {
  const std::uint64_t least = std::uint64_t{1} << cohort;
  return cohort == 0 ? "1" : std::to_string(least) + "-" + std::to_string(2 * least - 1);
}

}  // namespace fleetsim
