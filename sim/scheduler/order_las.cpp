#include <algorithm>

#include "sim/scheduler/order.hpp"

namespace fleetsim {

// Tiresias-L (Gu et al., NSDI 2019): least attained service in two dimensions (time x devices), discretised
// into queues, first come first served inside each.
Int128 las_key(const JobView& job, const SchedulerSpec& spec) {
  return std::upper_bound(spec.las_thresholds.begin(), spec.las_thresholds.end(), job.attained) -
         spec.las_thresholds.begin();
}

std::optional<DeviceTime> las_next_jump(const JobView& job, const SchedulerSpec& spec) {
  const auto next = std::upper_bound(spec.las_thresholds.begin(), spec.las_thresholds.end(), job.attained);
  if (next == spec.las_thresholds.end()) return std::nullopt;
  return *next;
}

}  // namespace fleetsim
