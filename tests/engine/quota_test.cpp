#include <doctest/doctest.h>

#include <map>

#include "tests/engine/build.hpp"

namespace fleetsim {
namespace {

using build::at;
using build::seconds;

struct QuotaRan {
  RunResult result;
  std::map<std::string, JobOutcome> jobs;
};

QuotaRan run_queues(const Scenario& scenario) {
  QuotaRan ran{simulate(scenario, {.jobs = RunOptions::Jobs::each}), {}};
  for (const JobOutcome& job : ran.result.jobs) ran.jobs[job.id] = job;
  return ran;
}

JobClass in_queue(JobClass job, std::uint32_t queue) {
  job.quota = queue;
  return job;
}

/// One node, and queues with these guarantees in milli-devices, in one cohort.
Scenario queues(std::uint32_t devices, std::vector<std::int64_t> guarantees, std::vector<JobClass> jobs) {
  Scenario scenario;
  scenario.pools.push_back(build::pool(1, devices));
  scenario.classes = std::move(jobs);
  scenario.scheduler.cohorts.push_back({.name = "all", .parent = {}, .limit = {}});
  for (const std::int64_t milli : guarantees) {
    QuotaSpec& quota = scenario.scheduler.quotas.emplace_back();
    quota.name = "queue" + std::to_string(scenario.scheduler.quotas.size());
    quota.guarantee = Capacity::milli_devices(milli);
    quota.cohort = 0;
  }
  return scenario;
}

void reclaims(Scenario& scenario) {
  scenario.scheduler.preemption = Preemption::kept;
  scenario.scheduler.preempt_by = PreemptBy::nobody;
  scenario.scheduler.reclaim = true;
}

TEST_CASE("a share of one and a half devices does not keep a job of two from running when three are free") {
  const QuotaRan ran = run_queues(queues(
      3, {1500, 1500},
      {in_queue(build::job("b", 1, 2, seconds(100)), 0), in_queue(build::job("c", 1, 2, seconds(100)), 1)}));
  CHECK(ran.jobs.at("b").first_start == at(0));
  CHECK(ran.jobs.at("c").first_start == at(100));
}

TEST_CASE("whoever waits for its own quota keeps nobody of another from starting, under a strict order") {
  // Three nodes of eight devices, two quotas of eight: a2 waits for a1, and 16 devices are free for b1 and c.
  for (const Preemption preemption : {Preemption::none, Preemption::remade}) {
    Scenario scenario;
    scenario.pools.push_back(build::pool(3, 8));
    scenario.scheduler.preemption = preemption;
    for (const char* name : {"a", "b"})
      scenario.scheduler.quotas.push_back({.name = name, .capacity = Capacity::devices(8)});
    scenario.classes = {in_queue(build::job("a1", 1, 8, seconds(100)), 0),
                        in_queue(build::job("a2", 1, 8, seconds(100), at(1)), 0),
                        in_queue(build::job("a3", 1, 8, seconds(100), at(2)), 0),
                        in_queue(build::job("b1", 1, 8, seconds(100), at(2)), 1),
                        build::job("c", 1, 8, seconds(100), at(3))};
    const QuotaRan ran = run_queues(scenario);
    CHECK(ran.jobs.at("b1").first_start == at(2));
    CHECK(ran.jobs.at("c").first_start == at(3));
    CHECK(ran.jobs.at("a2").first_start == at(100));
    CHECK(ran.jobs.at("a3").first_start == at(200));
  }
}

TEST_CASE("a guarantee is taken back also where a cohort may hold no more, and the machine is larger") {
  for (const std::uint32_t devices : {3U, 8U}) {
    for (const Duration grace : {Duration::zero(), seconds(5)}) {
      Scenario scenario = queues(devices, {3000, 0},
                                 {in_queue(build::job("w1", 1, 1, seconds(1000)), 1),
                                  in_queue(build::job("w3", 1, 3, seconds(100), at(2)), 0)});
      reclaims(scenario);
      scenario.scheduler.cohorts[0].limit = Capacity::devices(3);
      if (grace > Duration::zero())
        scenario.scheduler.eviction.save = scenario.scheduler.eviction.grace = grace;
      const QuotaRan ran = run_queues(scenario);
      CHECK(ran.jobs.at("w3").first_start == at(2) + grace);
      CHECK(ran.jobs.at("w1").evictions == 1);
    }
  }
}

TEST_CASE("inside a quota that is full, lower priorities give way to larger ones") {
  for (const std::uint32_t devices : {4U, 8U}) {
    for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::conservative}) {
      Scenario scenario;
      scenario.pools.push_back(build::pool(1, devices));
      scenario.scheduler.quotas.push_back({.name = "q", .capacity = Capacity::devices(4)});
      scenario.scheduler.order = "priority";
      scenario.scheduler.preemption = Preemption::kept;
      scenario.scheduler.preempt_by = PreemptBy::priority;
      scenario.scheduler.backfill = backfill;
      JobClass high = in_queue(build::job("high", 1, 4, seconds(100), at(10)), 0);
      high.priority = 5;
      scenario.classes = {in_queue(build::job("low", 1, 4, seconds(1000)), 0), high};
      const QuotaRan ran = run_queues(scenario);
      CHECK(ran.jobs.at("high").first_start == at(10));
      CHECK(ran.jobs.at("low").evictions == 1);
      CHECK(ran.jobs.at("low").state == FinalState::completed);
    }
  }
}

