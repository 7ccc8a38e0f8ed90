#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// How nodes are joined: leaf switches with some nodes each, pods of some leaves, a core over the pods.
/// Parallel switches and links of one layer stand for one that carries their sum, as where traffic spreads
/// evenly over them.
struct FabricShape {
  std::int64_t nodes = 0;
  std::int64_t nodes_per_leaf = 1;    ///< a rack; with one leaf per rail, a whole pod
  std::int64_t nodes_per_pod = 1;     ///< at least those of a leaf
  std::int64_t nodes_per_domain = 1;  ///< that NVLink joins: their traffic keeps off the network
  ByteRate node_rate{};               ///< all rails of a node together, one direction
  double leaf_oversubscription = 1;   ///< rate of the nodes of a leaf over that of its links upward
  double pod_oversubscription = 1;    ///< rate of the nodes of a pod over that of its links upward
  Seconds switch_latency{};           ///< of one switch and its cable
};

/// The lowest place that two nodes share.
enum class HopClass : std::uint8_t { kNode, kDomain, kLeaf, kPod, kAcross };
inline constexpr std::size_t kHopClasses = 5;
std::string_view to_string(HopClass hop);

/// How many hops, or pairs, are of each class.
using HopMix = std::array<std::int64_t, kHopClasses>;

/// What devices send to whom.
enum class TrafficPattern : std::uint8_t {
  kRing,      ///< each node to the next, in the order given: reductions and gathers
  kAllToAll,  ///< each node evenly to all others
};

/// A job's traffic: every node sends at the same rate, since the slowest keeps all others waiting.
struct JobTraffic {
  std::span<const std::uint32_t> nodes;  ///< in the order of ranks, each once
  ByteRate per_node;                     ///< what each would send if it could
  TrafficPattern pattern = TrafficPattern::kRing;
};

class FabricGraph {
 public:
  /// @param shape with at least one node, and counts and ratios of at least one
  explicit FabricGraph(const FabricShape& shape);

  const FabricShape& shape() const { return shape_; }
  HopClass hop(std::uint32_t a, std::uint32_t b) const;
  /// Hops of a ring through the nodes in their order.
  HopMix ring_hops(std::span<const std::uint32_t> nodes) const;
  /// All pairs of nodes.
  HopMix pair_hops(std::span<const std::uint32_t> nodes) const;

  /// How many times longer each job's traffic takes than if it had what it demands: one where nothing is in
  /// its way. Rates per node are max-min fair over the jobs: all rise together until a link is full or a
  /// demand is met. A link carries its rate in each direction. O(jobs x links that they use).
  /// Source: progressive filling, Bertsekas and Gallager, Data Networks, 2nd edition, 6.5.2.
  std::vector<double> slowdowns(std::span<const JobTraffic> jobs) const;

 private:
  struct Load {
    std::size_t link;
    double per_rate;  ///< bytes per second on the link for each that a node sends
  };

  std::vector<Load> ring_loads(std::span<const std::uint32_t> nodes) const;
  std::vector<Load> all_to_all_loads(std::span<const std::uint32_t> nodes) const;

  FabricShape shape_;
  // The tree of shortest paths from the core; vertices are nodes first, then switches.
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> depth_;
  // Link 2 v leads from vertex v up to its parent, link 2 v + 1 down to it.
  std::vector<double> capacity_;
};

/// Sum over pairs of nodes: nothing in a node or an NVLink domain, 1 below a leaf, 10 beyond.
/// Source: Machine Learning Systems, volume 2, chapter 8.
double placement_cost(const HopMix& pairs);

}  // namespace fleetsim
