#include <benchmark/benchmark.h>

#include <cmath>

#include "sim/engine/simulate.hpp"

// Jobs that fail, through the whole engine: between two failures everything is computed, so that a run costs by its
// failures and not by its steps, checkpoints or devices.
namespace fleetsim {
namespace {

Scenario one_job(std::uint32_t nodes, std::uint32_t spares, double mttf_hours, double window_hours) {
  Scenario scenario;
  PoolSpec pool;
  pool.name = "pool";
  pool.device_type = "any";
  pool.nodes = nodes + spares;
  pool.devices_per_node = 8;
  pool.spares = spares;
  pool.racks.assign(pool.nodes, 0);
  FaultRow row;
  row.name = "node";
  row.hits = FaultScope::node;
  row.takes_out = FaultScope::node;
  row.lifetime = Distribution{Distribution::Exponential{mttf_hours * 3600 * nodes}};
  row.repair = Distribution{Distribution::Lognormal{4 * 3600.0, 1.0}};
  pool.faults.push_back(row);
  scenario.pools.push_back(pool);
  JobClass job;
  job.name = "job";
  job.pools = {0};
  job.gang.sizes = {nodes * 8};
  job.gang.weights = {1.0};
  job.step.time = Duration::nanoseconds(15'200'000'000);
  job.step.continuous = false;
  job.checkpoint.mode = CheckpointMode::synchronous;
  job.checkpoint.interval = Duration::nanoseconds(250'000'000'000);
  job.checkpoint.pause = Duration::nanoseconds(2'835'000'000);
  job.recovery.detect = Duration::nanoseconds(60'000'000'000);
  job.recovery.relaunch.launch = Duration::nanoseconds(300'000'000'000);
  scenario.classes.push_back(job);
  scenario.window.length = round_to_duration(Seconds{window_hours * 3600});
  return scenario;
}

/// The gang's interruptions are Poisson: the count lies within five standard deviations of its mean.
void run(benchmark::State& state, const Scenario& scenario, double expected) {
  std::int64_t interruptions = 0;
  std::uint32_t replication = 0;
  for (auto _ : state) {
    RunOptions options;
    options.replication = replication++;
    const RunResult result = simulate(scenario, options);
    interruptions = result.faults[0][0].interruptions;
    if (std::abs(static_cast<double>(interruptions) - expected) > 5 * std::sqrt(expected))
      state.SkipWithError("the number of failures is not what the rate gives");
  }
  state.counters["failures"] = static_cast<double>(interruptions);
}

/// 16,384 devices, 54 days, an interruption every 3.1 hours.
void llama3(benchmark::State& state) { run(state, one_job(2048, 64, 54.0 * 24 / 419, 54.0 * 24), 419); }
BENCHMARK(llama3)->Unit(benchmark::kMillisecond);

/// One job of 4,096 nodes with 200 spares, about 11,175 failures in 256 days.
void many_failures(benchmark::State& state) {
  run(state, one_job(4096, 200, 256.0 * 24 / 11'175, 256.0 * 24), 11'175);
}
BENCHMARK(many_failures)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fleetsim

BENCHMARK_MAIN();
