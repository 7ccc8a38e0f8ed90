#include "models/gemm/gemm.hpp"

#include <cmath>
#include <iterator>

namespace fleetsim {
namespace {

/// A rate between two others, straight on logarithmic axes.
double between(double x, double x0, double rate0, double x1, double rate1) {
  const double share = std::log(x / x0) / std::log(x1 / x0);
  return rate0 * std::pow(rate1 / rate0, share);
}

std::optional<GemmRate> interpolated(std::int64_t at, std::int64_t below, std::optional<GemmRate> low,
                                     std::int64_t above, std::optional<GemmRate> high) {
  if (!low || !high) return std::nullopt;
  const double rate = between(static_cast<double>(at), static_cast<double>(below), low->rate.si,
                              static_cast<double>(above), high->rate.si);
  return GemmRate{FlopRate{rate}, GemmBasis::kInterpolated};
}

/// Looks up `at`, or interpolates what `read` makes of the entries on both sides.
template <class T, class Read>
std::optional<GemmRate> along(const std::map<std::int64_t, T>& line, std::int64_t at, Read read) {
  const auto above = line.lower_bound(at);
  if (above == line.end()) return std::nullopt;
  if (above->first == at) return read(above->second);
  if (above == line.begin()) return std::nullopt;
  const auto below = std::prev(above);
  return interpolated(at, below->first, read(below->second), above->first, read(above->second));
}

}  // namespace

GemmSurface::GemmSurface(const std::vector<MeasuredGemm>& measured) {
  std::map<std::int64_t, std::map<std::int64_t, std::map<std::int64_t, std::vector<double>>>> rates;
  for (const MeasuredGemm& product : measured) {
    const GemmShape& s = product.shape;
    rates[s.k][s.n][s.m].push_back((s.product().flops() / product.time).si);
  }
  for (const auto& [k, widths] : rates) {
    for (const auto& [n, tokens] : widths) {
      for (const auto& [m, repeated] : tokens) {
        double sum = 0;
        for (const double rate : repeated) sum += rate;
        const double mean = sum / static_cast<double>(repeated.size());
        by_k_[k][n][m] = mean;
        by_n_[n][k][m] = mean;
      }
    }
  }
}

std::optional<GemmRate> GemmSurface::rate(GemmShape shape) const {
  const auto at_tokens = [&](const Curve& curve) {
    return along(curve, shape.m,
                 [](double rate) -> std::optional<GemmRate> { return GemmRate{FlopRate{rate}}; });
  };
  if (const auto same_k = by_k_.find(shape.k); same_k != by_k_.end()) {
    if (const auto found = along(same_k->second, shape.n, at_tokens)) return found;
  }
  if (const auto same_n = by_n_.find(shape.n); same_n != by_n_.end()) {
    return along(same_n->second, shape.k, at_tokens);
  }
  return std::nullopt;
}

}  // namespace fleetsim
