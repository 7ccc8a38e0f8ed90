#include <doctest/doctest.h>

#include "tests/engine/build.hpp"

// Ends: of jobs that get nowhere, of long clocks, of runs in which nothing happens.
namespace fleetsim {
namespace {

using namespace build;

TEST_CASE("a pause longer than its interval still leaves work between two checkpoints") {
  JobClass spec = job("job", 1, 1, seconds(180));
  checkpoint(spec, seconds(60), seconds(90));
  const RunResult result = run(scenario({pool(1, 1)}, {spec}));
  CHECK(result.makespan == at(360));
  CHECK(leaf(result, Leaf::runtime_checkpoint) == device_seconds(180));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(180));
  CHECK(result.classes[0].commits == 3);  // two checkpoints, and the end
}

TEST_CASE("the first slow step after every start is excess, and no more work than any other") {
  JobClass spec = stepping_job("job", 1, 1, 10, seconds(10));
  checkpoint(spec, seconds(50), Duration::zero());
  spec.startup = {.slow_steps = 1, .slow_excess = seconds(30)};
  spec.recovery.relaunch = {.launch = seconds(20), .slow_steps = 1, .slow_excess = seconds(30)};
  Scenario struck = scenario({pool(1, 1)}, {spec});
  struck.script = {crash(at(80))};  // at the very end of the fifth step
  const RunResult result = run(struck);
  CHECK(result.makespan == at(180));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(100));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(30));
  CHECK(leaf(result, Leaf::runtime_recovery) == device_seconds(20 + 30));
  CHECK(leaf(result, Leaf::runtime_rework) == DeviceTime::zero());
}

TEST_CASE("the excess of slow first steps stays with their launch, also when a save cuts them short") {
  JobClass spec = stepping_job("job", 1, 1, 10, seconds(10));
  spec.startup = {.slow_steps = 5, .slow_excess = seconds(2)};
  spec.evictions.at = {at(25)};
  spec.evictions.terms.save = seconds(3);
  const RunResult result = run(scenario({pool(1, 1)}, {spec}));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(2 + 2));
  CHECK(leaf(result, Leaf::runtime_preemption) == device_seconds(3));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(100));
}

TEST_CASE("a limit ends a job with what it held and not with what it asked for") {
  for (const std::int64_t limit : {3, 4}) {
    JobClass spec = job("job", 2, 1, seconds(4));
    spec.limit = seconds(limit);
    const RunResult result = run(scenario({pool(2, 1)}, {spec}));
    CHECK(outcome(result, "job").state == (limit == 3 ? FinalState::killed_at_limit : FinalState::completed));
    CHECK(factors(result.ledger.total()).held == device_seconds(2 * limit));
    CHECK(leaf(result, Leaf::runtime_abandoned) == device_seconds(limit == 3 ? 6 : 0));
  }
}

