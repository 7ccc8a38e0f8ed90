#include <doctest/doctest.h>

#include <algorithm>

#include "tests/engine/build.hpp"

// Changes to a scenario whose effect on the run is known without knowing the run.
namespace fleetsim {
namespace {

using namespace build;

/// Two jobs on two nodes of four, one of them struck, evicted and checkpointed; every time a multiple of
/// `unit`.
Scenario busy(Duration unit, std::uint32_t nodes = 4) {
  JobClass steps = stepping_job("steps", 2, 2, 90, unit * 3);
  steps.step.wait = unit;
  checkpoint(steps, unit * 40, unit * 5);
  steps.startup = {.launch = unit * 7, .slow_steps = 3, .slow_excess = unit * 2};
  steps.recovery = {.detect = unit * 4, .replace = unit, .relaunch = {.launch = unit * 9}};
  steps.preemption.launch = unit * 6;
  steps.evictions.at = {SimTime::zero() + unit * 140};
  steps.evictions.terms.requeue_delay = unit * 11;
  JobClass plain = job("plain", 1, 2, unit * 200, SimTime::zero() + unit * 20);
  Scenario out = scenario({pool(nodes, 2)}, {steps, plain}, unit * 500);
  out.window.warm_up = unit * 10;
  out.window.run_on = unit * 10'000;
  out.script = {crash(SimTime::zero() + unit * 77), node_fault(SimTime::zero() + unit * 205, 1, unit * 60)};
  return out;
}

TEST_CASE("with every duration times k the ledger is times k, so that no factor changes") {
  const LeafTotals one = run(busy(seconds(1))).ledger.total();
  for (const std::int64_t k : {2, 7, 1'000}) {
    CAPTURE(k);
    const LeafTotals many = run(busy(seconds(k))).ledger.total();
    for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf)
      CHECK(many[leaf].milli_device_ns() == one[leaf].milli_device_ns() * k);
  }
}

TEST_CASE("a node that is never used and never fails lowers S by the exact ratio") {
  const Factors four = factors(run(busy(seconds(1), 4)).ledger.total());
  const Factors five = factors(run(busy(seconds(1), 5)).ledger.total());
  CHECK(five.held == four.held);
  CHECK(five.retained == four.retained);
  CHECK(five.in_service - four.in_service == Capacity::devices(2) * seconds(500));
}

TEST_CASE("names mean nothing") {
  const Scenario plain = busy(seconds(1));
  Scenario renamed = plain;
  renamed.name = "z";
  renamed.pools[0].name = renamed.pools[0].device_type = "z";
  for (JobClass& each : renamed.classes) each.name = "z" + each.name;
  CHECK(run(renamed).ledger == run(plain).ledger);
}

TEST_CASE("the parts of a window add up to the window, wherever it is cut") {
  const Scenario whole = busy(seconds(1));
  const Ledger expected = run(whole).ledger;
  for (std::int64_t cut = 1; cut < 500; cut += 7) {
    CAPTURE(cut);
    Scenario before = whole, after = whole;
    before.window.length = seconds(cut);
    after.window.warm_up = whole.window.warm_up + seconds(cut);
    after.window.length = *whole.window.length - seconds(cut);
    Ledger sum = run(before).ledger;
    sum.merge(run(after).ledger);
    CHECK(sum == expected);
  }
}

TEST_CASE("a policy moves neither failures nor arrivals nor what jobs ask for") {
  PoolSpec racks = pool(8, 4);
  for (std::uint32_t node = 0; node < 8; ++node) racks.racks[node] = node / 4;
  racks.faults.push_back(crashes(exponential(3'000)));
  racks.faults.push_back(crashes(Distribution{Distribution::Weibull::with_mean(4'000, 2.0)}));
  JobClass jobs = job("job", 1, 1, Duration::zero());
  jobs.gang.shape.reset();
  jobs.gang.sizes = {1, 6, 16};
  jobs.gang.weights = {3.0, 2.0, 1.0};
  jobs.steps.reset();
  jobs.duration = exponential(400);
  jobs.arrivals.gap = exponential(200);
  const Scenario base = scenario({racks}, {jobs}, seconds(50'000));
  const RunResult expected = run(base);
  REQUIRE(expected.faults[0][0].failures > 100);
  REQUIRE(expected.faults[0][1].failures > 70);

  const auto check_same_draws = [&](const Scenario& other) {
    const RunResult result = run(other);
    CHECK(result.faults[0][0].failures == expected.faults[0][0].failures);
    CHECK(result.faults[0][1].failures == expected.faults[0][1].failures);
    CHECK(result.classes[0].submitted == expected.classes[0].submitted);
    for (std::size_t index = 0; index < std::min(result.jobs.size(), expected.jobs.size()); ++index) {
      REQUIRE(result.jobs[index].submit == expected.jobs[index].submit);
      REQUIRE(result.jobs[index].capacity == expected.jobs[index].capacity);
    }
  };
  for (const char* placement : {"best-fit", "compact"}) {
    Scenario other = base;
    other.scheduler.placement = placement;
    check_same_draws(other);
  }
  for (const char* order : {"sjf", "srsf"}) {
    Scenario other = base;
    other.scheduler.order = order;
    other.scheduler.preemption = Preemption::kept;
    check_same_draws(other);
  }
  Scenario held = base;
  held.scheduler.admission = Admission::partial_hold;
  check_same_draws(held);
}

TEST_CASE("another row of failures, or another class, leaves the draws of those before it") {
  PoolSpec nodes = pool(4, 1);
  nodes.faults.push_back(crashes(exponential(500)));
  JobClass jobs = job("job", 1, 1, seconds(30));
  jobs.arrivals.gap = exponential(100);
  const Scenario base = scenario({nodes}, {jobs}, seconds(20'000));
  Scenario more = base;
  more.pools[0].faults.push_back(crashes(exponential(700)));
  more.classes.push_back(jobs);
  const RunResult before = run(base), after = run(more);
  CHECK(after.faults[0][0].failures == before.faults[0][0].failures);
  CHECK(after.classes[0].submitted == before.classes[0].submitted);
  CHECK(after.classes[1].submitted != 0);
}

TEST_CASE("replications of one seed differ, and each is the same again") {
  PoolSpec nodes = pool(4, 1);
  nodes.faults.push_back(crashes(exponential(500)));
  JobClass jobs = job("job", 1, 1, seconds(30));
  jobs.arrivals.gap = exponential(100);
  const Scenario base = scenario({nodes}, {jobs}, seconds(20'000));
  CHECK(run(base, 1).ledger == run(base, 1).ledger);
  CHECK(run(base, 1).ledger != run(base, 2).ledger);
}

}  // namespace
}  // namespace fleetsim
