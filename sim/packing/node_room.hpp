#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fleetsim {

/// Device types, one bit each.
using DeviceTypes = std::uint64_t;
/// Cards of one node, one bit each.
using CardMask = std::uint64_t;

inline constexpr std::uint32_t kMaxCardsPerNode = 64;
inline constexpr std::int64_t kMilliPerCard = 1000;

/// What a node has.
struct NodeSpec {
  std::int64_t cpu_milli = 0, memory_bytes = 0;
  std::uint32_t cards = 0;  ///< at most kMaxCardsPerNode
  DeviceTypes type = 0;     ///< one bit, or none: then only tasks go there that accept any
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// What a task needs of one node: CPU, memory, and `cards` cards with `milli_per_card` of each. A part of a
/// card comes from one card only, and parts of different cards are never added up.
struct TaskShape {
  std::int64_t cpu_milli = 0, memory_bytes = 0;
  std::uint32_t cards = 0;
  std::uint32_t milli_per_card = 0;  ///< kMilliPerCard: whole cards; less only of a single card
  DeviceTypes accepts = 0;           ///< types it may run on; none named: any

  bool is_share() const { return cards == 1 && milli_per_card < kMilliPerCard; }
  std::int64_t milli() const { return std::int64_t{cards} * milli_per_card; }
  /// Whether this is a task as described: nothing negative, no cards without milli, no parts of several
  /// cards.
  bool is_valid() const;
  auto operator<=>(const TaskShape&) const = default;
};

/// Where a task runs.
struct TaskPlace {
  std::uint32_t node = 0;
  CardMask cards = 0;  ///< as many as its shape says
  friend bool operator==(const TaskPlace&, const TaskPlace&) = default;
};

/// What is free on every node. Flat arrays, changed only by tasks that come and go.
class NodeRoom {
 public:
  /// `nodes` stay in this order, which decides ties.
  explicit NodeRoom(std::span<const NodeSpec> nodes);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(specs_.size()); }
  const NodeSpec& spec(std::uint32_t node) const { return specs_[node]; }
  std::int64_t free_cpu(std::uint32_t node) const { return free_cpu_[node]; }
  std::int64_t free_memory(std::uint32_t node) const { return free_memory_[node]; }
  /// Free milli of each card of a node, by card.
  std::span<const std::uint16_t> free_cards(std::uint32_t node) const {
    return {&free_cards_[std::size_t{node} * stride_], specs_[node].cards};
  }
  /// Their sum, shared cards included.
  std::int64_t free_milli(std::uint32_t node) const { return free_milli_[node]; }
  /// Whether the node takes tasks.
  bool is_open(std::uint32_t node) const { return is_open_[node]; }
  std::uint32_t whole_free_cards(std::uint32_t node) const { return whole_free_[node]; }
  /// The largest CPU (at least 1) and count of cards (at least 1) of any node.
  std::int64_t largest_cpu() const { return largest_cpu_; }
  std::uint32_t largest_cards() const { return largest_cards_; }
  /// Milli-devices of all nodes.
  std::int64_t total_milli() const { return total_milli_; }

  /// Tasks with cards fall into kinds: those with a share of one, and those with one, two, ... whole ones.
  /// How many tasks of this shape's kind run on a node, and how many kinds do.
  std::uint32_t tasks_of_kind(std::uint32_t node, const TaskShape& shape) const {
    return tasks_of_kind_[kind(node, shape)];
  }
  std::uint32_t kinds(std::uint32_t node) const { return kinds_[node]; }

  /// Whether the task could be placed on this node now.
  bool fits(std::uint32_t node, const TaskShape& shape) const;

  /// The place has room for the shape; respectively, a task of the shape holds it.
  void take(const TaskShape& shape, const TaskPlace& place);
  void give_back(const TaskShape& shape, const TaskPlace& place);

  // The same in two steps, where somebody else keeps the books of the cards.

  /// A task comes to a node that has the CPU and memory for it, or leaves it; its cards are not looked at.
  void hold(const TaskShape& shape, std::uint32_t node) { count(shape, node, +1); }
  void let_go(const TaskShape& shape, std::uint32_t node) { count(shape, node, -1); }
  /// What is free of each card of a node, and whether the node takes tasks.
  void set_cards(std::uint32_t node, std::span<const std::uint16_t> free, bool is_open);
  /// What is free of its CPU and memory.
  void set_host(std::uint32_t node, std::int64_t cpu_milli, std::int64_t memory_bytes) {
    free_cpu_[node] = cpu_milli;
    free_memory_[node] = memory_bytes;
  }

 private:
  std::size_t kind(std::uint32_t node, const TaskShape& shape) const {
    return std::size_t{node} * (largest_cards_ + 1) + (shape.is_share() ? 0 : shape.cards);
  }
  void count(const TaskShape& shape, std::uint32_t node, int sign);
  void move_cards(const TaskShape& shape, const TaskPlace& place, int sign);

  std::vector<NodeSpec> specs_;
  std::vector<std::int64_t> free_cpu_, free_memory_, free_milli_;
  std::vector<std::uint16_t> free_cards_;  ///< `stride_` a node
  std::vector<std::uint8_t> whole_free_, kinds_;
  std::vector<bool> is_open_;
  std::vector<std::uint32_t> tasks_of_kind_;  ///< `largest_cards_ + 1` a node
  std::int64_t largest_cpu_ = 1, total_milli_ = 0;
  std::uint32_t largest_cards_ = 1, stride_ = 1;
};

}  // namespace fleetsim
