#include "models/goodput/factors.hpp"

namespace fleetsim {

double mpg(const MpgFactors& factors) { return factors.scheduling * factors.runtime * factors.program; }

double job_product(const MpgFactors& factors) { return factors.runtime * factors.program; }

LossShares loss_shares(const MpgFactors& factors) {
  const double held = factors.scheduling;
  const double retained = held * factors.runtime;
  return {.scheduling = 1 - held,
          .runtime = held * (1 - factors.runtime),
          .program = retained * (1 - factors.program),
          .useful = retained * factors.program};
}

double model_flops_utilization(Flops step_work, std::int64_t devices, FlopRate peak, Seconds step) {
  return step_work / (static_cast<double>(devices) * (peak * step));
}

MpgFactors value_of_point(const MpgFactors& factors) {
  return {.scheduling = factors.runtime * factors.program,
          .runtime = factors.scheduling * factors.program,
          .program = factors.scheduling * factors.runtime};
}

double product_of_ratios(const MpgFactors& before, const MpgFactors& after) {
  return (after.scheduling / before.scheduling) * (after.runtime / before.runtime) *
         (after.program / before.program);
}

double ceiling_gain(double value, double ceiling) { return ceiling / value - 1; }

double break_even(double factor, double before, double after) { return factor * before / after; }

Seconds time_to_result(const TimeToResult& job) {
  return job.queue_wait + job.ideal / (static_cast<double>(job.devices) * job.runtime * job.program);
}

}  // namespace fleetsim
