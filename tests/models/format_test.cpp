#include "models/quantity/format.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace fleetsim;

TEST_CASE("durations are written in the unit people would choose") {
  CHECK(format_duration(Seconds{0}) == "0 s");
  CHECK(format_duration(Seconds{5e-9}) == "5.00 ns");
  CHECK(format_duration(Seconds{3.5e-6}) == "3.50 us");
  CHECK(format_duration(Seconds{0.245}) == "245 ms");
  CHECK(format_duration(Seconds{0.99999}) == "1.00 s");
  CHECK(format_duration(Seconds{9.8}) == "9.80 s");
  CHECK(format_duration(Seconds{76.98973538621047 * 60}) == "77.0 min");
  CHECK(format_duration(Seconds{302.41935483870964 * 3600}) == "302 h");
  CHECK(format_duration(Seconds{302.41935483870964 * 3600}, TimeUnit::kDay) == "12.6 d");
  CHECK(format_duration(Seconds{54 * 86400.0}) == "54.0 d");
  CHECK(format_duration(Seconds{-90}) == "-90.0 s");
  CHECK(format_duration(Duration::nanoseconds(1'500'000'000)) == "1.50 s");
  CHECK(format_duration(Duration::max()) == "unbounded");
}

TEST_CASE("numbers keep three significant digits and group thousands") {
  CHECK(format_number(0) == "0");
  CHECK(format_number(0.07634) == "0.0763");
  CHECK(format_number(1.5) == "1.50");
  CHECK(format_number(9.996) == "10.0");
  CHECK(format_number(99.96) == "100");
  CHECK(format_number(999.96) == "1,000");
  CHECK(format_number(0.9996) == "1.00");
  CHECK(format_number(12922.2) == "12,922");
  CHECK(format_fixed(12922.207, 1) == "12,922.2");
  CHECK(format_fixed(-0.001, 2) == "0.00");
  CHECK(format_fixed(std::nan(""), 2) == "undefined");
  CHECK(format_fixed(-std::numeric_limits<double>::infinity(), 2) == "-unbounded");
  CHECK(format_integer(0) == "0");
  CHECK(format_integer(-1234567) == "-1,234,567");
  CHECK(format_integer(123) == "123");
  CHECK(format_percent(0.0960202851, 2) == "9.60 %");
}

TEST_CASE("sizes, rates and money carry their units") {
  CHECK(format_bytes(Bytes{980e9}) == "980 GB");
  CHECK(format_bytes(Bytes{2.45e12}) == "2.45 TB");
  CHECK(format_bytes(Bytes{999.7e9}) == "1.00 TB");
  CHECK(format_byte_rate(ByteRate{100e9}) == "100 GB/s");
  CHECK(format_flops(Flops{14.88732e15}) == "14.9 PFLOP");
  CHECK(format_flop_rate(FlopRate{989e12}) == "989 TFLOP/s");
  CHECK(format_watts(Watts{10200}) == "10.2 kW");
  CHECK(format_money(Money{7.091}) == "$7.09");
  CHECK(format_money(Money{16384}) == "$16,384.00");
  CHECK(format_money(Money{-1.2e6}) == "-$1,200,000");
  CHECK(format_price(Price{2.0 / 3600}) == "$2.00/GPU-h");
  CHECK(format_rate(PerSecond{2.0 / 3600}) == "2.00 /h");
  CHECK(format_rate(PerSecond{1.0 / 86400}) == "1.00 /d");
  CHECK(format_rate(PerSecond{0.5 / 604800}) == "0.500 /week");
}
