#include "sim/scheduler/order.hpp"

namespace fleetsim {

Int128 sjf_key(const JobView& job, const SchedulerSpec&) { return job.total.ns(); }

}  // namespace fleetsim
