#include "models/transformer/transformer.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kFlopsPerMultiplyAdd = 2;
constexpr double kTrainingOverForward = 3;
constexpr Bytes kCheckpointBytesPerParameter{14};

std::int64_t query_width(const Transformer& m) { return m.heads * m.head_dim; }
std::int64_t kv_width(const Transformer& m) { return m.kv_heads * m.head_dim; }

/// Weights of the query, key, value and output projections of one layer.
std::int64_t attention_weights(const Transformer& m) {
  return 2 * m.hidden * query_width(m) + 2 * m.hidden * kv_width(m);
}

/// Weights of one feed-forward block.
std::int64_t block_weights(const Transformer& m) {
  return (m.feed_forward == FeedForward::kGated ? 3 : 2) * m.hidden * m.ffn;
}

std::int64_t block_biases(const Transformer& m) {
  return (m.feed_forward == FeedForward::kGated ? 2 : 1) * m.ffn + m.hidden;
}

std::int64_t parameters_with(const Transformer& m, std::int64_t blocks) {
  const bool biased = m.biases == Biases::kAll;
  const std::int64_t norm = (biased ? 2 : 1) * m.hidden;
  const std::int64_t router = m.experts > 1 ? m.hidden * m.experts : 0;
  std::int64_t layer = attention_weights(m) + blocks * block_weights(m) + router + 2 * norm;
  if (biased) layer += query_width(m) + 2 * kv_width(m) + m.hidden + blocks * block_biases(m);
  const std::int64_t tables = m.embeddings == Embeddings::kTied ? 1 : 2;
  return m.layers * layer + norm + (tables * m.vocab + m.learned_positions) * m.hidden;
}

double stated_parameters(const Transformer& m) {
  return static_cast<double>(m.nominal_parameters.value_or(parameter_count(m)));
}

}  // namespace

std::int64_t parameter_count(const Transformer& model) { return parameters_with(model, model.experts); }

std::int64_t active_parameter_count(const Transformer& model) { return parameters_with(model, model.top_k); }

Flops forward_flops_per_token(const Transformer& model, FlopConvention convention) {
  if (convention == FlopConvention::kSixN) {
    const std::int64_t n = model.nominal_parameters.value_or(active_parameter_count(model));
    return Flops{static_cast<double>(kFlopsPerMultiplyAdd * n)};
  }
  const std::int64_t products =
      model.layers * (attention_weights(model) + model.top_k * block_weights(model)) +
      model.vocab * model.hidden;
  // Scores and values: each token meets `sequence` others in `query_width` dimensions, twice.
  std::int64_t square = 2 * model.layers * model.sequence * query_width(model);
  if (convention == FlopConvention::kCausalAttention) square /= 2;
  return Flops{static_cast<double>(kFlopsPerMultiplyAdd * (products + square))};
}

Flops training_flops_per_token(const Transformer& model, FlopConvention convention) {
  return kTrainingOverForward * forward_flops_per_token(model, convention);
}

Bytes checkpoint_bytes(const Transformer& model) {
  return stated_parameters(model) * kCheckpointBytesPerParameter;
}

Bytes weight_bytes(const Transformer& model, Bytes per_parameter) {
  return stated_parameters(model) * per_parameter;
}

}  // namespace fleetsim
