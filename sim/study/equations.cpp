#include "sim/study/equations.hpp"

#include "models/checkpoint/renewal.hpp"
#include "models/goodput/factors.hpp"

namespace fleetsim {

PoolForms pool_forms(const GoodputFactors& given) {
  const MpgFactors factors{
      .scheduling = given.scheduling, .runtime = given.runtime, .program = given.program};
  const LossShares shares = loss_shares(factors);
  const MpgFactors value = value_of_point(factors);
  return {.mpg = mpg(factors),
          .share_scheduling = shares.scheduling,
          .share_runtime = shares.runtime,
          .share_program = shares.program,
          .share_useful = shares.useful,
          .value_of_scheduling = value.scheduling,
          .value_of_runtime = value.runtime,
          .value_of_program = value.program};
}

double long_run_runtime_goodput(const LongRun& job) {
  const bool productive = job.clock == LongRun::Clock::productive;
  return renewal_shares({.failures = job.failures,
                         .evictions = job.evictions,
                         .clock = productive ? RenewalClock::kProductive : RenewalClock::kHeld,
                         .interval = job.interval,
                         .write = job.pause,
                         .recovery = job.recovery,
                         .relaunch = job.relaunch,
                         .eviction_loss = job.eviction_loss,
                         .input_stall = job.input_stall})
      .retained;
}

}  // namespace fleetsim