TEST_CASE(
    "nobody is stopped for whom a quota would forbid to start all the same, as soon as the victim waits "
    "again") {
  // a and b are in a queue that lends only while none of its jobs waits; c, of larger priority, borrows.
  for (const bool reclaim : {false, true}) {
    Scenario scenario = queues(4, {1000, 0},
                               {in_queue(build::job("a", 1, 1, seconds(37), at(5)), 0),
                                in_queue(build::job("b", 1, 1, seconds(20), at(29)), 0),
                                in_queue(build::job("c", 1, 1, seconds(10), at(57)), 1)});
    scenario.pools[0].teardown = seconds(3);
    scenario.scheduler.quotas[0].lend_when_head_blocked = false;
    scenario.scheduler.order = "priority";
    scenario.scheduler.preemption = Preemption::kept;
    scenario.scheduler.preempt_by = PreemptBy::priority;
    scenario.scheduler.reclaim = reclaim;
    scenario.classes[2].priority = 3;
    const QuotaRan ran = run_queues(scenario);
    CHECK(ran.jobs.at("b").first_start == at(42));
    CHECK(ran.jobs.at("b").end == at(62));
    CHECK(ran.jobs.at("b").evictions == 0);
    CHECK(ran.jobs.at("c").first_start == at(62));
  }
}

TEST_CASE(
    "whoever borrows does not stop a queue that has no more than its guarantee, which would have it back") {
  // Two devices, one guaranteed to each queue; b borrows nothing, and c would hold both.
  Scenario scenario = queues(2, {1000, 1000},
                             {in_queue(build::job("b", 1, 1, seconds(100)), 0),
                              in_queue(build::job("c", 1, 2, seconds(10), at(10)), 1)});
  scenario.scheduler.order = "priority";
  scenario.scheduler.preemption = Preemption::kept;
  scenario.scheduler.preempt_by = PreemptBy::priority;
  scenario.scheduler.reclaim = true;
  scenario.classes[1].priority = 3;
  const QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("b").evictions == 0);
  CHECK(ran.jobs.at("c").first_start == at(100));
}

TEST_CASE("gangs that assemble do not exceed their quota together when they are complete") {
  // A quota of 4: each gang wants 3, and two nodes are free, dealt in turn.
  Scenario scenario;
  scenario.pools.push_back(build::pool(7, 1));
  scenario.scheduler.admission = Admission::partial_hold;
  scenario.scheduler.interleave = true;
  scenario.scheduler.quotas.push_back({.name = "four", .capacity = Capacity::devices(4)});
  scenario.classes = {build::job("first", 5, 1, seconds(10)),
                      in_queue(build::job("a", 3, 1, seconds(100), at(1)), 0),
                      in_queue(build::job("b", 3, 1, seconds(100), at(1)), 0)};
  const QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("a").first_start == at(10));
  CHECK(ran.jobs.at("b").first_start == at(110));
}

