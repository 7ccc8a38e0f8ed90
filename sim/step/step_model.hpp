#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/fabric/fabric_graph.hpp"
#include "models/quantity/duration.hpp"
#include "models/step/step.hpp"
#include "sim/ledger/leaf.hpp"

namespace fleetsim {

/// A step in whole nanoseconds, and where they go: weights in the order of the table of leaves, none of them
/// zero, that add up to the time.
struct StepProfile {
  Duration time = Duration::zero();
  std::vector<std::pair<Leaf, std::int64_t>> weights{};
};

/// Rounds to the nanosecond: the time, and where each part of it ends.
StepProfile step_profile(const StepBreakdown& step);

/// Over how many places the nodes of a gang are spread, and how many it has in the leaf, and in the pod,
/// where it has the fewest: all that a step's time knows of a placement. In a place at the edge of the pool,
/// which is not full, its share of the nodes counts: as many as that would be of a full one.
struct Spread {
  std::uint32_t domains = 1, leaves = 1, pods = 1;
  std::uint32_t fewest_in_leaf = 1, fewest_in_pod = 1;
  auto operator<=>(const Spread&) const = default;
};

/// What a gang has of the links above a leaf or a pod in which it has nodes.
enum class Uplinks : std::uint8_t {
  kShare,  ///< the share of its nodes there: all nodes send, and nobody says what others do
  kAll,    ///< all of them; what others take is counted apart
};

/// What a step takes, by the size of the gang and by where it sits.
class StepModel {
 public:
  /// @param input   with the layout of one size; its data ranks follow the size
  /// @param fabric  between the nodes
  StepModel(StepInput input, std::uint32_t devices_per_node, const FabricShape& fabric, Uplinks uplinks);

  const StepInput& input() const { return input_; }
  const FabricShape& fabric() const { return fabric_; }
  /// Whether what leaves the NVLink domains goes from each rank to all others, rather than round a ring.
  bool sends_to_all() const;

  /// What keeps a gang of this size from a step; empty if nothing does.
  std::vector<std::string> problems(std::uint32_t devices) const;

  /// The fewest places that can hold the gang, evenly filled.
  Spread compact(std::uint32_t devices) const;
  StepBreakdown breakdown(std::uint32_t devices) const { return breakdown(devices, compact(devices)); }
  /// What that is a breakdown of: the links as they are for a gang in the fewest places.
  StepInput placed(std::uint32_t devices) const { return placed(devices, compact(devices), 1.0); }
  /// Of a gang that is spread over more domains than it must be, groups of ranks have as many members in each
  /// domain as a power of two allows. Rings cross the links of each leaf and pod once, in the order of nodes;
  /// what all send to all leaves a place as far as its receivers are elsewhere; a pipeline stage sends from
  /// each of its nodes to a node of the next. Of a way that leads through more switches than in the fewest
  /// places, each message pays the latency.
  StepBreakdown breakdown(std::uint32_t devices, Spread spread) const {
    return breakdown(devices, spread, 1.0);
  }
  /// By how much a step is longer than in the fewest places.
  Duration excess(std::uint32_t devices, Spread spread) const;
  /// By how much a step is longer where others take so much of the links between nodes that traffic takes
  /// `slower` times as long: what is inside a domain goes on as before, what was hidden may come to show.
  Duration neighbour_excess(std::uint32_t devices, Spread spread, double slower) const;

 private:
  StepBreakdown breakdown(std::uint32_t devices, Spread spread, double slower) const;
  StepInput placed(std::uint32_t devices, Spread spread, double slower) const;
  SlowLinks slow_links(std::uint32_t devices, Spread spread) const;
  Seconds longest_way(Spread spread) const;

  StepInput input_;
  std::uint32_t devices_per_node_;
  FabricShape fabric_;
  Uplinks uplinks_;
};

}  // namespace fleetsim
