#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "models/catalog/catalog.hpp"
#include "models/transformer/transformer.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

Transformer model(std::string_view name) { return transformer(name).entry.value(); }

double billions(std::int64_t count) { return static_cast<double>(count) / 1e9; }

/// Training GFLOP of a token, half of the attention square.
double causal_gflop(Transformer m, std::int64_t sequence) {
  m.sequence = sequence;
  return training_flops_per_token(m, FlopConvention::kCausalAttention).si / 1e9;
}

struct Published {
  std::string_view name;
  double total;        // billions
  double within;       // half of the last digit published, or what the count leaves out
  double active = 0;   // billions, to two digits; 0 for dense models
  double outside = 0;  // tables of embeddings that the active figure does without
};

}  // namespace

TEST_CASE("models of the catalog have the parameters their publishers state") {
  // Model cards and papers; exact counts are those of the published checkpoints.
  const Published published[] = {
      {"llama2-7b", 6.738415616, 1e-9},
      {"llama2-13b", 13.015864320, 1e-9},
      {"llama3-8b", 8.030261248, 1e-9},
      {"llama3-70b", 70.553706496, 1e-9},
      {"llama4-scout", 107.8, 2e-3, 17},  // 109B with the vision encoder
      {"llama4-maverick", 400, 5e-3, 17},
      {"mixtral-8x7b", 46.702792704, 1e-9, 12.9},
      {"mixtral-8x22b", 141, 5e-3, 39},
      {"qwen2.5-7b", 7.615616512, 1e-4},
      {"qwen2.5-32b", 32.763876352, 1e-4},
      {"qwen2.5-72b", 72.706203648, 1e-4},
      {"qwen3-8b", 8.190735360, 1e-5},
      {"qwen3-14b", 14.768307200, 1e-5},
      {"qwen3-32b", 32.762123264, 1e-5},
      {"qwen3-30b-a3b", 30.532122624, 1e-5, 3.3},
      {"qwen3-235b-a22b", 235.093634560, 1e-5, 22},
      {"qwen3-next-80b-a3b", 80, 1e-2, 3.2, 2},
      {"deepseek-v2-lite", 15.706484224, 1e-6, 2.4, 1},
      {"deepseek-v2", 235.741434880, 1e-6, 21, 1},
      {"deepseek-v3", 671.026419200, 1e-6, 37, 1},
      {"kimi-k2", 1040, 2e-2, 32, 1},
      {"gpt-oss-20b", 20.91, 1e-3, 3.61, 1},
      {"gpt-oss-120b", 116.83, 1e-3, 5.13, 1},
      {"nemotron-4-15b", 15.6, 5e-3},
      {"nemotron-4-340b", 341, 1e-3},
      {"nemotron-h-56b", 56, 1e-2},
      {"nemotron-3-nano", 31.6, 2e-3, 3.2, 1},
      {"nemotron-3-super", 120.6, 2e-3, 12.7},
      {"nemotron-3-ultra", 550, 5e-3, 55, 1},
      {"grok-1", 314, 1e-2},
      {"gemma-7b", 8.537680896, 1e-9},
      {"gemma-2-27b", 27.227128320, 1e-4},
      {"gpt-neox-20b", 20.554567680, 1e-4},
      {"bloom-176b", 176.247271424, 1e-6},
      {"opt-175b", 175, 5e-3},
      {"mpt-125m", 0.125311488, 1e-9},
      {"mpt-350m", 0.355985408, 1e-9},
      {"mpt-760m", 0.760470528, 1e-9},
      {"mpt-1b", 1.315950592, 1e-9},
      {"mpt-3b", 2.651837440, 1e-9},
      {"mpt-7b", 6.658859008, 1e-9},
      {"mpt-13b", 12.853954560, 1e-9},
      {"mpt-30b", 29.975214080, 1e-9},
      {"mpt-70b", 64.862437376, 1e-9},
  };
  for (const Published& p : published) {
    CAPTURE(std::string(p.name));
    const Transformer m = model(p.name);
    CHECK(billions(parameter_count(m)) == near(p.total, p.within));
    const double active = billions(active_parameter_count(m)) - p.outside * billions(m.vocab * m.hidden);
    if (p.active > 0) {
      CHECK(active == near(p.active, 2.5e-2));
    } else if (m.experts == 1) {
      CHECK(active_parameter_count(m) == parameter_count(m));
    }
  }
}

TEST_CASE("prediction layers have parameters of their own and are computed in training only") {
  Transformer m = model("deepseek-v3");
  CHECK(billions(prediction_parameter_count(m)) == near(11.6, 2e-3));  // 685 B published with two tables more
  const double with = causal_gflop(m, 4096);
  const Flops forward = forward_flops_per_token(m, FlopConvention::kCausalAttention);
  m.prediction_layers = 0;
  CHECK(prediction_parameter_count(m) == 0);
  CHECK(forward_flops_per_token(m, FlopConvention::kCausalAttention) == forward);
  CHECK(causal_gflop(m, 4096) == near(249.6, 2e-3));  // Megatron-Bridge, rows without multi-token prediction
  CHECK(with / causal_gflop(m, 4096) == near(260.0 / 249.7, 2e-3));
}

