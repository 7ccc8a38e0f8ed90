#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/ids.hpp"
#include "sim/core/random_stream.hpp"
#include "sim/packing/fragmentation.hpp"
#include "sim/packing/node_room.hpp"
#include "sim/packing/policy.hpp"

namespace fleetsim {

/// A shape that a packer knows.
using ShapeId = Index<struct ShapeTag>;

/// Places tasks on nodes by one policy. Scores are kept per shape and node and are made anew only for nodes
/// that changed since the shape was last asked for.
///
/// Cost of `find`: one scan over a byte a node, and one scoring per changed node. Memory: a byte per shape
/// and node. Nothing is allocated once a shape is known.
class Packer {
 public:
  struct Setup {
    std::span<const NodeSpec> nodes;  ///< in the order that decides ties
    const PackingPolicy& policy;
    std::span<const WeightedShape> typical{};  ///< what fragmentation is measured against
    StreamKey draws;                           ///< for policies that draw
  };
  explicit Packer(const Setup& setup);

  /// The shape's number; shapes that are equal have the same. The shape is valid.
  ShapeId shape(const TaskShape& shape);
  const TaskShape& shape(ShapeId id) const { return scored_[id.value].shape; }

  /// Where the policy would put such a task now; nothing if it fits nowhere.
  std::optional<TaskPlace> find(ShapeId id);
  /// How many nodes have room for such a task.
  std::uint32_t fitting(ShapeId id);
  /// Whether this one has.
  bool fits(ShapeId id, std::uint32_t node) const { return room_.fits(node, shape(id)); }
  /// Appends the `count` nodes, of those that have room and that `may_use` allows, that the policy would
  /// rather have; fewer where there are fewer.
  void find_nodes(ShapeId id, std::uint32_t count, const std::function<bool(std::uint32_t)>& may_use,
                  std::vector<std::uint32_t>& out);
  /// The cards that the policy would take of a node with room.
  CardMask cards(ShapeId id, std::uint32_t node);
  /// Takes a place that has room for the shape, such as `find` gives; gives back one that was taken.
  void take(ShapeId id, const TaskPlace& place);
  void give_back(ShapeId id, const TaskPlace& place);
  /// The same in two steps, as of NodeRoom.
  void hold(ShapeId id, std::uint32_t node);
  void let_go(ShapeId id, std::uint32_t node);
  void set_cards(std::uint32_t node, std::span<const std::uint16_t> free, bool is_open);

  /// As if so much were free of the node.
  void set_room(std::uint32_t node, std::int64_t cpu_milli, std::int64_t memory_bytes,
                std::span<const std::uint16_t> cards, bool is_open);
  /// All that another of the same nodes is, but what is drawn.
  void follow(const Packer& other);

  const NodeRoom& room() const { return room_; }
  const Fragmentation& fragmentation() const { return fragmentation_; }

 private:
  /// A shape with its scores. `marks` holds 0 for a node that it does not fit on, else its score + 1.
  struct Scored {
    TaskShape shape;
    std::uint64_t seen = 0;     ///< changes taken into account
    std::uint32_t fitting = 0;  ///< nodes with a mark
    std::vector<std::uint8_t> marks;
  };

  void changed(std::uint32_t node);
  void refresh(Scored& scored) const;
  void mark(Scored& scored, std::uint32_t node) const;
  static std::uint32_t first_of_highest(const Scored& scored);
  std::uint32_t draw_node(const Scored& scored);

  NodeRoom room_;
  const PackingPolicy* policy_;
  Fragmentation fragmentation_;
  RandomStream draws_;
  std::map<TaskShape, ShapeId> ids_;
  std::vector<Scored> scored_;
  // The log of changes keeps as many as there are nodes: whoever is further behind looks at all nodes.
  std::uint64_t changes_ = 0;
  std::vector<std::uint32_t> log_;          ///< node of change i at i modulo its size
  std::vector<std::uint64_t> last_change_;  ///< by node: the number of its last change
};

}  // namespace fleetsim
