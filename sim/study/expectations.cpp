#include <cmath>

#include "sim/study/compare.hpp"

namespace fleetsim {
namespace {

ExpectationOutcome check(const PointResult& point, const Expectation& expectation) {
  ExpectationOutcome outcome;
  outcome.expectation = &expectation;
  const Figure* figure = point.find(expectation.figure);
  if (figure == nullptr) return outcome;
  const bool simulated = expectation.basis == Basis::simulated;
  outcome.value = simulated ? figure->simulated.mean : figure->closed_form;
  if (simulated) outcome.half_width = figure->simulated.half_width;
  if (!outcome.value) return outcome;
  const std::optional<double> allowed = expectation.within ? expectation.within : outcome.half_width;
  outcome.met = allowed && std::fabs(expectation.value - *outcome.value) <= *allowed;
  return outcome;
}

}  // namespace

std::vector<ExpectationOutcome> check_expectations(std::span<const PointResult> points) {
  std::vector<ExpectationOutcome> outcomes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const StudyPoint& point = *points[i].point;
    for (const Expectation& expectation : point.scenario.expect) {
      if (expectation.alternative != point.alternative) continue;
      outcomes.push_back(check(points[i], expectation));
      outcomes.back().point = i;
    }
  }
  return outcomes;
}

}  // namespace fleetsim
