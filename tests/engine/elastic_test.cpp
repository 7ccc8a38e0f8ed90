#include <doctest/doctest.h>

#include "sim/engine/simulate.hpp"
#include "sim/ledger/records.hpp"
#include "tests/engine/build.hpp"

namespace fleetsim {
namespace {

using namespace build;

/// A job whose step takes `device_seconds` shared evenly by its devices, at any of `sizes`.
JobClass elastic(std::string name, std::string policy, std::int64_t steps, std::int64_t device_seconds,
                 std::initializer_list<std::uint32_t> sizes, Duration pause = Duration::zero()) {
  const std::uint32_t most = std::data(sizes)[sizes.size() - 1];
  JobClass spec = stepping_job(std::move(name), 1, most, steps, seconds(device_seconds) / most);
  spec.gang.shape.reset();
  spec.gang.sizes = {most};
  spec.gang.weights = {1.0};
  ElasticSpec& out = spec.elastic.emplace();
  out.policy = std::move(policy);
  out.resize.pause = pause;
  for (const std::uint32_t size : sizes)
    out.sizes.push_back({.devices = size, .time = seconds(device_seconds) / size});
  return spec;
}

SimTime end_of(const RunResult& result, const std::string& id) { return *outcome(result, id).end; }

/// 4 devices, of which half are there from 100 s on; a step is 8 device-seconds.
Scenario arriving_capacity(const std::string& policy, std::int64_t pause = 10) {
  PoolSpec machines = pool(2, 2);
  machines.dated.push_back({.nodes = {1}, .from = at(100)});
  return scenario({machines}, {elastic("e", policy, 60, 8, {2, 4}, seconds(pause))});
}

TEST_CASE("elastic: who is immediate keeps the size at which it started") {
  const RunResult result = run_recorded(arriving_capacity("immediate"));
  CHECK(end_of(result, "e") == at(240));  // 60 steps of 4 s
  CHECK(outcome(result, "e").resizes == 0);
}

TEST_CASE("elastic: who waits starts only at the most") {
  const RunResult result = run_recorded(arriving_capacity("wait"));
  CHECK(*outcome(result, "e").first_start == at(100));
  CHECK(end_of(result, "e") == at(220));  // 60 steps of 2 s
}

TEST_CASE("elastic: who steps up pauses at the new size, and goes on where it was") {
  const RunResult result = run_recorded(arriving_capacity("step-up"));
  // 25 steps of 4 s until 100; pause until 110; 35 steps of 2 s.
  CHECK(end_of(result, "e") == at(180));
  CHECK(outcome(result, "e").resizes == 1);
  CHECK(outcome(result, "e").commits == 2);
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(4 * 10));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(2 * 100 + 4 * 70));
}

TEST_CASE("elastic: a step that a resize cuts goes on as far as it was") {
  Scenario scenario = arriving_capacity("step-up");
  scenario.pools[0].dated[0].from = at(102);
  // 25 steps and a half until 102; pause until 112; the other half in 1 s, and 34 steps of 2 s.
  CHECK(end_of(run_recorded(scenario), "e") == at(181));
}

TEST_CASE("elastic: a discarding resize loses what was not committed, at the old size") {
  Scenario scenario = arriving_capacity("step-up");
  scenario.classes[0].elastic->resize.state = ResizeState::discarded;
  checkpoint(scenario.classes[0], seconds(40), seconds(5));
  const RunResult result = run_recorded(scenario);
  // Commits at 45 and 90, of 20 steps; 10 s are lost; pause until 110; 40 steps of 2 s with one pause.
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(2 * 10 + 4 * 10));
  CHECK(end_of(result, "e") == at(110 + 80 + 5));
}

TEST_CASE("elastic: whoever grows at a commit has nothing to lose") {
  Scenario scenario = arriving_capacity("step-up");
  scenario.classes[0].elastic->resize.state = ResizeState::discarded;
  scenario.classes[0].elastic->grow = GrowAt::commit;
  checkpoint(scenario.classes[0], seconds(40), seconds(5));
  const RunResult result = run_recorded(scenario);
  // Commits at 45, 90 and 135, of 30 steps; pause until 145; 30 steps of 2 s with one checkpoint.
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(4 * 10));
  CHECK(end_of(result, "e") == at(145 + 60 + 5));
}

TEST_CASE("elastic: a resize during a launch is followed by what was left of it") {
  Scenario scenario = arriving_capacity("step-up");
  scenario.classes[0].startup.launch = seconds(130);
  const RunResult result = run_recorded(scenario);
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(2 * 100));
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(4 * (10 + 30)));
  CHECK(end_of(result, "e") == at(140 + 120));
}

