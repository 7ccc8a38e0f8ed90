#include <benchmark/benchmark.h>

#include "sim/engine/simulate.hpp"

// A year of a large fleet: a million jobs of mixed sizes in priorities, node failures with repairs,
// checkpoints, and EASY backfill on limits that are twice the true lengths.
namespace fleetsim {
namespace {

constexpr double kYear = 365.0 * 24 * 3600;

Scenario year(std::uint32_t nodes, std::int64_t jobs, double load) {
  Scenario scenario;
  PoolSpec pool;
  pool.name = "fleet";
  pool.device_type = "any";
  pool.nodes = nodes;
  pool.devices_per_node = 8;
  pool.racks.assign(nodes, 0);
  FaultRow row;
  row.name = "node";
  row.hits = row.takes_out = FaultScope::node;
  row.lifetime = Distribution{Distribution::Exponential{2.0 * kYear}};
  row.repair = Distribution{Distribution::Exponential{4 * 3600.0}};
  pool.faults.push_back(row);
  scenario.pools.push_back(pool);
  // Sizes in devices, mean about 21, so that jobs of the mean length fill the fleet to `load`.
  const std::vector<std::uint32_t> sizes{1, 4, 8, 16, 64, 512};
  const std::vector<double> weights{0.3, 0.2, 0.25, 0.15, 0.08, 0.02};
  double mean = 0.0;
  for (std::size_t index = 0; index < sizes.size(); ++index) mean += sizes[index] * weights[index];
  const double length = load * nodes * 8 * kYear / (static_cast<double>(jobs) * mean);
  for (std::int64_t priority = 0; priority < 3; ++priority) {
    JobClass job;
    job.name = "priority" + std::to_string(priority);
    job.pools = {0};
    job.arrivals.gap = Distribution{Distribution::Exponential{3 * kYear / static_cast<double>(jobs)}};
    job.gang.sizes = sizes;
    job.gang.weights = weights;
    job.duration = Distribution{Distribution::Exponential{length}};
    job.priority = priority;
    job.checkpoint.mode = CheckpointMode::synchronous;
    job.checkpoint.interval = Duration::nanoseconds(3'600'000'000'000);
    job.checkpoint.pause = Duration::nanoseconds(10'000'000'000);
    job.recovery.relaunch.launch = Duration::nanoseconds(300'000'000'000);
    scenario.classes.push_back(job);
  }
  scenario.scheduler.order = "priority";
  scenario.scheduler.backfill = Backfill::easy;
  scenario.scheduler.estimate_factor = 2.0;
  scenario.window.length = round_to_duration(Seconds{kYear});
  return scenario;
}

void year_of(benchmark::State& state) {
  const Scenario scenario = year(static_cast<std::uint32_t>(state.range(0)), state.range(1),
                                 static_cast<double>(state.range(2)) / 100.0);
  std::int64_t completed = 0;
  for (auto _ : state) {
    const RunResult result = simulate(scenario, RunOptions{});
    completed = 0;
    for (const ClassOutcome& each : result.classes) completed += each.completed;
    // What is offered is used: what completed is what arrived, but for what is under way at the end.
    if (static_cast<double>(completed) < 0.97 * static_cast<double>(state.range(1)))
      state.SkipWithError("too few jobs completed");
    state.counters["S"] =
        ratio(factors(result.ledger.total()).held, factors(result.ledger.total()).in_service);
  }
  state.SetItemsProcessed(state.iterations() * completed);
}
BENCHMARK(year_of)
    ->Args({1'000, 100'000, 85})
    ->Args({12'500, 1'000'000, 85})
    ->Args({125'000, 10'000'000, 85})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace fleetsim

BENCHMARK_MAIN();