TEST_CASE("restarts are counted by job, and evictions are none") {
  JobClass spec = job("job", 2, 1, seconds(10'000));
  spec.max_restarts = 3;
  spec.evictions.at = {at(250)};
  Scenario struck = scenario({pool(2, 1)}, {spec});
  struck.script = {crash(at(100), 0), crash(at(200), 0), crash(at(300), 1), crash(at(400), 1)};
  const RunResult result = run(struck);
  const JobOutcome& job = outcome(result, "job");
  CHECK(job.state == FinalState::failed);
  CHECK(job.end == at(400));
  CHECK(job.failures == 4);
  CHECK(job.evictions == 1);
}

TEST_CASE("a job whose failures come faster than its restarts is given up, and the run ends") {
  PoolSpec fragile = pool(1, 1);
  fragile.faults.push_back(crashes(exponential(1.0)));
  JobClass spec = job("job", 1, 1, seconds(1'000));
  spec.recovery.relaunch.launch = seconds(3'600);
  const RunResult result = run(scenario({fragile}, {spec}));
  CHECK(outcome(result, "job").state == FinalState::no_progress);
  CHECK(outcome(result, "job").failures == 10'000);
  CHECK(leaf(result, Leaf::program_unmodelled) == DeviceTime::zero());
}

TEST_CASE("a job that is evicted before it ever commits is given up, and the run ends") {
  JobClass spec = job("job", 1, 1, seconds(1'000));
  spec.evictions.every = seconds(100);
  const RunResult result = run(scenario({pool(1, 1)}, {spec}));
  CHECK(outcome(result, "job").state == FinalState::no_progress);
  CHECK(leaf(result, Leaf::runtime_preemption) == device_seconds(10'000 * 100));
}

TEST_CASE("a save keeps progress also where a checkpoint has just committed all of it") {
  JobClass spec = job("job", 1, 1, seconds(300));
  checkpoint(spec, seconds(50), Duration::zero());
  spec.evictions.every = seconds(100);
  spec.evictions.terms.save = seconds(1);
  const RunResult result = run(scenario({pool(1, 1)}, {spec}));
  CHECK(result.makespan == at(302));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(300));
}

TEST_CASE("a gang that assembles again after a hold timeout keeps all of its requeue wait") {
  std::vector<JobClass> jobs{job("first", 2, 1, seconds(100)), job("other", 1, 1, seconds(150))};
  jobs[0].evictions.at = {at(40)};
  jobs[0].evictions.terms.requeue_delay = seconds(5);
  jobs[1].arrivals.submit = at(41);
  Scenario held = scenario({pool(2, 1)}, jobs);
  held.scheduler.admission = Admission::partial_hold;
  held.scheduler.hold_timeout = seconds(20);
  const RunResult result = run(held);
  const JobOutcome& first = outcome(result, "first");
  CHECK(first.requeue_wait == at(191) - at(40));
  CHECK(first.end == at(291));
}

TEST_CASE("ten years and more fit the clock, and an unlimited job has no limit") {
  constexpr std::int64_t kYear = 31'557'600;
  JobClass spec = job("job", 1, 1, seconds(9 * kYear));
  spec.limit = Duration::max();
  checkpoint(spec, seconds(3'600), seconds(60));
  const RunResult result = run(scenario({pool(1000, 8)}, {spec}, seconds(10 * kYear)));
  CHECK(outcome(result, "job").state == FinalState::completed);
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(9 * kYear));
  CHECK(result.events < 10);
}

TEST_CASE("a step of more than 32 bits of nanoseconds, and many short ones late, end exactly") {
  CHECK(run(scenario({pool(1, 1)}, {stepping_job("job", 1, 1, 1, Duration::nanoseconds(2'200'000'000))}))
            .makespan == SimTime::at_ns(2'200'000'000));
  JobClass late = stepping_job("job", 1, 1, 1000, Duration::nanoseconds(1'000));
  late.arrivals.submit = at(1'000'000'000);
  CHECK(run(scenario({pool(1, 1)}, {late})).makespan == at(1'000'000'000) + Duration::nanoseconds(1'000'000));
}

TEST_CASE("millions of strikes at what is out of service change nothing") {
  PoolSpec fragile = pool(1, 1);
  FaultRow row = crashes(exponential(0.001));
  row.takes_out = FaultScope::node;
  row.repair = fixed(1'000'000.0);
  fragile.faults.push_back(row);
  const RunResult result = run(scenario({fragile}, {}, seconds(3'000)));
  CHECK(result.events > 2'000'000);
  CHECK(result.faults[0][0].failures == 1);
  CHECK(leaf(result, Leaf::scheduling_no_demand) < device_seconds(1));
}

TEST_CASE("without jobs all is no demand, and a run until they are done is over at once") {
  const RunResult result = run(scenario({pool(3, 8)}, {}, seconds(100)));
  CHECK(leaf(result, Leaf::scheduling_no_demand) == device_seconds(2400));
  CHECK(!result.makespan.has_value());
  CHECK(run(scenario({pool(3, 8)}, {})).ended == at(0));
}

TEST_CASE("a run until all is done says so when what is left ends after the last instant there is") {
  const Scenario endless =
      scenario({pool(2, 1)},
               {job("short", 1, 1, seconds(10)), stepping_job("long", 1, 1, 1'000'000'000'000, seconds(1))});
  const RunResult result = run(endless);
  CHECK(result.state == RunState::out_of_time);
  CHECK(result.holders == std::vector<std::string>{"long"});
  CHECK(outcome(result, "short").state == FinalState::completed);
  CHECK(outcome(result, "long").doing == "running");
}

TEST_CASE("jobs that have not ended tell what they do, and their waits and held time so far") {
  JobClass impatient = job("impatient", 1, 1, seconds(10));
  impatient.patience = seconds(40);
  Scenario open =
      scenario({pool(1, 1)}, {job("first", 1, 1, seconds(800)), impatient, job("second", 1, 1, seconds(800))},
               seconds(500));
  open.window.run_on = Duration::zero();
  const RunResult result = run(open);
  CHECK(outcome(result, "first").doing == "running");
  CHECK(outcome(result, "first").held == seconds(500));
  CHECK(outcome(result, "second").doing == "queued");
  CHECK(outcome(result, "second").queue_wait == seconds(500));
  CHECK(outcome(result, "second").held == Duration::zero());
  CHECK(outcome(result, "impatient").state == FinalState::gave_up);
  CHECK(outcome(result, "impatient").queue_wait == seconds(40));
}

TEST_CASE("the run goes on past its window until the fate inside is known, and no longer") {
  JobClass spec = job("job", 1, 1, seconds(10'000));
  checkpoint(spec, seconds(100), Duration::zero());
  Scenario open = scenario({pool(1, 1)}, {spec}, seconds(250));
  const RunResult result = run(open);
  CHECK(result.state == RunState::completed);
  CHECK(result.ended == at(300));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(250));
  open.window.run_on = seconds(49);
  CHECK(run(open).state == RunState::bound);
  CHECK(leaf(run(open), Leaf::runtime_unresolved) == device_seconds(50));
  open.window.run_on = seconds(50);
  CHECK(run(open).state == RunState::completed);
}

}  // namespace
}  // namespace fleetsim
