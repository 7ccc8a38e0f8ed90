#include "sim/scheduler/order.hpp"

namespace fleetsim {

Int128 fifo_key(const JobView&, const SchedulerSpec&) { return 0; }

}  // namespace fleetsim
