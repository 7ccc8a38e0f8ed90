#include "models/quantity/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace fleetsim {
namespace {

struct Prefix {
  std::string_view symbol;
  double factor;
};

constexpr Prefix kPrefixes[] = {{"", 1},     {"k", 1e3},  {"M", 1e6},  {"G", 1e9},
                                {"T", 1e12}, {"P", 1e15}, {"E", 1e18}, {"Z", 1e21}};

constexpr double kAutomaticHours = 500;

/// Commas between groups of three digits left of the point.
std::string grouped(std::string_view plain) {
  const std::size_t sign = plain.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(plain.find('.'), plain.size());
  std::string text(plain.substr(0, sign));
  for (std::size_t i = sign; i < point; ++i) {
    if (i > sign && (point - i) % 3 == 0) text += ',';
    text += plain[i];
  }
  return text.append(plain.substr(point));
}

/// Digits after the point that make three significant ones of `value` after rounding.
int decimals_for(double value) {
  const double size = std::fabs(value);
  if (size == 0) return 0;
  int decimals = 2;
  for (double bound = 9.995; size >= bound && decimals > 0; bound *= 10) --decimals;
  for (double bound = 0.9995; size < bound && decimals < 12; bound /= 10) ++decimals;
  return decimals;
}

std::string with_prefix(double value, std::string_view unit) {
  std::size_t best = 0;
  while (best + 1 < std::size(kPrefixes) && std::fabs(value) >= 999.5 * kPrefixes[best].factor) ++best;
  return format_number(value / kPrefixes[best].factor) + " " + std::string(kPrefixes[best].symbol) +
         std::string(unit);
}

struct TimeScale {
  std::string_view symbol;
  double times;  // seconds in one, as a fraction of whole numbers
  double over;
};

TimeScale scale_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNanosecond:
      return {"ns", 1, 1e9};
    case TimeUnit::kMicrosecond:
      return {"us", 1, 1e6};
    case TimeUnit::kMillisecond:
      return {"ms", 1, 1e3};
    case TimeUnit::kSecond:
      return {"s", 1, 1};
    case TimeUnit::kMinute:
      return {"min", 60, 1};
    case TimeUnit::kHour:
      return {"h", 3600, 1};
    case TimeUnit::kDay:
      break;
  }
  return {"d", 86400, 1};
}

TimeUnit natural_unit(double seconds) {
  const double size = std::fabs(seconds);
  if (size == 0) return TimeUnit::kSecond;
  if (size < 0.9995e-6) return TimeUnit::kNanosecond;
  if (size < 0.9995e-3) return TimeUnit::kMicrosecond;
  if (size < 0.9995) return TimeUnit::kMillisecond;
  if (size < 2 * kOneMinute.si) return TimeUnit::kSecond;
  if (size < 2 * kOneHour.si) return TimeUnit::kMinute;
  if (size < kAutomaticHours * kOneHour.si) return TimeUnit::kHour;
  return TimeUnit::kDay;
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value > 0 ? "unbounded" : "-unbounded";
  char buffer[512];  // the largest double has 309 digits
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  const std::string_view plain(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const bool minus_zero =
      plain.starts_with('-') && plain.find_first_of("123456789") == std::string_view::npos;
  return grouped(minus_zero ? plain.substr(1) : plain);
}

std::string format_number(double value) { return format_fixed(value, decimals_for(value)); }

std::string format_percent(double share, int decimals) {
  return std::isfinite(share) ? format_fixed(share * 100, decimals) + " %" : format_fixed(share, 0);
}

std::string format_integer(std::int64_t value) { return grouped(std::to_string(value)); }

std::string format_duration(Seconds time, TimeUnit unit) {
  if (!std::isfinite(time.si)) return format_number(time.si);
  const TimeScale scale = scale_of(unit);
  return format_number(time.si * scale.over / scale.times) + " " + std::string(scale.symbol);
}

std::string format_duration(Seconds time) { return format_duration(time, natural_unit(time.si)); }
std::string format_duration(Duration time) { return format_duration(to_seconds(time)); }

std::string format_bytes(Bytes amount) { return with_prefix(amount.si, "B"); }
std::string format_byte_rate(ByteRate rate) { return with_prefix(rate.si, "B/s"); }
std::string format_flops(Flops work) { return with_prefix(work.si, "FLOP"); }
std::string format_flop_rate(FlopRate rate) { return with_prefix(rate.si, "FLOP/s"); }
std::string format_watts(Watts power) { return with_prefix(power.si, "W"); }

std::string format_money(Money amount) {
  constexpr double kWholeDollars = 1e6;
  const double size = std::fabs(amount.si);
  const std::string digits = format_fixed(size, size < kWholeDollars ? 2 : 0);
  return (amount.si < 0 ? "-$" : "$") + digits;
}

std::string format_price(Price price) { return format_money(price * kOneHour) + "/GPU-h"; }

std::string format_rate(PerSecond rate) {
  if (rate * kOneHour >= 1) return format_number(rate * kOneHour) + " /h";
  if (rate * kOneDay >= 1 || rate.si == 0) return format_number(rate * kOneDay) + " /d";
  return format_number(rate * kOneWeek) + " /week";
}

}  // namespace fleetsim
