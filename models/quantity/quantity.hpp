#pragma once

#include <compare>

namespace fleetsim {

/// A physical quantity: one double in SI units (US dollars for money), tagged with its dimension.
///
/// Quantities of unlike dimension do not mix, and a bare number is never taken for one. Only the products
/// listed below exist, because only those mean something here.
template <class Tag>
struct Quantity {
  constexpr Quantity() = default;
  constexpr explicit Quantity(double si_value) : si{si_value} {}

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) { return si += other.si, *this; }
  constexpr Quantity& operator-=(Quantity other) { return si -= other.si, *this; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.si + b.si}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.si - b.si}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity{a.si * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity{k * a.si}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity{a.si / k}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.si / b.si; }

  double si = 0;
};

using Seconds = Quantity<struct SecondsTag>;
using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;        ///< floating-point operations, an amount
using FlopRate = Quantity<struct FlopRateTag>;  ///< floating-point operations per second
using ByteRate = Quantity<struct ByteRateTag>;  ///< bytes per second
using Watts = Quantity<struct WattsTag>;
using Money = Quantity<struct MoneyTag>;          ///< US dollars
using PerSecond = Quantity<struct PerSecondTag>;  ///< events per second
using Price = Quantity<struct PriceTag>;          ///< US dollars per device and second

constexpr Seconds operator/(Bytes amount, ByteRate rate) { return Seconds{amount.si / rate.si}; }
constexpr ByteRate operator/(Bytes amount, Seconds time) { return ByteRate{amount.si / time.si}; }
constexpr Bytes operator*(ByteRate rate, Seconds time) { return Bytes{rate.si * time.si}; }
constexpr Bytes operator*(Seconds time, ByteRate rate) { return rate * time; }

constexpr Seconds operator/(Flops work, FlopRate rate) { return Seconds{work.si / rate.si}; }
constexpr FlopRate operator/(Flops work, Seconds time) { return FlopRate{work.si / time.si}; }
constexpr Flops operator*(FlopRate rate, Seconds time) { return Flops{rate.si * time.si}; }
constexpr Flops operator*(Seconds time, FlopRate rate) { return rate * time; }

/// Time here is device-time: devices times seconds.
constexpr Money operator*(Price price, Seconds device_time) { return Money{price.si * device_time.si}; }
constexpr Money operator*(Seconds device_time, Price price) { return price * device_time; }
constexpr Price operator/(Money amount, Seconds device_time) { return Price{amount.si / device_time.si}; }

/// Expected number of events.
constexpr double operator*(PerSecond rate, Seconds time) { return rate.si * time.si; }
constexpr double operator*(Seconds time, PerSecond rate) { return rate * time; }

/// `count` events in `time`; the rate of something that happens once per `mean` is `1.0 / mean`.
constexpr PerSecond operator/(double count, Seconds time) { return PerSecond{count / time.si}; }
/// Mean time between events of this rate; infinite when the rate is zero.
constexpr Seconds operator/(double count, PerSecond rate) { return Seconds{count / rate.si}; }

inline constexpr Seconds kOneMinute{60};
inline constexpr Seconds kOneHour{3600};
inline constexpr Seconds kOneDay{86400};
inline constexpr Seconds kOneWeek{604800};

}  // namespace fleetsim
