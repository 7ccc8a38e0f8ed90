#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// A length of time in whole nanoseconds: signed, 64 bits, about 292 years either way.
///
/// `max()` means unbounded and absorbs: unbounded plus or minus anything is unbounded. Sums, differences and
/// products that leave the range saturate; they never wrap.
class Duration {
 public:
  constexpr Duration() = default;

  static constexpr Duration nanoseconds(std::int64_t ns) { return Duration{ns}; }
  static constexpr Duration zero() { return Duration{0}; }
  static constexpr Duration max() { return Duration{std::numeric_limits<std::int64_t>::max()}; }

  constexpr std::int64_t ns() const { return ns_; }
  constexpr bool is_unbounded() const { return *this == max(); }

  constexpr auto operator<=>(const Duration&) const = default;

  friend constexpr Duration operator+(Duration a, Duration b) {
    if (a.is_unbounded() || b.is_unbounded()) return max();
    std::int64_t sum = 0;
    return __builtin_add_overflow(a.ns_, b.ns_, &sum) ? saturated(a.ns_ < 0) : Duration{sum};
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    if (a.is_unbounded()) return max();
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a.ns_, b.ns_, &difference) ? saturated(a.ns_ < 0) : Duration{difference};
  }
  friend constexpr Duration operator*(Duration a, std::int64_t k) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a.ns_, k, &product) ? saturated((a.ns_ < 0) != (k < 0)) : Duration{product};
  }
  friend constexpr Duration operator*(std::int64_t k, Duration a) { return a * k; }

  /// How many whole times `b` fits into `a`; `b` must not be zero.
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ns_ / b.ns_; }
  /// Rounded towards zero; `k` must not be zero.
  friend constexpr Duration operator/(Duration a, std::int64_t k) { return Duration{a.ns_ / k}; }
  /// What is left of `a` after whole times `b`; `b` must not be zero.
  friend constexpr Duration operator%(Duration a, Duration b) { return Duration{a.ns_ % b.ns_}; }

  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  constexpr Duration& operator-=(Duration other) { return *this = *this - other; }

 private:
  constexpr explicit Duration(std::int64_t ns) : ns_{ns} {}

  static constexpr Duration saturated(bool negative) {
    return negative ? Duration{std::numeric_limits<std::int64_t>::min()} : max();
  }

  std::int64_t ns_ = 0;
};

/// Of nanoseconds outside the range: the nearest end of it.
/// @throws std::domain_error on NaN, which no formula of ours may yield.
Duration end_of_range(double ns);

/// The nearest whole nanosecond, halves away from zero; beyond the range, as above.
inline Duration round_to_duration(Seconds time) {
  const double ns = time.si * 1e9;
  constexpr double kBound = 9223372036854775808.0;  // 2^63, exact as a double
  if (!(ns > -kBound && ns < kBound)) return end_of_range(ns);
  // std::round is a call; what is left after truncation is exact.
  const auto whole = static_cast<std::int64_t>(ns);
  const double rest = ns - static_cast<double>(whole);
  return Duration::nanoseconds(whole + static_cast<int>(rest >= 0.5) - static_cast<int>(rest <= -0.5));
}

/// Seconds of a duration, to the nearest double; infinite when unbounded.
Seconds to_seconds(Duration duration);

}  // namespace fleetsim
