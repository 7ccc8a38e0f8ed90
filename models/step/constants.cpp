#include "models/step/constants.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "models/catalog/catalog.hpp"

namespace fleetsim {
namespace {

using C = StepConstants;
constexpr ConstantPart kEvery = ConstantPart::kEveryModel;
constexpr ConstantPart kExperts = ConstantPart::kExpertsAndStates;

std::array kRows = {
    ConstantRow{"gemm_rate", &C::gemm_rate, kEvery},
    ConstantRow{"gemm_rate_fp8", &C::gemm_rate_fp8, kEvery},
    ConstantRow{"gemm_rate_fp4", &C::gemm_rate_fp4, kEvery},
    ConstantRow{"gemm_depth", &C::gemm_depth, kEvery},
    ConstantRow{"gemm_area", &C::gemm_area, kEvery},
    ConstantRow{"gemm_overhead_us", &C::gemm_overhead_us, kEvery},
    ConstantRow{"pointwise", &C::pointwise, kEvery},
    ConstantRow{"pointwise_unfused", &C::pointwise_unfused, kEvery},
    ConstantRow{"quantization", &C::quantization, kEvery},
    ConstantRow{"loss", &C::loss, kEvery},
    ConstantRow{"optimizer", &C::optimizer, kEvery},
    ConstantRow{"attention_flash", &C::attention_flash, kEvery},
    ConstantRow{"attention_cudnn", &C::attention_cudnn, kEvery},
    ConstantRow{"data_exposed", &C::data_exposed, kEvery},
    ConstantRow{"shard_exposed", &C::shard_exposed, kEvery},
    ConstantRow{"shard_slowdown", &C::shard_slowdown, kEvery},
    ConstantRow{"tensor_exposed", &C::tensor_exposed, kEvery},
    ConstantRow{"last_stage", &C::last_stage, kEvery},
    ConstantRow{"straggling", &C::straggling, kEvery},
    ConstantRow{"age_dense", &C::age_dense, kEvery},
    ConstantRow{"expert_exposed", &C::expert_exposed, kExperts},
    ConstantRow{"expert_pointwise", &C::expert_pointwise, kExperts},
    ConstantRow{"grouped", &C::grouped, kExperts},
    ConstantRow{"permutation", &C::permutation, kExperts},
    ConstantRow{"state_space", &C::state_space, kExperts},
    ConstantRow{"host_ms", &C::host_ms, kExperts},
    ConstantRow{"host_graphs", &C::host_graphs, kExperts},
    ConstantRow{"age_experts", &C::age_experts, kExperts},
    ConstantRow{"block_scaling", &C::block_scaling, kExperts},
};

Calibration read_calibration() {
  const nlohmann::json file = nlohmann::json::parse(*catalog_text(CatalogKind::kCalibration, "step"));
  Calibration calibration;
  for (ConstantRow& row : kRows) {
    const nlohmann::json* found = nullptr;
    for (const nlohmann::json& entry : file.at("rows")) {
      if (entry.at("name") == row.name) found = &entry;
    }
    if (found == nullptr)
      throw std::logic_error("calibration/step.json: no constant \"" + std::string(row.name) + "\"");
    row.start = found->at("start");
    row.low = found->at("low");
    row.high = found->at("high");
    calibration.constants.*row.member = found->at("value");
  }
  calibration.rows = kRows;
  calibration.errors = file.at("errors");
  return calibration;
}

}  // namespace

const Calibration& step_calibration() {
  static const Calibration calibration = read_calibration();
  return calibration;
}

const StepConstants& step_constants() { return step_calibration().constants; }

}  // namespace fleetsim
