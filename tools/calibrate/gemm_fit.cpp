#include "tools/calibrate/gemm_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "models/fit/minimise.hpp"

namespace fleetsim {
namespace {

constexpr double kHold = 1e-3;    // of a constant to its usual value, beside one shape's squared error
constexpr double kOutlier = 0.2;  // squares near zero, straight beyond

Gemm product(const TimedGemm& g) { return GemmShape{g.m, g.n, g.k}.product(); }

GemmCurve unpacked(std::span<const double> x) {
  return {.rate = FlopRate{std::exp(x[0])},
          .bandwidth = ByteRate{std::exp(x[3])},
          .each = Seconds{std::exp(x[4])},
          .small_result = std::exp(x[2]),
          .short_depth = std::exp(x[1])};
}

double loss(double error) {
  const double size = std::abs(error);
  return size < kOutlier ? size * size : kOutlier * (2 * size - kOutlier);
}

double rounded(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

}  // namespace

Seconds gemm_time(const GemmCurve& curve, const TimedGemm& shape) {
  return gemm_time(curve, product(shape), {.factors = element_bytes(shape.dtype)});
}

GemmFit fit_gemm(std::span<const TimedGemm> shapes) {
  double best = 0;
  for (const TimedGemm& each : shapes) best = std::max(best, product(each).flops().si / each.time.si);
  // A device computes some 300 operations in the time it moves a byte.
  const std::array<double, 5> usual{std::log(1.05 * best), std::log(85.0), std::log(2e5),
                                    std::log(best / 300), std::log(5e-6)};
  const auto misfit = [&](std::span<const double> x) {
    const GemmCurve fit = unpacked(x);
    double sum = 0;
    for (const TimedGemm& each : shapes) sum += loss(std::log(gemm_time(fit, each) / each.time));
    for (std::size_t i = 1; i < usual.size(); ++i) sum += kHold * (x[i] - usual[i]) * (x[i] - usual[i]);
    return sum;
  };
  const std::array<double, 5> steps{0.1, 0.5, 0.5, 0.3, 0.3};
  GemmFit fit{.curve = unpacked(minimise(misfit, {usual.begin(), usual.end()}, steps))};
  GemmCurve& curve = fit.curve;
  for (double* const number :
       {&curve.rate.si, &curve.short_depth, &curve.small_result, &curve.bandwidth.si, &curve.each.si})
    *number = rounded(*number);
  std::vector<double> errors;
  for (const TimedGemm& each : shapes) errors.push_back(std::abs(gemm_time(curve, each) / each.time - 1));
  fit.median_error = quantile(errors, 0.5);
  fit.p90_error = quantile(errors, 0.9);
  return fit;
}

}  // namespace fleetsim
