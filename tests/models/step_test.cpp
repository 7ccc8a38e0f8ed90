#include "models/step/step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "models/catalog/catalog.hpp"
#include "models/catalog/network.hpp"
#include "models/step/search.hpp"

using namespace fleetsim;

namespace {

StepInput input_of(std::string_view model, std::string_view node_name, std::int64_t devices) {
  StepInput input;
  input.model = *transformer(model).entry;
  const Node node = *fleetsim::node(node_name).entry;
  input.device = step_device(*accelerator(node.accelerator).entry);
  input.links = std::make_shared<const Network>(*network(node_name, node.fabric).entry);
  input.layout.devices = devices;
  input.layout.global_batch = devices * 4;
  return input;
}

StepBreakdown predict(const StepInput& input) { return step_breakdown(input, step_constants()); }

bool mentions(const std::vector<std::string>& problems, std::string_view text) {
  return std::any_of(problems.begin(), problems.end(),
                     [&](const std::string& problem) { return problem.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("parts of a step are never negative and are its time") {
  for (const std::string_view model : {"llama3-8b", "mpt-1b", "qwen3-30b-a3b", "deepseek-v3"}) {
    StepInput input = input_of(model, "dgx-h100", 256);
    input.layout.tensor = 2;
    input.layout.pipeline = 4;
    if (input.model.experts > 1) input.layout.expert = 8;
    REQUIRE(layout_problems(input.layout, input.model).empty());
    const StepBreakdown step = predict(input);
    CAPTURE(std::string(model));
    Seconds sum;
    for (const StepPart& part : step_parts()) {
      CAPTURE(std::string(part.name));
      CHECK(step.*part.time >= Seconds{});
      sum += step.*part.time;
    }
    CHECK(sum.si == step.total().si);
  }
}

TEST_CASE("the ideal is the model's arithmetic at peak, whatever the layout") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 128);
  input.layout.tensor = 8;
  input.layout.pipeline = 2;
  // By hand, per token: six times the weights of matrices, and half of 12 x 80 layers x 8192 x 4096 for
  // attention.
  const double layer = 2.0 * 8192 * 8192 + 2.0 * 8192 * 1024 + 3.0 * 8192 * 28672;
  const double token = 6 * (80 * layer + 32000.0 * 8192) + 6.0 * 80 * 8192 * 4096;
  const double seconds = token * 512 * 4096 / (128 * 989e12);
  CHECK(predict(input).ideal.si == doctest::Approx(seconds).epsilon(1e-12));
  input.layout.recompute = Recompute::kFull;
  input.layout.tensor = 4;
  CHECK(predict(input).ideal.si == doctest::Approx(seconds).epsilon(1e-12));
}

TEST_CASE("the bubble is what the stages before and behind wait: p - 1 microbatches over v chunks") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 64);
  input.layout.tensor = 8;
  input.layout.pipeline = 4;
  StepConstants constants = step_constants();
  constants.optimizer = 0;  // leaves what runs once a microbatch
  constants.data_exposed = 0;
  const auto share = [&](std::int64_t interleave, std::int64_t batch) {
    input.layout.interleave = interleave;
    input.layout.global_batch = batch;
    const StepBreakdown step = step_breakdown(input, constants);
    const Seconds rest = step.total() - step.pipeline_bubble - step.straggler - step.unattributed;
    return step.pipeline_bubble / rest;
  };
  CHECK(share(1, 32) == doctest::Approx(3.0 / 16));  // two data ranks: 16 microbatches each
  CHECK(share(1, 64) == doctest::Approx(3.0 / 32));
  CHECK(share(5, 32) == doctest::Approx(3.0 / 5 / 16));
}

TEST_CASE("recomputing whole layers costs their forward pass once more") {
  StepInput input = input_of("llama3-8b", "dgx-h100", 8);
  input.layout.sharding = Sharding::kFull;
  const StepBreakdown plain = predict(input);
  input.layout.recompute = Recompute::kFull;
  const StepBreakdown again = predict(input);
  CHECK(again.recompute > 0.2 * plain.total());
  CHECK(again.recompute < 0.4 * plain.total());
  CHECK(again.memory < plain.memory);
  // The head is not recomputed: 6 N of matrices in layers grow to 8 N.
  CHECK(hardware_flops_utilization(again) / model_flops_utilization(again) ==
        doctest::Approx(4.0 / 3).epsilon(0.03));
  CHECK(hardware_flops_utilization(plain) == model_flops_utilization(plain));
}

