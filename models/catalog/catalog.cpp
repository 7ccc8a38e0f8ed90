#include "models/catalog/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "models/catalog/embedded.hpp"
#include "models/catalog/entry.hpp"
#include "models/quantity/parse.hpp"
#include "models/text/nearest.hpp"

namespace fleetsim {
namespace {

struct KindNames {
  std::string_view folder;
  std::string_view one;  // how an error speaks of an entry
};

constexpr KindNames kKindNames[] = {{"accelerators", "accelerator"},
                                    {"nodes", "node"},
                                    {"fabrics", "fabric"},
                                    {"transformers", "transformer"},
                                    {"failures", "failure mix"},
                                    {"prices", "price"},
                                    {"storage", "storage"},
                                    {"recovery", "recovery budget"},
                                    {"collectives", "measured network"}};
static_assert(std::size(kKindNames) == std::size(kCatalogKinds));

const KindNames& names_of(CatalogKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

template <class E>
struct Word {
  std::string_view name;
  E value;
};

constexpr Word<Hits> kHits[] = {{"device", Hits::kDevice}, {"node", Hits::kNode}, {"rack", Hits::kRack}};
constexpr Word<TakesOut> kTakesOut[] = {
    {"nothing", TakesOut::kNothing}, {"device", TakesOut::kDevice}, {"node", TakesOut::kNode}};
constexpr Word<FeedForward> kFeedForward[] = {{"plain", FeedForward::kPlain}, {"gated", FeedForward::kGated}};
constexpr Word<Embeddings> kEmbeddings[] = {{"tied", Embeddings::kTied}, {"separate", Embeddings::kSeparate}};
constexpr Word<Technology> kTechnologies[] = {
    {"infiniband", Technology::kInfiniband}, {"roce", Technology::kRoce}, {"efa", Technology::kEfa}};
constexpr Word<FabricLayout> kLayouts[] = {{"rails", FabricLayout::kRails}, {"racks", FabricLayout::kRacks}};
constexpr Word<Biases> kBiases[] = {{"none", Biases::kNone}, {"all", Biases::kAll}};

template <class E, std::size_t N>
E word(const CatalogEntry& entry, std::string_view key, std::string_view text, const Word<E> (&words)[N]) {
  for (const Word<E>& known : words) {
    if (known.name == text) return known.value;
  }
  entry.fail(key, "is not a word known there");
}

/// Finds the file, reads it with `read`, or says what is like the name.
template <class T, class Read>
Found<T> find(CatalogKind kind, std::string_view name, Read read) {
  Found<T> found;
  if (const std::optional<std::string_view> text = catalog_text(kind, name)) {
    const nlohmann::json object = nlohmann::json::parse(*text);
    const std::string place = std::string(to_string(kind)) + "/" + std::string(name) + ".json";
    found.entry = read(CatalogEntry(place, object), object);
    return found;
  }
  found.nearest = nearest_names(name, names(kind));
  found.problem = "unknown " + std::string(names_of(kind).one) + " \"" + std::string(name) + "\"";
  if (!found.nearest.empty()) found.problem += " (did you mean \"" + found.nearest.front() + "\"?)";
  return found;
}

/// A rate given as a mean time to failure, or as a count over what was observed.
FailureRow read_failure(const CatalogEntry& row, const CatalogEntry& mix) {
  FailureRow failure;
  failure.name = row.plain("name");
  failure.hits = word(row, "hits", row.plain("hits"), kHits);
  failure.takes_out = word(row, "takes_out", row.plain("takes_out"), kTakesOut);
  if (row.has("mttf")) {
    failure.rate = 1.0 / row.quantity("mttf", parse_seconds);
    failure.source = row.source("mttf");
    return failure;
  }
  const CatalogEntry observed = mix.at("observed");
  const std::string_view population = failure.hits == Hits::kDevice ? "devices"
                                      : failure.hits == Hits::kNode ? "nodes"
                                                                    : "racks";
  failure.rate = observed_rate(row.integer("count"), observed.integer(population),
                               observed.quantity("window", parse_seconds));
  failure.source = row.source("count");
  return failure;
}

}  // namespace

std::string_view to_string(CatalogKind kind) { return names_of(kind).folder; }

std::vector<std::string> names(CatalogKind kind) {
  std::vector<std::string> found;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.kind == to_string(kind)) found.emplace_back(file.name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<std::string_view> catalog_text(CatalogKind kind, std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.kind == to_string(kind) && file.name == name) return file.text;
  }
  return std::nullopt;
}

std::optional<std::string> about(CatalogKind kind, std::string_view name) {
  return find<std::string>(kind, name,
                           [](const CatalogEntry& e, const nlohmann::json&) { return e.plain("about"); })
      .entry;
}

Found<Accelerator> accelerator(std::string_view name) {
  return find<Accelerator>(
      CatalogKind::kAccelerators, name, [&](const CatalogEntry& e, const nlohmann::json&) {
        Accelerator device{.name = std::string(name),
                           .peak_bf16 = e.quantity("peak_bf16", parse_flop_rate),
                           .peak_fp8 = std::nullopt,
                           .hbm = e.quantity("hbm", parse_bytes),
                           .hbm_bandwidth = e.quantity("hbm_bandwidth", parse_byte_rate),
                           .nvlink_one_way = e.quantity("nvlink_one_way", parse_byte_rate),
                           .power = e.quantity("power", parse_watts)};
        if (e.has("peak_fp8")) device.peak_fp8 = e.quantity("peak_fp8", parse_flop_rate);
        return device;
      });
}

Found<Node> node(std::string_view name) {
  return find<Node>(CatalogKind::kNodes, name, [&](const CatalogEntry& e, const nlohmann::json&) {
    return Node{.name = std::string(name),
                .accelerator = e.text("accelerator"),
                .devices = e.integer("devices"),
                .nvlink_domain = e.integer(e.has("nvlink_domain") ? "nvlink_domain" : "devices"),
                .host_memory = e.quantity("host_memory", parse_bytes),
                .cpu_cores = e.integer("cpu_cores"),
                .nics = e.integer("nics"),
                .nic_bandwidth = e.quantity("nic_bandwidth", parse_byte_rate),
                .power = e.quantity("power", parse_watts)};
  });
}

Found<Fabric> fabric(std::string_view name) {
  return find<Fabric>(CatalogKind::kFabrics, name, [&](const CatalogEntry& e, const nlohmann::json&) {
    return Fabric{
        .name = std::string(name),
        .technology = word(e, "technology", e.text("technology"), kTechnologies),
        .layout = word(e, "layout", e.text("layout"), kLayouts),
        .link = e.quantity("link", parse_byte_rate),
        .rails = e.integer("rails"),
        .nodes_per_rack = e.integer("nodes_per_rack"),
        .nodes_per_pod = e.integer("nodes_per_pod"),
        .oversubscription = e.number("oversubscription"),
        .pod_oversubscription = e.has("pod_oversubscription") ? e.number("pod_oversubscription") : 1,
        .latency = e.quantity("latency", parse_seconds)};
  });
}

Found<Transformer> transformer(std::string_view name) {
  return find<Transformer>(
      CatalogKind::kTransformers, name, [](const CatalogEntry& e, const nlohmann::json&) {
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
        if (e.has("learned_positions")) model.learned_positions = e.integer("learned_positions");
        if (e.has("experts")) model.experts = e.integer("experts");
        if (e.has("top_k")) model.top_k = e.integer("top_k");
        if (e.has("nominal_parameters")) model.nominal_parameters = e.integer("nominal_parameters");
        return model;
      });
}

Found<FailureMix> failure_mix(std::string_view name) {
  return find<FailureMix>(
      CatalogKind::kFailures, name, [&](const CatalogEntry& e, const nlohmann::json& object) {
        FailureMix mix{.name = std::string(name), .rows = {}};
        std::size_t index = 0;
        for (const nlohmann::json& row : object.at("rows")) {
          const std::string place = "failures/" + std::string(name) + ".json/rows/" + std::to_string(index++);
          mix.rows.push_back(read_failure(CatalogEntry(place, row), e));
        }
        return mix;
      });
}

Found<Price> price(std::string_view name) {
  return find<Price>(CatalogKind::kPrices, name, [](const CatalogEntry& e, const nlohmann::json&) {
    return e.quantity("price", parse_price);
  });
}

Found<Storage> storage(std::string_view name) {
  return find<Storage>(CatalogKind::kStorage, name, [&](const CatalogEntry& e, const nlohmann::json&) {
    return Storage{.name = std::string(name),
                   .aggregate = e.quantity("aggregate", parse_byte_rate),
                   .jobs_sharing = e.integer("jobs_sharing")};
  });
}

Found<RecoveryBudget> recovery_budget(std::string_view name) {
  return find<RecoveryBudget>(CatalogKind::kRecovery, name, [](const CatalogEntry& e, const nlohmann::json&) {
    return RecoveryBudget{.detect = e.quantity("detect", parse_seconds),
                          .restart = e.quantity("restart", parse_seconds),
                          .warmup = e.quantity("warmup", parse_seconds)};
  });
}

}  // namespace fleetsim
