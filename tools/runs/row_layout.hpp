#pragma once

#include "models/step/layout.hpp"
#include "tools/runs/run_row.hpp"

namespace fleetsim {

/// The layout of a row. A degree that is not stated is one; devices follow from nodes or from degrees, the
/// micro-batch from accumulation and the global batch from both, where those are stated instead.
Layout row_layout(RunRow& row);

}  // namespace fleetsim
