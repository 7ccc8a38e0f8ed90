#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/quantity/duration.hpp"

namespace fleetsim {

__extension__ using Int128 = __int128;

/// An amount of devices, in whole milli-devices: 1,000 to a device, so that shared devices stay exact.
class Capacity {
 public:
  constexpr Capacity() = default;
  static constexpr Capacity zero() { return Capacity{}; }
  static constexpr Capacity devices(std::int64_t count) { return Capacity{count * 1000}; }
  static constexpr Capacity milli_devices(std::int64_t count) { return Capacity{count}; }

  constexpr std::int64_t milli() const { return milli_; }
  auto operator<=>(const Capacity&) const = default;

  constexpr Capacity& operator+=(Capacity other) { return milli_ += other.milli_, *this; }
  constexpr Capacity& operator-=(Capacity other) { return milli_ -= other.milli_, *this; }
  friend constexpr Capacity operator+(Capacity a, Capacity b) { return a += b; }
  friend constexpr Capacity operator-(Capacity a, Capacity b) { return a -= b; }

 private:
  constexpr explicit Capacity(std::int64_t milli) : milli_{milli} {}

  std::int64_t milli_ = 0;
};

/// Capacity held over time, in whole milli-device-nanoseconds: what the ledger sums. Signed, 128 bits; a
/// million devices for a century is 3.2e27, of 1.7e38.
class DeviceTime {
 public:
  constexpr DeviceTime() = default;
  static constexpr DeviceTime zero() { return DeviceTime{}; }
  static constexpr DeviceTime milli_device_ns(Int128 count) { return DeviceTime{count}; }

  constexpr Int128 milli_device_ns() const { return count_; }
  auto operator<=>(const DeviceTime&) const = default;

  constexpr DeviceTime& operator+=(DeviceTime other) { return count_ += other.count_, *this; }
  constexpr DeviceTime& operator-=(DeviceTime other) { return count_ -= other.count_, *this; }
  friend constexpr DeviceTime operator+(DeviceTime a, DeviceTime b) { return a += b; }
  friend constexpr DeviceTime operator-(DeviceTime a, DeviceTime b) { return a -= b; }

  /// Milli-device-nanoseconds, to the nearest double.
  constexpr double to_double() const { return static_cast<double>(count_); }

 private:
  constexpr explicit DeviceTime(Int128 count) : count_{count} {}

  Int128 count_ = 0;
};

constexpr DeviceTime operator*(Capacity capacity, Duration duration) {
  return DeviceTime::milli_device_ns(static_cast<Int128>(capacity.milli()) * duration.ns());
}

/// `part / whole`, each rounded to a double first (so within 3 units of the last place). `whole` is not zero.
constexpr double ratio(DeviceTime part, DeviceTime whole) { return part.to_double() / whole.to_double(); }

/// Milli-device-nanoseconds as a decimal integer, such as "3155760000000000000000000000" or "-1".
std::string to_string(DeviceTime time);

/// The inverse of `to_string`: an optional minus sign and decimal digits, nothing else; nullopt for any other
/// text and for integers out of range.
std::optional<DeviceTime> device_time_from_string(std::string_view text);

}  // namespace fleetsim