TEST_CASE("a queue takes back what it lent, once, and nobody is stopped for a job that can never fit") {
  Scenario scenario = queues(3, {3000, 0},
                             {in_queue(build::job("w1", 1, 1, seconds(1000)), 1),
                              in_queue(build::job("w4", 1, 4, seconds(10), at(1)), 0),
                              in_queue(build::job("w3", 1, 3, seconds(100), at(2)), 0)});
  reclaims(scenario);
  const QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("w4").state == FinalState::unsatisfiable);
  CHECK(ran.jobs.at("w3").first_start == at(2));
  CHECK(ran.result.preemptions.count == 1);
  CHECK(ran.jobs.at("w1").end == at(1102));  // begins again at 102
}

TEST_CASE("a queue whose head is stuck lends what is left of its guarantee, or keeps it, as it says") {
  // 200 devices on 25 nodes of 8. G1 holds 100 until 1000; G2 wants all 200; E1, of a queue without a
  // guarantee, wants 100 for 300 s.
  const auto gang = [](std::string name, std::uint32_t nodes, std::int64_t work, std::int64_t submit,
                       std::uint32_t queue) {
    return in_queue(build::job(std::move(name), nodes, 4, seconds(work), at(submit)), queue);
  };
  Scenario scenario = queues(
      4, {200'000, 0}, {gang("G1", 25, 1000, 0, 0), gang("G2", 50, 100, 1, 0), gang("E1", 25, 300, 2, 1)});
  scenario.pools[0] = build::pool(50, 4);
  QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("E1").first_start == at(2));
  CHECK(ran.jobs.at("G2").first_start == at(1000));
  scenario.scheduler.quotas[0].lend_when_head_blocked = false;
  ran = run_queues(scenario);
  CHECK(ran.jobs.at("G2").first_start == at(1000));
  CHECK(ran.jobs.at("E1").first_start == at(1100));
  // Idle and kept: 100 devices from 2 to 1000.
  const LeafTotals& idle = ran.result.ledger.unheld(PoolId{0});
  CHECK(idle[static_cast<std::size_t>(Leaf::scheduling_quota)] == Capacity::devices(100) * seconds(998));
}

TEST_CASE("what a queue does not lend stays free for it, and limits hold for queues and cohorts") {
  Scenario scenario = queues(
      8, {4000, 4000},
      {in_queue(build::job("a", 1, 6, seconds(10)), 0), in_queue(build::job("b", 1, 5, seconds(10)), 0)});
  scenario.scheduler.quotas[1].lend = Capacity::devices(1);
  QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("a").state == FinalState::unsatisfiable);  // 4 of its own and 1 lent
  CHECK(ran.jobs.at("b").first_start == at(0));
  scenario.scheduler.quotas[1].lend.reset();
  scenario.scheduler.cohorts[0].limit = Capacity::devices(5);
  ran = run_queues(scenario);
  CHECK(ran.jobs.at("a").state == FinalState::unsatisfiable);
  scenario.scheduler.cohorts[0].limit.reset();
  scenario.scheduler.quotas[0].capacity = Capacity::devices(5);
  ran = run_queues(scenario);
  CHECK(ran.jobs.at("a").state == FinalState::unsatisfiable);
}

TEST_CASE("queues of different cohorts under one parent borrow from each other") {
  Scenario scenario = queues(8, {4000, 4000}, {in_queue(build::job("a", 1, 8, seconds(10)), 0)});
  scenario.scheduler.cohorts = {{.name = "one", .parent = 2, .limit = {}},
                                {.name = "other", .parent = 2, .limit = {}},
                                {.name = "all", .parent = {}, .limit = {}}};
  scenario.scheduler.quotas[1].cohort = 1;
  CHECK(run_queues(scenario).jobs.at("a").first_start == at(0));
  scenario.scheduler.cohorts[1].parent.reset();
  CHECK(run_queues(scenario).jobs.at("a").state == FinalState::unsatisfiable);
}

