#include "models/fit/minimise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace fleetsim {
namespace {

constexpr int kMostRounds = 2000;
constexpr int kRestarts = 3;         // a simplex may collapse; a fresh one around its best moves on
constexpr double kFlatness = 1e-10;  // of the function over the simplex

struct Corner {
  std::vector<double> at;
  double value;
};

using Function = std::function<double(std::span<const double>)>;

/// centre + factor * (worst - centre)
Corner moved(const Function& function, const std::vector<double>& centre, const std::vector<double>& worst,
             double factor) {
  Corner corner{centre, 0};
  for (std::size_t i = 0; i < centre.size(); ++i) corner.at[i] += factor * (worst[i] - centre[i]);
  corner.value = function(corner.at);
  return corner;
}

std::vector<double> centre_without_last(const std::vector<Corner>& simplex) {
  std::vector<double> centre(simplex.front().at.size(), 0.0);
  for (std::size_t c = 0; c + 1 < simplex.size(); ++c) {
    for (std::size_t i = 0; i < centre.size(); ++i) centre[i] += simplex[c].at[i];
  }
  for (double& x : centre) x /= static_cast<double>(simplex.size() - 1);
  return centre;
}

void shrink(const Function& function, std::vector<Corner>& simplex) {
  for (std::size_t c = 1; c < simplex.size(); ++c)
    simplex[c] = moved(function, simplex.front().at, simplex[c].at, 0.5);
}

void step(const Function& function, std::vector<Corner>& simplex) {
  const std::vector<double> centre = centre_without_last(simplex);
  Corner& worst = simplex.back();
  Corner reflected = moved(function, centre, worst.at, -1);
  if (reflected.value < simplex.front().value) {
    Corner expanded = moved(function, centre, worst.at, -2);
    worst = expanded.value < reflected.value ? std::move(expanded) : std::move(reflected);
  } else if (reflected.value < simplex[simplex.size() - 2].value) {
    worst = std::move(reflected);
  } else {
    Corner contracted = moved(function, centre, worst.at, 0.5);
    if (contracted.value < worst.value)
      worst = std::move(contracted);
    else
      shrink(function, simplex);
  }
}

}  // namespace

std::vector<double> minimise(const Function& function, std::vector<double> start,
                             std::span<const double> steps) {
  const auto by_value = [](const Corner& a, const Corner& b) { return a.value < b.value; };
  for (int round = 0; round < kRestarts; ++round) {
    std::vector<Corner> simplex{{start, function(start)}};
    for (std::size_t i = 0; i < start.size(); ++i) {
      std::vector<double> at = start;
      at[i] += steps[i];
      simplex.push_back({at, function(at)});
    }
    for (int i = 0; i < kMostRounds; ++i) {
      std::stable_sort(simplex.begin(), simplex.end(), by_value);
      if (simplex.back().value - simplex.front().value <= kFlatness * std::abs(simplex.front().value)) break;
      step(function, simplex);
    }
    start = std::min_element(simplex.begin(), simplex.end(), by_value)->at;
  }
  return start;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace fleetsim
