#pragma once

#include <span>

#include "models/gemm/gemm.hpp"
#include "tools/calibrate/gemm_table.hpp"

namespace fleetsim {

/// The curve of one type's products, with inputs of the type and results of two bytes an element.
struct GemmFit {
  GemmCurve curve{};
  double median_error = 0;  ///< |fitted / measured - 1|
  double p90_error = 0;
};

Seconds gemm_time(const GemmCurve& curve, const TimedGemm& shape);

/// Least squares of the logarithm of time, held lightly to usual values, so that what the shapes do not show
/// (no small product, no overhead) stays there. Rounded to four digits.
/// @param shapes of one type, at least eight
GemmFit fit_gemm(std::span<const TimedGemm> shapes);

}  // namespace fleetsim
