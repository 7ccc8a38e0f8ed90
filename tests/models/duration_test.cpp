#include "models/quantity/duration.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

using namespace fleetsim;

namespace {

constexpr Duration ns(std::int64_t count) { return Duration::nanoseconds(count); }

}  // namespace

static_assert(!std::is_convertible_v<double, Seconds>);
static_assert(!std::is_convertible_v<std::int64_t, Duration>);

TEST_CASE("durations add, subtract, divide and leave remainders as integers do") {
  static_assert(ns(7) + ns(5) == ns(12));
  static_assert(ns(5) - ns(7) == ns(-2));
  static_assert(ns(7) * 3 == ns(21));
  static_assert(ns(17) / ns(5) == 3);
  static_assert(ns(17) / 5 == ns(3));
  static_assert(ns(17) % ns(5) == ns(2));
  static_assert(ns(1) < ns(2));
}

TEST_CASE("an unbounded duration absorbs, and overflow saturates instead of wrapping") {
  const Duration least = ns(std::numeric_limits<std::int64_t>::min());
  CHECK((Duration::max() + ns(-1)) == Duration::max());
  CHECK((ns(1) + Duration::max()) == Duration::max());
  CHECK((Duration::max() - ns(1)) == Duration::max());
  CHECK((ns(std::numeric_limits<std::int64_t>::max() - 1) + ns(2)) == Duration::max());
  CHECK((least + ns(-1)) == least);
  CHECK((least - ns(1)) == least);
  CHECK((ns(1) - least) == Duration::max());
  CHECK((ns(std::int64_t{1} << 40) * (std::int64_t{1} << 40)) == Duration::max());
  CHECK((ns(-(std::int64_t{1} << 40)) * (std::int64_t{1} << 40)) == least);
}

TEST_CASE("seconds round to the nearest nanosecond and saturate") {
  CHECK(round_to_duration(Seconds{0.245}) == ns(245'000'000));
  CHECK(round_to_duration(Seconds{0.4e-9}) == ns(0));
  CHECK(round_to_duration(Seconds{0.5e-9}) == ns(1));
  CHECK(round_to_duration(Seconds{-0.5e-9}) == ns(-1));
  CHECK(round_to_duration(Seconds{1e300}) == Duration::max());
  CHECK(round_to_duration(Seconds{-1e300}).ns() == std::numeric_limits<std::int64_t>::min());
  CHECK(round_to_duration(Seconds{std::numeric_limits<double>::infinity()}) == Duration::max());
  CHECK_THROWS_AS(round_to_duration(Seconds{std::nan("")}), std::domain_error);
}

TEST_CASE("the input wait of a step is rounded once, to the nearest nanosecond") {
  // A share f of stepping time waits: 245 ms of step bring f / (1 - f) of it.
  const auto wait = [](double f) { return round_to_duration(Seconds{0.245 * f / (1 - f)}).ns(); };
  CHECK(wait(0.0769230769) == 20'416'667);
  CHECK(wait(0.0769231) == 20'416'673);
  CHECK(wait(1.0 / 13) == 20'416'667);
}

TEST_CASE("a duration in seconds is the nearest double, and unbounded is infinite") {
  CHECK(to_seconds(ns(245'000'000)) == Seconds{0.245});
  CHECK(to_seconds(ns(-1)) == Seconds{-1e-9});
  CHECK(std::isinf(to_seconds(Duration::max()).si));
}

TEST_CASE("quantities combine only where the product means something") {
  CHECK((Bytes{980e9} / ByteRate{100e9}) == Seconds{9.8});
  CHECK((Flops{989e12} / FlopRate{989e12}) == Seconds{1});
  CHECK((Price{2.0 / 3600} * Seconds{7200}).si == doctest::Approx(4).epsilon(1e-15));
  CHECK((PerSecond{0.5} * Seconds{8}) == 4);
  CHECK((1.0 / PerSecond{0.25}) == Seconds{4});
  CHECK(std::isinf((1.0 / PerSecond{0}).si));
}
