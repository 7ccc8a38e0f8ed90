#pragma once

#include <cstdint>
#include <optional>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

enum class FeedForward : std::uint8_t {
  kPlain,  ///< up and down projections
  kGated,  ///< gate, up and down, as in SwiGLU
};

enum class Embeddings : std::uint8_t {
  kTied,      ///< one table serves input and output
  kSeparate,  ///< an output projection of its own
};

enum class Biases : std::uint8_t {
  kNone,  ///< none, and norms are a scale only
  kAll,   ///< on every projection, and norms have a shift as well
};

/// A decoder-only transformer as it is counted. All counts are positive; `heads * head_dim` need not be
/// `hidden`.
struct Transformer {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  ///< fewer than `heads` under grouped queries
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;  ///< inner width of one feed-forward block (of one expert)
  FeedForward feed_forward = FeedForward::kGated;
  std::int64_t vocab = 0;
  Embeddings embeddings = Embeddings::kSeparate;
  Biases biases = Biases::kNone;
  std::int64_t learned_positions = 0;
  std::int64_t experts = 1;   ///< feed-forward blocks per layer; above one a router chooses among them
  std::int64_t top_k = 1;     ///< blocks that one token passes through
  std::int64_t sequence = 0;  ///< tokens of context in training
  /// The round figure the name carries, such as 70e9. Dense models only: it stands for all parameters and for
  /// those one token uses alike.
  std::optional<std::int64_t> nominal_parameters{};
};

/// How model arithmetic is counted. Figures under different conventions do not compare.
enum class FlopConvention : std::uint8_t {
  kSixN,             ///< 2 N forward and 6 N in training; N nominal if known, else what one token uses
  kDenseAttention,   ///< matrix products, and the full square of attention scores and values
  kCausalAttention,  ///< the same with half of the square, which is all a causal mask leaves
};

/// Every parameter: projections of all experts, router, norms, biases, embeddings.
std::int64_t parameter_count(const Transformer& model);

/// The parameters one token passes through: `top_k` experts instead of all.
std::int64_t active_parameter_count(const Transformer& model);

/// Forward arithmetic per token, a multiply-add counted as two. Grouped queries shrink the key and value
/// projections, never the score and value products; the router, norms and lookups are left out.
Flops forward_flops_per_token(const Transformer& model, FlopConvention convention);

/// Three times the forward pass: the backward pass costs twice as much. Recomputation is not model
/// arithmetic.
Flops training_flops_per_token(const Transformer& model, FlopConvention convention);

/// What a resumable checkpoint holds with mixed-precision Adam: 14 bytes a parameter, all experts included
/// (2 BF16 weights, 4 FP32 master weights, 4 + 4 moments). Source: Rajbhandari et al., ZeRO, SC 2020, less
/// the gradients, which a checkpoint leaves out. Uses the nominal count if there is one.
Bytes checkpoint_bytes(const Transformer& model);

/// Weights alone at so many bytes a parameter, 2 for BF16. Uses the nominal count if there is one.
Bytes weight_bytes(const Transformer& model, Bytes per_parameter = Bytes{2});

}  // namespace fleetsim
