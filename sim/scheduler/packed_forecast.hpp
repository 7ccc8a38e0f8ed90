#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/fleet/packed_nodes.hpp"
#include "sim/fleet/placement.hpp"

namespace fleetsim {

/// What packed nodes will have free at a later instant, card by card, with CPU and memory: what is free now
/// where nothing was told to change, and a copy of each node that will. The gang that was asked for last is
/// counted along, so that a change costs the same however many nodes there are.
class PackedForecast {
 public:
  explicit PackedForecast(const PackedNodes& nodes) : place_of_(nodes.count()), epoch_of_(nodes.count()) {}

  void reset(const PackedNodes& nodes);
  /// The job leaves, or comes to, this part of a node. CPU and memory of the node go with its last part
  /// there.
  void give_back(const Part& part, JobId job);
  void take(const Part& part, JobId job);
  /// Devices that nobody holds serve again.
  void give_back(const Part& part);
  /// Whether the gang could be placed then, in one of the domains, if they are given.
  bool fits(const GangShape& shape, const Domains* domains);

 private:
  struct Node {
    std::uint32_t node;
    std::int64_t cpu, memory;
    std::vector<std::uint16_t> cards;  ///< free milli
    bool is_open;
    std::vector<std::pair<JobId, std::uint32_t>> gone;  ///< jobs that will have left, by how many parts
  };
  struct Asked {
    std::uint32_t gang;                ///< by number
    std::vector<std::uint32_t> nodes;  ///< with room, by kind of member
  };
  bool has_room(std::uint32_t node, ShapeId shape) const;
  bool has_room(const Node& node, ShapeId shape) const;
  std::uint32_t count(ShapeId shape) const;
  template <class Change>
  void change(std::uint32_t node, Change&& how);
  static void move_cards(Node& node, const Part& part, int sign);
  void move_host(Node& node, const Part& part, JobId job, int sign) const;

  const PackedNodes* nodes_ = nullptr;
  std::uint64_t epoch_ = 0;
  std::vector<Node> changed_;
  std::size_t changed_count_ = 0;        ///< the rest of `changed_` is kept for its memory
  std::vector<std::uint32_t> place_of_;  ///< by node, in `changed_`
  std::vector<std::uint64_t> epoch_of_;  ///< by node: it is changed where this is `epoch_`
  std::optional<Asked> asked_;
};

}  // namespace fleetsim
