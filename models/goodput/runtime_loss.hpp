#pragma once

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// What equation 4 needs to know of a job.
struct RuntimeTerms {
  Seconds startup{};       ///< one launch per stretch of held time
  Seconds held{};          ///< > 0
  double input_stall = 0;  ///< share of held time spent waiting for input
  Seconds write{};
  Seconds interval{};  ///< between checkpoints, > 0
  PerSecond failures{};
  Seconds recovery{};  ///< per failure, without rework
  PerSecond evictions{};
  Seconds eviction_tax{};  ///< per eviction: work lost and startup
};

/// Shares of held time lost, by cause.
struct RuntimeLosses {
  double startup = 0;
  double input_wait = 0;
  double checkpoint_write = 0;
  double checkpoint_rework = 0;
  double recovery = 0;
  double preemption = 0;

  double checkpoint() const { return checkpoint_write + checkpoint_rework; }
  double total() const { return startup + input_wait + checkpoint() + recovery + preemption; }
  double runtime_goodput() const { return 1 - total(); }
};

/// Runtime loss as a sum of five terms: startup, input, checkpoint, recovery, preemption. First order: good
/// while every term is small, since the terms are normalised against slightly different times. Source:
/// Machine Learning Systems, volume 2, chapter 9, equation 4.
RuntimeLosses runtime_losses(const RuntimeTerms& terms);

/// The number of devices at which checkpoint waste (at Young's interval) and recovery together take `share`
/// of held time; recoveries and writes do not change with size. `failures` is per device, > 0.
double devices_where_failures_cost(double share, Seconds write, Seconds recovery, PerSecond failures);

}  // namespace fleetsim
