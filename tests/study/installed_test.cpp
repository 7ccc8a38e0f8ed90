#include <doctest/doctest.h>

#include "sim/study/run_points.hpp"
#include "tests/study/scenarios.hpp"

// Figures of a fleet whose nodes come and go.
namespace fleetsim {
namespace {

JobClass second_job(std::string name, std::int64_t seconds, std::int64_t submit) {
  JobClass job;
  job.name = std::move(name);
  job.pools = {0};
  job.gang.shape = GangShape{.nodes = 1, .per_node = 1};
  job.steps = (kSecond * seconds).ns();
  job.arrivals.submit = SimTime::zero() + kSecond * submit;
  return job;
}

Scenario two_nodes(std::vector<JobClass> jobs) {
  Scenario scenario;
  scenario.pools = {pool_of(2)};
  scenario.pools[0].devices_per_node = 1;
  scenario.classes = std::move(jobs);
  scenario.window.length = kSecond * 20;
  return scenario;
}

}  // namespace

TEST_CASE("utilisation is busy time over what was there: 8 of 25, not of 40, and not a mean of shares") {
  Scenario scenario = two_nodes({second_job("a", 3, 0), second_job("b", 1, 0), second_job("c", 4, 11)});
  const SimTime start = SimTime::zero();
  scenario.pools[0].dated = {{.nodes = {0}, .until = start + kSecond * 15},
                             {.nodes = {1}, .until = start + kSecond * 10}};
  const PointResult point = run_study(study_of({{"", scenario}}), {}).points.at(0);
  CHECK(simulated(point, "scheduling_goodput") == 8.0 / 25.0);
  CHECK(simulated(point, "availability") == 1);
  CHECK(point.installed_window == Capacity::devices(25) * kSecond);
  CHECK(point.window_time == Capacity::milli_devices(1) * (kSecond * 20));
}

TEST_CASE("maintenance is out of service, and what drains cost a job is a figure") {
  // Node 0 is drained in 5-15 of 20: 30 of 40 are in service. The job loses 5 of its 5 + 10.
  Scenario scenario = two_nodes({second_job("a", 10, 0)});
  scenario.pools[0].drains = {
      {.at = SimTime::zero() + kSecond * 5, .length = kSecond * 10, .every = std::nullopt, .nodes = {0}}};
  const PointResult point = run_study(study_of({{"", scenario}}), {}).points.at(0);
  CHECK(simulated(point, "availability") == 30.0 / 40.0);
  CHECK(simulated(point, "scheduling_goodput") == 15.0 / 30.0);
  CHECK(simulated(point, "jobs.a.reconfiguration") == 5.0 / 15.0);
  CHECK(simulated(point, "jobs.a.drains") == 1);
}

}  // namespace fleetsim
