#include "sim/scheduler/order.hpp"

namespace fleetsim {

// Tiresias (Gu et al., NSDI 2019) and Muri (Zhao et al., SIGCOMM 2022): remaining time x devices.
Int128 srsf_key(const JobView& job, const SchedulerSpec&) {
  return Int128{job.remaining.ns()} * job.capacity.milli();
}

}  // namespace fleetsim
