#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/collective/measured_curve.hpp"
#include "models/quantity/parse.hpp"

namespace fleetsim {

/// Sweeps of collectives on one kind of network: an entry of the catalog's `collectives`, or a file of the
/// user's own, which `fleetsim calibrate nccl` writes.
struct MeasuredNetwork {
  std::string name;  ///< of the entry; empty for a file
  std::string about;
  std::vector<std::string> accelerators{};  ///< names of the catalog that it speaks for
  std::optional<std::string> fabric{};      ///< between domains; nothing for sweeps in one domain
  std::vector<MeasuredCurve> curves{};
};

/// Reads such a file. A problem names the place by its JSON pointer, what was expected and what was found.
Parsed<MeasuredNetwork> read_measured_network(std::string_view text);

/// All that the catalog has.
/// @throws std::logic_error where a file of the program is spoilt
std::vector<MeasuredNetwork> measured_networks();

}  // namespace fleetsim
