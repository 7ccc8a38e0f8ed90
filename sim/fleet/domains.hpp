#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/topology_level.hpp"
#include "sim/fleet/placement.hpp"
#include "sim/fleet/room_order.hpp"
#include "sim/workload/listed_job.hpp"

namespace fleetsim {

/// Whether nodes, given by how many of them have at least so many free devices, can hold the gang.
template <class Counts>
bool can_hold(const GangShape& shape, Counts&& with_at_least) {
  if (shape.milli != 0) return with_at_least(1) >= 1;
  if (shape.nodes > 0 && with_at_least(shape.per_node) < shape.nodes) return false;
  return shape.remainder == 0 || with_at_least(shape.remainder) >= shape.nodes + 1;
}

/// A number at each of a row of places; finds the next place with at least so much in O(log places).
class MaxTree {
 public:
  explicit MaxTree(std::uint32_t places) : leaves_{std::bit_ceil(places)}, most_(std::size_t{2} * leaves_) {}
  std::uint32_t at(std::uint32_t place) const { return most_[leaves_ + place]; }
  void set(std::uint32_t place, std::uint32_t value);
  /// The first place >= `from` with `least` or more.
  std::optional<std::uint32_t> next(std::uint32_t least, std::uint32_t from) const;

 private:
  std::uint32_t leaves_;
  std::vector<std::uint32_t> most_;  ///< of each subtree, the root at 1
};

class Domains;

/// The nodes that a placement may use: those of one domain, or all.
struct Within {
  const Domains* domains = nullptr;  ///< null: all
  std::uint32_t domain = 0;
  std::uint32_t first = 0, last = 0xffffffff;  ///< no node outside of these belongs to it
  bool contains(std::uint32_t node) const;
};

/// The racks of a pool, or its pods, or its spines: which node is where, and how many nodes of each have how
/// many devices free.
class Domains {
 public:
  /// @param of  the domain of each node
  Domains(TopologyLevel level, std::span<const std::uint32_t> of, std::uint32_t devices_per_node);

  TopologyLevel level() const { return level_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t of(std::uint32_t node) const { return of_[node]; }
  /// Whether each has nodes of successive numbers.
  bool are_contiguous() const { return are_contiguous_; }
  /// Of one domain: nodes, whatever is on them.
  std::uint32_t size(std::uint32_t domain) const { return nodes_[domain].all; }
  Within within(std::uint32_t domain) const {
    return {.domains = this, .domain = domain, .first = nodes_[domain].first, .last = nodes_[domain].last};
  }

  /// A node that has so many devices free, to begin with; `usable` unless no gang can ever count on it.
  void add(std::uint32_t node, std::uint32_t free, bool usable);
  void change(std::uint32_t node, std::uint32_t before, std::uint32_t after) {
    change_some(of_[node], 1, before, after);
  }
  void change(std::span<const NodeWord> words, std::uint32_t before, std::uint32_t after);
  void write_off(std::uint32_t node) { --nodes_[of_[node]].usable; }
  /// Makes questions about nodes with at least `count` free devices cheap.
  void index(std::uint32_t count) const { indexed_with(count); }
  /// The domains by how many nodes have at least `count` free devices.
  const RoomOrder& by_room(std::uint32_t count) const;
  /// Changes with every change of what is free in the domain.
  std::uint64_t version(std::uint32_t domain) const { return nodes_[domain].version; }

  std::uint32_t nodes_with(std::uint32_t count, std::uint32_t domain) const {
    return counts_[std::size_t{domain} * width_ + count];
  }
  std::uint32_t nodes_with_at_least(std::uint32_t count, std::uint32_t domain) const;
  /// The first domain from `from` on in which the gang has room.
  std::optional<std::uint32_t> next_with_room(const GangShape& shape, std::uint32_t from = 0) const;
  /// Nodes of a domain that gangs may count on, whatever is on them now.
  std::uint32_t usable(std::uint32_t domain) const { return nodes_[domain].usable; }
  std::uint32_t most_usable() const;

 private:
  struct Nodes {
    std::uint32_t first = 0xffffffff, last = 0;
    std::uint32_t all = 0, usable = 0;
    std::uint64_t version = 0;
  };
  /// Nodes by domain with at least so many free.
  struct Index {
    std::uint32_t count;
    MaxTree nodes;
    std::optional<RoomOrder> order{};
  };
  const MaxTree* indexed(std::uint32_t count) const;
  Index& indexed_with(std::uint32_t count) const;
  void change_some(std::uint32_t domain, std::uint32_t nodes, std::uint32_t before, std::uint32_t after);
  std::optional<std::uint32_t> next_with(std::uint32_t count, std::uint32_t nodes, std::uint32_t from) const;

  TopologyLevel level_;
  std::uint32_t width_;  ///< counts of a domain
  std::vector<std::uint32_t> of_;
  std::vector<Nodes> nodes_;
  bool are_contiguous_ = true;
  std::vector<std::uint32_t> counts_;   ///< nodes by domain, by free devices
  mutable std::vector<Index> indices_;  ///< as far as they are asked for
};

inline bool Within::contains(std::uint32_t node) const {
  return domains == nullptr || domains->of(node) == domain;
}

}  // namespace fleetsim
