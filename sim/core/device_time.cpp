#include "sim/core/device_time.hpp"

#include <algorithm>

namespace fleetsim {

std::string to_string(DeviceTime time) {
  Int128 rest = time.milli_device_ns();
  const bool negative = rest < 0;
  std::string text;
  do {
    // The sign is taken digit by digit, because the least integer has no positive counterpart.
    const int digit = static_cast<int>(rest % 10);
    text.push_back(static_cast<char>('0' + (negative ? -digit : digit)));
    rest /= 10;
  } while (rest != 0);
  if (negative) text.push_back('-');
  std::reverse(text.begin(), text.end());
  return text;
}

std::optional<DeviceTime> device_time_from_string(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  Int128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const int digit = negative ? '0' - c : c - '0';
    if (__builtin_mul_overflow(value, Int128{10}, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, Int128{digit}, &value)) return std::nullopt;
  }
  return DeviceTime::milli_device_ns(value);
}

}  // namespace fleetsim
