#pragma once

#include <cstdint>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

// Equation numbers are those of Machine Learning Systems, volume 2, chapter 9 ("Fleet Efficiency").

/// The three factors of goodput, each within [0, 1] and each on the capacity that survived the one before.
struct MpgFactors {
  double scheduling = 1;  ///< S: held by complete gangs / in service
  double runtime = 1;     ///< R: retained / held
  double program = 1;     ///< P: ideal / retained
};

/// ML productivity goodput, S R P. Equation 1; Wongpanich et al. 2025.
double mpg(const MpgFactors& factors);

/// R P, what a job makes of the capacity it holds.
double job_product(const MpgFactors& factors);

/// Where offered capacity went, in the order a job meets the losses; the four add to one. Equation 2.
struct LossShares {
  double scheduling = 0;
  double runtime = 0;
  double program = 0;
  double useful = 0;
};
LossShares loss_shares(const MpgFactors& factors);

/// Program goodput under the arithmetic ideal, which is model FLOPs utilisation: useful work of one step over
/// what all devices could do in its time. Equation 3. Count model arithmetic alone, under one convention, and
/// the dense peak; a value above one says that an input is wrong. With recomputation counted as well it is
/// hardware FLOPs utilisation.
double model_flops_utilization(Flops step_work, std::int64_t devices, FlopRate peak, Seconds step);

/// How much S R P gains per unit of one factor: the product of the other two, field by field.
MpgFactors value_of_point(const MpgFactors& factors);

/// Product of the three ratios after / before; a change pays when it exceeds one. Both must cover one window
/// that holds the one-time costs of the change. MpgFactors before are > 0.
double product_of_ratios(const MpgFactors& before, const MpgFactors& after);

/// Relative gain of S R P when a factor reaches its ceiling: ceiling / value - 1.
double ceiling_gain(double value, double ceiling);

/// The value a factor may fall to when another rises from `before` to `after`, S R P unchanged.
double break_even(double factor, double before, double after);

/// What a closed-form time to result is made of.
struct TimeToResult {
  Seconds queue_wait{};
  Seconds ideal{};  ///< device-time at peak arithmetic that the whole work needs
  std::int64_t devices = 1;
  double runtime = 1;  ///< R, > 0
  double program = 1;  ///< P, > 0
};

/// Wait + ideal / (N R P). Equation 7. Devices held otherwise by the pool do not slow this job.
Seconds time_to_result(const TimeToResult& job);

}  // namespace fleetsim
