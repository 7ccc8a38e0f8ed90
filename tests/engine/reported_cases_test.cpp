#include <doctest/doctest.h>

#include <cstddef>

#include "sim/ledger/ledger.hpp"
#include "tests/engine/build.hpp"

// Small cases after faults that users of other schedulers and simulators have reported, with the times that
// are right.
namespace fleetsim {
namespace {

using namespace build;

void check_runs(const RunResult& result, const std::string& id, std::int64_t from, std::int64_t to) {
  CAPTURE(id);
  REQUIRE(outcome(result, id).first_start);
  CHECK(*outcome(result, id).first_start == at(from));
  CHECK(outcome(result, id).end == at(to));
}

TEST_CASE("jobs that can never run do not use up the depth of backfill") {
  // 50 copies of a job of 16 on pools of eight stand before one that waits for its pool, and one that does
  // not.
  std::vector<JobClass> jobs{job("R", 1, 8, seconds(1000))};
  for (int copy = 0; copy < 50; ++copy)
    jobs.push_back(job("J1." + std::to_string(copy), 2, 8, seconds(10), at(1)));
  jobs.push_back(job("J2", 1, 8, seconds(10), at(2)));
  jobs.push_back(job("J3", 1, 8, seconds(10), at(3)));
  jobs.back().pools = {1};
  for (JobClass& each : jobs) each.limit = Duration::nanoseconds(*each.steps);
  for (const Backfill backfill : {Backfill::easy, Backfill::conservative}) {
    Scenario given = scenario({pool(1, 8, "h"), pool(1, 8, "a")}, jobs);
    given.scheduler.backfill = backfill;
    given.scheduler.backfill_depth = 10;
    const RunResult result = run_recorded(given);
    check_runs(result, "J3", 3, 13);
    check_runs(result, "J2", 1000, 1010);
    for (int copy = 0; copy < 50; ++copy)
      CHECK(outcome(result, "J1." + std::to_string(copy)).state == FinalState::unsatisfiable);
    CHECK(result.state == RunState::completed);
  }
}

TEST_CASE("a drained node serves its job to the end, and is no capacity from then until it is back") {
  // Node 0 is drained from 50 to 300 while R runs on it to 100. K, of 24 devices, ends before J, of all 32,
  // could begin.
  PoolSpec nodes = pool(4, 8);
  nodes.drains = {
      {.at = at(50), .length = seconds(250), .every = {}, .nodes = {0}, .mode = DrainMode::when_released}};
  std::vector<JobClass> jobs{job("R", 1, 8, seconds(100)), job("J", 4, 8, seconds(100), at(60)),
                             job("K", 3, 8, seconds(30), at(61))};
  for (JobClass& each : jobs) each.limit = Duration::nanoseconds(*each.steps);
  Scenario given = scenario({nodes}, jobs);
  given.scheduler.backfill = Backfill::easy;
  const RunResult result = run_recorded(given);
  check_runs(result, "R", 0, 100);
  check_runs(result, "K", 61, 91);
  check_runs(result, "J", 300, 400);
  // 32 devices until 100, 24 until 300, 32 after.
  CHECK(leaf(result, Leaf::out_of_service_maintenance) == device_seconds(8 * 200));
  CHECK(factors(result.ledger.total()).in_service == device_seconds(32 * 100 + 24 * 200 + 32 * 100));
}

TEST_CASE("a trace that asks for more than there is: every job waits longer than the one before") {
  std::vector<JobClass> jobs;
  for (int k = 0; k < 10; ++k) jobs.push_back(job("j" + std::to_string(k), 1, 8, seconds(133), at(100 * k)));
  const RunResult result = run_recorded(scenario({pool(1, 8)}, jobs));
  for (int k = 0; k < 10; ++k) check_runs(result, "j" + std::to_string(k), 133 * k, 133 * (k + 1));
  CHECK(factors(result.ledger.total()).held == device_seconds(8 * 1330));
  CHECK(factors(result.ledger.total()).in_service == device_seconds(8 * 1330));
}

TEST_CASE("a swap takes a node that is not known to be slow, and waits where there is none") {
  // Node 0 is slow from 30 on, node 1 from the start; node 2 is sound, and busy until 70 in the second case.
  JobClass swaps = stepping_job("a", 1, 1, 10, seconds(10));
  swaps.swap = SwapPolicy{.after = seconds(15), .at = SwapAt::now};
  const auto slow_from = [](std::uint32_t node, SimTime when) {
    return ScriptedSlowness{.at = when,
                            .pool = 0,
                            .node = node,
                            .device = 0,
                            .hits = FaultScope::node,
                            .cause = SlowCause::straggler,
                            .speed = 0.5,
                            .repair = seconds(1000)};
  };
  for (const bool is_busy : {false, true}) {
    CAPTURE(is_busy);
    Scenario given = scenario({pool(3, 1)}, {swaps});
    given.slow_script = {slow_from(0, at(30)), slow_from(1, at(0))};
    // Its first step on a slow node is from 30 to 50, and the swap is due from 45.
    const std::int64_t swapped = is_busy ? 70 : 45;
    if (is_busy) {
      JobClass busy = job("b", 1, 1, seconds(70));
      busy.evictions = {};
      given.classes.push_back(job("filler", 1, 1, seconds(5)));  // starts on node 1
      given.classes.push_back(busy);                             // and this on node 2
    }
    const RunResult result = run_recorded(given);
    CHECK(outcome(result, "a").swaps == 1);
    // Nothing is ever committed before: all ten steps, at full speed, from the swap on.
    CHECK(outcome(result, "a").end == at(swapped + 100));
    REQUIRE(result.preemptions.rows.size() == 1);
    CHECK(result.preemptions.rows[0].cause == StopCause::swap);
    CHECK(result.preemptions.rows[0].at == at(swapped));
    CHECK(result.preemptions.by_cause[static_cast<std::size_t>(StopCause::swap)] == 1);
  }
}

TEST_CASE("a member that fails is replaced by a slow node only where there is no other") {
  JobClass gang = stepping_job("a", 1, 1, 10, seconds(10));
  for (const std::uint32_t nodes : {3U, 2U}) {
    CAPTURE(nodes);
    Scenario given = scenario({pool(nodes, 1)}, {gang});
    given.slow_script = {{.at = at(0),
                          .pool = 0,
                          .node = 1,
                          .device = 0,
                          .hits = FaultScope::node,
                          .cause = SlowCause::straggler,
                          .speed = 0.5}};
    given.script = {node_fault(at(30), 0, seconds(1000))};
    CHECK(outcome(run_recorded(given), "a").end == at(nodes == 3 ? 130 : 230));
  }
}

TEST_CASE("fragmentation over time has a row for every interval of the series") {
  // Two nodes of four. Until 10 each has three devices free, then all. The next job is of four: of six free
  // nothing is of use on nodes, and four of them if devices were in one place; of eight, everything.
  PoolSpec nodes = pool(2, 4);
  nodes.measure_fragmentation = true;
  nodes.sample_fragmentation = seconds(4);
  Scenario given = scenario(
      {nodes}, {job("small", 2, 1, seconds(10)), job("next", 1, 4, seconds(1), at(100))}, seconds(20));
  const RunResult result = run_recorded(given);
  REQUIRE(result.fragmentation_samples.size() == 5);
  for (std::size_t index = 0; index < 5; ++index) {
    CAPTURE(index);
    const FragmentationSample& sample = result.fragmentation_samples[index];
    CHECK(sample.at == at(static_cast<std::int64_t>(4 * index)));
    const bool early = index < 3;
    CHECK(sample.free == Capacity::devices(early ? 6 : 8));
    // Half of the jobs that are expected are of two nodes with one device each, and can use everything.
    CHECK(sample.node == (early ? Capacity::devices(3) : Capacity::zero()));
    CHECK(sample.device == Capacity::zero());
  }
}

TEST_CASE("equals do not stop each other, though it would cost no time") {
  for (const PreemptBy by : {PreemptBy::priority, PreemptBy::order}) {
    for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::conservative}) {
      Scenario given =
          scenario({pool(1, 8)}, {job("one", 1, 8, seconds(50)), job("other", 1, 8, seconds(50))});
      given.scheduler.preemption = Preemption::kept;
      given.scheduler.preempt_by = by;
      given.scheduler.backfill = backfill;
      const RunResult result = run_recorded(given);
      check_runs(result, "one", 0, 50);
      check_runs(result, "other", 50, 100);
      CHECK(result.preemptions.count == 0);
    }
  }
}