TEST_CASE("state of a dense model takes sixteen bytes a parameter, shared out as the sharding says") {
  StepInput input = input_of("llama3-8b", "dgx-h100", 8);
  input.layout.sharding = Sharding::kNone;
  const double parameters =
      32 * (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336) + 128256.0 * 4096;
  const auto memory = [&](Sharding sharding) {
    input.layout.sharding = sharding;
    return predict(input).memory;
  };
  const Bytes whole = memory(Sharding::kNone);
  CHECK((whole - memory(Sharding::kOptimizer)).si == doctest::Approx(parameters * 12 * 7 / 8));
  CHECK((whole - memory(Sharding::kGradients)).si == doctest::Approx(parameters * 14 * 7 / 8));
  CHECK((whole - memory(Sharding::kFull)).si == doctest::Approx(parameters * 16 * 7 / 8));
}

TEST_CASE("a slower network, less overlap, older software or unfused kernels never shorten a step") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 256);
  input.layout.tensor = 8;
  const Seconds base = predict(input).total();
  StepInput worse = input;
  worse.slow_links = {2, 2};
  CHECK(predict(worse).total() > base);
  worse = input;
  worse.software.release = 2023;
  CHECK(predict(worse).total() > base);
  worse = input;
  worse.software.fused = false;
  CHECK(predict(worse).total() > base);
  worse = input;
  worse.software.overlap = false;
  CHECK(predict(worse).total() > base);
}

TEST_CASE("more GPUs at one batch a GPU lower the MFU of Llama 3 405B, for the exchange and the bubble") {
  StepInput input = input_of("llama3-405b", "dgx-h100", 8192);
  input.layout.tensor = 8;
  input.layout.pipeline = 16;
  input.layout.global_batch = 2048;
  const StepBreakdown half = predict(input);
  input.layout.devices = 16384;
  const StepBreakdown full = predict(input);
  CHECK(model_flops_utilization(full) < model_flops_utilization(half));
  CHECK(full.pipeline_bubble / full.total() > half.pipeline_bubble / half.total());
}

TEST_CASE("degrees that do not divide are named") {
  StepInput input = input_of("llama3-8b", "dgx-h100", 24);
  input.layout.tensor = 5;
  CHECK(mentions(layout_problems(input.layout, input.model), "does not divide the number of devices 24"));
  input.layout.tensor = 3;
  CHECK(mentions(layout_problems(input.layout, input.model),
                 "tensor parallelism 3 does not divide the number of heads 32"));
  input.layout.tensor = 1;
  input.layout.global_batch = 100;
  CHECK(mentions(layout_problems(input.layout, input.model), "does not divide the global batch 100"));
  input.layout.global_batch = 96;
  input.layout.interleave = 2;
  CHECK(mentions(layout_problems(input.layout, input.model), "interleave needs pipeline"));
  input.layout.interleave = 0;
  CHECK(mentions(layout_problems(input.layout, input.model), "at least 1"));
}

TEST_CASE("a search finds layouts that fit, the fastest first, and none where none fits") {
  const StepInput input = input_of("llama2-70b", "dgx-h100", 64);
  const LayoutSearch search = search_layouts(input, step_constants(), 20);
  REQUIRE(search.best.size() == 20);
  CHECK(search.tried > search.fitting);
  for (std::size_t i = 0; i < search.best.size(); ++i) {
    const RankedLayout& each = search.best[i];
    CHECK(layout_problems(each.layout, input.model).empty());
    CHECK(each.step.memory <= input.device.memory);
    if (i > 0) CHECK(each.step.total() >= search.best[i - 1].step.total());
  }
  CHECK(search_layouts(input_of("llama3-405b", "dgx-h100", 8), step_constants(), 1).best.empty());
}
