#include <algorithm>

#include "sim/study/compare.hpp"

namespace fleetsim {

Estimate difference(const FigureParts& a, const FigureParts& b) {
  const std::size_t n = std::min(a.numerators.size(), b.numerators.size());
  const auto first = [n](const FigureParts& parts) {
    return RatioParts{std::span{parts.numerators}.first(n), std::span{parts.denominators}.first(n)};
  };
  return paired_difference(first(a), first(b));
}

const FigureParts* find_parts(std::span<const FigureParts> parts, std::string_view figure) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const FigureParts& each) { return each.name == figure; });
  return found == parts.end() ? nullptr : &*found;
}

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
      const FigureParts* const same = is_compared(parts.name) ? find_parts(of_base, parts.name) : nullptr;
      if (same == nullptr) continue;
      const Estimate estimate = difference(parts, *same);
      if (estimate.mean) result.push_back({point, parts.name, estimate});
    }
  }
  return result;
}

}  // namespace fleetsim