TEST_CASE(
    "who is stopped again and again at one instant ends, and is named, instead of the clock standing still") {
  JobClass restless = job("restless", 1, 8, seconds(50));
  restless.evictions.every = Duration::zero();
  const RunResult result = run_recorded(scenario({pool(1, 8)}, {restless, job("calm", 1, 8, seconds(50))}));
  CHECK(outcome(result, "restless").state == FinalState::no_progress);
  check_runs(result, "calm", 0, 50);
}

TEST_CASE("jobs of one instant are served in the order of the file, whatever came before") {
  // The second list had a job at 5, so that its next arrival has been known for longer.
  JobClass a = job("a", 1, 1, seconds(10)), b = a;
  b.name = "b";
  const auto listed = [](std::string id, std::int64_t submit) {
    return ListedJob{
        .id = std::move(id), .submit = at(submit), .devices = 1, .duration = seconds(10), .limit = {}};
  };
  a.arrivals.listed = {listed("a0", 7), listed("a1", 10), listed("a2", 10)};
  b.arrivals.listed = {listed("b0", 5), listed("b1", 10), listed("b2", 10)};
  for (JobClass* each : {&a, &b}) each->gang.shape.reset();
  const RunResult result = run_recorded(scenario({pool(1, 1)}, {a, b}));
  std::int64_t start = 5;
  for (const char* const id : {"b0", "a0", "a1", "a2", "b1", "b2"}) {
    check_runs(result, id, start, start + 10);
    start += 10;
  }
}

}  // namespace
}  // namespace fleetsim
