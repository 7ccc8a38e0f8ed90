#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim/core/statistics.hpp"
#include "tests/engine/build.hpp"

// Queues whose means are known in closed form. Seeds are fixed; an interval of 99.9 % misses the truth once
// in a thousand seeds.
namespace fleetsim {
namespace {

using namespace build;

struct Interval {
  double mean, half_width;
  bool holds(double value) const { return std::abs(value - mean) <= half_width; }
};

/// Student's interval of 99.9 % around the mean of one number per replication.
template <class Figure>
Interval over_replications(std::uint32_t replications, Figure&& figure) {
  std::vector<double> values;
  double sum = 0.0, squares = 0.0;
  for (std::uint32_t replication = 0; replication < replications; ++replication) {
    values.push_back(figure(replication));
    sum += values.back();
  }
  const double mean = sum / replications;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (replications - 1) / replications);
  return {mean, student_t_quantile(0.9995, replications - 1) * error};
}

/// Mean wait of jobs of `shape` that come at `rate` a second and work for `duration`.
Interval mean_wait(PoolSpec pool, const GangShape& shape, double rate, const Distribution& duration) {
  JobClass jobs = job("job", 1, 1, Duration::zero());
  jobs.gang.shape = shape;
  jobs.steps.reset();
  jobs.duration = duration;
  jobs.arrivals.gap = exponential(1.0 / rate);
  Scenario queue = scenario({std::move(pool)}, {jobs}, seconds(10'000));
  queue.window.warm_up = seconds(1'000);
  return over_replications(30, [&](std::uint32_t replication) {
    const RunResult result = simulate(queue, {.replication = replication});
    const ClassOutcome& outcome = result.classes.front();
    return outcome.queue_wait.to_double() / 1000.0 / 1e9 / static_cast<double>(outcome.completed);
  });
}

/// Erlang's mean wait with exponential service of mean 1 s.
double erlang_wait(int servers, double rate) {
  double term = 1.0, sum = 0.0;  // rate^k / k!
  for (int k = 0; k < servers; ++k) {
    sum += term;
    term *= rate / (k + 1);
  }
  const double waiting = term * servers / (servers - rate);
  return waiting / (sum + waiting) / (servers - rate);
}

TEST_CASE("M/M/1: the mean wait is rho / (mu - lambda)") {
  const Interval wait = mean_wait(pool(1, 1), {.nodes = 1, .per_node = 1}, 0.7, exponential(1.0));
  CHECK(wait.holds(0.7 / 0.3));
  CHECK(wait.half_width < 0.4);
}

TEST_CASE("M/D/1: a fixed service halves the wait") {
  const Interval wait = mean_wait(pool(1, 1), {.nodes = 1, .per_node = 1}, 0.7, fixed(1.0));
  CHECK(wait.holds(0.35 / 0.3));
  CHECK(wait.half_width < 0.2);
}

TEST_CASE("M/M/3: the mean wait is Erlang's") {
  const Interval wait = mean_wait(pool(3, 1), {.nodes = 1, .per_node = 1}, 2.1, exponential(1.0));
  CHECK(wait.holds(erlang_wait(3, 2.1)));
  CHECK(wait.half_width < 0.15);
}

TEST_CASE("gangs of four nodes on eight are M/M/2, and devices of one node are servers as well") {
  const double expected = erlang_wait(2, 1.4);
  CHECK(mean_wait(pool(8, 2), {.nodes = 4, .per_node = 2}, 1.4, exponential(1.0)).holds(expected));
  CHECK(mean_wait(pool(1, 2), {.nodes = 1, .per_node = 1}, 1.4, exponential(1.0)).holds(expected));
  CHECK(mean_wait(pool(1, 1), {.milli = 500}, 1.4, exponential(1.0)).holds(expected));
}

TEST_CASE("whole-pool gangs among half-pool gangs, first come first served, leave a seventh idle") {
  // Saturated, each job needs one half or both with equal chance, service exponential of mean 1. After every
  // departure the pool is in one of three states: W, a whole gang; H, two halves; B, one half while a whole
  // gang is blocked at the head. From W: to W 1/2, H 1/4, B 1/4; from H: to H 1/2, B 1/2; from B: to W. So
  // they are left in the proportion 2 : 1 : 1 and last 1, 1/2 and 1: of 3.5 units B has 1, in which half the
  // pool is idle. S = 1 - 0.5 / 3.5.
  JobClass jobs = job("job", 1, 1, Duration::zero());
  jobs.gang.shape.reset();
  jobs.gang.sizes = {4, 8};
  jobs.gang.weights = {1.0, 1.0};
  jobs.steps.reset();
  jobs.duration = exponential(1.0);
  jobs.arrivals.gap = fixed(0.5);
  Scenario saturated = scenario({pool(2, 4)}, {jobs}, seconds(5'000));
  saturated.window.warm_up = seconds(100);
  saturated.window.run_on = Duration::zero();
  const Interval scheduling = over_replications(20, [&](std::uint32_t replication) {
    const Factors sums = factors(simulate(saturated, {.replication = replication}).ledger.total());
    return ratio(sums.held, sums.in_service);
  });
  CHECK(scheduling.holds(6.0 / 7.0));
  CHECK(scheduling.half_width < 0.01);
}

}  // namespace
}  // namespace fleetsim
