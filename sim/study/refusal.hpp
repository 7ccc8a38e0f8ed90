#pragma once

#include <string>

#include "sim/engine/result.hpp"

namespace fleetsim {

/// What is too small for a gang that was refused: "it needs 4 nodes in one rack; a rack of train has 2".
std::string text_of(const Refusal& refusal, const Scenario& scenario);

}  // namespace fleetsim
