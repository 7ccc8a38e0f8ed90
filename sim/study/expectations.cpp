#include <algorithm>
#include <cmath>

#include "sim/study/compare.hpp"

namespace fleetsim {
namespace {

ExpectationOutcome check_value(const PointResult& point, const Expectation& expectation) {
  ExpectationOutcome outcome;
  outcome.expectation = &expectation;
  const Figure* figure = point.find(expectation.of.figure);
  if (figure == nullptr) return outcome;
  const bool simulated = expectation.basis == Basis::simulated;
  outcome.value = simulated ? figure->simulated.mean : figure->closed_form;
  if (simulated) outcome.half_width = figure->simulated.half_width;
  if (!outcome.value) return outcome;
  const std::optional<double> allowed = expectation.within ? expectation.within : outcome.half_width;
  outcome.met = allowed && std::fabs(expectation.value - *outcome.value) <= *allowed;
  return outcome;
}

/// By how much one figure is above the other, and whether that is what was expected and no chance.
ExpectationOutcome check_relation(const Expectation& expectation, const FigureParts* figure,
                                  const FigureParts* other) {
  ExpectationOutcome outcome;
  outcome.expectation = &expectation;
  const bool to_number = expectation.other.figure.empty();
  if (figure == nullptr || (other == nullptr && !to_number)) return outcome;
  Estimate above = to_number ? figure->estimate() : difference(*figure, *other);
  if (to_number && above.mean) *above.mean -= expectation.value;
  outcome.value = above.mean;
  outcome.half_width = above.half_width;
  if (!above.mean || !above.half_width) return outcome;
  const double sign = expectation.relation == Relation::above ? 1 : -1;
  outcome.met = sign * *above.mean > *above.half_width;
  return outcome;
}

}  // namespace

std::vector<ExpectationOutcome> check_expectations(std::span<const PointResult> points,
                                                   std::span<const std::vector<FigureParts>> compared) {
  std::vector<ExpectationOutcome> outcomes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const StudyPoint& point = *points[i].point;
    for (const Expectation& expectation : point.scenario.expect) {
      if (expectation.of.alternative != point.alternative) continue;
      if (expectation.relation == Relation::value) {
        outcomes.push_back(check_value(points[i], expectation));
      } else {
        const FigureOfPoint& other = expectation.other;
        const auto there = std::find_if(points.begin(), points.end(), [&](const PointResult& each) {
          return each.point->alternative == other.alternative && each.point->sweep == other.at;
        });
        const FigureParts* const parts =
            there == points.end()
                ? nullptr
                : find_parts(compared[static_cast<std::size_t>(there - points.begin())], other.figure);
        outcomes.push_back(
            check_relation(expectation, find_parts(compared[i], expectation.of.figure), parts));
      }
      outcomes.back().point = i;
    }
  }
  return outcomes;
}

}  // namespace fleetsim
