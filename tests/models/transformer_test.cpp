#include "models/transformer/transformer.hpp"

#include <doctest/doctest.h>

#include "models/goodput/factors.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

/// Llama 3 8B's shape with a vocabulary of 32,000: issues NVIDIA/Megatron-LM#682, #831 and others disagree on
/// it.
constexpr Transformer small_model() {
  return {.layers = 32,
          .hidden = 4096,
          .heads = 32,
          .kv_heads = 8,
          .head_dim = 128,
          .ffn = 14336,
          .vocab = 32000,
          .sequence = 4096,
          .nominal_parameters = {}};
}

Transformer llama2_70b() {
  return {.layers = 80,
          .hidden = 8192,
          .heads = 64,
          .kv_heads = 8,
          .head_dim = 128,
          .ffn = 28672,
          .vocab = 32000,
          .sequence = 4096,
          .nominal_parameters = 70'000'000'000};
}

double forward(const Transformer& model, FlopConvention convention) {
  return forward_flops_per_token(model, convention).si;
}

}  // namespace

TEST_CASE("grouped queries shrink the projections and leave the score and value products alone") {
  Transformer model = small_model();
  const double grouped = forward(model, FlopConvention::kDenseAttention);
  CHECK(grouped == 16'368'271'360);
  CHECK(training_flops_per_token(model, FlopConvention::kDenseAttention).si == 49'104'814'080);
  model.kv_heads = 32;
  const double full = forward(model, FlopConvention::kDenseAttention);
  CHECK(full == 17'978'884'096);
  CHECK(full / grouped - 1 == near(0.0984, 1e-3));
  // 32 layers x 4 x 4,096 tokens x 4,096 wide: what half a square is the half of, at either number of KV
  // heads.
  CHECK(full - forward(model, FlopConvention::kCausalAttention) == 2'147'483'648 / 2);
}

TEST_CASE("a causal mask halves the attention products and nothing else") {
  Transformer model = small_model();
  CHECK(forward(model, FlopConvention::kCausalAttention) == 15'294'529'536);
  const auto ratio = [](const Transformer& m) {
    return forward(m, FlopConvention::kCausalAttention) / forward(m, FlopConvention::kDenseAttention);
  };
  CHECK(ratio(model) == near(0.9344, 1e-4));
  model.sequence = 131072;
  CHECK(ratio(model) == near(0.5857, 1e-4));
}

TEST_CASE("a mixture of experts computes with the chosen experts and stores all of them") {
  Transformer model = small_model();
  model.experts = 8;
  model.top_k = 2;
  const double chosen = forward(model, FlopConvention::kDenseAttention);
  CHECK(chosen == 27'642'560'512);
  const std::int64_t block = 32LL * 3 * 4096 * 14336;
  CHECK(parameter_count(model) - active_parameter_count(model) == 6 * block);
  CHECK(checkpoint_bytes(model).si == 14.0 * static_cast<double>(parameter_count(model)));
  CHECK(forward(model, FlopConvention::kSixN) == 2.0 * static_cast<double>(active_parameter_count(model)));
  model.top_k = 8;
  CHECK(forward(model, FlopConvention::kDenseAttention) == 95'288'295'424);
  CHECK(forward(model, FlopConvention::kDenseAttention) / chosen == near(3.447, 1e-3));
}

TEST_CASE("parameters are counted as the published weights are") {
  CHECK(parameter_count(llama2_70b()) == 68'976'648'192);  // Llama 2 70B, the published checkpoint
  // Llama 3.1 405B, the published checkpoint
  CHECK(parameter_count({.layers = 126,
                         .hidden = 16384,
                         .heads = 128,
                         .kv_heads = 8,
                         .head_dim = 128,
                         .ffn = 53248,
                         .vocab = 128256,
                         .nominal_parameters = {}}) == 405'853'388'800);
  // GPT-2 124M: tied embeddings, learned positions, biases everywhere
  CHECK(parameter_count({.layers = 12,
                         .hidden = 768,
                         .heads = 12,
                         .kv_heads = 12,
                         .head_dim = 64,
                         .ffn = 3072,
                         .feed_forward = FeedForward::kPlain,
                         .vocab = 50257,
                         .embeddings = Embeddings::kTied,
                         .biases = Biases::kAll,
                         .learned_positions = 1024,
                         .nominal_parameters = {}}) == 124'439'808);
}

TEST_CASE("the nominal count stands for the model where a text uses it") {
  const Transformer model = llama2_70b();
  CHECK(checkpoint_bytes(model) == Bytes{980e9});  // ch. 9, napkin 9.3
  CHECK(weight_bytes(model) == Bytes{140e9});      // ch. 9, section 9.6.3
  CHECK(training_flops_per_token(model, FlopConvention::kSixN) == Flops{420e9});
  // ch. 9, napkin 9.4: 14.9 PFLOP a fleet step
  CHECK((35446.0 * training_flops_per_token(model, FlopConvention::kSixN)).si == near(14.88732e15));
}

TEST_CASE("recomputation lowers MFU and is no model arithmetic") {
  const FlopRate peak{1e15};
  const Flops forward_work{1e15};
  CHECK(model_flops_utilization(3 * forward_work, 1, peak, Seconds{6}) == 0.5);
  CHECK(model_flops_utilization(3 * forward_work, 1, peak, Seconds{8}) == 0.375);
  CHECK(model_flops_utilization(4 * forward_work, 1, peak, Seconds{8}) == 0.5);  // HFU, recomputation counted
}

TEST_CASE("MFU divides the job's arithmetic by the peak of all its devices") {
  const Flops work{6 * 70e9 * 2048 * 16 * 500};
  CHECK(work.si == near(6.881e18, 1e-3));
  CHECK(model_flops_utilization(work, 16, FlopRate{312e12}, 13.5 * kOneHour) == near(0.0284, 2e-3));
  CHECK(model_flops_utilization(work, 1, FlopRate{312e12}, 13.5 * kOneHour) == near(0.454, 2e-3));
  CHECK(FlopRate{400e12} / FlopRate{989.4e12} == near(0.404, 1e-3));  // against dense peak
}
