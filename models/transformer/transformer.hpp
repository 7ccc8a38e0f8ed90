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

/// Attention through low-rank projections of queries and of keys with values, as in DeepSeek-V2
/// (arXiv:2405.04434): widths of the projections and of one head's parts.
struct LatentAttention {
  std::int64_t query_rank = 0;  ///< 0: queries come straight from the hidden state
  std::int64_t kv_rank = 0;
  std::int64_t plain_dim = 0;   ///< of a head's query and key, without a rotated position
  std::int64_t rotary_dim = 0;  ///< of a head's query and key, with one
  std::int64_t value_dim = 0;
};

/// Layers that mix tokens through a recurrent state in place of attention: Mamba-2 (arXiv:2405.21060), or
/// gated delta nets.
struct StateSpace {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;  ///< `heads * head_dim` is the inner width
  std::int64_t groups = 0;    ///< that share their input and output projections of the state
  std::int64_t state = 0;     ///< width of the state of one head dimension
};

/// A decoder-only transformer as it is counted. Counts are positive unless they say what zero means;
/// `heads * head_dim` need not be `hidden`.
struct Transformer {
  std::int64_t layers = 0;  ///< of any kind
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  ///< fewer than `heads` under grouped queries
  std::int64_t head_dim = 0;
  std::int64_t gate_dim = 0;  ///< of a gate on each head's output, from a projection of its own; 0: no gate
  std::int64_t ffn = 0;       ///< inner width of one feed-forward block (of one expert)
  FeedForward feed_forward = FeedForward::kGated;
  std::int64_t vocab = 0;
  Embeddings embeddings = Embeddings::kSeparate;
  Biases biases = Biases::kNone;
  std::int64_t learned_positions = 0;
  std::int64_t experts = 1;     ///< feed-forward blocks per layer; above one a router chooses among them
  std::int64_t top_k = 1;       ///< blocks that one token passes through
  std::int64_t shared_ffn = 0;  ///< width of the block that every token passes beside its experts
  std::int64_t expert_input =
      0;  ///< width the experts work on when not `hidden`, behind projections; 0: hidden
  std::int64_t dense_layers = 0;  ///< first layers that have one block of `dense_ffn` in place of experts
  std::int64_t dense_ffn = 0;
  std::int64_t attention_layers = 0;     ///< of a hybrid: layers with attention; 0: all
  std::int64_t feed_forward_layers = 0;  ///< of a hybrid: layers with a feed-forward block; 0: all
  std::int64_t window_layers = 0;  ///< attention layers that look back `window` tokens, not to the start
  std::int64_t window = 0;
  std::int64_t prediction_layers = 0;  ///< layers more that predict tokens further ahead, in training only
  std::int64_t prediction_passes = 0;  ///< tokens they predict, where a layer repeats; 0: one a layer
  std::optional<LatentAttention> latent{};
  std::optional<StateSpace> state_space{};
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

/// Layers with attention, with a feed-forward block, with experts, and with one dense block.
std::int64_t attention_layers(const Transformer& model);
std::int64_t feed_forward_layers(const Transformer& model);
std::int64_t expert_layers(const Transformer& model);
std::int64_t dense_feed_forward_layers(const Transformer& model);

/// Tokens further ahead that are predicted in training.
std::int64_t prediction_passes(const Transformer& model);

/// Inner width of the block of a dense layer.
std::int64_t dense_width(const Transformer& model);

/// Widths of all heads' queries, of keys with values as a KV cache holds them for one token and layer, and of
/// all heads' outputs. Latent attention caches the compressed pair and the rotated part of the key.
std::int64_t query_width(const Transformer& model);
std::int64_t cache_width(const Transformer& model);
std::int64_t value_width(const Transformer& model);

/// Weights of the matrices of one layer's attention, of one dense block of `width`, of one expert, of what
/// experts share (the block every token passes, and projections to and from their width; no router), and of
/// the projections of one state-space layer.
std::int64_t attention_weights(const Transformer& model);
std::int64_t block_weights(const Transformer& model, std::int64_t width);
std::int64_t expert_weights(const Transformer& model);
std::int64_t shared_weights(const Transformer& model);
std::int64_t state_space_weights(const Transformer& model);

/// Every parameter but those of prediction layers, as published totals have it: projections of all experts,
/// router, norms of the residual stream, biases, embeddings.
std::int64_t parameter_count(const Transformer& model);

/// The parameters one token passes through: `top_k` experts instead of all. Both tables of embeddings count.
std::int64_t active_parameter_count(const Transformer& model);

/// Parameters of the prediction layers, each one layer with attention and feed-forward, its norms, and a
/// projection that joins hidden state and embedding. Tables are shared. Source: DeepSeek-V3,
/// arXiv:2412.19437, section 2.2.
std::int64_t prediction_parameter_count(const Transformer& model);

/// Forward arithmetic per token, a multiply-add counted as two. Grouped queries shrink the key and value
/// projections, never the score and value products; the router, norms and lookups are left out, prediction
/// layers too. A window of w tokens counts w, or w (1 - w / 2s) behind a causal mask. A state-space layer
/// counts 7 operations for each element of its inner width times its state beside its projections, as
/// Megatron-LM's FLOP count has it.
Flops forward_flops_per_token(const Transformer& model, FlopConvention convention);

/// The score and value products in it.
Flops score_flops_per_token(const Transformer& model, FlopConvention convention);

/// Three times the forward pass, that of prediction layers and their logits included: the backward pass costs
/// twice as much. Recomputation is not model arithmetic.
Flops training_flops_per_token(const Transformer& model, FlopConvention convention);

/// What a resumable checkpoint holds with mixed-precision Adam: 14 bytes a parameter, all experts included
/// (2 BF16 weights, 4 FP32 master weights, 4 + 4 moments). Source: Rajbhandari et al., ZeRO, SC 2020, less
/// the gradients, which a checkpoint leaves out. Uses the nominal count if there is one.
Bytes checkpoint_bytes(const Transformer& model);

/// Weights alone at so many bytes a parameter, 2 for BF16. Uses the nominal count if there is one.
Bytes weight_bytes(const Transformer& model, Bytes per_parameter = Bytes{2});

}  // namespace fleetsim
