#include "sim/core/time.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "sim/core/ids.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST_CASE("an instant plus a duration is the later instant, and their difference the duration") {
  const SimTime start = SimTime::at_ns(5);
  const SimTime end = start + Duration::nanoseconds(7);
  CHECK(end == SimTime::at_ns(12));
  CHECK(end - start == Duration::nanoseconds(7));
  CHECK(start - end == Duration::nanoseconds(-7));
  CHECK(SimTime::zero() < start);
}

TEST_CASE("never is after all times and absorbs what is added to it") {
  CHECK(SimTime::never() > SimTime::at_ns(kMax - 1));
  CHECK(SimTime::never() + Duration::nanoseconds(-1) == SimTime::never());
  CHECK(SimTime::never() + Duration::max() == SimTime::never());
  CHECK(SimTime::at_ns(-5) + Duration::max() == SimTime::never());
  CHECK(SimTime::never() - SimTime::at_ns(3) == Duration::max());
}

TEST_CASE("time saturates instead of wrapping") {
  CHECK(SimTime::at_ns(kMax - 1) + Duration::nanoseconds(2) == SimTime::never());
  CHECK(SimTime::at_ns(kMin + 1) + Duration::nanoseconds(-2) == SimTime::at_ns(kMin));
  CHECK(SimTime::at_ns(kMax - 1) - SimTime::at_ns(-2) == Duration::max());
  CHECK(SimTime::at_ns(kMin) - SimTime::at_ns(1) == Duration::nanoseconds(kMin));
  SimTime time = SimTime::at_ns(kMax - 3);
  time += Duration::nanoseconds(2);
  CHECK(time == SimTime::at_ns(kMax - 1));
}

static_assert(SimTime::at_ns(1) + Duration::nanoseconds(1) == SimTime::at_ns(2), "usable in constants");
static_assert(!std::is_convertible_v<std::int64_t, SimTime>, "a number is not an instant");
static_assert(!std::is_convertible_v<NodeId, JobId>, "an index of one kind is not one of another");

}  // namespace
}  // namespace fleetsim
