#include "models/step/step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <random>

#include "models/catalog/catalog.hpp"
#include "models/step/evidence.hpp"
#include "models/step/exchange.hpp"
#include "models/step/kernels.hpp"
#include "models/step/on_node.hpp"
#include "models/step/search.hpp"

using namespace fleetsim;

namespace {

StepInput input_of(std::string_view model, std::string_view node_name, std::int64_t devices) {
  StepInput input = step_on(*node(node_name).entry);
  input.model = *transformer(model).entry;
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
  constants.last_stage = 0;  // the head spread evenly
  const IdealLink instant{ByteRate{1e30}, Seconds{}};
  input.links = std::make_shared<const Network>(ideal_network(8, instant, instant));
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

TEST_CASE("a layer keeps what its backward pass reads, byte by byte") {
  StepInput input = input_of("llama3-8b", "dgx-h100", 8);
  const auto kept = [&](std::int64_t micro_batch, Number number, Recompute recompute) {
    input.number = number;
    input.layout.recompute = recompute;
    input.layout.micro_batch = micro_batch;
    return predict(input).memory;
  };
  // By hand, of one token and layer: inputs of two norms (BF16), their outputs, queries, keys and values,
  // attention's output, both halves before the activation, and what comes out of it.
  const double h = 4096, kv = 1024, f = 14336, tokens = 8192, layers = 32, vocab = 128256;
  const double bf16 = 4 * h + 4 * h + (2 * h + 4 * kv) + 2 * h + 4 * f + 2 * f;
  const double logits = 4 * vocab;  // with their gradient
  const auto one = [&](Number number, Recompute recompute) {
    return (kept(2, number, recompute) - kept(1, number, recompute)).si;
  };
  CHECK(one(Number::kBf16, Recompute::kNone) == doctest::Approx(tokens * (layers * bf16 + logits)));
  // Inputs of products in one byte, attention's output in both.
  const double fp8 = 4 * h + 2 * h + (2 * h + 4 * kv) + (2 + 1) * h + 4 * f + f;
  CHECK(one(Number::kFp8, Recompute::kNone) == doctest::Approx(tokens * (layers * fp8 + logits)));
  // Norms and activations are made again.
  const double cheap = 4 * h + (2 * h + 4 * kv) + 2 * h + 4 * f;
  CHECK(one(Number::kBf16, Recompute::kSelective) == doctest::Approx(tokens * (layers * cheap + logits)));
}

TEST_CASE("room that experts do not fill is padding, and what finds no room is not done") {
  StepInput input = input_of("qwen3-30b-a3b", "dgx-h100", 8);
  input.layout.expert = 8;
  input.layout.micro_batch = 4;
  const auto with = [&](double capacity) {
    input.layout.capacity = capacity;
    return predict(input);
  };
  // 16,384 tokens of a rank choose 8 of 128 experts, 16 of them here: 8,192 rows each, and half a tile.
  const double tokens = 4.0 * static_cast<double>(input.model.sequence), rows = tokens * 8 / 16;
  const StepBreakdown all = with(0), exact = with(1), roomy = with(1.25), tight = with(0.75);
  CHECK(exact.total().si == doctest::Approx(all.total().si));
  CHECK(all.padding > Seconds{});  // half tiles
  const double none = 64 / (rows + 64), quarter = 1 - rows / (1.25 * rows + 64);
  CHECK(roomy.padding / exact.padding == doctest::Approx(quarter / none * 1.25).epsilon(0.05));
  CHECK(roomy.model_flops == all.model_flops);
  CHECK(roomy.total() > all.total());
  CHECK(tight.total() < all.total());
  // Six operations for each weight of a quarter of the chosen experts.
  const double weights = 8 * 3.0 * static_cast<double>(input.model.hidden * input.model.ffn);
  const double dropped = 6 * weights * 0.25 * static_cast<double>(input.model.layers);
  const double step_tokens = 32.0 * static_cast<double>(input.model.sequence);
  CHECK((all.model_flops - tight.model_flops).si == doctest::Approx(dropped * step_tokens));
}

TEST_CASE("the fullest expert keeps the others waiting") {
  StepInput input = input_of("qwen3-30b-a3b", "dgx-h100", 8);
  input.layout.expert = 8;
  const StepBreakdown even = predict(input);
  input.layout.imbalance = 1.5;
  const StepBreakdown uneven = predict(input);
  CHECK(uneven.straggler > even.straggler);
  CHECK(uneven.total() > even.total());
  CHECK(uneven.model_flops == even.model_flops);
}

TEST_CASE("stages by hand: the fullest sets the pace, and each waits once for all others") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 64);
  input.layout.tensor = 8;
  input.layout.pipeline = 4;
  input.layout.global_batch = 32;  // 16 microbatches a rank
  StepConstants constants = step_constants();
  constants.optimizer = 0;  // leaves what runs once a microbatch
  constants.data_exposed = 0;
  constants.gemm_overhead_us = 0;
  const auto bubble = [&](std::vector<std::int64_t> stages) {
    input.layout.stages = std::move(stages);
    REQUIRE(layout_problems(input.layout, input.model).empty());
    const StepBreakdown step = step_breakdown(input, constants);
    const Seconds busy = step.total() - step.pipeline_bubble - step.straggler - step.unattributed;
    return step.pipeline_bubble / busy;
  };
  // The second stage has half of the layers, twice the mean: of 16 microbatches it takes 16 means more, and
  // all others together take one of its own, but for what the head takes, about a layer's time.
  CHECK(bubble({13, 40, 13, 14}) == doctest::Approx((16 + 2) / 16.0).epsilon(0.04));
  // The last has the head as well: 16 times what that is over the mean.
  CHECK(bubble({20, 20, 20, 20}) > 3.0 / 16);
  CHECK(bubble({20, 20, 20, 20}) < 4.0 / 16);
  const auto total = [&](std::vector<std::int64_t> stages) {
    input.layout.stages = std::move(stages);
    return step_breakdown(input, constants).total();
  };
  CHECK(total({21, 20, 20, 19}) < total({19, 20, 20, 21}));  // fewer layers beside the head
  input.layout.stages = {40, 40};
  CHECK(mentions(layout_problems(input.layout, input.model), "2 stages of 80 layers"));
  input.layout.stages = {20, 20, 20, 21};
  CHECK(mentions(layout_problems(input.layout, input.model), "not 4 of 80"));
}

