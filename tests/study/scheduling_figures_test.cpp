#include <doctest/doctest.h>

#include <algorithm>

#include "sim/engine/simulate.hpp"
#include "sim/study/figures.hpp"
#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

PointResult result_of(const Scenario& scenario) {
  const StudyReading study = study_of({{"", scenario}});
  return run_study(study, {.threads = 1}).points.front();
}

/// The nearest rank, from all values sorted.
double nearest_rank(std::vector<double> values, std::size_t per_cent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() * per_cent + 99) / 100 - 1];
}

/// Two classes of one-device jobs on two devices, one of them under a quota of one device.
Scenario quota_of_one() {
  Scenario scenario;
  PoolSpec pool = pool_of(1);
  pool.devices_per_node = 2;
  scenario.pools = {pool};
  JobClass job;
  job.name = "limited";
  job.pools = {0};
  job.gang = {.shape = std::nullopt, .sizes = {1}, .weights = {1}};
  job.steps = (40 * kSecond).ns();
  job.quota = 0;
  scenario.classes = {job, job, job};
  scenario.classes[1].name = "second";
  scenario.classes[2].name = "free";
  scenario.classes[2].quota.reset();
  scenario.scheduler.quotas = {{"one", Capacity::devices(1)}};
  scenario.scheduler.strict = false;
  scenario.window.length = 100 * kSecond;
  return scenario;
}

}  // namespace

TEST_CASE("a percentile is the mean over replications of each one's, over the jobs that completed in it") {
  const Scenario scenario = busy_pool();
  const PointResult result = result_of(scenario);
  for (const auto& [per_cent, end] :
       {std::pair{50u, ".p50"}, {90u, ".p90"}, {95u, ".p95"}, {99u, ".p99"}, {100u, ".max"}}) {
    double waits = 0, times = 0, slowdowns = 0;
    for (std::uint32_t replication = 0; replication < scenario.runs.replications; ++replication) {
      const RunResult run = simulate(
          scenario, {.replication = replication, .records = nullptr, .jobs = RunOptions::Jobs::each});
      std::vector<double> wait, time, slowdown;
      for (const JobOutcome& job : run.jobs) {
        if (job.state != FinalState::completed || job.submit >= run.window_end) continue;
        const double took = to_seconds(*job.end - job.submit).si;
        wait.push_back(to_seconds(job.queue_wait).si);
        time.push_back(took);
        slowdown.push_back(std::max(1.0, took / std::max(to_seconds(job.held).si, 10.0)));
      }
      waits += nearest_rank(wait, per_cent) / 8;
      times += nearest_rank(time, per_cent) / 8;
      slowdowns += nearest_rank(slowdown, per_cent) / 8;
    }
    for (const std::string prefix : {"", "jobs.small."}) {
      CHECK(simulated(result, prefix + "queue_wait" + end) == near(waits));
      CHECK(simulated(result, prefix + "time_to_result" + end) == near(times));
      CHECK(simulated(result, prefix + "bounded_slowdown" + end) == near(slowdowns));
    }
    CHECK(figure(result, std::string("time_to_result") + end).simulated.half_width.has_value());
  }
  CHECK(simulated(result, "queue_wait") == near(simulated(result, "jobs.small.queue_wait")));
  CHECK(simulated(result, "longest_wait") >= simulated(result, "queue_wait.max"));
}

TEST_CASE("stops of jobs are counted by cause") {
  // low is stopped for high at 10, by a failure at 25, and by a drain at 30.
  Scenario scenario = quota_of_one();
  scenario.scheduler.quotas.clear();
  scenario.classes.resize(2);
  for (JobClass& job : scenario.classes) {
    job.quota.reset();
    job.gang.sizes = {2};
  }
  scenario.classes[1].priority = 1;
  scenario.classes[1].steps = (10 * kSecond).ns();
  scenario.classes[1].arrivals.submit = SimTime::zero() + 10 * kSecond;
  scenario.scheduler.preemption = Preemption::kept;
  scenario.scheduler.preempt_by = PreemptBy::priority;
  ScriptedFault crash;
  crash.at = SimTime::zero() + 25 * kSecond;
  crash.hits = FaultScope::node;
  crash.takes_out = FaultScope::nothing;
  scenario.script = {crash};
  scenario.pools[0].drains = {
      {.at = SimTime::zero() + 30 * kSecond, .length = 5 * kSecond, .every = {}, .nodes = {0}}};
  const PointResult result = result_of(scenario);
  const auto stops = [&](const char* cause) {
    const Figure* const figure = result.find(std::string("stops.") + cause);
    REQUIRE(figure != nullptr);
    return *figure->simulated.mean;
  };
  for (const char* cause : {"priority", "failure", "drain"}) CHECK(stops(cause) == 1);
  for (const char* cause : {"order", "reclaim", "idle_reservation", "moved", "shrink", "swap", "outside"})
    CHECK(stops(cause) == 0);
  CHECK(*result.find("preemptions")->simulated.mean == 1);
}

TEST_CASE("waiting by reason adds up to the depth of the queue") {
  const PointResult result = result_of(busy_pool());
  double sum = 0;
  for (const Figure& each : result.figures)
    if (each.name.starts_with("pools.train.waiting.")) sum += *each.simulated.mean;
  CHECK(sum > 0);
  CHECK(sum == near(simulated(result, "pools.train.queue_depth")));
}

TEST_CASE("there is an S for each size that a scenario may have, and no other") {
  const PointResult result = result_of(busy_pool());
  std::vector<std::string> sizes;
  for (const Figure& each : result.figures)
    if (each.name.starts_with("scheduling_goodput.size.")) sizes.push_back(each.name.substr(24));
  CHECK(sizes == std::vector<std::string>{"1", "4-7", "8-15"});
  for (const std::string& size : sizes) {
    CHECK(simulated(result, "scheduling_goodput.size." + size) > 0);
    CHECK(simulated(result, "scheduling_goodput.size." + size) <= 1);
  }
}

TEST_CASE("a quota's share is of what was offered, its use of what it allows") {
  const PointResult result = result_of(quota_of_one());
  // Two devices for 100 s; one holds the two limited jobs for 80 s, the other the third for 40 s.
  CHECK(simulated(result, "quotas.one.share") == near(80.0 / 200));
  CHECK(simulated(result, "quotas.one.used") == near(80.0 / 100));
  CHECK(simulated(result, "pools.train.waiting.nothing_free") == near(0.4));
  CHECK(simulated(result, "jobs.second.queue_wait.max") == near(40.0));
  CHECK(simulated(result, "starved") == 0);
}

TEST_CASE("whole seconds are whole numbers") {
  Scenario long_jobs = quota_of_one();
  for (JobClass& each : long_jobs.classes) each.steps = (1000 * kSecond).ns();
  long_jobs.window.length = 4000 * kSecond;
  const PointResult result = result_of(long_jobs);
  CHECK(simulated(result, "longest_wait") == 1000);
  CHECK(simulated(result, "jobs.second.time_to_result") == 2000);
  CHECK(simulated(result, "jobs.second.queue_wait") == 1000);
}

TEST_CASE("without a job that ended there are no percentiles, and a reason") {
  Scenario endless = quota_of_one();
  for (JobClass& each : endless.classes) each.steps.reset();
  const PointResult result = result_of(endless);
  CHECK(figure(result, "queue_wait.p95").absent == "no job ended");
  CHECK(figure(result, "jobs.free.queue_wait.p95").absent == "no job of the class ended");
  CHECK(simulated(result, "jobs.second.longest_wait") > 0);
}

}  // namespace fleetsim
