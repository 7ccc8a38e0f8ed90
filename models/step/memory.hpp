#pragma once

#include "models/step/blocks.hpp"
#include "models/step/layout.hpp"

namespace fleetsim {

/// The share of its stage's state that one rank holds.
struct StateShares {
  double weights = 1;
  double gradients = 1;
  double optimizer = 1;
  double expert_weights = 1;
  double expert_gradients = 1;
  double expert_optimizer = 1;
};

StateShares state_shares(const Layout& layout);

/// What one rank of the fullest stage holds at its fullest moment.
struct StepMemory {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes runtime;  ///< context, communicators, workspaces and the allocator's slack

  Bytes total() const { return weights + gradients + optimizer + activations + runtime; }
};

/// Mixed-precision Adam: 2 bytes of weights, 2 of gradients, 12 of optimizer state a parameter (Rajbhandari
/// et al., SC 2020, with BF16 gradients); activations of the microbatches that a stage has in flight under
/// 1F1B, `stages` from it on (Korthikanti et al., MLSys 2023).
StepMemory step_memory(const Layout& layout, const Transformer& model, const Block& layers, const Block& head,
                       std::int64_t stages);

}  // namespace fleetsim
