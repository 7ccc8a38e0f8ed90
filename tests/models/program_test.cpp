#include <doctest/doctest.h>

#include <vector>

#include "models/catalog/catalog.hpp"
#include "models/goodput/factors.hpp"
#include "models/program/napkin.hpp"
#include "models/program/pipeline.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

TEST_CASE("a pipeline waits for its stages to fill, and more micro-batches dilute that") {
  const Pipeline eight{.stages = 8, .micro_batches = 32};
  CHECK(pipeline_time(eight, Seconds{1}) == Seconds{39});
  CHECK(pipeline_bubble(eight) == near(7.0 / 39));
  CHECK(pipeline_time(eight, Seconds{1}) / Seconds{32} - 1 == near(7.0 / 32));  // 21.9 % of ideal time
  CHECK(pipeline_time({.stages = 8, .micro_batches = 4}, Seconds{1}) == Seconds{11});
  CHECK(pipeline_bubble({.stages = 8, .micro_batches = 4}) == near(0.636, 1e-3));
  CHECK(pipeline_bubble({.stages = 1, .micro_batches = 4}) == 0);
}

TEST_CASE("interleaving divides the fill, and larger micro-batches lengthen it") {
  CHECK(pipeline_time({.stages = 8, .micro_batches = 32, .interleave = 2}, Seconds{1}) == Seconds{35.5});
  CHECK(pipeline_bubble({.stages = 8, .micro_batches = 32, .interleave = 2}) == near(7.0 / 71));
  CHECK(pipeline_time({.stages = 8, .micro_batches = 16}, Seconds{2}) == Seconds{46});
}

TEST_CASE("layers that stages do not divide leave the fullest to set the pace") {
  const auto time = [](std::int64_t stages) {
    return uneven_pipeline_time(36, {.stages = stages, .micro_batches = 32}, Seconds{1});
  };
  CHECK(stage_layers(36, 8) == std::vector<std::int64_t>{5, 5, 5, 5, 4, 4, 4, 4});
  CHECK(time(8) == Seconds{191});
  CHECK(175.5 / 191 - 1 == near(-0.081, 1e-2));  // what the mean stage would say
  CHECK(time(4) == Seconds{315});
  CHECK(time(9) == Seconds{160});
  CHECK_FALSE(time(40));
  CHECK_FALSE(stage_layers(36, 0));
}

TEST_CASE("the textbook's ideals of a program") {
  const Accelerator h100 = accelerator("h100-sxm").entry.value();
  CHECK(ridge_point(h100.peak_bf16, h100.hbm_bandwidth) == near(295.2238805970149));  // section 9.6.3
  CHECK(ridge_point(h100.peak_bf16, h100.hbm_bandwidth) / (5 / 2.8) == near(165.32537313432834));
  // Section 9.7.3: a square matrix of 8,192, 2,048 tokens, an activation and a norm behind it.
  CHECK(fusion_ratio(Bytes{8192.0 * 8192 * 2}, Bytes{2048.0 * 8192 * 2}, 2) == near(1.6666666666666667));
  CHECK(fusion_ratio(Bytes{1}, Bytes{1}, 0) == 1);
  CHECK(attention_ratio(8192, 128) == 65);
  CHECK(dispatch_time(80, 30, Seconds{5e-6}).si == near(12e-3));
  CHECK(dispatch_time(80, 60, Seconds{5e-6}).si == near(24e-3));
}

TEST_CASE("compilation repays its build after so many tokens") {
  // Napkin 9.6: products stay, element-wise kernels keep 0.30, launches 0.20.
  const KeptPart parts[] = {{0.50, 1}, {0.35, 0.30}, {0.15, 0.20}};
  const double kept = kept_share(parts);
  CHECK(kept == near(0.635));
  CHECK(1 / kept == near(1.574803149606299));  // printed as 1.58
  const Seconds step{1.0 / 120};
  CHECK((kept * step).si == near(5.291666666666667e-3));
  CHECK(steps_to_repay(15 * kOneMinute, step, kept) == near(295890.4109589041));
}

TEST_CASE("tensor-parallel exchange takes a quarter of the textbook's step on one node") {
  const TensorExchange exchange{.layers = 80, .payload = Bytes{2204.0 * 8192 * 2}, .ranks = 8};
  CHECK(exchange.payload.si / 1e6 == near(36.110336));
  CHECK(exchange_points(exchange) == 320);
  const Seconds time = exchange_time(exchange, ByteRate{450e9});
  CHECK(time.si == near(44.93730702222222e-3));
  CHECK(time / Seconds{0.180} == near(0.24965170567901235));
  // One token of a decode step: two exchanges a layer, and a launch of 5 us beside their wire time.
  const Bytes token{2.0 * 8192 * 2};
  CHECK(token.si / 1e3 == near(32.768));
  CHECK(Seconds{5e-6} / (token / ByteRate{450e9}) == near(68.66455078125));
}

TEST_CASE("efficiency lost to scale is a ratio of utilisations, not of printed step times") {
  const Flops token{6 * 70e9};
  const double node = model_flops_utilization(2204 * token, 8, FlopRate{989e12}, Seconds{0.180});
  const double fleet = model_flops_utilization(35446 * token, 128, FlopRate{989e12}, Seconds{0.245});
  CHECK(node == near(0.6499831479609033));
  CHECK(fleet == near(0.4800032500361115));
  CHECK(fleet / node == near(0.7384856846549872));
  CHECK(1 - fleet / node == near(0.2615143153450128));
  CHECK(180.0 / 245 == near(0.7346938775510204));  // printed as 74 %, which it is not
  CHECK(node * 180 / 245 == near(0.47753863931821466));
}

TEST_CASE("growth leaves little of a loss, and much of a tail") {
  CHECK(loss_left(2, 0.050) == near(0.9659363289248456));
  CHECK(1 - loss_left(2, 0.050) == near(0.0340636710751544));
  CHECK(any_in_tail(0.01, 100) == near(0.6339676587267709));
  CHECK(any_in_tail(0.01, 0) == 0);
}
