#pragma once

#include <optional>
#include <string>

#include "models/gemm/gemm.hpp"

namespace fleetsim {

/// Products of one format as measured on a device, and the curve fitted to them for shapes outside.
struct MeasuredFormat {
  GemmCurve curve;
  GemmSurface surface;
};

struct MeasuredProducts {
  std::string accelerator{};  ///< an entry of accelerators; empty: not stated
  std::optional<MeasuredFormat> bf16;
  std::optional<MeasuredFormat> fp8;
  std::optional<MeasuredFormat> fp4;
};

}  // namespace fleetsim
