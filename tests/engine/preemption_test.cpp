#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "sim/core/random_stream.hpp"
#include "tests/engine/build.hpp"

namespace fleetsim {
namespace {

using build::at;
using build::seconds;

JobClass with_priority(JobClass job, std::int64_t priority) {
  job.priority = priority;
  return job;
}

Scenario by_priority(std::uint32_t nodes, std::uint32_t devices, std::vector<JobClass> jobs) {
  Scenario scenario;
  scenario.pools.push_back(build::pool(nodes, devices));
  scenario.classes = std::move(jobs);
  scenario.scheduler.order = "priority";
  scenario.scheduler.preemption = Preemption::kept;
  scenario.scheduler.preempt_by = PreemptBy::priority;
  scenario.scheduler.victims = "fewest";
  return scenario;
}

struct PreemptionRan {
  RunResult result;
  std::map<std::string, JobOutcome> jobs;
  std::vector<std::string> victims;  ///< in order of time
};

PreemptionRan run_stops(const Scenario& scenario) {
  PreemptionRan ran{simulate(scenario, {.jobs = RunOptions::Jobs::each}), {}, {}};
  for (const JobOutcome& job : ran.result.jobs) ran.jobs[job.id] = job;
  for (const PreemptionRow& row : ran.result.preemptions.rows)
    ran.victims.push_back(ran.result.jobs[row.victim].id);
  return ran;
}

TEST_CASE("preemption counts what is free already, and starts at once when eviction is instant") {
  const PreemptionRan ran =
      run_stops(by_priority(1, 4,
                            {with_priority(build::job("low", 1, 2, seconds(100)), 0),
                             with_priority(build::job("high", 1, 4, seconds(50), at(10)), 1)}));
  CHECK(ran.jobs.at("high").first_start == at(10));
  CHECK(ran.victims == std::vector<std::string>{"low"});
  // 10 s are lost, and done again after the 50 s of the other.
  CHECK(ran.result.preemptions.rows[0].lost == Capacity::devices(2) * seconds(10));
  CHECK(ran.jobs.at("low").end == at(160));
}

TEST_CASE("of all sets of victims the one that does with the least is chosen") {
  const auto small = [](std::string name, std::uint32_t devices) {
    return with_priority(build::job(std::move(name), 1, devices, seconds(1000)), 0);
  };
  const PreemptionRan ran =
      run_stops(by_priority(1, 7,
                            {small("a", 1), small("b", 2), small("c", 4),
                             with_priority(build::job("p", 1, 2, seconds(10), at(5)), 1)}));
  CHECK(ran.victims == std::vector<std::string>{"b"});
  // A rigid gang stops as a whole.
  const PreemptionRan rigid = run_stops(
      by_priority(1, 11, {small("e", 11), with_priority(build::job("p", 1, 1, seconds(10), at(5)), 1)}));
  CHECK(rigid.victims == std::vector<std::string>{"e"});
}

TEST_CASE("nobody is stopped for a job that would not fit even then, nor for an equal") {
  Scenario scenario = by_priority(2, 4,
                                  {with_priority(build::job("low", 1, 4, seconds(1000)), 0),
                                   with_priority(build::job("equal", 1, 4, seconds(1000)), 2),
                                   with_priority(build::job("high", 2, 4, seconds(10), at(5)), 2),
                                   with_priority(build::job("wide", 3, 4, seconds(10), at(6)), 9)});
  const PreemptionRan ran = run_stops(scenario);
  CHECK(ran.victims.empty());
  CHECK(ran.jobs.at("wide").state == FinalState::unsatisfiable);
  CHECK(ran.jobs.at("high").first_start == at(1000));
}

TEST_CASE("who may not be stopped, or has not run long enough, is not; and it is tried again when it has") {
  Scenario scenario = by_priority(1, 4,
                                  {with_priority(build::job("low", 1, 4, seconds(1000)), 0),
                                   with_priority(build::job("high", 1, 4, seconds(10), at(5)), 1)});
  scenario.scheduler.min_runtime = seconds(60);
  CHECK(run_stops(scenario).jobs.at("high").first_start == at(60));
  scenario.classes[0].preemptible = false;
  CHECK(run_stops(scenario).jobs.at("high").first_start == at(1000));
}

TEST_CASE("a budget is hard, and holds within any interval of its length") {
  // Urgent jobs at 10, 20, 30 and 40; two evictions within any 100 s: those at 10 and 20, then one at 110 and
  // one at 120, when the first two are spent no more.
  std::vector<JobClass> jobs{with_priority(build::job("low", 1, 1, seconds(1000)), 0)};
  for (std::int64_t index = 1; index <= 4; ++index)
    jobs.push_back(
        with_priority(build::job("urgent" + std::to_string(index), 1, 1, seconds(5), at(10 * index)), 1));
  Scenario scenario = by_priority(1, 1, jobs);
  for (const bool per_job : {true, false}) {
    CAPTURE(per_job);
    auto& budget = per_job ? scenario.scheduler.job_budget : scenario.scheduler.pool_budget;
    budget = EvictionBudget{2, seconds(100)};
    const PreemptionRan ran = run_stops(scenario);
    CHECK(ran.jobs.at("urgent1").first_start == at(10));
    CHECK(ran.jobs.at("urgent2").first_start == at(20));
    CHECK(ran.jobs.at("urgent3").first_start == at(110));
    CHECK(ran.jobs.at("urgent4").first_start == at(115));  // the device is free then, and it stands before
    CHECK(ran.victims.size() == 3);
    budget = EvictionBudget{0, seconds(1)};
    CHECK(run_stops(scenario).victims.empty());
    budget.reset();
  }
  CHECK(run_stops(scenario).victims.size() == 4);
}

TEST_CASE("a save that fits in the grace loses nothing and keeps the devices for whom they are meant") {
  Scenario scenario = by_priority(1, 4,
                                  {with_priority(build::job("low", 1, 4, seconds(100)), 0),
                                   with_priority(build::job("high", 1, 4, seconds(50), at(10)), 2),
                                   with_priority(build::job("small", 1, 1, seconds(5), at(12)), 1)});
  scenario.scheduler.eviction.save = seconds(5);
  scenario.scheduler.eviction.grace = seconds(5);
  PreemptionRan ran = run_stops(scenario);
  CHECK(ran.jobs.at("high").first_start == at(15));
  CHECK(ran.jobs.at("small").first_start == at(65));
  CHECK(ran.jobs.at("low").end == at(160));  // after `small`, for the 90 s that it lacks
  // A second too little: nothing is saved, and nobody waits for it.
  scenario.scheduler.eviction.grace = seconds(4);
  ran = run_stops(scenario);
  CHECK(ran.jobs.at("high").first_start == at(10));
  CHECK(ran.result.preemptions.lost == Capacity::devices(4) * seconds(10));
}

TEST_CASE("who was stopped comes back at once, behind, or ever later") {
  std::vector<JobClass> jobs{with_priority(build::job("low", 1, 1, seconds(1000)), 0)};
  for (std::int64_t index = 0; index < 3; ++index)
    jobs.push_back(with_priority(
        build::job("urgent" + std::to_string(index), 1, 1, seconds(1), at(100 + 100 * index)), 1));
  Scenario scenario = by_priority(1, 1, jobs);
  scenario.scheduler.eviction.requeue_delay = seconds(10);
  scenario.scheduler.eviction.requeue_backoff = 2.0;
  const PreemptionRan ran = run_stops(scenario);
  // Away for 10, 20 and 40 s.
  CHECK(ran.jobs.at("low").requeue_wait == seconds(70));
}

TEST_CASE("a cascade is followed to its depth") {
  // Three jobs of one pair of nodes each: the first in rank stops the second on its node, which finds room
  // only by stopping the third on another.
  Scenario scenario = by_priority(2, 1,
                                  {with_priority(build::job("second", 1, 1, seconds(100)), 1),
                                   with_priority(build::job("third", 1, 1, seconds(100)), 0),
                                   with_priority(build::job("first", 1, 1, seconds(10), at(10)), 2)});
  scenario.scheduler.victims = "worst";
  // The third may be stopped, but not by the first: it runs elsewhere.
  scenario.pools.push_back(build::pool(1, 1, "other"));
  scenario.pools[0].nodes = 1;
  scenario.pools[0].racks.resize(1);
  scenario.classes[0].pools = {0, 1};
  scenario.classes[1].pools = {1};
  scenario.classes[2].pools = {0};
  const PreemptionRan ran = run_stops(scenario);
  REQUIRE(ran.victims == std::vector<std::string>{"second", "third"});
  CHECK(ran.result.preemptions.rows[0].depth == 1);
  CHECK(ran.result.preemptions.rows[1].depth == 2);
  CHECK(ran.result.preemptions.deepest == 2);
}

TEST_CASE("victims are chosen as the policy says") {
  // Four nodes; the urgent job needs one. A job with a commit behind it is the cheapest, the last started the
  // youngest, and so on.
  const auto victims_under = [](std::string policy) {
    std::vector<JobClass> jobs;
    jobs.push_back(with_priority(build::job("old", 1, 4, seconds(1000)), 1));
    jobs.push_back(with_priority(build::job("low", 1, 4, seconds(1000), at(10)), 0));
    jobs.push_back(with_priority(build::job("saved", 1, 4, seconds(1000), at(20)), 1));
    build::checkpoint(jobs.back(), seconds(75), seconds(1));
    jobs.push_back(with_priority(build::job("young", 1, 4, seconds(1000), at(30)), 1));
    jobs.push_back(with_priority(build::job("urgent", 1, 4, seconds(10), at(100)), 2));
    Scenario scenario = by_priority(4, 4, jobs);
    scenario.scheduler.victims = std::move(policy);
    scenario.scheduler.preempt_by = PreemptBy::order;
    return run_stops(scenario).victims;
  };
  CHECK(victims_under("worst") == std::vector<std::string>{"low"});
  CHECK(victims_under("lowest-priority") == std::vector<std::string>{"low"});
  // Whoever is stopped stops the one of lowest priority in turn.
  CHECK(victims_under("youngest") == std::vector<std::string>{"young", "low"});
  CHECK(victims_under("cheapest") == std::vector<std::string>{"saved", "low"});
}

TEST_CASE("the victim that leaves the fewest devices in pieces can be preferred") {
  // On a node of 4 a job of 2 beside another of 2, and a job of 2 alone with 2 free: stopping the second
  // leaves no node partly used.
  Scenario scenario = by_priority(2, 4,
                                  {with_priority(build::job("beside", 1, 2, seconds(1000)), 0),
                                   with_priority(build::job("kept", 1, 2, seconds(1000)), 5),
                                   with_priority(build::job("alone", 1, 2, seconds(1000)), 0),
                                   with_priority(build::job("two", 2, 2, seconds(10), at(5)), 1)});
  scenario.scheduler.victims = "least-fragmentation";
  CHECK(run_stops(scenario).victims == std::vector<std::string>{"beside"});
}

TEST_CASE("preemption with backfill: room is made for the first, and others pass it only as they may") {
  Scenario scenario = by_priority(2, 1,
                                  {with_priority(build::job("low", 1, 1, seconds(1000)), 0),
                                   with_priority(build::job("fixed", 1, 1, seconds(100)), 5),
                                   with_priority(build::job("wide", 2, 1, seconds(50), at(10)), 2),
                                   with_priority(build::job("short", 1, 1, seconds(20), at(11)), 1)});
  scenario.scheduler.estimates = Estimates::exact;
  for (const Backfill backfill : {Backfill::easy, Backfill::conservative}) {
    scenario.scheduler.backfill = backfill;
    const PreemptionRan ran = run_stops(scenario);
    // `wide` cannot start before 100, whomever it stopped: `low` goes on until then. Nobody behind `wide`
    // stops anybody.
    CHECK(ran.jobs.at("wide").first_start == at(100));
    CHECK(ran.victims == std::vector<std::string>{"low"});
    CHECK(ran.jobs.at("short").first_start == at(150));
  }
}

TEST_CASE("while room is made nobody starts where it is made, however soon it would leave") {
  // `saving` takes 20 s to save; `fresh` has nothing to save when it is stopped at 30 s, the instant at which
  // it has begun. It would be done in 5 s, and is not started again on the node that it has left.
  Scenario scenario = by_priority(2, 1,
                                  {with_priority(build::job("saving", 1, 1, seconds(1000)), 0),
                                   with_priority(build::job("first", 1, 1, seconds(30)), 5),
                                   with_priority(build::job("fresh", 1, 1, seconds(5), at(30)), 1),
                                   with_priority(build::job("wide", 2, 1, seconds(10), at(30)), 2)});
  scenario.scheduler.estimates = Estimates::exact;
  scenario.scheduler.eviction.save = seconds(20);
  for (const Backfill backfill : {Backfill::easy, Backfill::conservative}) {
    scenario.scheduler.backfill = backfill;
    const PreemptionRan ran = run_stops(scenario);
    CHECK(ran.victims == std::vector<std::string>{"saving"});
    CHECK(ran.jobs.at("wide").first_start == at(50));
    CHECK(ran.jobs.at("fresh").first_start == at(60));
  }
}

TEST_CASE(
    "preemption with conservative backfill: room that is made is kept from whoever was stopped for it") {
  // `low` needs 20 s to save, and stands before `high` in the queue from then on.
  Scenario scenario = by_priority(2, 1,
                                  {with_priority(build::job("low", 2, 1, seconds(100)), 0),
                                   with_priority(build::job("high", 2, 1, seconds(10), at(5)), 1),
                                   with_priority(build::job("late", 1, 1, seconds(10), at(6)), 0)});
  scenario.scheduler.order = "fifo";
  scenario.scheduler.backfill = Backfill::conservative;
  scenario.scheduler.estimates = Estimates::exact;
  scenario.scheduler.eviction.save = seconds(20);
  const PreemptionRan ran = run_stops(scenario);
  CHECK(ran.victims == std::vector<std::string>{"low"});
  CHECK(ran.jobs.at("high").first_start == at(25));
  // What `low` had done is saved.
  CHECK(ran.jobs.at("low").end == at(35 + 95));
  CHECK(ran.jobs.at("late").first_start == at(130));
}

TEST_CASE("every stop is recorded with its cause") {
  // At 10 a reservation gives way to priority, at 20 a job does; at 30 node 1 is drained under the second; at
  // 40 the scenario evicts `out`.
  JobClass idle = with_priority(build::job("idle", 1, 1, seconds(500)), 0);
  idle.kind = JobKind::reservation;
  JobClass out = with_priority(build::job("out", 1, 1, seconds(100)), 9);
  out.evictions.at = {at(40)};
  Scenario scenario = by_priority(4, 1,
                                  {with_priority(build::job("low", 1, 1, seconds(100)), 1), out, idle,
                                   with_priority(build::job("first", 1, 1, seconds(300), at(10)), 3),
                                   with_priority(build::job("second", 1, 1, seconds(300), at(20)), 3)});
  scenario.pools[0].nodes = 3;
  scenario.pools[0].racks.resize(3);
  scenario.pools[0].drains = {DrainSpec{.at = at(30), .length = seconds(5), .every = {}, .nodes = {1}}};
  const PreemptionRan ran = run_stops(scenario);
  REQUIRE(ran.result.preemptions.rows.size() == 4);
  const auto check = [&](std::size_t row, const char* victim, StopCause cause, std::optional<std::string> by,
                         std::int64_t lost) {
    const PreemptionRow& found = ran.result.preemptions.rows[row];
    CHECK(ran.result.jobs[found.victim].id == victim);
    CHECK(found.cause == cause);
    CHECK(found.beneficiary.has_value() == by.has_value());
    if (by && found.beneficiary) CHECK(ran.result.jobs[*found.beneficiary].id == *by);
    CHECK(found.lost == Capacity::devices(1) * seconds(lost));
  };
  check(0, "idle", StopCause::idle_reservation, "first", 0);
  check(1, "low", StopCause::priority, "second", 20);
  check(2, "second", StopCause::drain, std::nullopt, 10);
  check(3, "out", StopCause::outside, std::nullopt, 40);
  CHECK(ran.result.preemptions.count == 2);
}

constexpr Backfill kBackfills[] = {Backfill::none, Backfill::easy, Backfill::conservative};

TEST_CASE("random priorities: budgets hold, no one stops an equal, and nothing is stopped without end") {
  std::int64_t rows = 0, deep = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    CAPTURE(number);
    RandomStream stream{StreamKey{number, 2, Purpose::kBootstrap, 0}};
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(stream() % static_cast<std::uint64_t>(high - low + 1));
    };
    std::vector<JobClass> jobs;
    for (std::int64_t index = 0; index < 40; ++index)
      jobs.push_back(with_priority(
          build::job("job" + std::to_string(index), static_cast<std::uint32_t>(between(1, 3)),
                     static_cast<std::uint32_t>(between(1, 4)), seconds(between(1, 60)), at(between(0, 200))),
          between(0, 4)));
    Scenario scenario = by_priority(4, 4, jobs);
    constexpr const char* kPolicies[] = {"worst", "youngest", "fewest", "cheapest", "least-fragmentation"};
    scenario.scheduler.victims = kPolicies[between(0, 4)];
    scenario.scheduler.backfill = kBackfills[between(0, 2)];
    if (between(0, 1) == 1)
      scenario.scheduler.job_budget = EvictionBudget{between(0, 2), seconds(between(1, 90))};
    if (between(0, 1) == 1) scenario.scheduler.eviction.save = seconds(between(1, 5));
    const PreemptionRan ran = run_stops(scenario);
    std::map<std::uint64_t, std::vector<SimTime>> stopped;
    for (const PreemptionRow& row : ran.result.preemptions.rows) {
      ++rows;
      deep += row.depth > 1 ? 1 : 0;
      const auto priority = [&](std::uint64_t job) { return jobs[ran.result.jobs[job].job_class].priority; };
      CHECK(priority(row.victim) < priority(*row.beneficiary));
      CHECK(row.depth <= 4);  // each step goes down by a priority at least
      stopped[row.victim].push_back(row.at);
    }
    if (const auto& budget = scenario.scheduler.job_budget) {
      for (const auto& [job, instants] : stopped) {
        const auto allowed = static_cast<std::size_t>(budget->evictions);
        REQUIRE(allowed > 0);
        for (std::size_t last = allowed; last < instants.size(); ++last)
          CHECK(instants[last] >= instants[last - allowed] + budget->per);
      }
    }
    for (const JobOutcome& job : ran.result.jobs) CHECK(job.state == FinalState::completed);
  }
  CHECK(rows > 1'000);
  CHECK(deep > 20);
}

TEST_CASE(
    "random orders, saves, launches and teardowns: all end, and nobody is stopped twice before its "
    "beneficiary starts") {
  int rows = 0;
  for (std::uint64_t number = 0; number < 1'000; ++number) {
    CAPTURE(number);
    RandomStream stream{StreamKey{number, 3, Purpose::kBootstrap, 0}};
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(stream() % static_cast<std::uint64_t>(high - low + 1));
    };
    std::vector<JobClass> jobs;
    for (std::int64_t index = 0; index < 12; ++index) {
      jobs.push_back(with_priority(
          build::job("job" + std::to_string(index), static_cast<std::uint32_t>(between(1, 3)),
                     static_cast<std::uint32_t>(between(1, 2)), seconds(between(1, 60)), at(between(0, 60))),
          between(0, 2)));
      if (between(0, 1) == 1) jobs.back().startup.launch = seconds(between(1, 20));
      jobs.back().preemption = jobs.back().startup;
    }
    Scenario scenario = by_priority(3, 2, jobs);
    constexpr const char* kOrders[] = {"fifo", "sjf", "srsf", "priority"};
    scenario.scheduler.order = kOrders[between(0, 3)];
    scenario.scheduler.backfill = kBackfills[between(0, 2)];
    scenario.scheduler.strict = scenario.scheduler.backfill == Backfill::conservative || between(0, 1) == 1;
    if (between(0, 1) == 1) scenario.scheduler.eviction.save = seconds(between(1, 15));
    if (between(0, 1) == 1) scenario.pools[0].teardown = seconds(between(1, 10));
    const PreemptionRan ran = run_stops(scenario);
    CHECK(ran.result.state == RunState::completed);
    std::map<std::pair<std::uint64_t, std::uint64_t>, SimTime> stopped;
    for (const PreemptionRow& row : ran.result.preemptions.rows) {
      ++rows;
      const auto inserted = stopped.insert({{row.victim, *row.beneficiary}, row.at});
      if (inserted.second) continue;
      SimTime& before = inserted.first->second;
      // Only one who may come before the beneficiary can have taken its room.
      const auto took_it = [&](const JobOutcome& other) {
        return jobs[other.job_class].priority >= jobs[ran.result.jobs[*row.beneficiary].job_class].priority &&
               other.first_start && *other.first_start >= before && *other.first_start <= row.at;
      };
      CAPTURE(row.victim);
      CAPTURE(row.at.ns());
      CHECK(std::any_of(ran.result.jobs.begin(), ran.result.jobs.end(), took_it));
      before = row.at;
    }
    for (const JobOutcome& job : ran.result.jobs) CHECK(job.state == FinalState::completed);
  }
  CHECK(rows > 1'000);
}

}  // namespace
}  // namespace fleetsim
