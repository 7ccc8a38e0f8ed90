#pragma once

#include <span>
#include <vector>

#include "models/collective/collective.hpp"

namespace fleetsim {

/// A curve and how well it meets what it was fitted to: |time / measured - 1| over all points.
struct FittedCurve {
  LinkCurve curve;
  double median_error = 0;
  double p90_error = 0;
};

/// Fits bandwidth, knee, exponent and latency to sweeps of one collective, by least squares of the logarithm
/// of time. The growth of the knee is fitted too where there are sweeps of three or more counts of domains,
/// and is zero otherwise. Bandwidth and knee are those of a whole domain. A latency needs messages of less
/// than 512 KiB to show; without them it is zero. Constants are rounded to four digits, so that they do not
/// depend on the last bits of a library.
/// @param curves at least one, with at least four points in all
FittedCurve fit_curve(std::span<const MeasuredCurve> curves);

/// The errors of a curve against sweeps.
FittedCurve errors_of(const LinkCurve& curve, std::span<const MeasuredCurve> curves);

}  // namespace fleetsim
