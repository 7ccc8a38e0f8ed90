#include "models/step/memory.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

constexpr double kWeightBytes = 2;
constexpr double kGradientBytes = 2;
constexpr double kOptimizerStateBytes = 12;
constexpr Bytes kRuntime{4e9};

}  // namespace

StateShares state_shares(const Layout& l) {
  StateShares shares;
  if (l.sharding == Sharding::kNone) return shares;
  const double ranks = static_cast<double>(l.shard_group > 0 ? l.shard_group : l.replicas());
  const double expert_ranks = static_cast<double>(l.expert_replicas());
  shares.optimizer = 1 / ranks;
  shares.expert_optimizer = 1 / expert_ranks;
  if (l.sharding == Sharding::kOptimizer) return shares;
  shares.gradients = 1 / ranks;
  shares.expert_gradients = 1 / expert_ranks;
  if (l.sharding == Sharding::kGradients) return shares;
  shares.weights = 1 / ranks;
  shares.expert_weights = 1 / expert_ranks;
  return shares;
}

StepMemory step_memory(const Layout& l, const Transformer& model, const Block& layers, const Block& head,
                       std::int64_t stages) {
  const StateShares shares = state_shares(l);
  const double dense = layers.parameters + head.parameters;
  const double expert = layers.expert_parameters;
  StepMemory memory;
  memory.weights = Bytes{kWeightBytes * (dense * shares.weights + expert * shares.expert_weights)};
  memory.gradients = Bytes{kGradientBytes * (dense * shares.gradients + expert * shares.expert_gradients)};
  if (!l.offload) {
    memory.optimizer =
        Bytes{kOptimizerStateBytes * (dense * shares.optimizer + expert * shares.expert_optimizer)};
  }
  const double pipeline = static_cast<double>(l.pipeline);
  // Chunks of an interleaved schedule warm up further.
  const double warm = static_cast<double>(stages) +
                      (l.interleave > 1 ? (pipeline - 1) / static_cast<double>(l.interleave) : 0);
  const double in_flight = l.pipeline == 1 ? 1 : std::min(warm, static_cast<double>(l.accumulation()));
  Bytes kept = layers.activations;
  if (l.recompute == Recompute::kSelective) kept = kept - layers.cheap;
  if (l.recompute == Recompute::kFull) {
    const double depth = static_cast<double>(model.layers) / pipeline;
    const double tokens = static_cast<double>(l.micro_batch) * static_cast<double>(model.sequence) /
                          static_cast<double>(l.context);
    const double split = l.sequence_parallel ? static_cast<double>(l.tensor) : 1;
    const Bytes inputs{kWeightBytes * tokens * static_cast<double>(model.hidden) * depth / split};
    // The inputs of all layers, and all of one layer while it is computed again.
    kept = inputs + layers.activations / depth;
  }
  memory.activations = kept * in_flight + (l.pipeline == 1 || !l.stages.empty() ? head.activations : Bytes{});
  memory.runtime = kRuntime;
  return memory;
}

}  // namespace fleetsim
