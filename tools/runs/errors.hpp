#pragma once

#include <cstddef>
#include <span>

#include "models/step/constants.hpp"
#include "tools/runs/published_run.hpp"

namespace fleetsim {

/// How far predictions are off: of the absolute relative errors the median, the 90th percentile and the mean
/// (MAPE), and the median with its sign.
struct ErrorSummary {
  std::size_t rows = 0;
  double median = 0;
  double p90 = 0;
  double mean = 0;
  double bias = 0;
};

/// `errors` are predicted over measured, less one. Percentiles are interpolated.
ErrorSummary summarize(std::span<const double> errors);

/// Predicted over measured time, less one, of a run that has both.
double relative_error(const PublishedRun& run, const StepConstants& constants);

/// Whether a run can be predicted and compared.
/// The same with the software that is stated, without what is only inferred.
double error_as_stated(const PublishedRun& run, const StepConstants& constants);

bool comparable(const PublishedRun& run);

}  // namespace fleetsim
