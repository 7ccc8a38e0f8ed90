#include "models/collective/fit_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "models/fit/minimise.hpp"

namespace fleetsim {
namespace {

constexpr Bytes kShowsLatency{512.0 * 1024};
// Least squares of what lies beyond three standard noises of a sweep would follow single outliers.
constexpr double kOutlier = 0.2;

/// Which constants beside bandwidth, knee and exponent are looked for.
struct Free {
  bool floor = false;
  bool growth = false;
};

Free free_constants(std::span<const MeasuredCurve> curves) {
  std::set<double> domains;
  Free free;
  for (const MeasuredCurve& curve : curves) {
    domains.insert(curve.domains());
    free.floor |= curve.points().front().message < kShowsLatency;
  }
  free.growth = domains.size() >= 3;
  return free;
}

LinkCurve unpacked(std::span<const double> x, Free free) {
  LinkCurve curve{.bandwidth = ByteRate{std::exp(x[0])}, .knee = Bytes{std::exp(x[1])}, .exponent = x[2]};
  std::size_t next = 3;
  if (free.floor) curve.floor = Seconds{std::exp(x[next++])};
  if (free.growth) curve.growth = x[next];
  return curve;
}

double log_ratio(const LinkCurve& curve, const MeasuredCurve& sweep, const TimedSize& point) {
  const double share = moved_share(sweep.collective(), static_cast<double>(sweep.ranks()));
  return std::log(curve_time(curve, point.message, share, sweep.domains(), 1) / point.time);
}

/// Squares near zero, straight beyond.
double loss(double error) {
  const double size = std::abs(error);
  return size < kOutlier ? size * size : kOutlier * (2 * size - kOutlier);
}

double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  return std::round(value / unit) * unit;
}

}  // namespace

FittedCurve errors_of(const LinkCurve& curve, std::span<const MeasuredCurve> curves) {
  std::vector<double> errors;
  for (const MeasuredCurve& sweep : curves) {
    for (const TimedSize& point : sweep.points())
      errors.push_back(std::abs(std::expm1(log_ratio(curve, sweep, point))));
  }
  return {curve, quantile(errors, 0.5), quantile(errors, 0.9)};
}

FittedCurve fit_curve(std::span<const MeasuredCurve> curves) {
  const Free free = free_constants(curves);
  double bandwidth = 0, least_time = std::numeric_limits<double>::infinity();
  for (const MeasuredCurve& sweep : curves) {
    const double share = moved_share(sweep.collective(), static_cast<double>(sweep.ranks()));
    for (const TimedSize& point : sweep.points()) {
      bandwidth = std::max(bandwidth, share * point.message.si / point.time.si);
      least_time = std::min(least_time, point.time.si);
    }
  }
  constexpr double kKnee = 20e6, kExponent = 0.85, kGrowth = 0.3;  // where such curves commonly lie
  std::vector<double> start{std::log(bandwidth), std::log(kKnee), kExponent};
  std::vector<double> steps{0.1, 0.5, 0.1};
  if (free.floor) start.push_back(std::log(least_time)), steps.push_back(0.2);
  if (free.growth) start.push_back(kGrowth), steps.push_back(0.1);

  const auto misfit = [&](std::span<const double> x) {
    if (x[2] < 0.3 || x[2] > 1.5) return std::numeric_limits<double>::infinity();
    const LinkCurve curve = unpacked(x, free);
    double sum = 0;
    for (const MeasuredCurve& sweep : curves) {
      for (const TimedSize& point : sweep.points()) sum += loss(log_ratio(curve, sweep, point));
    }
    return sum;
  };
  LinkCurve found = unpacked(minimise(misfit, start, steps), free);
  found.bandwidth.si = rounded(found.bandwidth.si);
  found.knee.si = rounded(found.knee.si);
  found.exponent = rounded(found.exponent);
  found.growth = rounded(found.growth);
  found.floor.si = rounded(found.floor.si);
  return errors_of(found, curves);
}

}  // namespace fleetsim
