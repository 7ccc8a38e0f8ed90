#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fleetsim {

/// What the step model cannot take from a data sheet or a kernel table. One set serves every model, device
/// and layout. What each means, its value and where it comes from: `models/catalog/calibration/step.json`.
struct StepConstants {
  double gemm_rate = 0;
  double gemm_rate_fp8 = 0;
  double gemm_rate_fp4 = 0;
  double gemm_depth = 0;
  double gemm_area = 0;
  double gemm_overhead_us = 0;
  double pointwise = 0;
  double pointwise_unfused = 0;
  double quantization = 0;
  double loss = 0;
  double optimizer = 0;
  double attention_flash = 0;
  double attention_cudnn = 0;
  double data_exposed = 0;
  double shard_exposed = 0;
  double shard_slowdown = 0;
  double tensor_exposed = 0;
  double last_stage = 0;
  double expert_exposed = 0;
  double expert_pointwise = 0;
  double grouped = 0;
  double permutation = 0;
  double state_space = 0;
  double host_ms = 0;
  double host_graphs = 0;
  double straggling = 0;
  double age_dense = 0;
  double age_experts = 0;
  double block_scaling = 0;
};

enum class ConstantPart : unsigned char { kEveryModel, kExpertsAndStates };

/// A constant, and where a fit may move it.
struct ConstantRow {
  std::string_view name;
  double StepConstants::*member;
  ConstantPart part;  ///< what must run for it to show
  double start = 0;   ///< what is known of it without published runs
  double low = 0;
  double high = 0;
};

/// All constants, with the values they have, start from and are kept between.
struct Calibration {
  StepConstants constants;
  std::span<const ConstantRow> rows;
  std::string errors;  ///< of predictions with them, in words
};

/// The catalog's.
const Calibration& step_calibration();
const StepConstants& step_constants();

}  // namespace fleetsim
