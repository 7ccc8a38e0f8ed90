#include "models/fabric/fabric_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <limits>
#include <map>

namespace fleetsim {
namespace {

struct LinkRate {
  double bytes_per_second = 0;
};
using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, LinkRate>;

struct Switches {
  Graph graph;
  std::size_t core;
};

/// Nodes, then leaves, then pods, then the core.
Switches build(const FabricShape& shape) {
  const auto count = [](std::int64_t nodes, std::int64_t each) {
    return static_cast<std::size_t>((nodes + each - 1) / each);
  };
  const std::size_t nodes = static_cast<std::size_t>(shape.nodes);
  const std::size_t leaves = count(shape.nodes, shape.nodes_per_leaf);
  const std::size_t pods = count(shape.nodes, shape.nodes_per_pod);
  const std::size_t first_leaf = nodes, first_pod = nodes + leaves, core = nodes + leaves + pods;
  const double rate = shape.node_rate.si;
  const double per_leaf = static_cast<double>(shape.nodes_per_leaf);
  const double per_pod = static_cast<double>(shape.nodes_per_pod);
  Switches made{Graph(core + 1), core};
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::size_t leaf = first_leaf + n / static_cast<std::size_t>(shape.nodes_per_leaf);
    boost::add_edge(n, leaf, LinkRate{rate}, made.graph);
  }
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const std::size_t first_node = leaf * static_cast<std::size_t>(shape.nodes_per_leaf);
    const std::size_t pod = first_pod + first_node / static_cast<std::size_t>(shape.nodes_per_pod);
    boost::add_edge(first_leaf + leaf, pod, LinkRate{per_leaf * rate / shape.leaf_oversubscription},
                    made.graph);
  }
  for (std::size_t pod = 0; pod < pods; ++pod)
    boost::add_edge(first_pod + pod, core, LinkRate{per_pod * rate / shape.pod_oversubscription}, made.graph);
  return made;
}

/// Counts pairs of nodes that share a place of `per_place` nodes each.
std::int64_t pairs_together(std::span<const std::uint32_t> nodes, std::int64_t per_place) {
  std::map<std::int64_t, std::int64_t> at;
  for (const std::uint32_t node : nodes) ++at[node / per_place];
  std::int64_t pairs = 0;
  for (const auto& [place, count] : at) pairs += count * (count - 1) / 2;
  return pairs;
}

}  // namespace

std::string_view to_string(HopClass hop) {
  constexpr std::string_view kWords[] = {"node", "domain", "leaf", "pod", "across"};
  return kWords[static_cast<std::size_t>(hop)];
}

FabricGraph::FabricGraph(const FabricShape& shape) : shape_{shape} {
  const Switches made = build(shape);
  const std::size_t vertices = boost::num_vertices(made.graph);
  parent_.resize(vertices);
  depth_.assign(vertices, 0);
  for (std::size_t v = 0; v < vertices; ++v) parent_[v] = v;
  boost::breadth_first_search(made.graph, made.core,
                              boost::visitor(boost::make_bfs_visitor(std::make_pair(
                                  boost::record_predecessors(parent_.data(), boost::on_tree_edge()),
                                  boost::record_distances(depth_.data(), boost::on_tree_edge())))));
  capacity_.assign(2 * vertices, std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < vertices; ++v) {
    if (parent_[v] == v) continue;
    const auto edge = boost::edge(v, parent_[v], made.graph).first;
    capacity_[2 * v] = capacity_[2 * v + 1] = made.graph[edge].bytes_per_second;
  }
}

HopClass FabricGraph::hop(std::uint32_t a, std::uint32_t b) const {
  const auto together = [&](std::int64_t per_place) { return a / per_place == b / per_place; };
  if (a == b) return HopClass::kNode;
  if (together(shape_.nodes_per_domain)) return HopClass::kDomain;
  if (together(shape_.nodes_per_leaf)) return HopClass::kLeaf;
  return together(shape_.nodes_per_pod) ? HopClass::kPod : HopClass::kAcross;
}

HopMix FabricGraph::ring_hops(std::span<const std::uint32_t> nodes) const {
  HopMix mix{};
  if (nodes.size() < 2) return mix;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    ++mix[static_cast<std::size_t>(hop(nodes[i], nodes[(i + 1) % nodes.size()]))];
  return mix;
}

HopMix FabricGraph::pair_hops(std::span<const std::uint32_t> nodes) const {
  const std::int64_t domain = pairs_together(nodes, shape_.nodes_per_domain);
  const std::int64_t leaf = std::max(domain, pairs_together(nodes, shape_.nodes_per_leaf));
  const std::int64_t pod = std::max(leaf, pairs_together(nodes, shape_.nodes_per_pod));
  const std::int64_t all = pairs_together(nodes, shape_.nodes);
  return {0, domain, leaf - domain, pod - leaf, all - pod};
}

