#include "models/step/step.hpp"

#include <benchmark/benchmark.h>

#include "models/catalog/catalog.hpp"
#include "models/step/on_node.hpp"
#include "models/step/search.hpp"

// Layouts a second of the search, and of one step at a time. The search must not be beaten by any of its
// layouts taken alone, and must have looked at more than ten thousand.
namespace fleetsim {
namespace {

StepInput input_of(const char* model, const char* node_name, std::int64_t devices) {
  StepInput input = step_on(*node(node_name).entry);
  input.model = *transformer(model).entry;
  input.layout.devices = devices;
  input.layout.global_batch = devices * 4;
  return input;
}

void search(benchmark::State& state, const char* model, std::int64_t devices) {
  StepInput input = input_of(model, "dgx-h100", devices);
  const StepConstants& constants = step_constants();
  LayoutSearch found;
  for (auto _ : state) found = search_layouts(input, constants, 100);
  if (found.tried < 10'000 || found.best.empty()) return state.SkipWithError("too few layouts");
  for (const RankedLayout& each : found.best) {
    input.layout = each.layout;
    const Seconds alone = step_breakdown(input, constants).total();
    if (alone != each.step.total() || alone < found.best.front().step.total())
      return state.SkipWithError("a layout alone takes another time than in the search");
  }
  state.counters["layouts"] = static_cast<double>(found.tried);
  state.SetItemsProcessed(static_cast<std::int64_t>(found.tried) * state.iterations());
}
BENCHMARK_CAPTURE(search, llama2_70b_on_128, "llama2-70b", 128)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, llama3_405b_on_16384, "llama3-405b", 16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, deepseek_v3_on_2048, "deepseek-v3", 2048)->Unit(benchmark::kMillisecond);

void one_step(benchmark::State& state) {
  StepInput input = input_of("llama2-70b", "dgx-h100", 128);
  input.layout.tensor = 8;
  input.layout.pipeline = 2;
  StepBreakdown step;
  for (auto _ : state) benchmark::DoNotOptimize(step = step_breakdown(input, step_constants()));
  if (!(step.total() > step.ideal)) state.SkipWithError("faster than the ideal");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_step);

}  // namespace
}  // namespace fleetsim

BENCHMARK_MAIN();
