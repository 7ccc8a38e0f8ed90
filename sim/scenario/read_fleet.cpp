#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/catalog/catalog.hpp"
#include "models/catalog/fabric_shape.hpp"
#include "sim/scenario/limits.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

/// Device type, devices of a node and peak: from the catalog or as given.
void read_node(const Reader& in, PoolSpec& pool) {
  const bool listed = in.find("nodes") != nullptr && in.find("nodes")->is_object();
  if (in.at_most_one({"node", "device"}) == 0 && !listed)
    in.problem("expected a key \"node\" or \"device\"; found neither");
  if (const auto name = in.text("node")) {
    const Found<Node> known = node(*name);
    if (!known) {
      in.problem("node", known.problem);
    } else {
      pool.node = *name;
      pool.device_type = known.entry->accelerator;
      pool.devices_per_node = static_cast<std::uint32_t>(known.entry->devices);
      pool.cpu_milli = 1000 * known.entry->cpu_cores;
      pool.memory_bytes = static_cast<std::int64_t>(known.entry->host_memory.si);
    }
  }
  if (assign(pool.device_type, in.text("device")) && pool.device_type.empty()) {
    in.expected("device", "the name of an accelerator");
  }
  const bool counted = assign(pool.devices_per_node, in.count("devices_per_node", 1, kMostPerNode));
  assign(pool.cpu_milli, read_cpus(in, "cpus_per_node"));
  assign(pool.memory_bytes, read_memory(in, "memory_per_node"));
  if (!counted && !in.has("devices_per_node") && in.has("device") && !listed) {
    in.problem("missing key \"devices_per_node\", which goes with \"device\"");
  }
  if (const Found<Accelerator> known = accelerator(pool.device_type)) {
    pool.peak = known.entry->peak_bf16;
    pool.memory_bandwidth = known.entry->hbm_bandwidth;
  }
  assign(pool.peak, in.flop_rate("peak"));
  assign(pool.memory_bandwidth, in.byte_rate("memory_bandwidth"));
}

/// The rack (pod, spine) of each node: as listed under `list`, or of `size` nodes each, which the key `count`
/// overrides. Empty where nothing says.
std::vector<std::uint32_t> read_domains(const Reader& in, std::uint32_t nodes, std::string_view count,
                                        std::string_view list, std::optional<std::uint32_t> size) {
  in.at_most_one({count, list});
  assign(size, in.count(count, 1, kMostNodes));
  std::vector<std::uint32_t> domains;
  for (std::uint32_t node = 0; size && node < nodes; ++node) domains.push_back(node / *size);

  const Json* listed = in.find(list);
  if (listed == nullptr) return domains;
  if (!listed->is_array() || listed->size() != nodes) {
    if (nodes > 0)
      in.expected(list,
                  "a list of " + std::to_string(nodes) + " " + std::string(list) + ", one for each node");
    return domains;
  }
  domains.assign(nodes, 0);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    constexpr WholeRange kRange{0, kMostNodes - 1};
    const auto domain = whole_of((*listed)[node], kRange);
    if (domain) domains[node] = static_cast<std::uint32_t>(*domain);
    if (!domain) {
      report_not_in(kRange, (*listed)[node], child_pointer(in.pointer_of(list), node), in.problems());
    }
  }
  return domains;
}

/// Reports where one of the inner domains lies in two of the outer ones.
void check_nested(const Reader& in, const std::vector<std::uint32_t>& inner, std::string_view inner_name,
                  const std::vector<std::uint32_t>& outer, std::string_view outer_name) {
  if (inner.empty() || outer.empty()) return;
  std::vector<std::optional<std::uint32_t>> outer_of(*std::max_element(inner.begin(), inner.end()) + 1);
  for (std::size_t node = 0; node < inner.size(); ++node) {
    std::optional<std::uint32_t>& known = outer_of[inner[node]];
    if (!known) known = outer[node];
    if (*known == outer[node]) continue;
    in.problem(std::string(inner_name) + " " + std::to_string(inner[node]) + " lies in " +
               std::string(outer_name) + "s " + std::to_string(*known) + " and " +
               std::to_string(outer[node]) + "; expected each in one");
    return;
  }
}

/// Racks, pods and spines, as listed or of equal size, or as the fabric has them.
void read_topology(const Reader& in, PoolSpec& pool) {
  std::optional<std::uint32_t> per_rack, per_pod;
  if (const auto name = in.text("fabric")) {
    const Found<Fabric> known = fabric(*name);
    if (!known) in.problem("fabric", known.problem);
    if (known) pool.fabric = *name;
    if (known) per_rack = static_cast<std::uint32_t>(known.entry->nodes_per_rack);
    if (known && in.present({"nodes_per_rack", "racks"}).empty())
      per_pod = static_cast<std::uint32_t>(known.entry->nodes_per_pod);
  }
  pool.racks = read_domains(in, pool.nodes, "nodes_per_rack", "racks", per_rack);
  pool.pods = read_domains(in, pool.nodes, "nodes_per_pod", "pods", per_pod);
  pool.spines = read_domains(in, pool.nodes, "nodes_per_spine", "spines", std::nullopt);
  check_nested(in, pool.racks, "rack", pool.pods, "pod");
  check_nested(in, pool.racks, "rack", pool.spines, "spine");
  check_nested(in, pool.pods, "pod", pool.spines, "spine");
  pool.racks.resize(pool.nodes);
}

