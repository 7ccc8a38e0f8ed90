#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/scenario/limits.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

/// Indices of nodes, each once, in order.
std::vector<std::uint32_t> listed_nodes(const Reader& in, const PoolSpec& pool) {
  std::vector<std::uint32_t> nodes;
  const Json& listed = *in.find("nodes");
  if (!listed.is_array() || listed.empty()) {
    in.expected("nodes", "a list of at least one index of a node");
    return nodes;
  }
  const WholeRange range{0, std::int64_t{pool.nodes} - 1};
  for (std::size_t index = 0; index < listed.size(); ++index) {
    if (const auto node = whole_of(listed[index], range)) {
      nodes.push_back(static_cast<std::uint32_t>(*node));
    } else if (pool.nodes > 0) {
      report_not_in(range, listed[index], child_pointer(in.pointer_of("nodes"), index), in.problems());
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// The nodes of the pool that `nodes`, `last` or `rack` name; all of them where none does.
std::vector<std::uint32_t> read_nodes(const Reader& in, const PoolSpec& pool) {
  in.at_most_one({"nodes", "last", "rack"});
  if (in.has("nodes")) return listed_nodes(in, pool);
  std::vector<std::uint32_t> nodes(pool.nodes);
  std::iota(nodes.begin(), nodes.end(), 0);
  if (in.has("last")) {
    const auto count = in.count("last", 1, std::max(pool.nodes, 1U));
    nodes.erase(nodes.begin(), nodes.end() - std::min(count.value_or(0), pool.nodes));
  } else if (in.has("rack")) {
    const auto rack = in.count("rack", 0, kMostNodes - 1);
    std::erase_if(nodes, [&](std::uint32_t node) { return pool.racks[node] != rack; });
    if (rack && nodes.empty() && pool.nodes > 0) in.expected("rack", "a rack of the pool");
  }
  return nodes;
}

DrainSpec read_drain(const Reader& in, const PoolSpec& pool) {
  DrainSpec drain;
  drain.nodes = read_nodes(in, pool);
  assign(drain.at, in.instant("at"));
  in.at_most_one({"for", "until"});
  assign(drain.length, in.duration("for", Sign::positive));
  if (const auto until = in.instant("until")) {
    drain.length = *until - drain.at;
    if (*until <= drain.at) in.expected("until", "an instant after \"at\"");
  }
  assign(drain.every, in.duration("every", Sign::positive));
  if (drain.every && drain.length >= *drain.every) {
    in.problem("every", in.has("for") || in.has("until")
                            ? "expected more than the time for which the nodes are out of service"
                            : "needs \"for\" or \"until\": nodes that do not come back leave once");
  }
  assign(drain.mode, in.choice("mode", {DrainMode::now, DrainMode::at_commit, DrainMode::when_released}));
  return drain;
}

DatedNodes read_dated(const Reader& in, const PoolSpec& pool) {
  DatedNodes dated;
  dated.nodes = read_nodes(in, pool);
  assign(dated.from, in.instant("from"));
  assign(dated.until, in.instant("until"));
  if (in.present({"from", "until"}).empty())
    in.problem("expected a key \"from\" or \"until\"; found neither");
  if (in.has("until") && dated.until <= dated.from)
    in.expected("until", in.has("from") ? "an instant after \"from\"" : "an instant after the start");
  return dated;
}

}  // namespace

void read_drains(const Reader& in, PoolSpec& pool) {
  for (const Reader& drain : in.list("drains")) pool.drains.push_back(read_drain(drain, pool));
  std::vector<bool> has_date(pool.nodes);
  for (const Reader& dated : in.list("installed")) {
    pool.dated.push_back(read_dated(dated, pool));
    const std::vector<std::uint32_t>& nodes = pool.dated.back().nodes;
    const auto twice =
        std::find_if(nodes.begin(), nodes.end(), [&](std::uint32_t node) { return has_date[node]; });
    if (twice != nodes.end())
      dated.problem("expected each node once; node " + std::to_string(*twice) + " has a date already");
    for (const std::uint32_t node : nodes) has_date[node] = true;
  }
}

}  // namespace fleetsim
