#include <algorithm>

#include "sim/study/compare.hpp"

namespace fleetsim {
namespace {

/// Over the replications that both have; those share their random numbers.
Estimate difference(const FigureParts& alternative, const FigureParts& base) {
  const std::size_t n = std::min(alternative.numerators.size(), base.numerators.size());
  const auto first = [n](const FigureParts& parts) {
    return RatioParts{std::span{parts.numerators}.first(n), std::span{parts.denominators}.first(n)};
  };
  return paired_difference(first(alternative), first(base));
}

}  // namespace

std::vector<PairedDifference> differences(std::span<const PointResult> points,
                                          std::span<const std::vector<FigureParts>> compared) {
  std::vector<PairedDifference> result;
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (points[point].point->alternative.empty()) continue;
    const auto base = std::find_if(points.begin(), points.end(), [&](const PointResult& each) {
      return each.point->alternative.empty() && each.point->sweep == points[point].point->sweep;
    });
    if (base == points.end()) continue;
    const std::vector<FigureParts>& of_base = compared[static_cast<std::size_t>(base - points.begin())];
    for (const FigureParts& parts : compared[point]) {
      const auto same = std::find_if(of_base.begin(), of_base.end(),
                                     [&](const FigureParts& each) { return each.name == parts.name; });
      if (same == of_base.end()) continue;
      const Estimate estimate = difference(parts, *same);
      if (estimate.mean) result.push_back({point, parts.name, estimate});
    }
  }
  return result;
}

}  // namespace fleetsim
