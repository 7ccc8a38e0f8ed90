#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "models/quantity/duration.hpp"

namespace fleetsim {

/// An instant, in whole nanoseconds since the start of a run. Arithmetic saturates: `never()` is later than
/// every other instant, and stays so whatever is added to it.
class SimTime {
 public:
  constexpr SimTime() = default;
  static constexpr SimTime zero() { return SimTime{}; }
  static constexpr SimTime never() { return SimTime{std::numeric_limits<std::int64_t>::max()}; }
  static constexpr SimTime at_ns(std::int64_t ns) { return SimTime{ns}; }

  constexpr std::int64_t ns() const { return ns_; }
  auto operator<=>(const SimTime&) const = default;

 private:
  constexpr explicit SimTime(std::int64_t ns) : ns_{ns} {}

  std::int64_t ns_ = 0;
};

/// `never()` if either side is endless or the sum is out of range upwards; the earliest instant if downwards.
constexpr SimTime operator+(SimTime time, Duration delay) {
  if (time == SimTime::never() || delay == Duration::max()) return SimTime::never();
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(time.ns(), delay.ns(), &sum)) return SimTime::at_ns(sum);
  return delay.ns() > 0 ? SimTime::never() : SimTime::at_ns(std::numeric_limits<std::int64_t>::min());
}

constexpr SimTime& operator+=(SimTime& time, Duration delay) { return time = time + delay; }

/// The time from `earlier` to `later`: `Duration::max()` if `later` is `never()`; negative if they are the
/// other way round. `earlier` may not be `never()`, from which nothing can be measured.
constexpr Duration operator-(SimTime later, SimTime earlier) {
  if (later == SimTime::never()) return Duration::max();
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(later.ns(), earlier.ns(), &difference))
    return Duration::nanoseconds(difference);
  return later > earlier ? Duration::max() : Duration::nanoseconds(std::numeric_limits<std::int64_t>::min());
}

}  // namespace fleetsim
