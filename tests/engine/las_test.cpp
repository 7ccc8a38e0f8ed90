#include <doctest/doctest.h>

#include "tests/engine/build.hpp"

namespace fleetsim {
namespace {

using build::at;
using build::seconds;

SimTime las_end(const RunResult& result, const std::string& id) {
  for (const JobOutcome& job : result.jobs)
    if (job.id == id) return job.end.value_or(SimTime::never());
  return SimTime::never();
}

}  // namespace

TEST_CASE("least attained service: who falls behind gives way, and in one queue who runs stays") {
  for (const Preemption placements : {Preemption::kept, Preemption::remade}) {
    Scenario scenario;
    scenario.pools.push_back(build::pool(1, 1));
    scenario.classes = {build::job("early", 1, 1, seconds(10)), build::job("late", 1, 1, seconds(10), at(1))};
    scenario.scheduler.order = "las";
    scenario.scheduler.strict = false;
    scenario.scheduler.las_thresholds = {Capacity::devices(1) * seconds(4)};
    scenario.scheduler.preemption = placements;
    scenario.scheduler.eviction.lost_work = Duration::zero();
    const RunResult result = simulate(scenario, {.jobs = RunOptions::Jobs::each});
    // After 4 s `early` stands behind `late`; after 8 s both have had 4 s, and `late` goes on to its end.
    CHECK(las_end(result, "late") == at(14));
    CHECK(las_end(result, "early") == at(20));
  }
}

}  // namespace fleetsim
