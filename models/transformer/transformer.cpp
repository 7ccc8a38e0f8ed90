#include "models/transformer/transformer.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

constexpr double kFlopsPerMultiplyAdd = 2;
constexpr double kTrainingOverForward = 3;
constexpr double kScanFlops = 7;  // for each element of inner width times state
constexpr Bytes kCheckpointBytesPerParameter{14};
constexpr std::int64_t kConvolution = 4;  // taps of the convolution ahead of a state-space scan

std::int64_t kv_width(const Transformer& m) { return m.kv_heads * m.head_dim; }

std::int64_t expert_input(const Transformer& m) { return m.expert_input > 0 ? m.expert_input : m.hidden; }

std::int64_t matrices(const Transformer& m) { return m.feed_forward == FeedForward::kGated ? 3 : 2; }

std::int64_t norm_size(const Transformer& m) { return (m.biases == Biases::kAll ? 2 : 1) * m.hidden; }

std::int64_t attention_parameters(const Transformer& m) {
  std::int64_t count = attention_weights(m) + norm_size(m);
  if (m.latent) count += m.latent->query_rank + m.latent->kv_rank;  // norms of the compressed vectors
  if (m.biases == Biases::kAll) count += query_width(m) + 2 * kv_width(m) + m.hidden;
  return count;
}

std::int64_t block_biases(const Transformer& m, std::int64_t width) {
  return m.biases == Biases::kAll ? (matrices(m) - 1) * width + m.hidden : 0;
}

std::int64_t dense_parameters(const Transformer& m) {
  return block_weights(m, dense_width(m)) + block_biases(m, dense_width(m)) + norm_size(m);
}

std::int64_t expert_layer_parameters(const Transformer& m, std::int64_t blocks) {
  const std::int64_t router = m.hidden * m.experts;
  return blocks * (expert_weights(m) + block_biases(m, m.ffn)) + shared_weights(m) + router + norm_size(m);
}

std::int64_t state_space_parameters(const Transformer& m) {
  const StateSpace& s = *m.state_space;
  const std::int64_t inner = s.heads * s.head_dim;
  const std::int64_t convolved = inner + 2 * s.groups * s.state;
  // Decay, skip and step bias of each head, the norm ahead of the output projection, the convolution.
  return state_space_weights(m) + 3 * s.heads + inner + (kConvolution + 1) * convolved + norm_size(m);
}

std::int64_t parameters_with(const Transformer& m, std::int64_t blocks) {
  std::int64_t count = attention_layers(m) * attention_parameters(m) +
                       dense_feed_forward_layers(m) * dense_parameters(m) +
                       expert_layers(m) * expert_layer_parameters(m, blocks);
  if (m.state_space) count += m.state_space->layers * state_space_parameters(m);
  const std::int64_t tables = m.embeddings == Embeddings::kTied ? 1 : 2;
  return count + norm_size(m) + (tables * m.vocab + m.learned_positions) * m.hidden;
}

/// Tokens that one token meets on average, itself included to this precision.
double attended(double sequence, double window, FlopConvention convention) {
  const double reach = std::min(sequence, window);
  return convention == FlopConvention::kCausalAttention ? reach * (1 - reach / (2 * sequence)) : reach;
}

/// Multiply-adds of scores and values of one layer.
double score_products(const Transformer& m, double window, FlopConvention convention) {
  return attended(static_cast<double>(m.sequence), window, convention) *
         static_cast<double>(query_width(m) + value_width(m));
}

std::int64_t active_feed_forward_weights(const Transformer& m) {
  return m.experts > 1 ? m.top_k * expert_weights(m) + shared_weights(m)
                       : m.top_k * block_weights(m, dense_width(m));
}

/// Forward arithmetic of prediction layers, which look back to the start.
double prediction_flops(const Transformer& m, FlopConvention convention) {
  const double products = static_cast<double>(attention_weights(m) + active_feed_forward_weights(m) +
                                              2 * m.hidden * m.hidden + m.vocab * m.hidden);
  const double scores = score_products(m, static_cast<double>(m.sequence), convention);
  const std::int64_t passes = prediction_passes(m);
  return static_cast<double>(passes) * kFlopsPerMultiplyAdd * (products + scores);
}

double stated_parameters(const Transformer& m) {
  return static_cast<double>(m.nominal_parameters.value_or(parameter_count(m)));
}

}  // namespace

std::int64_t attention_layers(const Transformer& model) {
  return model.attention_layers > 0 ? model.attention_layers : model.layers;
}

std::int64_t feed_forward_layers(const Transformer& model) {
  return model.feed_forward_layers > 0 ? model.feed_forward_layers : model.layers;
}

std::int64_t expert_layers(const Transformer& model) {
  return model.experts > 1 ? feed_forward_layers(model) - model.dense_layers : 0;
}

std::int64_t dense_feed_forward_layers(const Transformer& model) {
  return feed_forward_layers(model) - expert_layers(model);
}

