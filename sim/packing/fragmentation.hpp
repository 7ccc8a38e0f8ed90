#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/packing/node_room.hpp"

/// Fragmentation as the FGD study measures it: of what is free, how much could the next task not use? Source:
/// Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
/// Descent", USENIX ATC 2023, section 3.
namespace fleetsim {

/// A shape, and how often it comes, as a weight relative to the others.
struct WeightedShape {
  TaskShape shape;
  std::int64_t weight = 0;
};

/// The most frequent specifications that make up `percent` of the tasks, by frequency; more CPU, then more
/// milli a card, then more cards first among equals. A specification is a shape but for memory, which the
/// study leaves out of it; weights are counts.
std::vector<WeightedShape> typical_tasks(std::span<const TaskShape> tasks, int percent = 95);
/// The same out of shapes that come with weights, which sum to at most 10^8.
std::vector<WeightedShape> typical_of_weighted(std::vector<WeightedShape> tasks, int percent = 95);

/// The free milli of the cards of a node, most first.
class FreeLevels {
 public:
  FreeLevels() = default;
  explicit FreeLevels(std::span<const std::uint16_t> free_cards);

  std::span<const std::uint16_t> levels() const { return {levels_.data(), count_}; }
  std::int64_t sum() const { return sum_; }
  /// The same after `milli` were taken from a card with `level` free.
  FreeLevels less(std::uint32_t level, std::uint32_t milli) const;
  /// The same after the first `cards`, the ones with most room, were taken whole.
  FreeLevels without_first(std::uint32_t cards) const;

 private:
  std::array<std::uint16_t, kMaxCardsPerNode> levels_;
  std::uint32_t count_ = 0;
  std::int64_t sum_ = 0;
};

/// The measure for one distribution of tasks. Integers throughout: a figure is in milli-devices, summed over
/// the distribution with its weights, so that the amount in milli-devices is `of(...) / weight()`. Weights
/// sum to at most 10^8. Against no tasks at all, nothing is fragmented.
class Fragmentation {
 public:
  explicit Fragmentation(std::span<const WeightedShape> tasks);

  std::int64_t weight() const { return weight_; }
  /// Free milli that a task cannot use: those on cards with too little room for it, where the node could host
  /// it; all of them where it could not, or where the task wants no card.
  std::int64_t of(const FreeLevels& cards, std::int64_t free_cpu, DeviceTypes type) const;
  std::int64_t of(const NodeRoom& room, std::uint32_t node) const;
  /// Of all nodes.
  std::int64_t of(const NodeRoom& room) const;

 private:
  struct Task {
    std::uint32_t milli_per_card, cards;
    std::int64_t cpu_milli, weight;
  };
  static constexpr std::size_t kUntyped = 64, kTypes = kUntyped + 1;

  std::array<std::vector<Task>, kTypes> tasks_;  ///< that a node of the type could host; most milli first
  std::int64_t weight_ = 0;
};

}  // namespace fleetsim
