#pragma once

#include <string_view>

#include "models/gemm/measured_products.hpp"
#include "models/quantity/parse.hpp"

namespace fleetsim {

/// Reads what `fleetsim calibrate gemm --out` writes: products of one's own device, type by type, with the
/// curve fitted to each. FP16 and BF16 are one format. A problem names the place and what was expected.
Parsed<MeasuredProducts> read_measured_products(std::string_view text);

}  // namespace fleetsim
