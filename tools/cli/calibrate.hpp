#pragma once

#include <string_view>

#include "tools/cli/command.hpp"

namespace fleetsim {

/// What measurements `fleetsim calibrate` can turn into an entry of the catalog: a file of its own and a row
/// in calibrate_command.cpp.
struct CalibrateTarget {
  std::string_view name;
  std::string_view about;
  ExitCode (*run)(const Words& words);  ///< the words after its name
};

ExitCode calibrate_nccl(const Words& words);
ExitCode calibrate_gemm(const Words& words);
ExitCode calibrate_step(const Words& words);

}  // namespace fleetsim
