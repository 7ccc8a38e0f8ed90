#pragma once

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// Cost of one useful device-hour: price of capacity in service over S R P; with R P instead, it is the cost
/// to one who is billed by the hours held. `goodput` > 0. Source: Machine Learning Systems, volume 2, chapter
/// 9, equation 6.
Price cost_per_useful(Price price, double goodput);

/// Preemptible capacity: an interruption comes after so much *productive* time and costs a save and a
/// restart.
struct SpotTerms {
  Seconds productive_between{};  ///< > 0
  Seconds save{};
  Seconds restart{};
};

/// Held over productive time, >= 1: (productive + save + restart) / productive.
/// Source: Machine Learning Systems, volume 2, chapter 8, equation 3.
double spot_factor(const SpotTerms& terms);

/// Growing a job to more devices, where failures take a growing share of its time.
struct Expansion {
  double growth = 2;           ///< devices after over before
  double overhead_before = 0;  ///< share of time lost to checkpoints and rework, [0, 1)
  double overhead_after = 0;
};

/// The speedup of the step at which the larger job only just ends sooner.
double break_even_speedup(const Expansion& expansion);

/// Device-hours after over before when the step gets faster by `speedup` > 0.
double device_hours_ratio(const Expansion& expansion, double speedup);

}  // namespace fleetsim
