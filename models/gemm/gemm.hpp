#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// `count` products of an m x k and a k x n matrix at once, each on its share of the rows.
struct Gemm {
  double m = 0;
  double n = 0;
  double k = 0;
  double count = 1;

  Flops flops() const { return Flops{2 * m * n * k * count}; }
};

/// A product of an m x k matrix, the tokens, with a k x n matrix, the weights.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  Gemm product() const { return {static_cast<double>(m), static_cast<double>(n), static_cast<double>(k), 1}; }
};

/// Time of a product from six numbers of a device: arithmetic, slowed where the inner dimension is short (the
/// pipelines do not fill) or the result small (the multiprocessors do not), and memory traffic, joined as a
/// p-norm, and what every product costs.
struct GemmCurve {
  FlopRate rate;
  ByteRate bandwidth;
  Seconds each;
  double small_result = 0;  ///< elements of the result at which arithmetic takes twice as long
  double short_depth = 0;   ///< inner dimension at which it does
  double overlap = 2;       ///< the p of the norm: 1 adds both times, the more the less the smaller one shows
};

/// What a product is to a curve; several products at once have the results and the traffic of all.
struct GemmWork {
  Flops flops;
  double depth = 0;
  double results = 0;
  Bytes traffic;
};

/// Both factors and the result go once through memory.
struct ElementBytes {
  double factors = 2;
  double result = 2;
};
inline GemmWork gemm_work(const Gemm& g, ElementBytes each) {
  return {.flops = g.flops(),
          .depth = g.k,
          .results = g.m * g.n * g.count,
          .traffic = Bytes{g.count * (each.factors * (g.m * g.k + g.k * g.n) + each.result * g.m * g.n)}};
}

/// ((F/R (1 + k0/k) (1 + A/(m n)))^p + (bytes/B)^p)^(1/p) + t0.
inline Seconds gemm_time(const GemmCurve& curve, const GemmWork& work) {
  const double arithmetic = (work.flops / curve.rate).si * (1 + curve.short_depth / work.depth) *
                            (1 + curve.small_result / work.results);
  const double traffic = (work.traffic / curve.bandwidth).si;
  const double p = curve.overlap;
  const double joined = p == 2 ? std::sqrt(arithmetic * arithmetic + traffic * traffic)
                               : std::pow(std::pow(arithmetic, p) + std::pow(traffic, p), 1 / p);
  return Seconds{joined} + curve.each;
}

inline Seconds gemm_time(const GemmCurve& curve, const Gemm& product, ElementBytes each) {
  return gemm_time(curve, gemm_work(product, each));
}

/// A product as measured.
struct MeasuredGemm {
  GemmShape shape;
  Seconds time;
};

enum class GemmBasis : std::uint8_t {
  kMeasured,
  kInterpolated,
};

struct GemmRate {
  FlopRate rate;
  GemmBasis basis = GemmBasis::kMeasured;
};

/// Rates of measured products, and of those between them: at measured weights for any number of tokens in
/// range, and at weights that share one side with two measured ones around them.
class GemmSurface {
 public:
  /// Products measured more than once count with their mean rate.
  explicit GemmSurface(const std::vector<MeasuredGemm>& measured);

  /// Nothing outside what was measured: no rate is carried over.
  std::optional<GemmRate> rate(GemmShape shape) const;

 private:
  using Curve = std::map<std::int64_t, double>;  // from tokens to FLOP/s

  std::map<std::int64_t, std::map<std::int64_t, Curve>> by_k_;  // from k and n
  std::map<std::int64_t, std::map<std::int64_t, Curve>> by_n_;  // from n and k
};

}  // namespace fleetsim
