#pragma once

#include <functional>
#include <span>
#include <vector>

namespace fleetsim {

/// Where a function of a few variables is least, by the downhill simplex from `start`, whose first corners
/// lie `steps` away. It finds the minimum of the valley it starts in; infinity marks what is not allowed. The
/// same input gives the same bytes.
/// Source: Nelder and Mead, Computer Journal 7(4), 1965.
std::vector<double> minimise(const std::function<double(std::span<const double>)>& function,
                             std::vector<double> start, std::span<const double> steps);

/// The q-quantile of values in any order, as one of the values: the smallest that at least a share q of them
/// does not exceed. Zero without values.
double quantile(std::vector<double> values, double q);

/// exp of the mean of logarithms; all values positive, at least one.
double geometric_mean(std::span<const double> values);

}  // namespace fleetsim
