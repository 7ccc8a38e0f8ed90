#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/quantity/duration.hpp"
#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// A value read from text, or what is wrong with the text: exactly one of the two is there.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string problem;  ///< one sentence for the user, such as: expected a size ...; found "80"

  explicit operator bool() const { return value.has_value(); }
};

// All of these read `NUMBER UNIT`: a decimal number, an exponent allowed, the space optional, the unit
// required and case sensitive. Negative, non-finite and overflowing numbers are problems. Nothing throws.

/// "302 h" to the nearest nanosecond by decimal arithmetic, so that decimal text is met exactly. Units: ns,
/// us, ms, s, min, h, d, w. Refuses what passes 292 years, and what is not zero but less than half a
/// nanosecond.
Parsed<Duration> parse_duration(std::string_view text);

/// The same units as a real number of seconds, of any size.
/// Whether it is a word for what has no end, which no number stands for: "UNLIMITED", "inf", ...
bool is_endless(std::string_view text);
Parsed<Seconds> parse_seconds(std::string_view text);

/// B, kB (or KB), MB, ... EB are powers of 1,000; KiB, MiB, ... EiB are powers of 1,024.
Parsed<Bytes> parse_bytes(std::string_view text);

/// "100 GB/s", "1 GiB/s"; bits are lower case: "400 Gb/s" (or Gbit/s) is 50 GB/s.
Parsed<ByteRate> parse_byte_rate(std::string_view text);

/// "14.9 PFLOP": FLOP, GFLOP, TFLOP, PFLOP, EFLOP, ZFLOP, YFLOP.
Parsed<Flops> parse_flops(std::string_view text);

/// "989 TFLOP/s".
Parsed<FlopRate> parse_flop_rate(std::string_view text);

/// Events per time: "1 /d", "0.5 /s", "1 /week".
Parsed<PerSecond> parse_rate(std::string_view text);

/// "2 USD/GPU-h" or "$2/GPU-h".
Parsed<Price> parse_price(std::string_view text);

/// "700 W", kW, MW.
Parsed<Watts> parse_watts(std::string_view text);

/// A share of a whole, within [0, 1]: "7.7 %" or "0.077".
Parsed<double> parse_percent_or_fraction(std::string_view text);

}  // namespace fleetsim
