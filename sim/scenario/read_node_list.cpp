#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/scenario/limits.hpp"
#include "sim/scenario/sections.hpp"
#include "sim/workload/openb.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostModels = 64;
constexpr double kMostAmount = 1e18;  // milli-cores or bytes of a node; no sum overflows

void read_groups(const Reader& in, Scenario& scenario, PoolSpec& spec) {
  for (const Reader& group : in.list("groups")) {
    NodeSpec node;
    const std::uint32_t count = group.count("count", 1, kMostNodes).value_or(1);
    assign(node.cards, group.count("devices", 0, kMostPerNode));
    if (const auto model = group.text("device")) node.type = model_bit(group, "device", *model, scenario);
    assign(node.cpu_milli, read_cpus(group, "cpus"));
    assign(node.memory_bytes, read_memory(group, "memory"));
    if (spec.packed.size() + count > kMostNodes) {
      group.expected("count", "at most 10,000,000 nodes in the pool");
      return;
    }
    spec.packed.resize(spec.packed.size() + count, node);
  }
}

void read_file(const Reader& in, Scenario& scenario, Traces& traces, PoolSpec& spec) {
  const std::optional<std::string> format = in.text("format"), file = in.text("file");
  if (format && *format != "openb") in.expected("format", "\"openb\"");
  in.text("about");
  in.text("source");
  if (!in.has("format")) in.problem("missing key \"format\", which goes with \"file\"");
  if (!in.has("file")) in.problem("missing key \"file\", which goes with \"format\"");
  if (!format || !file) return;
  const std::string* text = traces.text(*file);
  if (text == nullptr) {
    in.problem("file", missing_file(in, "list of nodes", *file, traces));
    return;
  }
  std::istringstream lines(*text);
  const auto reading = read_openb_nodes(lines, scenario.device_models);
  for (const std::string& problem : reading.problems) in.problem("file", *file + ": " + problem);
  if (!reading.problems.empty()) return;
  for (const OpenbNode& node : reading.rows)
    spec.packed.push_back({node.cpu_milli, node.memory_mib << 20, node.cards, node.model});
}

std::optional<std::int64_t> amount(const Reader& in, std::string_view key, double value) {
  if (value <= kMostAmount) return static_cast<std::int64_t>(std::floor(value + 0.5));
  in.expected(key, "less than there is in the world");
  return std::nullopt;
}

}  // namespace

void read_node_list(const Reader& pool, Scenario& scenario, Traces& traces, PoolSpec& spec) {
  const Reader in = pool.object("nodes", "node_list");
  for (const std::string_view key : pool.present({"node", "cpus_per_node", "memory_per_node"}))
    pool.problem(key, "excluded by a list in \"nodes\", whose nodes bring their own");
  if (in.at_most_one({"groups", "file"}) == 0 && !in.has("format"))
    in.problem("expected a key \"groups\" or \"file\"; found neither");
  in.has("groups") ? read_groups(in, scenario, spec) : read_file(in, scenario, traces, spec);
  enum class Order : std::uint8_t { listed, shuffled };
  spec.shuffled = in.choice("order", {Order::listed, Order::shuffled}) == Order::shuffled;
  spec.nodes = static_cast<std::uint32_t>(spec.packed.size());
  std::uint32_t widest = 0;
  for (const NodeSpec& node : spec.packed) widest = std::max(widest, node.cards);
  if (pool.has("devices_per_node") && spec.devices_per_node < widest)
    pool.expected("devices_per_node",
                  "at least the " + std::to_string(widest) + " devices of the widest node");
  if (!pool.has("devices_per_node")) spec.devices_per_node = std::max(widest, 1U);
  if (spec.device_type.empty()) spec.device_type = "mixed";
}

DeviceTypes model_bit(const Reader& in, std::string_view key, const std::string& name, Scenario& scenario) {
  std::vector<std::string>& models = scenario.device_models;
  const auto known = std::find(models.begin(), models.end(), name);
  const auto bit = static_cast<std::size_t>(known - models.begin());
  if (name.empty()) in.expected(key, "the name of a model of devices");
  if (bit >= kMostModels) in.problem(key, "more than 64 models of devices");
  if (name.empty() || bit >= kMostModels) return 0;
  if (known == models.end()) models.push_back(name);
  return DeviceTypes{1} << bit;
}

std::optional<std::int64_t> read_cpus(const Reader& in, std::string_view key) {
  const auto cpus = in.positive_number(key);
  return cpus ? amount(in, key, *cpus * 1000) : std::nullopt;
}

std::optional<std::int64_t> read_memory(const Reader& in, std::string_view key) {
  const auto memory = in.bytes(key);
  return memory ? amount(in, key, memory->si) : std::nullopt;
}

std::string missing_file(const Reader& in, std::string_view what, const std::string& file,
                         const Traces& traces) {
  std::string message = "the " + std::string(what) + " " + describe(Json(file)) +
                        " is not there (looked in " + traces.folders_text() + ")";
  if (const auto about = in.text("about")) message += "; it is " + *about;
  if (const auto source = in.text("source")) message += "; get it from " + *source;
  return message + "; name the folder that has it in FLEETSIM_TRACES";
}

}  // namespace fleetsim
