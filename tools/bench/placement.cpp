#include "sim/scheduler/placement.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "sim/core/random_stream.hpp"

// One gang of a million devices' fleet: found, taken and given back, with all of it in one domain of a level.
// Nodes of 8, 16 a rack, 512 a pod, 8,192 a spine; nine in ten are taken, at random.
namespace fleetsim {
namespace {

constexpr std::uint32_t kNodes = 125'000, kPerNode = 8;

Pool crowded() {
  std::vector<std::uint32_t> racks, pods, spines;
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    racks.push_back(node / 16);
    pods.push_back(node / 512);
    spines.push_back(node / 8192);
  }
  Pool pool{Pool::Shape{.nodes = kNodes,
                        .devices_per_node = kPerNode,
                        .spares = 0,
                        .racks = racks,
                        .holders = Pool::Shape::Holders::unknown,
                        .pods = pods,
                        .spines = spines}};
  RandomStream draws{StreamKey{1, 0, Purpose::kPlacement, 0}};
  for (std::uint32_t node = 0; node < kNodes; ++node)
    if (draws() % 10 != 0) pool.take(Part{.node = node, .devices = all_devices(kPerNode)}, JobId{0});
  return pool;
}

/// @param policy  of the table
void place_in(benchmark::State& state, const char* policy) {
  const auto level = static_cast<TopologyLevel>(state.range(0));
  const GangShape gang{.nodes = static_cast<std::uint32_t>(state.range(1)), .per_node = kPerNode};
  Pool pool = crowded();
  pool.expect(gang, level);
  const PlacementPolicy& row = *find_placement(policy);
  Placement parts;
  for (auto _ : state) {
    parts.clear();
    if (!place(pool, gang, level, row, parts)) return state.SkipWithError("no place found");
    pool.take(parts, JobId{1});
    pool.give_back(parts, JobId{1}, DeviceState::free);
  }
  const Domains* const domains = pool.domains(level);
  const bool together = domains == nullptr || std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
                          return domains->of(part.node) == domains->of(parts.front().node);
                        });
  if (!together || parts.size() != gang.nodes) state.SkipWithError("not all in one domain");
}

void levels(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({static_cast<int>(TopologyLevel::rack), 6})
      ->Args({static_cast<int>(TopologyLevel::pod), 32})
      ->Args({static_cast<int>(TopologyLevel::spine), 512})
      ->Args({static_cast<int>(TopologyLevel::pool), 32});
}
BENCHMARK_CAPTURE(place_in, first_fit, "first-fit")->Apply(levels);
BENCHMARK_CAPTURE(place_in, best_fit, "best-fit")->Apply(levels);
BENCHMARK_CAPTURE(place_in, compact, "compact")->Apply(levels);

}  // namespace
}  // namespace fleetsim

BENCHMARK_MAIN();