/// Links that gangs share, as node and fabric of the catalog have them.
void read_contention(const Reader& in, PoolSpec& pool) {
  if (!in.flag("contention").value_or(false)) return;
  const Found<Node> known = node(pool.node);
  if (!known || pool.nodes == 0) {
    if (!in.has("node")) in.problem("contention", "needs a \"node\" of the catalog, to know its links");
    return;
  }
  const Found<Fabric> between = fabric(pool.fabric.empty() ? known.entry->fabric : pool.fabric);
  if (between) pool.shared_links = fabric_shape(*between.entry, *known.entry, pool.nodes);
}

/// A price, or the name of one in the catalog.
void read_price(const Reader& in, PoolSpec& pool) {
  const Json* value = in.find("price");
  const bool named = value != nullptr && value->is_string() &&
                     catalog_text(CatalogKind::kPrices, value->get_ref<const std::string&>()).has_value();
  if (named) {
    pool.price = price(value->get_ref<const std::string&>()).entry;
  } else {
    assign(pool.price, in.price("price"));
  }
}

/// A number of nodes, or a list of them.
void read_nodes(const Reader& in, Scenario& scenario, Traces& traces, PoolSpec& pool) {
  const Json* value = in.find("nodes");
  if (value == nullptr) return;
  if (value->is_object()) return read_node_list(in, scenario, traces, pool);
  constexpr WholeRange kRange{1, kMostNodes};
  if (const auto count = whole_of(*value, kRange)) {
    pool.nodes = static_cast<std::uint32_t>(*count);
  } else if (value->is_number()) {
    report_not_in(kRange, *value, in.pointer_of("nodes"), in.problems());
  } else {
    in.expected("nodes", "a number of nodes, or an object that lists them");
  }
}

PoolSpec read_pool(const Reader& in, const std::string& name, Scenario& scenario, Traces& traces) {
  PoolSpec pool;
  pool.name = name;
  check_name(in, "pool", name);
  read_node(in, pool);
  read_nodes(in, scenario, traces, pool);
  read_topology(in, pool);
  read_price(in, pool);
  assign(pool.teardown, in.duration("teardown"));
  if (assign(pool.spares, in.count("spares", 0, kMostNodes)) && pool.nodes > 0 && pool.spares >= pool.nodes) {
    in.expected("spares", "fewer than the " + std::to_string(pool.nodes) + " nodes of the pool");
  }
  read_contention(in, pool);
  read_drains(in, pool);
  assign(pool.measure_fragmentation, in.flag("fragmentation"));
  assign(pool.sample_fragmentation, in.duration("fragmentation_every", Sign::positive));
  if (pool.sample_fragmentation && !pool.measure_fragmentation)
    in.problem("fragmentation_every", "goes with \"fragmentation\": true, which is not there");
  return pool;
}

/// The rows for a pool out of its own `faults`, or out of those of the scenario.
void read_pool_faults(const Reader& root, const Reader& in, PoolSpec& pool) {
  const std::optional<Reader> own = in.object("faults");
  const std::optional<Reader> general = own ? own : root.object("faults");
  if (!general) return;
  pool.faults = read_fault_rows(*general);
  pool.slow = read_slow_rows(*general);
  const bool needs_racks = std::any_of(pool.faults.begin(), pool.faults.end(), spans_racks) ||
                           std::any_of(pool.slow.begin(), pool.slow.end(),
                                       [](const SlowRow& row) { return row.hits == FaultScope::rack; });
  if (needs_racks && in.present({"nodes_per_rack", "racks", "fabric"}).empty()) {
    in.problem(
        "expected \"nodes_per_rack\" or \"racks\", since failures hit or take out racks; found neither");
  }
}

}  // namespace

void check_name(const Reader& entry, std::string_view what, const std::string& name) {
  const bool plain = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' ||
           std::string_view("./\\,;\"'").find(c) != std::string_view::npos;
  });
  if (plain) return;
  entry.problem("expected a name without any of . / \\ , ; or quotes for a " + std::string(what) +
                "; found " + describe(Json(name)));
}

void read_fleet(const Reader& root, Scenario& scenario, Traces& traces) {
  const std::optional<Reader> fleet = root.object("fleet");
  if (!fleet) return;
  const auto pools = fleet->objects("pools");
  if (fleet->has("pools") && fleet->find("pools")->is_object() && pools.empty()) {
    fleet->expected("pools", "at least one pool");
  }
  for (const auto& [name, in] : pools) {
    scenario.pools.push_back(read_pool(in, name, scenario, traces));
    read_pool_faults(root, in, scenario.pools.back());
  }
  const auto read_script = [&](const Reader& faults, const PoolSpec* pool) {
    read_incidents(faults, pool, scenario);
    read_slow_episodes(faults, pool, scenario);
  };
  if (const auto faults = root.object("faults")) read_script(*faults, nullptr);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (const auto own = pools[i].second.object("faults")) read_script(*own, &scenario.pools[i]);
  }
}

}  // namespace fleetsim