TEST_CASE("reclaim stops borrowers only as far as they borrow") {
  // The second queue holds 1 of its own and borrows 2; the first wants its 3 back, of which 1 is free.
  Scenario scenario = queues(
      4, {3000, 1000},
      {in_queue(build::job("x", 1, 1, seconds(1000)), 1), in_queue(build::job("y", 1, 1, seconds(1000)), 1),
       in_queue(build::job("z", 1, 1, seconds(1000)), 1),
       in_queue(build::job("mine", 1, 3, seconds(10), at(5)), 0)});
  reclaims(scenario);
  const QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("mine").first_start == at(5));
  CHECK(ran.result.preemptions.count == 2);
}

TEST_CASE("an idle reservation of low priority gives way, and comes back for what is left of it") {
  Scenario scenario;
  scenario.pools.push_back(build::pool(1, 8));
  JobClass reservation = build::job("held", 1, 8, seconds(100));
  reservation.kind = JobKind::reservation;
  reservation.priority = -1;
  scenario.classes = {reservation, build::job("work", 1, 8, seconds(50), at(30))};
  scenario.scheduler.order = "priority";
  scenario.scheduler.preemption = Preemption::kept;
  scenario.scheduler.preempt_by = PreemptBy::priority;
  const QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("work").first_start == at(30));
  CHECK(ran.jobs.at("held").end == at(150));  // 30 s before, 70 s after
}

TEST_CASE("fair share serves the queue that has had the least, and forgets by half-lives") {
  // One device. Queue 1 ran for 100 s; then both queues want it: queue 2 first, and turns as shares are had.
  std::vector<JobClass> jobs{in_queue(build::job("first", 1, 1, seconds(100)), 0)};
  for (int index = 0; index < 3; ++index) {
    jobs.push_back(in_queue(build::job("a" + std::to_string(index), 1, 1, seconds(60), at(10)), 0));
    jobs.push_back(in_queue(build::job("b" + std::to_string(index), 1, 1, seconds(60), at(20)), 1));
  }
  Scenario scenario = queues(1, {1000, 1000}, jobs);
  scenario.scheduler.order = "fair-share";
  scenario.scheduler.fair_share_half_life = seconds(1'000'000'000);
  // Had after each: 100/0, 100/60, 100/120, 160/120, 160/180, 220/180.
  QuotaRan ran = run_queues(scenario);
  CHECK(ran.jobs.at("b0").first_start == at(100));
  CHECK(ran.jobs.at("b1").first_start == at(160));
  CHECK(ran.jobs.at("a0").first_start == at(220));
  CHECK(ran.jobs.at("b2").first_start == at(280));
  CHECK(ran.jobs.at("a1").first_start == at(340));
  // Twice the weight: 50/0, 50/60, 80/60, 80/120, 110/120, ...
  scenario.scheduler.quotas[0].weight = 2.0;
  ran = run_queues(scenario);
  CHECK(ran.jobs.at("b0").first_start == at(100));
  CHECK(ran.jobs.at("a0").first_start == at(160));
  CHECK(ran.jobs.at("b1").first_start == at(220));
  // What was had long ago is forgotten at once: the last to run is always the one to wait.
  scenario.scheduler.quotas[0].weight = 1.0;
  scenario.scheduler.fair_share_half_life = seconds(1);
  ran = run_queues(scenario);
  CHECK(ran.jobs.at("b0").first_start == at(100));
  CHECK(ran.jobs.at("a0").first_start == at(160));
  CHECK(ran.jobs.at("b1").first_start == at(220));
  CHECK(ran.jobs.at("a1").first_start == at(280));
}

}  // namespace
}  // namespace fleetsim
