#include <doctest/doctest.h>

#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

// Statistical, with fixed seeds: a 99.9 % interval would miss one seed in a thousand, a 95 % one in twenty.
// The intervals here are of 95 %, widened by half: a miss for a true engine has a chance of about 0.4 %.
constexpr double kWider = 1.5;

Estimate runtime_goodput(Scenario scenario, std::uint32_t replications) {
  scenario.runs.replications = replications;
  const StudyReading study = study_of({{"", std::move(scenario)}});
  const StudyResult result = run_study(study, {});
  const PointResult& point = result.points.front();
  CHECK(simulated(point, "jobs.llama.failures") > 0);
  CHECK(simulated(point, "jobs.llama.evictions") > 0);
  return figure(point, "jobs.llama.runtime_goodput").simulated;
}

void check_inside(const Estimate& estimate, double expected) {
  INFO("simulated ", *estimate.mean, " +- ", *estimate.half_width, ", exact ", expected);
  CHECK(*estimate.half_width < 0.001);
  CHECK(std::fabs(*estimate.mean - expected) < kWider * *estimate.half_width);
}

Scenario long_run() {
  Scenario scenario = textbook_job();
  scenario.window.warm_up = 2'000 * kHour;  // the cold start is forgotten
  scenario.window.length = 40'000 * kHour;
  return scenario;
}

}  // namespace

// Expected values: renewal theory, worked out apart from this program, confirmed there by simulation to 1e-5.

TEST_CASE("statistical: the textbook job in the long run has its exact runtime goodput") {
  check_inside(runtime_goodput(long_run(), 64), 0.9070109116968004);
}

TEST_CASE("statistical: so it has when evictions lose all since the last commit") {
  Scenario scenario = long_run();
  scenario.classes[0].evictions.terms.lost_work.reset();
  check_inside(runtime_goodput(scenario, 64), 0.8912397099325939);
}

TEST_CASE("statistical: one week from a cold start lies above equation 4") {
  const Estimate estimate = runtime_goodput(textbook_job(), 256);
  check_inside(estimate, 0.9065481417230327);
  CHECK(*estimate.mean - *estimate.half_width > 0.9039797148273296);  // its second-order gap
}

}  // namespace fleetsim