TEST_CASE("products measured on a device come before any curve") {
  StepInput input = input_of("llama3-8b", "dgx-h100", 8);
  MeasuredProducts own;
  // Twice as slow as the curve would have it, at one shape; else 500 TFLOP/s and nothing more.
  const GemmCurve curve{.rate = FlopRate{500e12}, .bandwidth = ByteRate{1e18}, .each = Seconds{}};
  own.bf16 = MeasuredFormat{curve, GemmSurface({{{.m = 8192, .n = 4096, .k = 4096}, Seconds{1e-3}}})};
  input.device.products = std::make_shared<const MeasuredProducts>(own);
  const Kernels kernels(input.device, input.software, Number::kBf16, step_constants());
  CHECK(kernels.gemm({8192, 4096, 4096, 1}).si == doctest::Approx(1e-3));
  CHECK(kernels.gemm({8192, 8192, 4096, 1}).si == doctest::Approx(2.0 * 8192 * 8192 * 4096 / 500e12));
  CHECK(kernels.gemm({8192, 4096, 4096, 2}).si == doctest::Approx(4.0 * 8192 * 4096 * 4096 / 500e12));
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

TEST_CASE("the host bounds a small dense model that no graph replays, and no large one") {
  StepInput input = input_of("mpt-125m", "dgx-h100", 8);
  input.model.sequence = 512;
  const Seconds replayed = predict(input).total();
  CHECK(predict(input).dispatch == Seconds{});
  input.software.graphs = false;
  // Twelve layers of 32 kernels at 20 us, four microbatches.
  const StepBreakdown launched = predict(input);
  CHECK(launched.total().si > 4 * 12 * 32 * 20e-6);
  CHECK(launched.total() > 1.5 * replayed);
  input.software.whole_graph = true;
  CHECK(predict(input).total() == replayed);
  StepInput large = input_of("llama2-70b", "dgx-h100", 64);
  large.layout.tensor = 8;
  large.software.graphs = false;
  const StepBreakdown step = predict(large);
  CHECK(step.dispatch < 0.001 * step.total());
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

TEST_CASE("what the fullest stage takes beyond the mean is the others' wait, and changes no other part") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 64);
  input.layout.tensor = 8;
  input.layout.pipeline = 4;
  input.layout.stages = {20, 20, 20, 20};
  const StepBreakdown even = predict(input);
  input.layout.stages = {1, 39, 20, 20};
  const StepBreakdown uneven = predict(input);
  CHECK(uneven.gemm_below_peak.si == doctest::Approx(even.gemm_below_peak.si).epsilon(1e-12));
  CHECK(uneven.tensor_comm.si == doctest::Approx(even.tensor_comm.si).epsilon(1e-12));
  CHECK(uneven.pipeline_bubble > 5 * even.pipeline_bubble);
  CHECK(uneven.total() > 1.5 * even.total());
}

TEST_CASE("schedules without microbatches for them, and shares that do not come out even, are no layouts") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 64);
  Layout& l = input.layout;
  const auto problems = [&] { return layout_problems(l, input.model); };
  l.tensor = 2;
  l.pipeline = 8;
  l.interleave = 10;
  l.global_batch = 32;  // four data ranks of eight microbatches
  CHECK(problems().empty());
  CHECK(layout_warnings(l).empty());
  l.global_batch = 16;
  CHECK(mentions(problems(), "needs as many microbatches as the 8 stages; there are 4"));
  l.interleave = 1;  // runs, mostly waiting
  CHECK(problems().empty());
  REQUIRE(layout_warnings(l).size() == 1);
  CHECK(mentions(layout_warnings(l), "4 microbatches do not fill 8 pipeline stages"));
  l.global_batch = 32;
  l.interleave = 7;  // 56 chunks of 80 layers
  CHECK(mentions(problems(), "does not divide the 80 layers"));
  l.uneven = true;
  CHECK(problems().empty());
  l.interleave = 1;
  l.shard_group = 3;
  CHECK(mentions(problems(), "shard group 3 does not divide"));
  l.shard_group = 0;
  input.model.sequence = 4095;
  CHECK(mentions(problems(), "tensor parallelism 2 does not divide the sequence"));
  l.sequence_parallel = false;
  CHECK(problems().empty());
}

