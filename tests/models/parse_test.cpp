#include "models/quantity/parse.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace fleetsim;

namespace {

bool says(const std::string& problem, std::string_view part) {
  return problem.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("durations are read to the exact nanosecond by decimal arithmetic") {
  struct Row {
    const char* text;
    std::int64_t ns;
  };
  constexpr Row kRows[] = {
      {"302 h", 302'000'000'000 * 3600},
      {"302h", 302'000'000'000 * 3600},
      {"  +302  h ", 302'000'000'000 * 3600},
      {"0 s", 0},
      {"0e999 w", 0},
      {"0.245 s", 245'000'000},
      {"0.1 s", 100'000'000},
      {".5 ms", 500'000},
      {"5. us", 5'000},
      {"1.5e3 us", 1'500'000},
      {"15E-1 s", 1'500'000'000},
      {"1.5 ns", 2},  // halves go up
      {"1.4999999999999999999999999999 ns", 1},
      {"30 min", 1'800'000'000'000},
      {"1 d", 86'400'000'000'000},
      {"2 w", 1'209'600'000'000'000},
      {"0.0000000000000000000000000000001e31 s", 1'000'000'000},
      {"10000000000000000000000000000000e-31 s", 1'000'000'000},
      // 2^53 + 1 nanoseconds: a double could not hold it
      {"9007199.254740993 s", 9'007'199'254'740'993},
      {"9223372036.854775806 s", INT64_MAX - 1},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Parsed<Duration> parsed = parse_duration(row.text);
    REQUIRE(parsed);
    CHECK(parsed.value->ns() == row.ns);
    CHECK(parsed.problem.empty());
  }
}

TEST_CASE("a duration that cannot be read says what was expected and what was found") {
  CHECK(parse_duration("30").problem == R"(expected a duration with a unit, such as "30 min"; found "30")");

  struct Row {
    const char* text;
    const char* part;
  };
  constexpr Row kRows[] = {
      {"-5 min", "not negative"},
      {"-0.0 s", "not negative"},
      {"nan h", "with a number"},
      {"inf h", "with a number"},
      {"", "with a number"},
      {"min", "with a number"},
      {"0x10 s", R"(found "0x10 s")"},
      {"1,000 s", R"(found "1,000 s")"},
      {"3 mins", R"(did you mean "min"?)"},
      {"3 H", R"(did you mean "h"?)"},
      {"3 S", R"(did you mean "s"?)"},
      {"5 fortnights", "not one of ns, us, ms, s, min, h, d, w"},
      {"1 h 30 min", R"(found "1 h 30 min")"},
      {"293 y", R"(found "293 y")"},
      {"1e400 h", "at most 292 years"},
      {"1e99999999999999 h", "at most 292 years"},
      {"106752 d", "at most 292 years"},                // 292.28 years
      {"9223372036.854775807 s", "at most 292 years"},  // the pattern that means unbounded
      {"0.4 ns", "at least 1 ns"},
      {"1e-400 h", "at least 1 ns"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Parsed<Duration> parsed = parse_duration(row.text);
    CHECK_FALSE(parsed);
    CAPTURE(parsed.problem);
    CHECK(says(parsed.problem, row.part));
    CHECK(parsed.problem.starts_with("expected "));
  }
}

TEST_CASE("seconds reach as far as doubles and no further") {
  CHECK(parse_seconds("50000 h").value == Seconds{1.8e8});
  CHECK(parse_seconds("245 ms").value == Seconds{0.245});
  CHECK(parse_seconds("1e300 s").value == Seconds{1e300});
  CHECK(says(parse_seconds("1e400 h").problem, R"(found "1e400 h")"));
  CHECK(says(parse_seconds("1e308 w").problem, R"(found "1e308 w")"));
}

TEST_CASE("sizes keep powers of 1,000 and of 1,024 apart") {
  CHECK(parse_bytes("80 GB").value == Bytes{80e9});
  CHECK(parse_bytes("1 GiB").value == Bytes{1073741824});
  CHECK(parse_bytes("2 kB").value == parse_bytes("2 KB").value);
  CHECK(parse_bytes("1 KiB").value == Bytes{1024});
  CHECK(parse_bytes("2.45TB").value == Bytes{2.45e12});
  CHECK(parse_bytes("1 EB").value == Bytes{1e18});  // the E is not an exponent
  CHECK(says(parse_bytes("80").problem, "with a unit"));
  CHECK(says(parse_bytes("80 gb").problem, R"(did you mean "GB"?)"));
}

TEST_CASE("bandwidths keep bits and bytes apart") {
  // One NIC of 400 Gb/s moves 50 GB/s, and 1 GiB over it takes 21.47 ms: not 20.00, not 2.68.
  const Parsed<ByteRate> nic = parse_byte_rate("400 Gb/s");
  REQUIRE(nic);
  CHECK(*nic.value == ByteRate{50e9});
  CHECK(*parse_bytes("1 GiB").value / *nic.value == Seconds{1073741824 / 50e9});
  CHECK(parse_byte_rate("400 Gbit/s").value == ByteRate{50e9});
  CHECK(parse_byte_rate("450 GB/s").value == ByteRate{450e9});
  CHECK(parse_byte_rate("1 GiB/s").value == ByteRate{1073741824});
  CHECK(says(parse_byte_rate("400").problem, "with a unit"));
  CHECK(says(parse_byte_rate("400 GB").problem, R"(did you mean "GB/s"?)"));
}

TEST_CASE("arithmetic, power, rates and prices are read in SI") {
  CHECK(parse_flop_rate("989 TFLOP/s").value == FlopRate{989e12});
  CHECK(parse_flop_rate("2.25 PFLOP/s").value == FlopRate{2.25e15});
  CHECK(says(parse_flop_rate("989 TFLOPS").problem, R"(did you mean "TFLOP/s"?)"));
  CHECK(parse_flops("14.88732 PFLOP").value == Flops{14.88732e15});
  CHECK(parse_watts("700 W").value == Watts{700});
  CHECK(parse_watts("10.2 kW").value == Watts{10200});
  CHECK(parse_rate("1 /d").value == PerSecond{1.0 / 86400});
  CHECK(parse_rate("2/h").value == PerSecond{2.0 / 3600});
  CHECK(parse_rate("0.5 /s").value == PerSecond{0.5});
  CHECK(parse_rate("1 /week").value == PerSecond{1.0 / 604800});
  CHECK(parse_rate("0 /d").value == PerSecond{0});
  CHECK(says(parse_rate("1 d").problem, R"(did you mean "/d"?)"));
  CHECK(says(parse_rate("-1 /d").problem, "not negative"));
  CHECK(parse_price("2 USD/GPU-h").value == Price{2.0 / 3600});
  CHECK(parse_price("$2/GPU-h").value == Price{2.0 / 3600});
  CHECK(parse_price("$0.70 / GPU-h").problem.find("USD/GPU-h") != std::string::npos);
  CHECK(says(parse_price("$-2/GPU-h").problem, "not negative"));
  CHECK(says(parse_price("2 EUR/GPU-h").problem, R"(did you mean "USD/GPU-h"?)"));
}

TEST_CASE("a share is a percentage or a fraction of at most one") {
  CHECK(parse_percent_or_fraction("7.5 %").value == 0.075);
  CHECK(parse_percent_or_fraction("7.5%").value == 0.075);
  CHECK(parse_percent_or_fraction("0.0769231").value == 0.0769231);
  CHECK(parse_percent_or_fraction("1").value == 1.0);
  CHECK(parse_percent_or_fraction("100 %").value == 1.0);
  CHECK(says(parse_percent_or_fraction("65").problem, "between 0 and 1"));
  CHECK(says(parse_percent_or_fraction("101 %").problem, "between 0 and 1"));
  CHECK(says(parse_percent_or_fraction("-0.1").problem, "not negative"));
  CHECK(says(parse_percent_or_fraction("half").problem, "with a number"));
}
