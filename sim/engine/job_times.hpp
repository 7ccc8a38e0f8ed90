#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/quantity/duration.hpp"

namespace fleetsim {

/// What a completed job took.
struct JobTimes {
  Duration queue_wait, time_to_result;
  double bounded_slowdown;  ///< max(1, time to result / max(held time, 10 s))
};

/// The percentiles that are kept of a run, in per cent; 100 is the maximum.
inline constexpr std::array<std::int64_t, 5> kPercentiles{50, 90, 95, 99, 100};

/// Nearest-rank percentiles over jobs, in the order of kPercentiles: always the value of some job.
struct JobPercentiles {
  std::int64_t jobs = 0;  ///< without any, the rest is zero
  std::array<Duration, kPercentiles.size()> queue_wait{}, time_to_result{};
  std::array<double, kPercentiles.size()> bounded_slowdown{};
};

/// Of the jobs of all lists together.
JobPercentiles percentiles(std::span<const std::vector<JobTimes>> lists);

}  // namespace fleetsim
