#include <doctest/doctest.h>

#include <algorithm>

#include "tests/engine/build.hpp"

// Who starts when, to the nanosecond.
namespace fleetsim {
namespace {

using namespace build;

void check_runs(const RunResult& result, const std::string& id, SimTime start, SimTime end) {
  CAPTURE(id);
  const JobOutcome& job = outcome(result, id);
  CHECK(job.first_start == start);
  CHECK(job.end == end);
  CHECK(job.state == FinalState::completed);
}

TEST_CASE("two gangs of the whole pool run one after the other") {
  const RunResult result =
      run(scenario({pool(4, 1)}, {job("a", 4, 1, seconds(100)), job("b", 4, 1, seconds(100))}));
  check_runs(result, "a", at(0), at(100));
  check_runs(result, "b", at(100), at(200));
  CHECK(result.makespan == at(200));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(4 * 200));
}

TEST_CASE("dealt node by node, two gangs of the whole pool wait for each other: stalled") {
  Scenario both = scenario({pool(4, 1)}, {job("a", 4, 1, seconds(100)), job("b", 4, 1, seconds(100))});
  both.scheduler.admission = Admission::partial_hold;
  both.scheduler.interleave = true;
  const RunResult result = run(both);
  CHECK(result.state == RunState::stalled);
  CHECK(result.holders == std::vector<std::string>{"a", "b"});
  both.scheduler.holders = 1;
  CHECK(run(both).state == RunState::completed);
  both.scheduler.holders.reset();
  both.window.length = seconds(1'000);
  CHECK(leaf(run(both), Leaf::scheduling_partial_gang) == device_seconds(4 * 1'000));
}

TEST_CASE("a gang that holds what is free is charged for it until the gang is complete") {
  Scenario slow = scenario({pool(4, 1)}, {job("first", 1, 1, seconds(100)), job("gang", 4, 1, seconds(300))});
  slow.scheduler.admission = Admission::partial_hold;
  const RunResult result = run(slow);
  check_runs(result, "gang", at(100), at(400));
  CHECK(leaf(result, Leaf::scheduling_partial_gang) == device_seconds(300));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(100 + 4 * 300));
}

TEST_CASE("a job that no pool can ever hold is refused and blocks nobody") {
  std::vector<JobClass> jobs{job("running", 1, 8, seconds(1000)), job("next", 1, 8, seconds(10), at(2)),
                             job("other", 1, 8, seconds(10), at(3))};
  jobs[2].pools = {1};
  for (int copy = 0; copy < 50; ++copy)
    jobs.push_back(job("big" + std::to_string(copy), 2, 8, seconds(10), at(1)));
  const RunResult result = run(scenario({pool(1, 8, "h"), pool(1, 8, "a")}, jobs));
  check_runs(result, "next", at(1000), at(1010));
  check_runs(result, "other", at(3), at(13));
  CHECK(outcome(result, "big7").state == FinalState::unsatisfiable);
  CHECK(!outcome(result, "big7").end.has_value());
  CHECK(result.state == RunState::completed);
}

TEST_CASE("a repair starts who waits for it, whichever comes first at one instant") {
  for (const std::int64_t submit : {150, 200}) {
    CAPTURE(submit);
    Scenario repaired = scenario({pool(1, 1)}, {job("job", 1, 1, seconds(10), at(submit))});
    repaired.script = {node_fault(at(100), 0, seconds(100))};
    check_runs(run(repaired), "job", at(200), at(210));
  }
}

TEST_CASE("ends come before submissions at one instant, in any order of the classes") {
  std::vector<JobClass> jobs{job("first", 1, 1, seconds(100)), job("second", 1, 1, seconds(50), at(100)),
                             job("third", 1, 1, seconds(10), at(50))};
  jobs[1].priority = 1;
  std::vector<std::size_t> order{0, 1, 2};
  do {
    std::vector<JobClass> shuffled;
    for (const std::size_t index : order) shuffled.push_back(jobs[index]);
    Scenario three = scenario({pool(1, 1)}, shuffled);
    three.scheduler.order = "priority";
    const RunResult result = run(three);
    check_runs(result, "second", at(100), at(150));
    check_runs(result, "third", at(150), at(160));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("listed jobs come at their times and run first come first served") {
  JobClass list = job("list", 1, 4, Duration::zero());
  list.gang = {};
  list.steps.reset();
  list.arrivals.listed = {{"id1", at(0), 4, seconds(100), {}, 0},
                          {"id2", at(100), 4, seconds(50), {}, 0},
                          {"id3", at(500), 4, seconds(10), {}, 0},
                          {"id7", at(600), 4, seconds(20), {}, 0}};
  const RunResult result = run(scenario({pool(1, 4)}, {list}));
  check_runs(result, "id1", at(0), at(100));
  check_runs(result, "id2", at(100), at(150));
  check_runs(result, "id3", at(500), at(510));
  check_runs(result, "id7", at(600), at(620));
}

TEST_CASE("a job without work ends where it starts and has its waits counted") {
  JobClass list = job("list", 1, 8, Duration::zero());
  list.gang = {};
  list.steps.reset();
  list.arrivals.listed = {{"1", at(0), 8, seconds(100), {}, 0},
                          {"2", at(0), 8, Duration::zero(), {}, 0},
                          {"3", at(0), 8, seconds(50), {}, 0}};
  const RunResult result = run(scenario({pool(1, 8)}, {list}));
  check_runs(result, "2", at(100), at(100));
  check_runs(result, "3", at(100), at(150));
  CHECK(result.classes[0].completed == 3);
  // 1 for the first, 100 s over 10 s for the second, 150 s over 50 s for the third.
  CHECK(result.classes[0].bounded_slowdown == doctest::Approx(1.0 + 10.0 + 3.0).epsilon(1e-6));
}

TEST_CASE("the preemptor counts what is free beside what its victim frees") {
  Scenario two =
      scenario({pool(1, 4)}, {job("low", 1, 2, seconds(100)), job("high", 1, 4, seconds(50), at(10))});
  two.classes[1].priority = 1;
  two.scheduler.order = "priority";
  two.scheduler.preemption = Preemption::kept;
  const RunResult result = run(two);
  check_runs(result, "high", at(10), at(60));
  CHECK(outcome(result, "low").evictions == 1);
}

TEST_CASE("a job that no preemption makes room for evicts nobody") {
  std::vector<JobClass> jobs{job("w1", 1, 1, seconds(1000)), job("w4", 1, 4, seconds(10), at(1)),
                             job("w3", 1, 3, seconds(10), at(2))};
  jobs[1].priority = jobs[2].priority = 1;
  for (const Preemption way : {Preemption::kept, Preemption::remade}) {
    Scenario three = scenario({pool(1, 3)}, jobs);
    three.scheduler.order = "priority";
    three.scheduler.preemption = way;
    const RunResult result = run(three);
    CHECK(outcome(result, "w4").state == FinalState::unsatisfiable);
    check_runs(result, "w3", at(2), at(12));
    CHECK(outcome(result, "w1").evictions == 1);
  }
}

TEST_CASE("while a victim saves or its nodes are torn down nobody else is stopped for the same job") {
  std::vector<JobClass> jobs{job("a", 1, 1, seconds(1000)), job("b", 1, 1, seconds(1000)),
                             job("head", 1, 1, seconds(10), at(100)),
                             job("late", 1, 1, seconds(10), at(105))};
  jobs[2].priority = 1;
  for (const bool save : {false, true}) {
    CAPTURE(save);
    Scenario pair = scenario({pool(2, 1)}, jobs);
    pair.scheduler.order = "priority";
    pair.scheduler.preemption = Preemption::kept;
    if (save) {
      pair.scheduler.eviction.save = seconds(20);
    } else {
      pair.pools[0].teardown = seconds(20);
    }
    const RunResult result = run(pair);
    check_runs(result, "head", at(120), at(130));
    CHECK(outcome(result, "a").evictions + outcome(result, "b").evictions == 1);
  }
}

TEST_CASE("nobody starts in the room that is being made for a better job") {
  // At 100 the head stops both; `a` has stepped and saves, `b` still launches and leaves at once.
  std::vector<JobClass> jobs{job("a", 1, 1, seconds(1000)), job("b", 1, 1, seconds(1000), at(95)),
                             job("head", 2, 1, seconds(10), at(100))};
  jobs[1].startup.launch = seconds(50);
  jobs[2].priority = 1;
  Scenario pair = scenario({pool(2, 1)}, jobs);
  pair.scheduler.order = "priority";
  pair.scheduler.strict = false;
  pair.scheduler.preemption = Preemption::kept;
  pair.scheduler.eviction.save = seconds(20);
  const RunResult result = run(pair);
  check_runs(result, "head", at(120), at(130));
  CHECK(outcome(result, "b").evictions == 1);
}

TEST_CASE("what a preempted job did, waited and held adds up") {
  Scenario two =
      scenario({pool(1, 1)}, {job("low", 1, 1, seconds(100)), job("high", 1, 1, seconds(50), at(30))});
  two.classes[1].priority = 1;
  two.scheduler.order = "priority";
  two.scheduler.preemption = Preemption::kept;
  two.scheduler.eviction.lost_work = Duration::zero();
  const RunResult result = run(two);
  check_runs(result, "high", at(30), at(80));
  check_runs(result, "low", at(0), at(150));
  CHECK(outcome(result, "low").requeue_wait == seconds(50));
  CHECK(outcome(result, "low").held == seconds(100));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(150));
}

TEST_CASE("jobs left at the end of the window are counted, not forgotten") {
  std::vector<JobClass> jobs{job("long", 1, 1, seconds(800))};
  for (int index = 0; index < 10; ++index)
    jobs.push_back(job("short" + std::to_string(index), 1, 1, seconds(50)));
  Scenario eleven = scenario({pool(1, 1)}, jobs, seconds(1000));
  eleven.window.run_on = Duration::zero();
  eleven.scheduler.order = "sjf";
  const RunResult result = run(eleven);
  DeviceTime time_to_result;
  std::int64_t completed = 0, unfinished = 0;
  for (const ClassOutcome& each : result.classes) {
    time_to_result += each.time_to_result;
    completed += each.completed;
    unfinished += each.unfinished;
  }
  CHECK(completed == 10);
  CHECK(unfinished == 1);
  CHECK(time_to_result == device_seconds(2750));
  CHECK(outcome(result, "long").first_start == at(500));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(500));
  CHECK(leaf(result, Leaf::runtime_unresolved) == device_seconds(500));
  eleven.window.length.reset();
  CHECK(run(eleven).makespan == at(1300));
}

TEST_CASE("what ends at the end of the window has ended; what is submitted there is not of it") {
  std::vector<JobClass> jobs;
  for (int index = 0; index < 4; ++index)
    jobs.push_back(job("job" + std::to_string(index), 1, 1, seconds(1000)));
  jobs.push_back(job("fifth", 1, 1, seconds(10)));
  jobs.push_back(job("sixth", 1, 1, seconds(10), at(1000)));
  Scenario edge = scenario({pool(1, 4)}, jobs, seconds(1000));
  edge.window.run_on = Duration::zero();
  const RunResult result = run(edge);
  CHECK(result.ended == at(1000));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(4000));
  for (std::size_t index = 0; index < 4; ++index) CHECK(result.classes[index].completed == 1);
  CHECK(result.classes[4].unfinished == 1);
  CHECK(result.classes[5].submitted == 0);
}

TEST_CASE("spares that were lent in part come together again, and leave whole nodes to the queue") {
  // Two of a spare node's four devices stand in for a failed node's; when all is over, a gang of four has a node.
  Scenario scenario;
  scenario.pools.push_back(build::pool(2, 4));
  scenario.pools[0].spares = 1;
  scenario.script.push_back(build::node_fault(at(10), 0, seconds(50)));
  scenario.classes = {build::job("a", 1, 2, seconds(100)), build::job("b", 1, 4, seconds(30), at(20))};
  const RunResult result = simulate(scenario, {.jobs = RunOptions::Jobs::each});
  CHECK(result.state == RunState::completed);
  REQUIRE(result.jobs.size() == 2);
  CHECK(result.jobs[0].end == at(110));
  CHECK(result.jobs[1].first_start == at(110));
}

}  // namespace
}  // namespace fleetsim
