#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// A measured product of an m x k and a k x n matrix.
struct TimedGemm {
  std::int64_t m = 0, n = 0, k = 0;
  std::string dtype{};
  Seconds time{};
};

struct TimedGemms {
  std::vector<TimedGemm> rows;
  std::vector<std::string> problems;  ///< with their lines; then no row is to be used
};

/// A CSV table with a header: m, n, k, dtype, and time_us or tflops (10^12 operations a second). Other
/// columns are left out.
TimedGemms read_gemm_table(std::istream& in);

/// Bytes of an element: 2 for bf16 and fp16, 1 for fp8 and int8, 4 for fp32 and tf32, 0.5 for fp4; zero where
/// the type is not known.
double element_bytes(std::string_view dtype);

}  // namespace fleetsim
