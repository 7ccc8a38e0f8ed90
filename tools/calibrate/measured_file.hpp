#pragma once

#include <string>
#include <vector>

#include "models/catalog/measured_network.hpp"

namespace fleetsim {

/// The network as `read_measured_network` reads it, one source for each curve.
std::string measured_file(const MeasuredNetwork& network, const std::vector<std::string>& sources);

}  // namespace fleetsim