TEST_CASE("elastic: nobody grows while somebody waits for what is free") {
  Scenario scenario = arriving_capacity("step-up");
  scenario.pools[0].nodes = 3;
  scenario.pools[0].racks = {0, 0, 0};
  scenario.pools[0].dated[0].nodes = {1, 2};
  scenario.pools[0].dated.push_back({.nodes = {2}, .from = at(150)});
  scenario.pools[0].dated[0].nodes = {1};
  scenario.classes.push_back(job("gang", 2, 2, seconds(20), at(50)));
  for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::conservative}) {
    scenario.scheduler.backfill = backfill;
    const RunResult result = run_recorded(scenario);
    CHECK(*outcome(result, "gang").first_start == at(150));
    // It grows when the other has started and gone, at 170: 42 steps and a half, and 17.5 of 2 s.
    CHECK(end_of(result, "e") == at(170 + 10 + 35));
  }
}

TEST_CASE("elastic: one worker goes before anybody is stopped, and the gang goes on without it") {
  JobClass low = elastic("E", "fill-and-shrink", 1000, 11, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  JobClass high = job("P", 1, 1, seconds(5000), at(100));
  high.priority = 1;
  for (const auto& [preemption, backfill] :
       {std::pair{Preemption::none, Backfill::none}, std::pair{Preemption::kept, Backfill::none},
        std::pair{Preemption::none, Backfill::easy}, std::pair{Preemption::kept, Backfill::easy},
        std::pair{Preemption::none, Backfill::conservative},
        std::pair{Preemption::kept, Backfill::conservative}}) {
    Scenario scenario = build::scenario({pool(1, 11)}, {low, high}, seconds(140));
    scenario.scheduler.order = "priority";
    scenario.scheduler.backfill = backfill;
    scenario.scheduler.preemption = preemption;
    scenario.scheduler.preempt_by = PreemptBy::priority;
    const RunResult result = run_recorded(scenario);
    CHECK(*outcome(result, "P").first_start == at(100));
    CHECK(outcome(result, "E").resizes == 1);
    CHECK(outcome(result, "E").evictions == 0);
    CHECK(outcome(result, "E").capacity == Capacity::devices(10));
    CHECK(leaf(result, Leaf::scheduling_no_demand) == DeviceTime::zero());
  }
}

TEST_CASE("elastic: whoever has grown back is whole again when the other has gone") {
  JobClass low = elastic("E", "fill-and-shrink", 1000, 12, {1, 2, 3, 4});
  Scenario scenario = build::scenario({pool(1, 4)}, {low, job("P", 1, 1, seconds(50), at(99))});
  const RunResult result = run_recorded(scenario);
  // Steps of 3 s at 4 devices, of 4 s at 3: 33 until 99, 12 and a half until 149.
  CHECK(outcome(result, "E").resizes == 2);
  CHECK(end_of(result, "E") == at(149) + Duration::nanoseconds(2'863'500'000'000));
}

TEST_CASE("elastic: nobody shrinks in vain") {
  JobClass low = elastic("E", "fill-and-shrink", 20, 4, {3, 4});
  Scenario scenario = build::scenario({pool(1, 4)}, {low, job("P", 1, 2, seconds(10), at(5))});
  const RunResult result = run_recorded(scenario);
  CHECK(outcome(result, "E").resizes == 0);
  CHECK(*outcome(result, "P").first_start == at(20));
}

TEST_CASE("elastic: released devices are torn down first, and nobody shrinks twice for them") {
  PoolSpec machines = pool(1, 4);
  machines.teardown = seconds(7);
  Scenario scenario = build::scenario({machines}, {elastic("E", "fill-and-shrink", 100, 12, {1, 2, 3, 4}),
                                                   job("P", 1, 1, seconds(10), at(6))});
  scenario.classes.push_back(job("late", 1, 1, seconds(10), at(8)));
  const RunResult result = run_recorded(scenario);
  CHECK(*outcome(result, "P").first_start == at(13));
  CHECK(leaf(result, Leaf::scheduling_transition) > DeviceTime::zero());
}

TEST_CASE("elastic: two queues with equal guarantees share evenly after two workers were reclaimed") {
  const auto workers = [](std::string name, std::uint32_t quota, SimTime submit) {
    JobClass spec = elastic(std::move(name), "fill-and-shrink", 100'000, 60, {1, 2, 3, 4, 5});
    spec.quota = quota;
    spec.arrivals.submit = submit;
    return spec;
  };
  for (const std::int64_t length : {100, 10'000}) {
    Scenario scenario =
        build::scenario({pool(1, 6)}, {workers("X", 0, at(0)), workers("Y", 1, at(10))}, seconds(length));
    scenario.scheduler.cohorts.push_back({.name = "all"});
    for (const char* const name : {"q1", "q2"})
      scenario.scheduler.quotas.push_back({.name = name, .guarantee = Capacity::devices(3), .cohort = 0});
    scenario.scheduler.preemption = Preemption::kept;
    scenario.scheduler.preempt_by = PreemptBy::nobody;
    scenario.scheduler.reclaim = true;
    const RunResult result = run_recorded(scenario);
    CHECK(*outcome(result, "Y").first_start == at(10));
    for (const char* const name : {"X", "Y"}) {
      CHECK(outcome(result, name).capacity == Capacity::devices(3));
      CHECK(outcome(result, name).evictions == 0);
    }
    CHECK(outcome(result, "X").resizes == 1);  // by two workers
    CHECK(outcome(result, "Y").resizes == 0);  // it starts with what it may have
    CHECK(leaf(result, Leaf::scheduling_no_demand) == device_seconds(10));
    // Sizes: X holds five until 10, and from then on both hold three to the end of the window.
    const std::int64_t shared = length - 10;
    CHECK(result.preemptions.by_cause[static_cast<std::size_t>(StopCause::reclaim)] == 1);
    CHECK(result.preemptions.rows[0].capacity == Capacity::devices(2));
    const auto held = [&](std::uint32_t job_class) {
      return factors(result.ledger.of(PoolId{0}, ClassId{job_class})).held;
    };
    CHECK(held(0) == device_seconds(5 * 10 + 3 * shared));
    CHECK(held(1) == device_seconds(3 * shared));
  }
}

TEST_CASE("elastic: the textbook's job, immediate, waiting and stepping up, in a day") {
  const auto done = [](std::uint32_t gang, const char* policy, std::vector<ElasticSize> sizes) {
    JobClass spec = stepping_job("job", 1, 8, 1'000'000, seconds(1));
    spec.gang.shape.reset();
    spec.gang.sizes = {gang};
    spec.gang.weights = {1.0};
    spec.elastic.emplace();
    spec.elastic->policy = policy;
    spec.elastic->sizes = std::move(sizes);
    spec.elastic->resize.pause = seconds(600);
    spec.end = {at(24 * 3600), FinalState::cancelled};
    checkpoint(spec, Duration::nanoseconds(1), Duration::zero());
    PoolSpec machines = pool(64, 8);
    DatedNodes later{.nodes = {}, .from = at(4 * 3600)};
    for (std::uint32_t node = 16; node < 64; ++node) later.nodes.push_back(node);
    machines.dated = {later};
    return outcome(run_recorded(scenario({machines}, {spec})), "job").steps;
  };
  // Steps of a thousandth of an epoch.
  const ElasticSize small{.devices = 128, .time = Duration::nanoseconds(3'600'000'000)};
  const ElasticSize medium{.devices = 256, .time = Duration::nanoseconds(2'000'000'000)};
  const ElasticSize large{.devices = 512, .time = Duration::nanoseconds(1'125'000'000)};
  CHECK(done(128, "immediate", {small, medium, large}) == 24'000);
  CHECK(done(512, "wait", {small, medium, large}) == 64'000);
  CHECK(done(128, "step-up", {small, medium}) == 39'700);
}

TEST_CASE("elastic: a gang that loses a member goes on with the others, and grows when it is back") {
  // Three nodes of two devices; a step is 6 device-seconds. Node 1 fails at 10, after 10 steps, and is back
  // at 50. Commits at every step: 30 s of work are left of 40 steps, at 1.5 s a step from 10 to 50.
  JobClass gang = elastic("e", "step-up", 40, 6, {2, 4, 6}, seconds(1));
  gang.no_replacement = NoReplacement::shrink;
  checkpoint(gang, seconds(1), Duration::zero());
  Scenario made = scenario({pool(3, 2)}, {gang});
  made.script = {node_fault(at(10), 1, seconds(40))};
  const RunResult result = run_recorded(made);
  CHECK(leaf(result, Leaf::scheduling_partial_gang) == DeviceTime::zero());
  CHECK(outcome(result, "e").resizes == 2);
  CHECK(result.classes[0].resizes == 2);
  // 40 s are 26 steps and two thirds; the resize at 50 commits them. 3 and a third of 1 s, after a pause of
  // 1 s with all six.
  CHECK(result.classes[0].resize_pauses == device_seconds(6));
  CHECK(end_of(result, "e") == at(51) + Duration::nanoseconds(3'333'333'334));
  gang.no_replacement = NoReplacement::hold;
  made.classes = {gang};
  CHECK(end_of(run_recorded(made), "e") == at(80));
}

TEST_CASE("elastic: who has to shrink is recorded, with whom it is for") {
  JobClass low = elastic("E", "fill-and-shrink", 1000, 12, {1, 2, 3, 4});
  const RunResult result = simulate(build::scenario({pool(1, 4)}, {low, job("P", 1, 1, seconds(50), at(99))}),
                                    {.jobs = RunOptions::Jobs::each});
  REQUIRE(result.preemptions.rows.size() == 1);
  const PreemptionRow& row = result.preemptions.rows[0];
  CHECK(row.cause == StopCause::shrink);
  CHECK(row.victim == 0);
  CHECK(row.beneficiary == 1);
  CHECK(row.capacity == Capacity::devices(1));
  CHECK(result.preemptions.count == 0);
}

TEST_CASE("elastic: growth takes the nodes that the placement would") {
  // Node 1 is half taken for good; when nodes 1 to 3 are there, best-fit would take it for a member of 1.
  JobClass gang = elastic("e", "step-up", 100, 4, {2, 4});
  Scenario made = scenario({pool(4, 2)}, {gang});
  for (const char* placement : {"first-fit", "worst-fit"}) {
    made.scheduler.placement = placement;
    CHECK(end_of(run_recorded(made), "e") == at(100));
  }
}

}  // namespace
}  // namespace fleetsim
