#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "sim/core/random_stream.hpp"
#include "sim/engine/simulate.hpp"

// Gangs of whole nodes under Poisson arrivals, through the whole engine and with the full ledger: strict
// first come, first served, and EASY and conservative backfill. Sizes 1, 2, 4, 8, 16 nodes at 50, 20, 15, 10,
// 5 %, exponential service. Beside the strict queue stands a loop that knows nothing else: the same draws, a
// count of free nodes, a heap of ends.
namespace fleetsim {
namespace {

constexpr double kMeanNodes = 0.5 * 1 + 0.2 * 2 + 0.15 * 4 + 0.1 * 8 + 0.05 * 16;
constexpr double kMeanSquare = 0.5 * 1 + 0.2 * 4 + 0.15 * 16 + 0.1 * 64 + 0.05 * 256;
constexpr double kServiceSeconds = 3600.0;

Scenario gangs(std::uint32_t nodes, double load, std::int64_t jobs) {
  Scenario scenario;
  PoolSpec pool;
  pool.name = "pool";
  pool.device_type = "any";
  pool.nodes = nodes;
  pool.devices_per_node = 8;
  pool.racks.assign(nodes, 0);
  scenario.pools.push_back(pool);
  JobClass job;
  job.name = "gang";
  job.pools = {0};
  job.arrivals.gap = Distribution{Distribution::Exponential{kServiceSeconds * kMeanNodes / (nodes * load)}};
  job.arrivals.count = jobs;
  job.gang.sizes = {8, 16, 32, 64, 128};
  job.gang.weights = {0.5, 0.2, 0.15, 0.1, 0.05};
  job.duration = Distribution{Distribution::Exponential{kServiceSeconds}};
  scenario.classes.push_back(job);
  return scenario;
}

/// The same jobs in a bare loop; the device-time they hold, and when the last one ends.
struct BareResult {
  DeviceTime held;
  SimTime makespan;
};
BareResult bare_loop(const Scenario& scenario) {
  struct Waiting {
    std::uint32_t nodes;
    Duration duration;
  };
  struct Running {
    SimTime end;
    std::uint32_t nodes;
    bool operator>(const Running& other) const { return end > other.end; }
  };
  const JobClass& job = scenario.classes.front();
  const auto stream = [&](Purpose purpose) {
    return RandomStream{StreamKey{scenario.runs.seed, 0, purpose, 0}};
  };
  RandomStream gaps = stream(Purpose::kArrival), sizes = stream(Purpose::kGang),
               durations = stream(Purpose::kDuration);
  std::deque<Waiting> queue;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::uint32_t free = scenario.pools.front().nodes;
  BareResult result{};
  SimTime arrival = SimTime::zero() + job.arrivals.gap->sample_duration(gaps);
  for (std::int64_t arrived = 0; arrived < *job.arrivals.count || !running.empty();) {
    SimTime now = arrival;
    if (!running.empty() && (running.top().end <= arrival || arrived == *job.arrivals.count)) {
      now = running.top().end;
      free += running.top().nodes;
      running.pop();
    } else {
      double left = static_cast<double>(sizes() >> 11) * 0x1p-53;
      std::size_t pick = 0;
      while (pick + 1 < job.gang.weights.size() && left >= job.gang.weights[pick])
        left -= job.gang.weights[pick++];
      queue.push_back({job.gang.sizes[pick] / 8, job.duration->sample_duration(durations)});
      if (++arrived < *job.arrivals.count) arrival += job.arrivals.gap->sample_duration(gaps);
    }
    for (; !queue.empty() && queue.front().nodes <= free; queue.pop_front()) {
      const auto [nodes, duration] = queue.front();
      free -= nodes;
      running.push({now + duration, nodes});
      result.held += Capacity::devices(std::int64_t{nodes} * 8) * duration;
      result.makespan = std::max(result.makespan, now + duration);
    }
  }
  return result;
}

void bare_strict_fcfs(benchmark::State& state) {
  const Scenario scenario = gangs(static_cast<std::uint32_t>(state.range(0)),
                                  static_cast<double>(state.range(1)) / 100.0, state.range(2));
  for (auto _ : state) benchmark::DoNotOptimize(bare_loop(scenario).held);
  state.SetItemsProcessed(state.iterations() * state.range(2));
}

void run(benchmark::State& state, Backfill backfill) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const double load = static_cast<double>(state.range(1)) / 100.0;
  const std::int64_t jobs = state.range(2);
  Scenario scenario = gangs(nodes, load, jobs);
  scenario.scheduler.backfill = backfill;
  double held = 0.0;
  for (auto _ : state) {
    const RunResult result = simulate(scenario, RunOptions{});
    held = factors(result.ledger.total()).held.to_double();
    if (result.classes[0].completed != jobs) state.SkipWithError("not every job completed");
    if (backfill == Backfill::none) {
      state.PauseTiming();
      const BareResult bare = bare_loop(scenario);
      if (factors(result.ledger.total()).held != bare.held || result.makespan != bare.makespan)
        state.SkipWithError("the bare loop ends elsewhere");
      state.ResumeTiming();
    }
  }
  // What was held is what was asked for: a sum of independent draws with a known mean and variance (size 3.1
  // nodes, mean square 22.9; exponential service), within four standard deviations.
  const double mean = 8e3 * kMeanNodes * kServiceSeconds * 1e9;
  const double relative_sd =
      std::sqrt((2 * kMeanSquare / (kMeanNodes * kMeanNodes) - 1) / static_cast<double>(jobs));
  if (std::abs(held / (static_cast<double>(jobs) * mean) - 1) > 4 * relative_sd)
    state.SkipWithError("the device-time held is not what the jobs asked for");
  state.SetItemsProcessed(state.iterations() * jobs);
}
void strict_fcfs_gangs(benchmark::State& state) { run(state, Backfill::none); }
void easy_gangs(benchmark::State& state) { run(state, Backfill::easy); }
void conservative_gangs(benchmark::State& state) { run(state, Backfill::conservative); }
BENCHMARK(strict_fcfs_gangs)
    ->Args({16, 60, 1'000'000})
    ->Args({1'000, 85, 1'000'000})
    ->Args({10'000, 97, 1'000'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bare_strict_fcfs)
    ->Args({16, 60, 1'000'000})
    ->Args({1'000, 85, 1'000'000})
    ->Args({10'000, 97, 1'000'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(easy_gangs)
    ->Args({512, 80, 50'000})
    ->Args({512, 90, 50'000})
    ->Args({512, 97, 50'000})
    ->Args({10'000, 97, 1'000'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(conservative_gangs)
    ->Args({512, 80, 50'000})
    ->Args({512, 90, 50'000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fleetsim

BENCHMARK_MAIN();
