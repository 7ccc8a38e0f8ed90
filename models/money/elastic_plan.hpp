#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// A stretch of a job at one size. Work is counted in what the throughput counts: epochs, steps, tokens.
struct Stage {
  std::int64_t devices = 0;
  PerSecond throughput{};  ///< units of work per second, > 0
  Seconds pause{};         ///< to arrive at this size, spent holding it
  std::optional<Seconds>
      length{};  ///< working time; the last stage has none: it lasts until the work is done
};

/// How a job grows: a wait with nothing held, then its stages in order, at least one.
struct ElasticPlan {
  Seconds wait{};
  std::vector<Stage> stages{};
};

struct PlanOutcome {
  Seconds time{};         ///< from submission to the end
  Seconds device_time{};  ///< held
};

/// What the plan needs for so much work; every held second takes `held_factor` >= 1 of them, as interruptions
/// of spot capacity do (spot_factor).
PlanOutcome finish(const ElasticPlan& plan, double work, double held_factor = 1);

/// Work done by `window` after submission, without interruptions.
double work_within(const ElasticPlan& plan, Seconds window);

/// Throughput per device over that of a smaller size: 1 is linear scaling.
double scaling_efficiency(const Stage& small, const Stage& large);

}  // namespace fleetsim