TEST_CASE("training arithmetic of a token is what published throughputs imply") {
  // TFLOP/s over tokens/s of the performance summary of NVIDIA-NeMo/Megatron-Bridge, which halves attention.
  CHECK(causal_gflop(model("llama3-8b"), 8192) == near(51.48, 1e-3));
  CHECK(causal_gflop(model("deepseek-v3"), 4096) == near(259.9, 2e-3));
  CHECK(causal_gflop(model("qwen3-30b-a3b"), 4096) == near(23.0, 2e-3));
  CHECK(causal_gflop(model("qwen3-235b-a22b"), 4096) == near(147.9, 2e-3));
  CHECK(causal_gflop(model("kimi-k2"), 4096) == near(204.4, 2e-3));
  CHECK(causal_gflop(model("gpt-oss-120b"), 4096) == near(32.65, 5e-3));
  // Hybrids are counted there without the projection that joins the inputs of a prediction layer.
  CHECK(causal_gflop(model("nemotron-3-super"), 8192) == near(84.7, 7e-3));
  CHECK(causal_gflop(model("nemotron-3-ultra"), 8192) == near(363, 1e-2));
  // That count takes state-space layers to be twice as wide as the hidden state, which these are not.
  for (const auto& [name, gflop] : {std::pair{"nemotron-3-nano", 22.28}, {"nemotron-3.5-lightning", 28.15}}) {
    Transformer wide = model(name);
    wide.state_space->heads = 2 * wide.hidden / wide.state_space->head_dim;
    CHECK(causal_gflop(wide, 8192) == near(gflop, 7e-3));
  }
}

TEST_CASE("windows shorten what a token meets") {
  Transformer m = model("gpt-oss-120b");
  m.sequence = 4096;
  const double products = 2.0 * 4096;  // widths of queries and values together, a multiply-add as two
  const auto scores = [&](FlopConvention c) { return score_flops_per_token(m, c).si / (2 * products); };
  CHECK(scores(FlopConvention::kDenseAttention) == near(18 * 4096.0 + 18 * 128.0));
  CHECK(scores(FlopConvention::kCausalAttention) ==
        near(18 * 2048.0 + 18 * (128 - 128 * 128 / (2 * 4096.0))));
  m.sequence = 64;  // shorter than the window: a square as any other
  CHECK(scores(FlopConvention::kCausalAttention) == near(36 * 32.0));
}

TEST_CASE("layers are counted by what they hold") {
  const Transformer v3 = model("deepseek-v3");
  CHECK(attention_layers(v3) == 61);
  CHECK(expert_layers(v3) == 58);
  CHECK(dense_feed_forward_layers(v3) == 3);
  CHECK(dense_width(v3) == 18432);
  CHECK(cache_width(v3) == 576);  // DeepSeek-V2, arXiv:2405.04434: 512 compressed and 64 rotated
  const Transformer nano = model("nemotron-3-nano");
  CHECK(attention_layers(nano) == 6);
  CHECK(expert_layers(nano) == 23);
  CHECK(dense_feed_forward_layers(nano) == 0);
  CHECK(nano.state_space.value().layers == 23);
  const Transformer dense = model("llama2-70b");
  CHECK(expert_layers(dense) == 0);
  CHECK(dense_feed_forward_layers(dense) == 80);
  CHECK(dense_width(dense) == 28672);
  CHECK(cache_width(dense) == 2 * 8 * 128);
}

TEST_CASE("models are found as tables spell them") {
  const auto name = [](std::string_view spelling) { return transformer_like(spelling).entry.value().name; };
  CHECK(name("LLAMA3_8B") == "llama3-8b");
  CHECK(name("Llama 3.1 8B") == "llama3-8b");
  CHECK(name("meta-llama/Llama-3-8B") == "llama3-8b");
  CHECK(name("GPT-3 175B") == "gpt3-175b");
  CHECK(name("qwen2_5 7b") == "qwen2.5-7b");
  CHECK(name("Qwen3-235B-A22B") == "qwen3-235b-a22b");
  CHECK(name("Nemotron_3_5_Lightning") == "nemotron-3.5-lightning");
  CHECK(name("MPT-7b") == "mpt-7b");
  const Like<Transformer> found = transformer_like("DeepSeekV3 (w/o MTP)").entry.value();
  CHECK(found.name == "deepseek-v3");
  CHECK(found.remark == "w/o MTP");
  CHECK(found.entry.prediction_layers == 1);
  CHECK(transformer_like("DeepSeekV3").entry.value().remark.empty());
  CHECK(transformer_like("lama3-8b").problem ==
        R"(unknown transformer "lama3-8b" (did you mean "llama3-8b"?))");
  CHECK_FALSE(transformer_like(""));
  CHECK_FALSE(transformer_like("()"));
}
