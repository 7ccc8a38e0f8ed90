#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "models/quantity/duration.hpp"
#include "sim/core/device_time.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// What an order may know of a job.
struct JobView {
  std::int64_t priority = 0;
  Duration total,
      remaining;        ///< stepping time of the whole job, and what is left of it; unbounded if endless
  DeviceTime attained;  ///< device-time held so far
  Capacity capacity;    ///< of the whole gang
  bool runs = false;    ///< its gang is complete
  std::int64_t queue_rank = 0;  ///< of its queue: 0 has had the least of its share of late
};

/// Jobs with the smaller key come first; equal keys by queue time (submission, or when requeued behind), then
/// by arrival.
struct OrderPolicy {
  std::string_view name, about, source;
  std::string_view cost;                                ///< of one decision, n jobs in the queue
  Int128 (*key)(const JobView&, const SchedulerSpec&);  ///< null: all alike
  /// The attained service at which the key of a running job next jumps; null if it never jumps.
  std::optional<DeviceTime> (*next_jump)(const JobView&, const SchedulerSpec&);
};

std::span<const OrderPolicy> order_table();
const OrderPolicy* find_order(std::string_view name);

// One file each.
Int128 priority_key(const JobView&, const SchedulerSpec&);
Int128 sjf_key(const JobView&, const SchedulerSpec&);
Int128 srtf_key(const JobView&, const SchedulerSpec&);
Int128 srsf_key(const JobView&, const SchedulerSpec&);
Int128 fair_share_key(const JobView&, const SchedulerSpec&);
Int128 las_key(const JobView&, const SchedulerSpec&);
std::optional<DeviceTime> las_next_jump(const JobView&, const SchedulerSpec&);

}  // namespace fleetsim
