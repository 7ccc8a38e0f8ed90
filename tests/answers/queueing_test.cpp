#include <doctest/doctest.h>

#include <cmath>

#include "sim/study/study.hpp"

// Queues with known answers. Twenty replications after a warm-up; a test fails when the exact value lies
// outside 1.5 times the 95 % interval, which a right engine does about once in 170 seeds; the seed is fixed.
namespace fleetsim {
namespace {

constexpr double kHour = 3600.0;

/// `servers` nodes of one device, Poisson arrivals, one-node jobs.
Scenario queue(std::uint32_t servers, double load, const Distribution& service) {
  Scenario scenario;
  PoolSpec pool;
  pool.name = "pool";
  pool.device_type = "server";
  pool.nodes = servers;
  pool.devices_per_node = 1;
  pool.racks.assign(servers, 0);
  scenario.pools.push_back(pool);
  JobClass job;
  job.name = "job";
  job.pools = {0};
  job.gang.sizes = {1};
  job.gang.weights = {1};
  job.arrivals.gap = Distribution{Distribution::Exponential{service.mean() / (load * servers)}};
  job.duration = service;
  scenario.classes.push_back(job);
  scenario.window.warm_up = round_to_duration(Seconds{2'000 * kHour});
  scenario.window.length = round_to_duration(Seconds{40'000 * kHour / servers});
  scenario.window.run_on = round_to_duration(Seconds{2'000 * kHour});
  scenario.runs.replications = 20;
  return scenario;
}

/// The figure's mean over replications, with its interval.
Estimate simulated(const Scenario& scenario, const char* figure) {
  StudyReading study;
  study.points.push_back(
      StudyPoint{.alternative = {}, .sweep = {}, .scenario = scenario, .resolved = {}, .hash = {}});
  const StudyResult result = run_study(study, StudyOptions{});
  const Figure* const found = result.points[0].find(figure);
  REQUIRE(found != nullptr);
  return found->simulated;
}

void check_wait(const Scenario& scenario, double exact_hours) {
  const Estimate wait = simulated(scenario, "jobs.job.queue_wait");
  REQUIRE(wait.mean);
  REQUIRE(wait.half_width);
  CAPTURE(*wait.mean / kHour);
  CHECK(std::abs(*wait.mean - exact_hours * kHour) < 1.5 * *wait.half_width);
  CHECK(*wait.half_width < 0.1 * exact_hours * kHour);
}

/// Erlang's C: the chance to wait.
double erlang_c(std::uint32_t servers, double load) {
  const double offered = servers * load;
  double term = 1, sum = 1;
  for (std::uint32_t k = 1; k < servers; ++k) sum += term *= offered / k;
  term *= offered / servers;
  const double waiting = term / (1 - load);
  return waiting / (sum + waiting);
}

const Distribution kExponentialHour{Distribution::Exponential{kHour}};

TEST_CASE("queueing: M/M/1 waits rho / (1 - rho) services") {
  check_wait(queue(1, 0.7, kExponentialHour), 0.7 / 0.3);
}

TEST_CASE("queueing: M/D/1 waits half as long as M/M/1") {
  check_wait(queue(1, 0.7, Distribution{Distribution::Fixed{kHour}}), 0.5 * 0.7 / 0.3);
}

TEST_CASE("queueing: M/M/k waits what Erlang's C gives") {
  for (const std::uint32_t servers : {4U, 16U}) {
    CAPTURE(servers);
    check_wait(queue(servers, 0.8, kExponentialHour), erlang_c(servers, 0.8) / (servers * (1 - 0.8)));
  }
}

TEST_CASE("queueing: a gang as large as the fleet makes one server of it") {
  Scenario scenario = queue(8, 0.6 / 8, kExponentialHour);
  scenario.classes[0].gang.sizes = {8};
  scenario.window.length = round_to_duration(Seconds{40'000 * kHour});
  check_wait(scenario, 0.6 / 0.4);
}

TEST_CASE("queueing: what is held is what is offered, whatever the order") {
  for (const char* const order : {"fifo", "sjf"}) {
    CAPTURE(order);
    Scenario scenario = queue(4, 0.5, kExponentialHour);
    scenario.scheduler.order = order;
    const Estimate held = simulated(scenario, "scheduling_goodput");
    CHECK(std::abs(*held.mean - 0.5) < 1.5 * *held.half_width);
  }
}

}  // namespace
}  // namespace fleetsim
