#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/fleet/pool.hpp"

namespace fleetsim {

/// Chooses free devices for a gang that fits; appends the parts to `out`, which is empty.
using PlaceFunction = void (*)(const Pool&, const GangShape&, const Within&, Placement& out);

/// Of nodes with room, those that members get one by one: in a plan of stays to come, and while a gang
/// assembles. In a plan those of the last two are the lowest.
enum class MemberChoice : std::uint8_t {
  lowest,
  tightest,
  roomiest,
  drawn,
  nearest  ///< to the other members; the policy chooses the domain, too, where a gang has to keep to one
};

struct PlacementPolicy {
  std::string_view name, about;
  std::string_view source;
  std::string_view cost;  ///< of placing one gang
  PlaceFunction place;    ///< null: a policy of the packing table, for jobs of at most one node
  MemberChoice members = MemberChoice::lowest;
};

std::span<const PlacementPolicy> placement_table();
const PlacementPolicy* find_placement(std::string_view name);

/// Places the gang by the policy if it fits in one domain of the level; false leaves `out` empty. Where nodes
/// are packed, the pool has the policy of that name.
bool place(const Pool& pool, const GangShape& shape, TopologyLevel level, const PlacementPolicy& policy,
           Placement& out);

/// How far a node is from the nearest of these parts: 0 in one rack with it, 1 in one pod, ...
std::size_t distance(const Pool& pool, std::span<const Part> parts, std::uint32_t node);
/// Any number below `count`, each with the same chance.
std::size_t draw_below(std::size_t count, RandomStream& draws);

/// The `count` lowest free devices of a node.
Part lowest_devices(const Pool& pool, std::uint32_t node, std::uint32_t count);

/// Appends nodes with exactly `room` free devices, by number, each giving `devices`, until `out` has `end`
/// parts; the nodes of its first `before` parts are taken already.
void take_nodes_with(const Pool& pool, std::uint32_t room, std::uint32_t devices, const Within& within,
                     std::size_t before, std::size_t end, Placement& out);

// One file each.
void place_first_fit(const Pool&, const GangShape&, const Within&, Placement& out);
void place_best_fit(const Pool&, const GangShape&, const Within&, Placement& out);
void place_worst_fit(const Pool&, const GangShape&, const Within&, Placement& out);
void place_random(const Pool&, const GangShape&, const Within&, Placement& out);
void place_compact(const Pool&, const GangShape&, const Within&, Placement& out);

}  // namespace fleetsim