std::vector<FabricGraph::Load> FabricGraph::ring_loads(std::span<const std::uint32_t> nodes) const {
  std::map<std::size_t, double> loads;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::size_t from = nodes[i], to = nodes[(i + 1) % nodes.size()];
    if (hop(nodes[i], nodes[(i + 1) % nodes.size()]) <= HopClass::kDomain) continue;
    while (from != to) {  // both climb until they meet
      if (depth_[from] >= depth_[to]) {
        loads[2 * from] += 1;
        from = parent_[from];
      } else {
        loads[2 * to + 1] += 1;
        to = parent_[to];
      }
    }
  }
  std::vector<Load> list;
  for (const auto& [link, load] : loads) list.push_back({link, load});
  return list;
}

std::vector<FabricGraph::Load> FabricGraph::all_to_all_loads(std::span<const std::uint32_t> nodes) const {
  // Of what m nodes send, each to all others, what leaves the k below a link is k (m - k)/(m - 1) of one
  // node's; what NVLink carries never gets to the links of its nodes.
  std::map<std::size_t, double> below;
  std::map<std::int64_t, double> in_domain;
  const double all = static_cast<double>(nodes.size());
  for (const std::uint32_t node : nodes) {
    for (std::size_t v = node; parent_[v] != v; v = parent_[v]) below[v] += 1;
    in_domain[node / shape_.nodes_per_domain] += 1;
  }
  std::vector<Load> list;
  for (const auto& [vertex, count] : below) {
    const bool is_node = vertex < static_cast<std::size_t>(shape_.nodes);
    const double others =
        is_node ? all - in_domain[static_cast<std::int64_t>(vertex) / shape_.nodes_per_domain] : all - count;
    if (others <= 0) continue;
    list.push_back({2 * vertex, count * others / (all - 1)});
    list.push_back({2 * vertex + 1, count * others / (all - 1)});
  }
  return list;
}

std::vector<double> FabricGraph::slowdowns(std::span<const JobTraffic> jobs) const {
  std::vector<std::vector<Load>> loads(jobs.size());
  std::map<std::size_t, double> room;  // of the links in use
  std::vector<double> rate(jobs.size(), 0);
  std::vector<std::size_t> rising;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].nodes.size() < 2 || !(jobs[j].per_node.si > 0)) continue;
    loads[j] = jobs[j].pattern == TrafficPattern::kRing ? ring_loads(jobs[j].nodes)
                                                        : all_to_all_loads(jobs[j].nodes);
    for (const Load& load : loads[j]) room[load.link] = capacity_[load.link];
    rising.push_back(j);
  }
  while (!rising.empty()) {
    std::map<std::size_t, double> wanted;  // by all that still rise, for each byte per second of a node
    double rise = std::numeric_limits<double>::infinity();
    for (const std::size_t j : rising) {
      rise = std::min(rise, jobs[j].per_node.si - rate[j]);
      for (const Load& load : loads[j]) wanted[load.link] += load.per_rate;
    }
    std::size_t tightest = capacity_.size();
    for (const auto& [link, per_rate] : wanted) {
      if (room[link] / per_rate >= rise) continue;
      rise = room[link] / per_rate;
      tightest = link;
    }
    for (const auto& [link, per_rate] : wanted) room[link] -= rise * per_rate;
    // A link that is full to within rounding stops those on it.
    const auto is_full = [&](const Load& load) {
      return load.link == tightest || room[load.link] <= 1e-12 * capacity_[load.link];
    };
    for (const std::size_t j : rising) rate[j] += rise;
    std::erase_if(rising, [&](std::size_t j) {
      return rate[j] >= jobs[j].per_node.si * (1 - 1e-12) ||
             std::any_of(loads[j].begin(), loads[j].end(), is_full);
    });
  }
  std::vector<double> slower(jobs.size(), 1);
  for (std::size_t j = 0; j < jobs.size(); ++j)
    if (rate[j] > 0) slower[j] = std::max(1.0, jobs[j].per_node.si / rate[j]);
  return slower;
}

double placement_cost(const HopMix& pairs) {
  constexpr double kWeights[kHopClasses] = {0, 0, 1, 10, 10};
  double cost = 0;
  for (std::size_t i = 0; i < kHopClasses; ++i) cost += kWeights[i] * static_cast<double>(pairs[i]);
  return cost;
}

}  // namespace fleetsim
