#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace fleetsim {

/// The `probability` quantile, 0 < probability < 1, of Student's t with `degrees_of_freedom` > 0.
double student_t_quantile(double probability, double degrees_of_freedom);

/// A figure over replications. Without data (every denominator is zero) there is no mean; where replications
/// cannot tell how far it may be off (there is one, or all but one are without data), no half-width.
struct Estimate {
  std::optional<double> mean;
  std::optional<double> half_width;  ///< of the confidence interval around the mean
  std::size_t n = 0;                 ///< replications
};

/// The parts of a ratio by replication: as many denominators, none negative, as numerators.
struct RatioParts {
  std::span<const double> numerators;
  std::span<const double> denominators;
};

/// The ratio of the sums over replications, and the half-width of its confidence interval from jackknife
/// pseudo-values: with r_i the ratio without replication i, the standard error of n r - (n - 1) r_i, times
/// Student's t of n - 1 degrees of freedom. `level` is between 0 and 1.
/// Source: Miller, "The jackknife: a review", Biometrika 61(1), 1974.
Estimate ratio_of_sums(const RatioParts& parts, double level = 0.95);

/// Ratio `a` less ratio `b`, where replication i of both was run on the same random numbers: the jackknife
/// leaves out a replication on both sides at once, so that what they share cancels. Both have as many
/// replications.
Estimate paired_difference(const RatioParts& a, const RatioParts& b, double level = 0.95);

/// The nearest-rank percentile: the least of the values that a `fraction` of them, in (0, 1], do not exceed;
/// always one of the values, never interpolated. `sorted` ascends; nullopt if it is empty.
std::optional<double> percentile(std::span<const double> sorted, double fraction);

}  // namespace fleetsim
