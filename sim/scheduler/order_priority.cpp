#include "sim/scheduler/order.hpp"

namespace fleetsim {

Int128 priority_key(const JobView& job, const SchedulerSpec&) { return -Int128{job.priority}; }

}  // namespace fleetsim
