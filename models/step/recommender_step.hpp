#pragma once

#include <memory>

#include "models/step/step.hpp"
#include "models/transformer/recommender.hpp"

namespace fleetsim {

struct RecommenderInput {
  Recommender model;
  StepDevice device;
  std::shared_ptr<const Network> links;  ///< never null
  std::int64_t devices = 1;
  std::int64_t batch = 1;  ///< samples of a step
  Number number = Number::kBf16;
  Software software{};
};

/// Time and memory of one training step. Tables are spread over all devices, layers are copied to each; every
/// device looks up its share of the rows for the whole batch, an all-to-all brings pooled rows to the device
/// that has the sample, and another brings their gradients back. Nothing runs beside the exchange.
/// @param input  with a batch that the devices divide
StepBreakdown recommender_step(const RecommenderInput& input, const StepConstants& constants);

}  // namespace fleetsim