std::int64_t dense_width(const Transformer& model) { return model.experts > 1 ? model.dense_ffn : model.ffn; }

std::int64_t query_width(const Transformer& model) {
  return model.heads * (model.latent ? model.latent->plain_dim + model.latent->rotary_dim : model.head_dim);
}

std::int64_t cache_width(const Transformer& model) {
  return model.latent ? model.latent->kv_rank + model.latent->rotary_dim : 2 * kv_width(model);
}

std::int64_t value_width(const Transformer& model) {
  return model.heads * (model.latent ? model.latent->value_dim : model.head_dim);
}

std::int64_t attention_weights(const Transformer& m) {
  const std::int64_t output = m.hidden * (value_width(m) + m.heads * m.gate_dim);
  if (!m.latent) return m.hidden * (query_width(m) + 2 * kv_width(m)) + output;
  const LatentAttention& a = *m.latent;
  const std::int64_t queries =
      a.query_rank > 0 ? a.query_rank * (m.hidden + query_width(m)) : m.hidden * query_width(m);
  const std::int64_t keys_values =
      m.hidden * (a.kv_rank + a.rotary_dim) + a.kv_rank * m.heads * (a.plain_dim + a.value_dim);
  return queries + keys_values + output;
}

std::int64_t block_weights(const Transformer& m, std::int64_t width) {
  return matrices(m) * m.hidden * width;
}

std::int64_t expert_weights(const Transformer& m) { return matrices(m) * expert_input(m) * m.ffn; }

std::int64_t shared_weights(const Transformer& m) {
  return block_weights(m, m.shared_ffn) + 2 * m.hidden * m.expert_input;
}

std::int64_t state_space_weights(const Transformer& m) {
  if (!m.state_space) return 0;
  const StateSpace& s = *m.state_space;
  const std::int64_t inner = s.heads * s.head_dim;
  return m.hidden * (3 * inner + 2 * s.groups * s.state + s.heads);
}

std::int64_t parameter_count(const Transformer& model) { return parameters_with(model, model.experts); }

std::int64_t active_parameter_count(const Transformer& model) { return parameters_with(model, model.top_k); }

std::int64_t prediction_passes(const Transformer& m) {
  return m.prediction_passes > 0 ? m.prediction_passes : m.prediction_layers;
}

std::int64_t prediction_parameter_count(const Transformer& m) {
  const std::int64_t feed_forward =
      m.experts > 1 ? expert_layer_parameters(m, m.experts) : dense_parameters(m);
  const std::int64_t join =
      2 * m.hidden * m.hidden + 3 * norm_size(m);  // norms of both inputs and the output
  return m.prediction_layers * (attention_parameters(m) + feed_forward + join);
}

Flops score_flops_per_token(const Transformer& model, FlopConvention convention) {
  const double windowed = static_cast<double>(model.window_layers);
  const double full = static_cast<double>(attention_layers(model)) - windowed;
  const double products =
      full * score_products(model, static_cast<double>(model.sequence), convention) +
      (windowed > 0 ? windowed * score_products(model, static_cast<double>(model.window), convention) : 0);
  return Flops{kFlopsPerMultiplyAdd * products};
}

Flops forward_flops_per_token(const Transformer& model, FlopConvention convention) {
  if (convention == FlopConvention::kSixN) {
    const std::int64_t n = model.nominal_parameters.value_or(active_parameter_count(model));
    return Flops{kFlopsPerMultiplyAdd * static_cast<double>(n)};
  }
  std::int64_t products = attention_layers(model) * attention_weights(model) + model.vocab * model.hidden;
  if (model.experts > 1) {
    products += expert_layers(model) * active_feed_forward_weights(model);
    products += dense_feed_forward_layers(model) * block_weights(model, model.dense_ffn);
  } else {
    products += feed_forward_layers(model) * active_feed_forward_weights(model);
  }
  double scan = 0;
  if (model.state_space) {
    const StateSpace& s = *model.state_space;
    products += s.layers * state_space_weights(model);
    scan = kScanFlops * static_cast<double>(s.layers * s.heads * s.head_dim * s.state);
  }
  return Flops{kFlopsPerMultiplyAdd * static_cast<double>(products) + scan} +
         score_flops_per_token(model, convention);
}

Flops training_flops_per_token(const Transformer& model, FlopConvention convention) {
  const Flops forward = forward_flops_per_token(model, convention);
  if (convention == FlopConvention::kSixN) return kTrainingOverForward * forward;
  return kTrainingOverForward * (forward + Flops{prediction_flops(model, convention)});
}

Bytes checkpoint_bytes(const Transformer& model) {
  return stated_parameters(model) * kCheckpointBytesPerParameter;
}

Bytes weight_bytes(const Transformer& model, Bytes per_parameter) {
  return stated_parameters(model) * per_parameter;
}

}  // namespace fleetsim
