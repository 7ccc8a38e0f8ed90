#include <doctest/doctest.h>

#include <limits>
#include <numeric>

#include "sim/ledger/ledger.hpp"

namespace fleetsim {
namespace {

using Weights = std::vector<std::int64_t>;

std::vector<std::string> split(const std::string& amount, const Weights& weights) {
  std::vector<std::string> parts;
  for (const DeviceTime part : split_by_largest_remainder(*device_time_from_string(amount), weights)) {
    parts.push_back(to_string(part));
  }
  return parts;
}

using Parts = std::vector<std::string>;

TEST_CASE("split: what is left goes to the largest remainders") {
  CHECK(split("10", {333'000'000, 667'000'000}) == Parts{"3", "7"});  // 3.33 and 6.67
  CHECK(split("10", {1, 1, 1}) == Parts{"4", "3", "3"});              // a tie: the earlier
  CHECK(split("11", {1, 1, 1}) == Parts{"4", "4", "3"});
  CHECK(split("1", {1, 3, 3}) == Parts{"0", "1", "0"});
  CHECK(split("7", {0, 5, 0}) == Parts{"0", "7", "0"});
  CHECK(split("0", {3, 4}) == Parts{"0", "0"});
  CHECK(split("5", {9}) == Parts{"5"});
}

// The oracles below were worked out with integers of unlimited size:
//   part = amount * w // W, remainder = amount * w % W, the rest by largest remainder, the earlier first.
TEST_CASE("split: products past 128 bits are exact") {
  // 10^33 over 10^18 - 1 and 2: the products have 170 bits.
  CHECK(split("1000000000000000000000000000000000", {999'999'999'999'999'999, 2}) ==
        Parts{"999999999999999998000000000000000", "2000000000000000"});
  CHECK(split("1000000000000000000000000000000000",
              {1'000'000'000'000'000'000, 1, 1'000'000'000'000'000'000}) ==
        Parts{"499999999999999999750000000000000", "500000000000000", "499999999999999999750000000000000"});
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(split("170141183460469231731687303715884105727", {kMost, kMost, kMost}) ==
        Parts{"56713727820156410577229101238628035243", "56713727820156410577229101238628035242",
              "56713727820156410577229101238628035242"});
  CHECK(split("170141183460469231731687303715884105726", {kMost, kMost - 1, 1, kMost}) ==
        Parts{"56713727820156410577229101238628035242", "56713727820156410571080186547391518036",
              "6148914691236517206", "56713727820156410577229101238628035242"});
}

TEST_CASE("split: remainders past 64 bits over weights past 62") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(split("27670116110564327410", {kMost - 5, kMost, kMost - 1}) ==
        Parts{"9223372036854775801", "9223372036854775805", "9223372036854775804"});
  CHECK(split("27670116110564327419", {kMost, kMost, kMost}) ==
        Parts{"9223372036854775807", "9223372036854775806", "9223372036854775806"});
}

TEST_CASE("split: amounts of device-time over arbitrary weights") {
  CHECK(split("494244813276374178466649949399202", {759'329'574'455, 35'892'272'650'244'980, 20, 6091}) ==
        Parts{"10455920913916735558753650899", "494234357355376113641968227135403", "275398753470687655",
              "83872690369497925245"});
  CHECK(split("587794456957369026137796453715789",
              {3'172'699'663'053'394, 32, 5, 9'655'164'080'872, 52'967'109'444'617}) ==
        Parts{"576417219704962911300586450645617", "5813771547732027683", "908401804333129325",
              "1754153694439308998074389613354", "9623083557960083665783548299810"});
  CHECK(split("239848667638664661120818728803781", {339, 2'517'457'551, 38'938'269'926, 338'522'957'466}) ==
        Parts{"213982261318590337318829", "1589059762644662127902428295579",
              "24578463276103655564412847239348", "213681144385934082109913115950025"});
}

TEST_CASE("split: all small splits are those of the definition") {
  const auto check = [](std::int64_t whole, const Weights& weights) {
    const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    const std::vector<DeviceTime> parts =
        split_by_largest_remainder(DeviceTime::milli_device_ns(whole), weights);
    std::int64_t sum = 0;
    bool by_definition = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto part = static_cast<std::int64_t>(parts[i].milli_device_ns());
      sum += part;
      const std::int64_t extra = part - whole * weights[i] / all;
      by_definition = by_definition && (extra == 0 || extra == 1);
      for (std::size_t other = 0; extra == 1 && other < parts.size(); ++other) {
        // whoever comes before i by remainder, then by place, has one more as well
        const std::int64_t mine = whole * weights[i] % all;
        const std::int64_t others = whole * weights[other] % all;
        const bool is_before = others > mine || (others == mine && other < i);
        const std::int64_t floor = whole * weights[other] / all;
        if (is_before) by_definition = by_definition && parts[other].milli_device_ns() == floor + 1;
      }
    }
    CAPTURE(whole);
    CHECK(by_definition);
    CHECK(sum == whole);
  };
  for (std::int64_t whole = 0; whole < 25; ++whole) {
    for (std::int64_t a = 0; a < 6; ++a) {
      for (std::int64_t b = 0; b < 6; ++b) {
        for (std::int64_t c = 1; c < 6; ++c) check(whole, {a, b, c});
      }
    }
  }
}

}  // namespace
}  // namespace fleetsim
