#include "tools/runs/errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace fleetsim {
namespace {

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

ErrorSummary summarize(std::span<const double> errors) {
  ErrorSummary summary;
  if (errors.empty()) return summary;
  std::vector<double> by_sign(errors.begin(), errors.end());
  std::sort(by_sign.begin(), by_sign.end());
  std::vector<double> size(errors.size());
  std::transform(errors.begin(), errors.end(), size.begin(), [](double error) { return std::abs(error); });
  std::sort(size.begin(), size.end());
  summary.rows = errors.size();
  summary.median = percentile(size, 0.5);
  summary.p90 = percentile(size, 0.9);
  summary.mean = std::accumulate(size.begin(), size.end(), 0.0) / static_cast<double>(size.size());
  summary.bias = percentile(by_sign, 0.5);
  return summary;
}

double relative_error(const PublishedRun& run, const StepConstants& constants) {
  return step_breakdown(*run.input, constants).total() / *run.measured - 1;
}

double error_as_stated(const PublishedRun& run, const StepConstants& constants) {
  StepInput input = *run.input;
  if (run.stated) input.software = *run.stated;
  return step_breakdown(input, constants).total() / *run.measured - 1;
}

bool comparable(const PublishedRun& run) { return run.input && run.infeasible.empty() && run.measured; }

}  // namespace fleetsim
