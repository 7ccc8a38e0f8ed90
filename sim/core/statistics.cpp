#include "sim/core/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace fleetsim {
namespace {

/// Sums of all values and of all but one. The latter are added up, not taken off the total, so that a large
/// value does not wipe out the small ones it is removed from.
struct LeaveOneOut {
  explicit LeaveOneOut(std::span<const double> values) : without(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      without[i] = total;
      total += values[i];
    }
    double behind = 0;
    for (std::size_t i = values.size(); i-- > 0;) {
      without[i] += behind;
      behind += values[i];
    }
  }

  double total = 0;
  std::vector<double> without;
};

/// A ratio of sums, of all replications and without each.
struct JackknifedRatio {
  explicit JackknifedRatio(const RatioParts& parts)
      : numerators{parts.numerators}, denominators{parts.denominators} {}

  bool has_mean() const { return denominators.total != 0; }
  /// Also false of a single replication, without which there is nothing.
  bool has_spread() const {
    const std::vector<double>& without = denominators.without;
    return std::find(without.begin(), without.end(), 0.0) == without.end();
  }
  double mean() const { return numerators.total / denominators.total; }
  double mean_without(std::size_t i) const { return numerators.without[i] / denominators.without[i]; }

  LeaveOneOut numerators;
  LeaveOneOut denominators;
};

/// The half-width of the interval around a figure, given its values without each of the replications.
double jackknife_half_width(double whole, std::span<const double> without, double level) {
  const auto n = static_cast<double>(without.size());
  std::vector<double> pseudo_values;
  for (const double partial : without) pseudo_values.push_back(n * whole - (n - 1) * partial);
  const double mean = std::accumulate(pseudo_values.begin(), pseudo_values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : pseudo_values) squares += (value - mean) * (value - mean);
  return student_t_quantile((1 + level) / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

double student_t_quantile(double probability, double degrees_of_freedom) {
  using boost::math::policies::policy;
  using boost::math::policies::promote_double;
  // Without promotion to long double, which not every platform computes alike.
  using StudentT = boost::math::students_t_distribution<double, policy<promote_double<false>>>;
  return boost::math::quantile(StudentT{degrees_of_freedom}, probability);
}

Estimate ratio_of_sums(const RatioParts& parts, double level) {
  const JackknifedRatio ratio{parts};
  Estimate estimate{.mean = std::nullopt, .half_width = std::nullopt, .n = parts.numerators.size()};
  if (!ratio.has_mean()) return estimate;
  estimate.mean = ratio.mean();
  if (!ratio.has_spread()) return estimate;
  std::vector<double> without;
  for (std::size_t i = 0; i < estimate.n; ++i) without.push_back(ratio.mean_without(i));
  estimate.half_width = jackknife_half_width(*estimate.mean, without, level);
  return estimate;
}

Estimate paired_difference(const RatioParts& a, const RatioParts& b, double level) {
  const JackknifedRatio ratio_a{a};
  const JackknifedRatio ratio_b{b};
  Estimate estimate{.mean = std::nullopt, .half_width = std::nullopt, .n = a.numerators.size()};
  if (!ratio_a.has_mean() || !ratio_b.has_mean()) return estimate;
  estimate.mean = ratio_a.mean() - ratio_b.mean();
  if (!ratio_a.has_spread() || !ratio_b.has_spread()) return estimate;
  std::vector<double> without;
  for (std::size_t i = 0; i < estimate.n; ++i)
    without.push_back(ratio_a.mean_without(i) - ratio_b.mean_without(i));
  estimate.half_width = jackknife_half_width(*estimate.mean, without, level);
  return estimate;
}

std::optional<double> percentile(std::span<const double> sorted, double fraction) {
  if (sorted.empty()) return std::nullopt;
  // 0.07 * 100 is 7.000000000000001 in doubles: a rank that is whole but for rounding is taken as whole.
  const double rank = fraction * static_cast<double>(sorted.size());
  const double whole = std::ceil(rank * (1 - 4 * std::numeric_limits<double>::epsilon()));
  return sorted[static_cast<std::size_t>(std::clamp(whole, 1.0, static_cast<double>(sorted.size()))) - 1];
}

}  // namespace fleetsim
