#include "tests/engine/tick_oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/engine/build.hpp"

// The engine answers in closed form what happens between two events; here every nanosecond is played out.
namespace fleetsim {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t number) : stream_{StreamKey{number, 1, Purpose::kBootstrap, 0}} {}

  Scenario make() {
    JobClass job = build::stepping_job("job", 1, 1, between(1, 60), ns(between(1, 9)));
    job.step.wait = maybe(4);
    if (chance(25)) {
      job = build::job("job", 1, 1, ns(between(1, 300)));
    } else {
      job.startup = launch();
      job.recovery.relaunch = launch();
      job.preemption = launch();
      job.reconfiguration = launch();
    }
    job.recovery.detect = maybe(6);
    checkpoints(job);
    evictions(job);
    Scenario scenario = build::scenario({build::pool(1, 1)}, {job});
    if (chance(50)) scenario.window.warm_up = ns(between(1, 150));
    if (chance(30)) {
      scenario.window.length = ns(between(1, 200));
      scenario.window.run_on = ns(100'000);
    }
    for (std::int64_t faults = between(0, 4); faults > 0; --faults) {
      ScriptedFault fault = build::crash(SimTime::at_ns(between(1, 350)));
      fault.hits = FaultScope::rack;
      if (chance(50)) fault.detect = maybe(9);
      scenario.script.push_back(fault);
    }
    drains(scenario.pools.front());
    for (std::int64_t episodes = chance(50) ? between(1, 5) : 0; episodes > 0; --episodes)
      scenario.slow_script.push_back(slowness(job.step.time));
    return scenario;
  }

 private:
  static Duration ns(std::int64_t count) { return Duration::nanoseconds(count); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(stream_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t percent) { return between(0, 99) < percent; }
  Duration maybe(std::int64_t high) { return chance(50) ? Duration::zero() : ns(between(1, high)); }

  LaunchSpec launch() {
    LaunchSpec spec;
    spec.launch = maybe(12);
    if (chance(50)) {
      spec.slow_steps = between(1, 6);
      spec.slow_excess = ns(between(1, 7));
    }
    return spec;
  }

  void checkpoints(JobClass& job) {
    CheckpointSpec& spec = job.checkpoint;
    if (chance(15)) return;
    spec.mode = chance(50) ? CheckpointMode::synchronous : CheckpointMode::asynchronous;
    spec.interval = ns(between(1, 50));
    spec.pause = maybe(6);
    if (spec.mode == CheckpointMode::synchronous) return;
    spec.flush = maybe(40);
    if (!job.step.continuous) spec.step_excess = maybe(4);
    spec.interval_from = chance(50) ? IntervalFrom::stage : IntervalFrom::commit;
  }

  /// Of all nodes, so that it meets the job wherever it runs.
  ScriptedSlowness slowness(Duration step) {
    ScriptedSlowness episode;
    episode.at = SimTime::at_ns(between(0, 300));
    if (chance(80)) episode.length = ns(between(1, 120));
    episode.hits = FaultScope::rack;
    episode.speed = static_cast<double>(step.ns()) / static_cast<double>(step.ns() + between(1, 9));
    return episode;
  }

  /// Of the nodes in their order, as the job comes to them; the last one stays.
  void drains(PoolSpec& pool) {
    const auto count = static_cast<std::uint32_t>(chance(50) ? between(1, 4) : 0);
    pool = build::pool(count + 1, 1);
    for (std::uint32_t node = 0; node < count; ++node) {
      DrainSpec drain;
      drain.at = SimTime::at_ns(between(1, 350));
      drain.nodes = {node};
      drain.mode = chance(50) ? DrainMode::now : chance(80) ? DrainMode::at_commit : DrainMode::when_released;
      pool.drains.push_back(drain);
    }
    std::sort(pool.drains.begin(), pool.drains.end(),
              [](const DrainSpec& a, const DrainSpec& b) { return a.at < b.at; });
  }

  void evictions(JobClass& job) {
    for (std::int64_t times = between(0, 3); times > 0; --times)
      job.evictions.at.push_back(SimTime::at_ns(between(1, 350)));
    std::sort(job.evictions.at.begin(), job.evictions.at.end());
    EvictionTerms& terms = job.evictions.terms;
    terms.requeue_delay = maybe(20);
    if (chance(30)) {
      terms.lost_work = ns(between(0, 60));
    } else if (chance(50)) {
      terms.save = maybe(12);
      if (chance(30)) terms.grace = ns(between(0, 12));
    }
  }

  RandomStream stream_;
};

TEST_CASE("every nanosecond of a job alone is charged as the rules say, whatever strikes it") {
  constexpr std::uint64_t kScripts = 20000;
  int wrong = 0;
  for (std::uint64_t number = 0; number < kScripts && wrong < 5; ++number) {
    CAPTURE(number);
    const Scenario scenario = Maker{number}.make();
    const TickedJob expected = play_by_ticks(scenario);
    const RunResult result = build::run(scenario);
    const LeafTotals& leaves = result.ledger.of(PoolId{0}, ClassId{0});
    bool same = true;
    for (const LeafInfo& leaf : leaf_table()) {
      const auto index = static_cast<std::size_t>(leaf.leaf);
      CAPTURE(leaf.name);
      same &= leaves[index] == Capacity::devices(1) * Duration::nanoseconds(expected.leaves[index]);
      CHECK(leaves[index] == Capacity::devices(1) * Duration::nanoseconds(expected.leaves[index]));
    }
    wrong += same ? 0 : 1;
    // The run ends when the window's fate is known, which may be before the job does.
    if (!result.jobs.front().state) continue;
    CHECK(result.jobs.front().end == SimTime::at_ns(expected.end));
    CHECK(result.jobs.front().requeue_wait == Duration::nanoseconds(expected.requeue_wait));
    CHECK(result.jobs.front().failures == expected.failures);
    CHECK(result.jobs.front().evictions == expected.evictions);
    CHECK(result.jobs.front().drains == expected.drains);
    // A save and a checkpoint that is durable in it count once or twice.
    if (expected.evictions == 0) CHECK(result.jobs.front().commits == expected.commits);
  }
}

}  // namespace
}  // namespace fleetsim
