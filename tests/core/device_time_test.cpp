#include "sim/core/device_time.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace fleetsim {
namespace {

constexpr std::int64_t kNsPerJulianYear = 31'557'600'000'000'000;  // 365.25 days of 86,400 s

TEST_CASE("a million devices for a century are counted exactly") {
  // 1e6 devices x 1,000 x 100 years x 3.15576e16 ns: beyond 64 bits by nine digits.
  const DeviceTime century = Capacity::devices(1'000'000) * Duration::nanoseconds(100 * kNsPerJulianYear);
  CHECK(to_string(century) == "3155760000000000000000000000");
  CHECK(to_string(century - Capacity::milli_devices(1) * Duration::nanoseconds(1)) ==
        "3155759999999999999999999999");
  CHECK(century.to_double() == 3.15576e27);
}

TEST_CASE("device-time adds up exactly however it is cut") {
  const Capacity shared = Capacity::devices(3) + Capacity::milli_devices(1);
  CHECK(shared.milli() == 3001);
  DeviceTime pieces;
  for (int i = 0; i < 7; ++i) pieces += shared * Duration::nanoseconds(1'000'000'007);
  CHECK(pieces == shared * Duration::nanoseconds(7'000'000'049));
  pieces -= Capacity::milli_devices(1) * Duration::nanoseconds(7'000'000'049);
  CHECK(pieces == Capacity::devices(3) * Duration::nanoseconds(7'000'000'049));
}

TEST_CASE("device-time survives the way through text, to the ends of its range") {
  for (const char* text :
       {"0", "-1", "10", "3155760000000000000000000000", "170141183460469231731687303715884105727",
        "-170141183460469231731687303715884105728"}) {
    const std::optional<DeviceTime> time = device_time_from_string(text);
    REQUIRE(time.has_value());
    CHECK(to_string(*time) == text);
  }
}

TEST_CASE("text that is no integer, or none that fits, is no device-time") {
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "--1", "0x10", "170141183460469231731687303715884105728",
        "-170141183460469231731687303715884105729"}) {
    CAPTURE(text);
    CHECK_FALSE(device_time_from_string(text).has_value());
  }
}

TEST_CASE("a ratio of device-times is taken from the whole integers") {
  const Duration year = Duration::nanoseconds(kNsPerJulianYear);
  const double share = ratio(Capacity::devices(650'000) * year, Capacity::devices(1'000'000) * year);
  CHECK(share == doctest::Approx(0.65).epsilon(4e-16).scale(0));  // each side is rounded to a double first
  CHECK(ratio(DeviceTime::zero(), Capacity::devices(1) * year) == 0);
}

}  // namespace
}  // namespace fleetsim
