#pragma once

#include <cstdint>
#include <span>

#include "models/quantity/quantity.hpp"
#include "models/reliability/failure_row.hpp"

namespace fleetsim {

/// What a job, or a fleet, spans.
struct Extent {
  std::int64_t devices = 0;
  std::int64_t nodes = 0;
  std::int64_t racks = 0;
};

/// Rate of failures anywhere in the extent: constant, independent rates add, and any failure counts.
PerSecond failure_rate(std::span<const FailureRow> rows, Extent extent);

/// Mean time between failures of the whole extent; infinite without any.
Seconds mean_time_between(PerSecond rate);

/// Probability that nothing happens within `time`, for a constant rate.
double none_within(PerSecond rate, Seconds time);

/// Rate of a kind of failure that struck `count` times over `watched` things in `time`; > 0 both.
PerSecond observed_rate(std::int64_t count, std::int64_t watched, Seconds time);

/// How long it takes to have a job stepping again; loading is size over bandwidth. No rework inside.
struct RecoveryBudget {
  Seconds detect{};
  Seconds restart{};  ///< launch, import, communicators
  Seconds warmup{};
};

/// After a failure: detect, restart, load, warm up.
Seconds recovery_time(const RecoveryBudget& budget, Seconds load);

/// A launch that no failure preceded: the same without detection.
Seconds startup_time(const RecoveryBudget& budget, Seconds load);

}  // namespace fleetsim
