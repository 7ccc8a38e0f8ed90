#include <algorithm>

#include "sim/scheduler/order.hpp"

namespace fleetsim {

// Tiresias-L (Gu et al., NSDI 2019): least attained service in two dimensions (time x devices), discretised
// into queues. Inside each who runs stays, and the others come first come, first served: that is what the
// queues are for, and what the simulator that came with it does.
Int128 las_key(const JobView& job, const SchedulerSpec& spec) {
  const auto queue = std::upper_bound(spec.las_thresholds.begin(), spec.las_thresholds.end(), job.attained) -
                     spec.las_thresholds.begin();
  return 2 * Int128{queue} + (job.runs ? 0 : 1);
}

std::optional<DeviceTime> las_next_jump(const JobView& job, const SchedulerSpec& spec) {
  const auto next = std::upper_bound(spec.las_thresholds.begin(), spec.las_thresholds.end(), job.attained);
  if (next == spec.las_thresholds.end()) return std::nullopt;
  return *next;
}

}  // namespace fleetsim
