#include "models/money/cost.hpp"

namespace fleetsim {

Price cost_per_useful(Price price, double goodput) { return price / goodput; }

double spot_factor(const SpotTerms& terms) {
  return (terms.productive_between + terms.save + terms.restart) / terms.productive_between;
}

double break_even_speedup(const Expansion& expansion) {
  return (1 - expansion.overhead_before) / (1 - expansion.overhead_after);
}

double device_hours_ratio(const Expansion& expansion, double speedup) {
  return expansion.growth * break_even_speedup(expansion) / speedup;
}

}  // namespace fleetsim
