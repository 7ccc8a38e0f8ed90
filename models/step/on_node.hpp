#pragma once

#include <string_view>

#include "models/catalog/catalog.hpp"
#include "models/step/step.hpp"

namespace fleetsim {

/// An input with the device and the links of a node of the catalog, on a fabric of the catalog or, where none
/// is named, on the node's usual one. Model and layout are left to say.
StepInput step_on(const Node& node, std::string_view fabric = {});

}  // namespace fleetsim