TEST_CASE("the search finds chunks that are no power of two") {
  StepInput input = input_of("llama2-70b", "dgx-h100", 128);
  const Seconds found = search_layouts(input, step_constants(), 1).best.at(0).step.total();
  input.layout.tensor = 2;
  input.layout.pipeline = 8;
  input.layout.interleave = 10;
  REQUIRE(predict(input).memory <= input.device.memory);
  CHECK(found <= predict(input).total());
}

TEST_CASE("no layout stated by itself is faster than the search's first, and fits") {
  struct Job {
    std::string_view model, node;
    std::int64_t devices;
  };
  std::minstd_rand draws(7);  // its sequence is the same everywhere
  for (const Job& job : {Job{"llama2-70b", "dgx-h100", 128}, Job{"llama3-8b", "dgx-a100", 24},
                         Job{"qwen3-30b-a3b", "dgx-h200", 32}, Job{"mpt-7b", "dgx-h100", 8}}) {
    StepInput input = input_of(job.model, job.node, job.devices);
    const LayoutSearch found = search_layouts(input, step_constants(), 1);
    REQUIRE(found.best.size() == 1);
    const auto one_of = [&](std::initializer_list<std::int64_t> values) {
      return *(values.begin() + static_cast<std::ptrdiff_t>(draws() % values.size()));
    };
    int tried = 0;
    for (int i = 0; i < 20'000; ++i) {
      Layout& l = input.layout;
      l.tensor = one_of({1, 2, 4, 8});
      l.pipeline = one_of({1, 1, 2, 3, 4, 8, 16});
      l.interleave = l.pipeline > 1 ? one_of({1, 2, 3, 4, 5, 8, 10, 20}) : 1;
      l.context = one_of({1, 1, 1, 2, 3, 4});
      l.expert = input.model.experts > 1 ? one_of({1, 2, 4, 8, 16, 32}) : 1;
      l.micro_batch = one_of({1, 2, 3, 4, 6, 8, 12});
      l.sharding = static_cast<Sharding>(draws() % 4);
      l.recompute = static_cast<Recompute>(draws() % 3);
      if (!layout_problems(l, input.model).empty()) continue;
      const StepBreakdown step = predict(input);
      if (step.memory > input.device.memory) continue;
      ++tried;
      CHECK(step.total() >= found.best.front().step.total());
    }
    CAPTURE(std::string(job.model));
    CHECK(tried > 100);
  }
}

TEST_CASE("how well a step's exchange and rates are known is said") {
  StepInput input = input_of("llama3-8b", "dgx-h100", 8192);
  input.layout.tensor = 8;
  const std::vector<ExchangeEvidence> all = exchange_evidence(input);
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == "tensor");
  CHECK(all[1].kind == "data");
  CHECK(all[1].ranks == 1024);
  input.layout.devices = 1;
  input.layout.tensor = 1;
  CHECK(exchange_evidence(input).empty());
  const auto origin = [](std::string_view device, std::size_t i) {
    return rate_evidence(*accelerator(device).entry, Number::kBf16, AttentionKernel::kCudnn)[i].scaled_from;
  };
  CHECK(origin("h100-sxm", 0).empty());
  CHECK(origin("h200-sxm", 2) == "h100-sxm");
}

TEST_CASE("a tensor group that does not divide an NVLink domain pays for the network between two") {
  StepInput input = input_of("gpt3-175b", "dgx-h100", 96);
  input.layout = {.devices = 96, .tensor = 6, .pipeline = 4, .global_batch = 384};
  CHECK(near_tensor(input) == 2);  // ranks 6 to 11: two on one node, four on the next
  const Seconds straddles = step_breakdown(input, step_constants()).tensor_comm;
  input.layout.tensor = 8;
  CHECK(near_tensor(input) == 8);
  CHECK(straddles > 2 * step_breakdown(input, step_constants()).tensor_comm);
  input.layout.tensor = 16;
  CHECK(near_tensor(input) == 8);
  input.layout = {.devices = 6, .tensor = 6, .global_batch = 8};
  CHECK(near_tensor(input) == 6);  // all on one node
  StepInput rack = input_of("gpt3-175b", "gb200-nvl72", 256);
  rack.layout = {.devices = 256, .tensor = 16, .global_batch = 256};
  CHECK(near_tensor(rack) == 16);  // 64 of 72 are used
}
