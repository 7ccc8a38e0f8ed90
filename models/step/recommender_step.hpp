#pragma once

#include "models/step/step.hpp"

namespace fleetsim {

/// Time and memory of one training step. Tables are spread over all devices, layers are copied to each; every
/// device looks up its share of the rows for the whole batch, an all-to-all brings pooled rows to the device
/// that has the sample, and another brings their gradients back. Nothing runs beside the exchange.
/// @param input  with a recommender
StepBreakdown recommender_step(const StepInput& input, const StepConstants& constants);

}  // namespace fleetsim
