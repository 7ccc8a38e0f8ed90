#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/fleet/domains.hpp"

namespace fleetsim {

/// How much of a gang finds room: whole members, and whether a further node has room for the remainder at
/// least.
struct GangRoom {
  std::uint32_t nodes = 0;
  bool has_more = false;
  friend GangRoom operator+(GangRoom a, GangRoom b) { return {a.nodes + b.nodes, a.has_more || b.has_more}; }
  bool holds(const GangShape& shape) const {
    return nodes >= shape.nodes && (shape.remainder == 0 || nodes > shape.nodes || has_more);
  }
};

/// A domain as a gang sees it.
struct RoomyDomain {
  std::uint32_t domain = 0;
  GangRoom room{};
  std::uint64_t rank = 0;  ///< by room, then by size
};
RoomyDomain seen_by(const GangShape& shape, const Domains& domains, std::uint32_t domain);

/// The roomiest first; among equals the larger, then by number.
struct RoomiestFirst {
  bool operator()(const RoomyDomain& a, const RoomyDomain& b) const {
    return a.rank != b.rank ? a.rank > b.rank : a.domain < b.domain;
  }
};

/// Which domains of a level lie in each of the level around it, and what of a gang they have room for. What
/// was found is kept until something changes in the outer domain.
class Nesting {
 public:
  Nesting(const Domains& outer, const Domains& inner);
  /// Those in one outer domain that have room for some of the gang, the roomiest first.
  std::span<const RoomyDomain> inside(std::uint32_t outer, const GangShape& shape, const Domains& outers,
                                      const Domains& inners) const;
  /// How few of them hold the gang, which all of them together do.
  std::uint32_t fewest(std::uint32_t outer, const GangShape& shape, const Domains& outers,
                       const Domains& inners) const;

 private:
  /// For gangs with members of one size.
  struct Ranking {
    std::uint32_t per_node, remainder;
    std::vector<RoomyDomain> ranked;   ///< of each outer domain, where `inner_` has its own
    std::vector<GangRoom> together;    ///< each with the roomier ones of the same outer domain
    std::vector<std::uint32_t> count;  ///< by outer domain: those with room
    std::vector<std::uint64_t> version;
  };
  const Ranking& ranking(std::uint32_t outer, const GangShape& shape, const Domains& outers,
                         const Domains& inners) const;

  std::vector<std::uint32_t> from_;   ///< by outer domain: where its own begin in `inner_`
  std::vector<std::uint32_t> inner_;  ///< inner domains, by the outer one
  mutable std::vector<Ranking> rankings_;
};

}  // namespace fleetsim
