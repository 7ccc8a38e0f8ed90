#include "models/catalog/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "models/catalog/embedded.hpp"
#include "models/catalog/entry.hpp"
#include "models/catalog/find.hpp"
#include "models/catalog/word.hpp"
#include "models/quantity/parse.hpp"

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
                                    {"calibration", "calibration"},
                                    {"collectives", "measured network"},
                                    {"gemms", "table of matrix products"},
                                    {"recommenders", "recommender"}};
static_assert(std::size(kKindNames) == std::size(kCatalogKinds));

const KindNames& names_of(CatalogKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

constexpr Word<Hits> kHits[] = {{"device", Hits::kDevice}, {"node", Hits::kNode}, {"rack", Hits::kRack}};
constexpr Word<TakesOut> kTakesOut[] = {
    {"nothing", TakesOut::kNothing}, {"device", TakesOut::kDevice}, {"node", TakesOut::kNode}};
constexpr Word<Technology> kTechnologies[] = {
    {"infiniband", Technology::kInfiniband}, {"roce", Technology::kRoce}, {"efa", Technology::kEfa}};
constexpr Word<FabricLayout> kLayouts[] = {{"rails", FabricLayout::kRails}, {"racks", FabricLayout::kRacks}};

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

std::string_view one_of(CatalogKind kind) { return names_of(kind).one; }

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
  return find_entry<std::string>(
             kind, name, [](const CatalogEntry& e, const nlohmann::json&) { return e.plain("about"); })
      .entry;
}

Found<Node> node(std::string_view name) {
  return find_entry<Node>(CatalogKind::kNodes, name, [&](const CatalogEntry& e, const nlohmann::json&) {
    return Node{.name = std::string(name),
                .accelerator = e.text("accelerator"),
                .devices = e.integer("devices"),
                .nvlink_domain = e.integer("nvlink_domain"),
                .host_memory = e.quantity("host_memory", parse_bytes),
                .cpu_cores = e.integer("cpu_cores"),
                .nics = e.integer("nics"),
                .nic_bandwidth = e.quantity("nic_bandwidth", parse_byte_rate),
                .fabric = e.text("fabric"),
                .power = e.quantity("power", parse_watts)};
  });
}

Found<Fabric> fabric(std::string_view name) {
  return find_entry<Fabric>(CatalogKind::kFabrics, name, [&](const CatalogEntry& e, const nlohmann::json&) {
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

Found<FailureMix> failure_mix(std::string_view name) {
  return find_entry<FailureMix>(
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
  return find_entry<Price>(CatalogKind::kPrices, name, [](const CatalogEntry& e, const nlohmann::json&) {
    return e.quantity("price", parse_price);
  });
}

Found<Storage> storage(std::string_view name) {
  return find_entry<Storage>(CatalogKind::kStorage, name, [&](const CatalogEntry& e, const nlohmann::json&) {
    return Storage{.name = std::string(name),
                   .aggregate = e.quantity("aggregate", parse_byte_rate),
                   .jobs_sharing = e.integer("jobs_sharing")};
  });
}

Found<RecoveryBudget> recovery_budget(std::string_view name) {
  return find_entry<RecoveryBudget>(CatalogKind::kRecovery, name,
                                    [](const CatalogEntry& e, const nlohmann::json&) {
                                      return RecoveryBudget{.detect = e.quantity("detect", parse_seconds),
                                                            .restart = e.quantity("restart", parse_seconds),
                                                            .warmup = e.quantity("warmup", parse_seconds)};
                                    });
}

}  // namespace fleetsim
