#include "sim/scheduler/order.hpp"

namespace fleetsim {

Int128 srtf_key(const JobView& job, const SchedulerSpec&) { return job.remaining.ns(); }

}  // namespace fleetsim
