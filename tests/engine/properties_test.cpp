#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "sim/engine/simulate.hpp"
#include "tests/engine/random_scenario.hpp"

// What holds in every run, whatever it mixes.
namespace fleetsim {
namespace {

constexpr std::uint64_t kScenarios = 1500;

struct Run {
  const Scenario& scenario;
  Records records;
  RunResult result;
};

RunResult simulate_with(const Scenario& scenario, Records* records, RunOptions::Jobs jobs) {
  return simulate(scenario, {.replication = 0, .records = records, .jobs = jobs});
}

/// Calls `check(run)` for every scenario.
template <class Check>
void for_each_run(Check&& check) {
  for (std::uint64_t number = 0; number < kScenarios; ++number) {
    CAPTURE(number);
    const Scenario scenario = random_scenario(number);
    Records records;
    RunResult result = simulate_with(scenario, &records, RunOptions::Jobs::each);
    check(Run{scenario, std::move(records), std::move(result)});
  }
}

/// The change of what is recorded or installed at each instant, by pool or quota.
using Steps = std::map<SimTime, std::int64_t>;

void add(Steps& steps, SimTime from, SimTime to, Capacity capacity) {
  steps[from] += capacity.milli();
  steps[to] -= capacity.milli();
}

/// What is installed of a pool inside the window, node by node.
Steps installed(const Run& run, std::uint32_t pool) {
  const PoolSpec& spec = run.scenario.pools[pool];
  Steps steps;
  for (std::uint32_t node = 0; node < spec.nodes; ++node) {
    SimTime from = run.result.window_start, to = run.result.window_end;
    for (const DatedNodes& dated : spec.dated) {
      if (std::find(dated.nodes.begin(), dated.nodes.end(), node) == dated.nodes.end()) continue;
      from = std::max(from, dated.from);
      to = std::min(to, dated.until);
    }
    if (from < to) add(steps, from, to, Capacity::devices(spec.devices_per_node));
  }
  return steps;
}

DeviceTime integral(const Steps& steps) {
  DeviceTime total;
  Capacity there;
  SimTime since;
  for (const auto& [time, change] : steps) {
    total += there * (time - since);
    there += Capacity::milli_devices(change);
    since = time;
  }
  return total;
}

TEST_CASE("every ledger closes pool by pool, and no leaf is negative") {
  for_each_run([](const Run& run) {
    for (std::uint32_t pool = 0; pool < run.scenario.pools.size(); ++pool) {
      CHECK(sum(run.result.ledger.of_pool(PoolId{pool})) == integral(installed(run, pool)));
      for (const DeviceTime amount : run.result.ledger.unheld(PoolId{pool}))
        CHECK(amount >= DeviceTime::zero());
      for (std::uint32_t job_class = 0; job_class < run.scenario.classes.size(); ++job_class)
        for (const DeviceTime amount : run.result.ledger.of(PoolId{pool}, ClassId{job_class}))
          CHECK(amount >= DeviceTime::zero());
    }
  });
}

TEST_CASE("the ledger of a run is the ledger of its records") {
  for_each_run([](const Run& run) {
    if (run.result.window_end == run.result.window_start) return;
    const Accounting accounting = account(run.records);
    CHECK(accounting.problems == std::vector<std::string>{});
    CHECK(accounting.ledger == run.result.ledger);
  });
}

TEST_CASE("neither records nor a list of jobs change a run, and the same scenario gives the same run") {
  for_each_run([](const Run& run) {
    Records again;
    const RunResult same = simulate_with(run.scenario, &again, RunOptions::Jobs::each);
    CHECK(same.ledger == run.result.ledger);
    CHECK(again == run.records);
    const RunResult bare = simulate_with(run.scenario, nullptr, RunOptions::Jobs::sums_only);
    CHECK(bare.ledger == run.result.ledger);
    CHECK(bare.events == run.result.events);
    CHECK(bare.jobs.empty());
    for (std::size_t index = 0; index < run.result.classes.size(); ++index) {
      CHECK(bare.classes[index].time_to_result == run.result.classes[index].time_to_result);
      CHECK(bare.classes[index].completed == run.result.classes[index].completed);
      CHECK(bare.classes[index].commits == run.result.classes[index].commits);
    }
  });
}

TEST_CASE("jobs that only step are the same whether they are done at once or, on record, the long way") {
  std::int64_t plain_jobs = 0;
  for (std::uint64_t number = 0; number < 2 * kScenarios; ++number) {
    CAPTURE(number);
    const Scenario scenario = random_calm_scenario(number);
    Records records;
    const RunResult slow = simulate_with(scenario, &records, RunOptions::Jobs::each);
    const RunResult fast = simulate_with(scenario, nullptr, RunOptions::Jobs::each);
    CHECK(fast.ledger == slow.ledger);
    CHECK(fast.events == slow.events);
    CHECK(fast.waiting == slow.waiting);
    CHECK(fast.makespan == slow.makespan);
    REQUIRE(fast.jobs.size() == slow.jobs.size());
    for (std::size_t index = 0; index < fast.jobs.size(); ++index) {
      const JobOutcome &a = fast.jobs[index], &b = slow.jobs[index];
      CHECK(a.id == b.id);
      CHECK(a.state == b.state);
      CHECK(a.first_start == b.first_start);
      CHECK(a.end == b.end);
      CHECK(a.held == b.held);
      CHECK(a.queue_wait == b.queue_wait);
      CHECK(a.requeue_wait == b.requeue_wait);
      CHECK(a.steps == b.steps);
      CHECK(a.commits == b.commits);
      plain_jobs += scenario.classes[a.job_class].checkpoint.mode == CheckpointMode::none && a.end ? 1 : 0;
    }
    for (std::size_t index = 0; index < fast.classes.size(); ++index) {
      const ClassOutcome &a = fast.classes[index], &b = slow.classes[index];
      CHECK(a.commits == b.commits);
      CHECK(a.time_to_result == b.time_to_result);
      CHECK(a.held == b.held);
      CHECK(a.longest_wait == b.longest_wait);
      CHECK(a.bounded_slowdown == b.bounded_slowdown);
    }
  }
  CHECK(plain_jobs > 3000);
}

/// Whether any interval of a budget's length holds more instants than it allows; they ascend.
bool exceeds(const std::vector<SimTime>& instants, const EvictionBudget& budget) {
  const auto allowed = static_cast<std::size_t>(budget.evictions);
  for (std::size_t last = allowed; last < instants.size(); ++last)
    if (instants[last] < instants[last - allowed] + budget.per || allowed == 0) return true;
  return false;
}

TEST_CASE(
    "no budget of preemptions is exceeded, and only those are stopped who may be, for those who stand "
    "above") {
  std::int64_t rows = 0, deep = 0;
  for_each_run([&](const Run& run) {
    const SchedulerSpec& scheduler = run.scenario.scheduler;
    std::map<std::uint64_t, const JobOutcome*> jobs;
    for (const JobOutcome& job : run.result.jobs) jobs[job.sequence] = &job;
    std::map<std::uint64_t, std::vector<SimTime>> by_job;
    std::map<std::uint32_t, std::vector<SimTime>> by_pool;
    for (const PreemptionRow& row : run.result.preemptions.rows) {
      if (!row.is_preemption()) continue;
      ++rows;
      deep += row.depth > 1 ? 1 : 0;
      by_job[row.victim].push_back(row.at);
      by_pool[row.pool].push_back(row.at);
      const JobOutcome& victim = *jobs.at(row.victim);
      const JobClass& victim_class = run.scenario.classes[victim.job_class];
      CHECK(victim_class.preemptible);
      CHECK(row.lost >= DeviceTime::zero());
      const auto priority = [&](const JobOutcome& job) {
        const JobClass& job_class = run.scenario.classes[job.job_class];
        const auto& listed = job_class.arrivals.listed;
        const auto found = std::find_if(listed.begin(), listed.end(),
                                        [&](const ListedJob& each) { return each.id == job.id; });
        return found != listed.end() ? found->priority.value_or(job_class.priority) : job_class.priority;
      };
      if (scheduler.preempt_by == PreemptBy::priority && !scheduler.reclaim)
        CHECK(priority(victim) < priority(*jobs.at(*row.beneficiary)));
    }
    for (const auto& [job, instants] : by_job)
      if (scheduler.job_budget) CHECK_FALSE(exceeds(instants, *scheduler.job_budget));
    for (const auto& [pool, instants] : by_pool)
      if (scheduler.pool_budget) CHECK_FALSE(exceeds(instants, *scheduler.pool_budget));
  });
  CHECK(rows > 100);
  CHECK(deep > 5);
}

TEST_CASE("the waits and the held time of a completed job add up to its time to result") {
  for_each_run([](const Run& run) {
    for (const JobOutcome& job : run.result.jobs) {
      CAPTURE(job.id);
      CHECK(job.queue_wait >= Duration::zero());
      CHECK(job.requeue_wait >= Duration::zero());
      CHECK(job.member_wait >= Duration::zero());
      if (job.state) CHECK(job.member_wait <= job.held);
      if (job.state != FinalState::completed) continue;
      REQUIRE(job.end.has_value());
      CHECK(job.queue_wait + job.held + job.requeue_wait == *job.end - job.submit);
      const JobClass& job_class = run.scenario.classes[job.job_class];
      if (job_class.kind == JobKind::work) CHECK(job.commits >= 1);
      if (job_class.steps) CHECK(job.steps == *job_class.steps);
    }
  });
}

TEST_CASE("the sums of a class are the sums of its jobs") {
  for_each_run([](const Run& run) {
    std::vector<ClassOutcome> sums(run.scenario.classes.size());
    for (const JobOutcome& job : run.result.jobs) {
      // Without a length the window goes on until the last job has ended.
      const bool before_end = !run.scenario.window.length || job.submit < run.result.window_end;
      if (job.submit < run.result.window_start || !before_end) continue;
      ClassOutcome& of = sums[job.job_class];
      ++of.submitted;
      of.started += job.first_start ? 1 : 0;
      of.completed += job.state == FinalState::completed ? 1 : 0;
      of.unsatisfiable += job.state == FinalState::unsatisfiable ? 1 : 0;
      of.unfinished += job.state ? 0 : 1;
      const bool has_result = run.scenario.classes[job.job_class].kind != JobKind::service;
      if (job.state == FinalState::completed && has_result) {
        of.time_to_result += Capacity::devices(1) * (*job.end - job.submit);
        of.held += Capacity::devices(1) * job.held;
      }
    }
    for (std::size_t index = 0; index < sums.size(); ++index) {
      const ClassOutcome& of = run.result.classes[index];
      CAPTURE(index);
      CHECK(of.submitted == sums[index].submitted);
      CHECK(of.started == sums[index].started);
      CHECK(of.completed == sums[index].completed);
      CHECK(of.unsatisfiable == sums[index].unsatisfiable);
      CHECK(of.unfinished == sums[index].unfinished);
      CHECK(of.time_to_result == sums[index].time_to_result);
      CHECK(of.held == sums[index].held);
      CHECK(of.submitted == of.completed + of.failed + of.cancelled + of.killed_at_limit + of.unsatisfiable +
                                of.no_progress + of.unfinished);
    }
  });
}

TEST_CASE("at every instant of the window each pool records exactly what is installed") {
  for_each_run([](const Run& run) {
    const auto clip = [&](SimTime t) {
      return std::clamp(t, run.result.window_start, run.result.window_end);
    };
    std::vector<Steps> pools(run.scenario.pools.size());
    for (const AllocationRow& row : run.records.allocations)
      if (clip(row.from) < clip(row.to))
        add(pools[row.pool], clip(row.from), clip(row.to), row.capacity + row.spare);
    for (const PoolRow& row : run.records.pool_rows)
      if (clip(row.from) < clip(row.to)) add(pools[row.pool], clip(row.from), clip(row.to), row.capacity);
    for (std::uint32_t pool = 0; pool < pools.size(); ++pool) {
      CAPTURE(pool);
      const auto changes = [](Steps& steps) {
        std::erase_if(steps, [](const auto& step) { return step.second == 0; });
        return steps;
      };
      Steps expected = installed(run, pool);
      CHECK(changes(pools[pool]) == changes(expected));
    }
  });
}

}  // namespace
}  // namespace fleetsim
