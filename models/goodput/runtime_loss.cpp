#include "models/goodput/runtime_loss.hpp"

#include <cmath>

namespace fleetsim {

RuntimeLosses runtime_losses(const RuntimeTerms& terms) {
  return {.startup = terms.startup / terms.held,
          .input_wait = terms.input_stall,
          .checkpoint_write = terms.write / terms.interval,
          .checkpoint_rework = terms.interval / 2 * terms.failures,
          .recovery = terms.recovery * terms.failures,
          .preemption = terms.eviction_tax * terms.evictions};
}

double devices_where_failures_cost(double share, Seconds write, Seconds recovery, PerSecond failures) {
  // sqrt(2 write) x + recovery x^2 = share, with x^2 the failure rate of the whole job; this form of the root
  // also holds when one of the two coefficients is zero.
  const double linear = std::sqrt(2 * write.si);
  const double x = 2 * share / (linear + std::sqrt(2 * write.si + 4 * recovery.si * share));
  return x * x / failures.si;
}

}  // namespace fleetsim
