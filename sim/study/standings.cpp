#include <map>

#include "sim/study/compare.hpp"

namespace fleetsim {

std::vector<Standing> standings(std::span<const PointResult> points,
                                std::span<const std::vector<FigureParts>> compared,
                                const Objective& objective) {
  const auto mean_of = [&](std::size_t point) -> std::optional<double> {
    const FigureParts* const parts = find_parts(compared[point], objective.figure);
    return parts == nullptr ? std::nullopt : parts->estimate().mean;
  };
  // Without a sweep it is the alternatives that stand against each other.
  const auto group_of = [&](std::size_t point) {
    return points[point].point->sweep.empty() ? std::string{} : points[point].point->alternative;
  };
  const bool highest = objective.best == Objective::Best::highest;
  std::map<std::string, std::size_t> best;  // by group; of equals the first
  for (std::size_t point = 0; point < points.size(); ++point) {
    const std::optional<double> mean = mean_of(point);
    if (!mean) continue;
    const auto [known, is_first] = best.emplace(group_of(point), point);
    const double most = *mean_of(known->second);
    if (highest ? *mean > most : *mean < most) known->second = point;
  }
  std::vector<Standing> result;
  for (std::size_t point = 0; point < points.size() && points.size() > 1; ++point) {
    const auto of = best.find(group_of(point));
    if (of == best.end() || !mean_of(point)) continue;
    result.push_back({point, of->second,
                      difference(*find_parts(compared[point], objective.figure),
                                 *find_parts(compared[of->second], objective.figure))});
  }
  return result;
}

}  // namespace fleetsim
