#include "models/catalog/catalog.hpp"
#include "models/catalog/find.hpp"
#include "models/catalog/word.hpp"

namespace fleetsim {
namespace {

constexpr Word<FeedForward> kFeedForward[] = {{"plain", FeedForward::kPlain}, {"gated", FeedForward::kGated}};
constexpr Word<Embeddings> kEmbeddings[] = {{"tied", Embeddings::kTied}, {"separate", Embeddings::kSeparate}};
constexpr Word<Biases> kBiases[] = {{"none", Biases::kNone}, {"all", Biases::kAll}};

/// Counts that most models do without; the keys are the names of the members.
struct OptionalCount {
  std::string_view key;
  std::int64_t Transformer::*member;
};

constexpr OptionalCount kOptionalCounts[] = {
    {"gate_dim", &Transformer::gate_dim},
    {"learned_positions", &Transformer::learned_positions},
    {"experts", &Transformer::experts},
    {"top_k", &Transformer::top_k},
    {"shared_ffn", &Transformer::shared_ffn},
    {"expert_input", &Transformer::expert_input},
    {"dense_layers", &Transformer::dense_layers},
    {"dense_ffn", &Transformer::dense_ffn},
    {"attention_layers", &Transformer::attention_layers},
    {"feed_forward_layers", &Transformer::feed_forward_layers},
    {"window_layers", &Transformer::window_layers},
    {"window", &Transformer::window},
    {"prediction_layers", &Transformer::prediction_layers},
    {"prediction_passes", &Transformer::prediction_passes},
};

LatentAttention read_latent(const CatalogEntry& e) {
  return {.query_rank = e.integer("query_rank"),
          .kv_rank = e.integer("kv_rank"),
          .plain_dim = e.integer("plain_dim"),
          .rotary_dim = e.integer("rotary_dim"),
          .value_dim = e.integer("value_dim")};
}

StateSpace read_state_space(const CatalogEntry& e) {
  return {.layers = e.integer("layers"),
          .heads = e.integer("heads"),
          .head_dim = e.integer("head_dim"),
          .groups = e.integer("groups"),
          .state = e.integer("state")};
}

Transformer read_transformer(const CatalogEntry& e) {
  Transformer model{.layers = e.integer("layers"),
                    .hidden = e.integer("hidden"),
                    .heads = e.integer("heads"),
                    .kv_heads = e.integer("kv_heads"),
                    .head_dim = e.integer("head_dim"),
                    .ffn = e.integer("ffn"),
                    .feed_forward = word(e, "feed_forward", e.text("feed_forward"), kFeedForward),
                    .vocab = e.integer("vocab"),
                    .embeddings = word(e, "embeddings", e.text("embeddings"), kEmbeddings),
                    .biases = word(e, "biases", e.text("biases"), kBiases),
                    .sequence = e.integer("sequence")};
  for (const OptionalCount& count : kOptionalCounts) {
    if (e.has(count.key)) model.*count.member = e.integer(count.key);
  }
  if (e.has("latent")) model.latent = read_latent(e.at("latent"));
  if (e.has("state_space")) model.state_space = read_state_space(e.at("state_space"));
  if (e.has("nominal_parameters")) model.nominal_parameters = e.integer("nominal_parameters");
  return model;
}

}  // namespace

Found<Transformer> transformer(std::string_view name) {
  return find_entry<Transformer>(
      CatalogKind::kTransformers, name,
      [](const CatalogEntry& e, const nlohmann::json&) { return read_transformer(e); });
}

}  // namespace fleetsim
