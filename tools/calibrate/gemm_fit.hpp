#pragma once

#include <span>

#include "tools/calibrate/gemm_table.hpp"

namespace fleetsim {

/// Time of a product of so many operations F and bytes (inputs of the type, output of two bytes an element):
///   sqrt((F / rate x (1 + depth / K) (1 + area / (M N)))^2 + (bytes / bandwidth)^2) + overhead
/// A short inner dimension does not fill the pipelines, a small output not the multiprocessors.
struct GemmFit {
  FlopRate rate{};   ///< of a product without end
  double depth = 0;  ///< inner dimension at which the rate is halved
  double area = 0;   ///< elements of the output at which it is halved
  ByteRate bandwidth{};
  Seconds overhead{};
  double median_error = 0;  ///< |fitted / measured - 1|
  double p90_error = 0;
};

Seconds gemm_time(const GemmFit& fit, const TimedGemm& shape);

/// Least squares of the logarithm of time, held lightly to usual values, so that what the shapes do not show
/// (no small product, no overhead) stays there. Rounded to four digits.
/// @param shapes of one type, at least eight
GemmFit fit_gemm(std::span<const TimedGemm> shapes);

}  // namespace fleetsim
