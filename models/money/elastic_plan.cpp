#include "models/money/elastic_plan.hpp"

#include <algorithm>

namespace fleetsim {

PlanOutcome finish(const ElasticPlan& plan, double work, double held_factor) {
  PlanOutcome outcome{.time = plan.wait, .device_time = Seconds{0}};
  for (const Stage& stage : plan.stages) {
    if (work <= 0) break;
    const Seconds needed = work / stage.throughput;
    const Seconds working = stage.length ? std::min(*stage.length, needed) : needed;
    const Seconds held = (stage.pause + working) * held_factor;
    outcome.time += held;
    outcome.device_time += static_cast<double>(stage.devices) * held;
    work -= stage.throughput * working;
  }
  return outcome;
}

double work_within(const ElasticPlan& plan, Seconds window) {
  Seconds left = window - plan.wait;
  double work = 0;
  for (const Stage& stage : plan.stages) {
    left -= stage.pause;
    if (left.si <= 0) break;
    const Seconds working = stage.length ? std::min(*stage.length, left) : left;
    work += stage.throughput * working;
    left -= working;
  }
  return work;
}

double scaling_efficiency(const Stage& small, const Stage& large) {
  const double growth = static_cast<double>(large.devices) / static_cast<double>(small.devices);
  return large.throughput / small.throughput / growth;
}

}  // namespace fleetsim
