#include "sim/scheduler/order.hpp"

namespace fleetsim {

// Fair share between queues (Kay and Lauder, CACM 1988; Slurm's priority/multifactor without a tree): what
// each has held, decayed by half-lives, over its weight. The engine keeps that account and ranks the queues
// by it.
Int128 fair_share_key(const JobView& job, const SchedulerSpec&) { return job.queue_rank; }

}  // namespace fleetsim
