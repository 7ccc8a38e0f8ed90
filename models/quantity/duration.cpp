#include "models/quantity/duration.hpp"

#include <cmath>
#include <stdexcept>

namespace fleetsim {

Duration round_to_duration(Seconds time) {
  if (std::isnan(time.si)) throw std::domain_error("a time that is not a number has no duration");
  const double ns = time.si * 1e9;
  constexpr double kBound = 9223372036854775808.0;  // 2^63, exact as a double
  if (ns >= kBound) return Duration::max();
  if (ns <= -kBound) return Duration::nanoseconds(std::numeric_limits<std::int64_t>::min());
  // std::round is a call; what is left after truncation is exact.
  const auto whole = static_cast<std::int64_t>(ns);
  const double rest = ns - static_cast<double>(whole);
  return Duration::nanoseconds(whole + static_cast<int>(rest >= 0.5) - static_cast<int>(rest <= -0.5));
}

Seconds to_seconds(Duration duration) {
  if (duration.is_unbounded()) return Seconds{std::numeric_limits<double>::infinity()};
  return Seconds{static_cast<double>(duration.ns()) / 1e9};
}

}  // namespace fleetsim
