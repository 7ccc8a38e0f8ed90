#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/transformer/transformer.hpp"

namespace fleetsim {

/// What the data-parallel ranks share out among themselves instead of each holding all of it.
enum class Sharding : std::uint8_t {
  kNone,       ///< nothing: gradients are all-reduced
  kOptimizer,  ///< optimizer state: ZeRO stage 1, Megatron's distributed optimizer
  kGradients,  ///< and gradients: ZeRO stage 2, FSDP's SHARD_GRAD_OP
  kFull,       ///< and weights: ZeRO stage 3, FSDP's FULL_SHARD
};

/// Which activations the backward pass computes once more instead of reading them.
enum class Recompute : std::uint8_t {
  kNone,
  kSelective,  ///< norms, activations and attention's inside: cheap to compute, large to keep
  kFull,       ///< whole layers
};

/// How a step is spread over devices. Degrees multiply to the number of devices:
/// tensor x pipeline x context x data. Experts spread over the tensor, context and data ranks.
struct Layout {
  std::int64_t devices = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t interleave = 1;  ///< pipeline chunks that each rank holds
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t micro_batch = 1;   ///< sequences that one rank takes at a time
  std::int64_t global_batch = 1;  ///< sequences of a step
  bool sequence_parallel = true;  ///< norms and residuals split over the tensor ranks
  Sharding sharding = Sharding::kOptimizer;
  std::int64_t shard_group = 0;  ///< ranks over which state is sharded; 0: all data ranks
  Recompute recompute = Recompute::kNone;
  std::vector<std::int64_t> stages{};  ///< layers of each pipeline stage; empty: spread evenly
  double capacity = 0;   ///< rows an expert takes, over the even share: padded, or dropped; 0: all, no more
  double imbalance = 1;  ///< rows of the fullest expert over the even share, where none is dropped
  bool offload = false;  ///< optimizer state and its arithmetic in host memory
  bool uneven = false;   ///< interleaved chunks may differ by a layer

  std::int64_t data() const { return devices / (tensor * pipeline * context); }
  /// Microbatches that each rank takes in a step.
  std::int64_t accumulation() const { return global_batch / (micro_batch * data()); }
  /// Data and context ranks, which hold the same weights.
  std::int64_t replicas() const { return data() * context; }
  /// Ranks that hold the same experts.
  std::int64_t expert_replicas() const { return devices / (pipeline * expert); }
};

/// Whether tensor x pipeline x context ranks fill the devices some whole number of times.
bool fills(const Layout& layout);

/// What keeps a layout from being one: degrees that do not divide the devices, the batch, the heads, the
/// sequence, the layers or the experts, or chunks that a schedule has no microbatches for. Empty if nothing
/// does.
std::vector<std::string> layout_problems(const Layout& layout, const Transformer& model);

/// Whether that many chunks in a pipeline have equally many layers; the embedding and the head may each stand
/// in a layer's place.
bool divides_layers(std::int64_t chunks, const Transformer& model);

/// Layers of each chunk of the pipeline where they are spread evenly, passes that predict further tokens
/// among them: the first chunks have one more where they do not divide.
std::vector<std::int64_t> layers_of_chunks(const Layout& layout, const Transformer& model);

/// What a layout without problems can run with, but hardly means to. Empty if nothing.
std::vector<std::string> layout_warnings(const Layout& layout);

}  // namespace fleetsim
