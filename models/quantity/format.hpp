#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/quantity/duration.hpp"
#include "models/quantity/quantity.hpp"

namespace fleetsim {

// Text for people: three significant digits (all of them left of the point), thousands separated by commas,
// the same bytes in every locale. What is not finite reads "unbounded", "-unbounded" or "undefined".

enum class TimeUnit : std::uint8_t { kNanosecond, kMicrosecond, kMillisecond, kSecond, kMinute, kHour, kDay };

/// In the unit people would choose: "9.80 s", "77.0 min", "302 h", "54.0 d"; minutes from 2 min on, hours
/// from 2 h, days from 500 h.
std::string format_duration(Seconds time);
std::string format_duration(Duration time);
/// In the unit given: "12.6 d".
std::string format_duration(Seconds time, TimeUnit unit);

/// Decimal prefixes: "980 GB", "2.45 TB".
std::string format_bytes(Bytes amount);
std::string format_byte_rate(ByteRate rate);
std::string format_flops(Flops work);
std::string format_flop_rate(FlopRate rate);
std::string format_watts(Watts power);

/// Cents below $1,000,000 and whole dollars from there on: "$7.09", "$16,384.00", "$1,200,000".
std::string format_money(Money amount);
/// Per device-hour: "$2.00/GPU-h".
std::string format_price(Price price);
/// Per hour, day or week, whichever first gives at least one event: "1.00 /d".
std::string format_rate(PerSecond rate);

/// "1,234,567".
std::string format_integer(std::int64_t value);
/// With so many digits after the point, 0 to 17: "12,922.2".
std::string format_fixed(double value, int decimals);
/// Three significant digits: "0.0763", "1.50", "16,384".
std::string format_number(double value);
/// A share as a percentage: 0.0960 with 2 decimals is "9.60 %".
std::string format_percent(double share, int decimals = 1);

}  // namespace fleetsim
