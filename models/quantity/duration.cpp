#include "models/quantity/duration.hpp"

#include <cmath>
#include <stdexcept>

namespace fleetsim {

Duration end_of_range(double ns) {
  if (std::isnan(ns)) throw std::domain_error("a time that is not a number has no duration");
  return ns > 0 ? Duration::max() : Duration::nanoseconds(std::numeric_limits<std::int64_t>::min());
}

Seconds to_seconds(Duration duration) {
  if (duration.is_unbounded()) return Seconds{std::numeric_limits<double>::infinity()};
  return Seconds{static_cast<double>(duration.ns()) / 1e9};
}

}  // namespace fleetsim
