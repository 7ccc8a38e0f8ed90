#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/fleet/pool.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// How many of what a failure or an episode of slowness strikes a pool has.
inline std::uint32_t fault_entities(FaultScope scope, const Pool& pool) {
  switch (scope) {
    case FaultScope::device:
      return pool.nodes() * pool.devices_per_node();
    case FaultScope::rack:
      return pool.racks();
    case FaultScope::node:
    case FaultScope::nothing:
      break;
  }
  return pool.nodes();
}

/// A node of an entity of this scope, counted as `fault_entities` does, and its device where it is one;
/// nothing for a number that no rack has.
struct StruckPlace {
  std::uint32_t node, device;
};
inline std::optional<StruckPlace> place_of(FaultScope scope, std::uint32_t entity, const Pool& pool) {
  if (scope == FaultScope::device)
    return StruckPlace{entity / pool.devices_per_node(), entity % pool.devices_per_node()};
  if (scope != FaultScope::rack) return StruckPlace{entity, 0};
  for (std::uint32_t node = 0; node < pool.nodes(); ++node)
    if (pool.rack_of(node) == entity) return StruckPlace{node, 0};
  return std::nullopt;
}

/// Calls `function(node, devices)` for what an entity of this scope is made of.
template <class Function>
void for_each_struck(const Pool& pool, FaultScope scope, std::uint32_t node, std::uint32_t device,
                     Function&& function) {
  if (scope == FaultScope::device) return function(node, DeviceMask{1} << device);
  if (scope == FaultScope::node) return function(node, all_devices(pool.devices_per_node()));
  if (scope == FaultScope::nothing) return;
  for (std::uint32_t each = 0; each < pool.nodes(); ++each)
    if (pool.rack_of(each) == pool.rack_of(node)) function(each, all_devices(pool.devices_per_node()));
}

/// Takes a free place of the slab, or a new one.
template <class Slab>
std::uint32_t keep_in(Slab& slab, std::vector<std::uint32_t>& free_places,
                      const typename Slab::value_type& value) {
  if (free_places.empty()) {
    slab.push_back(value);
    return static_cast<std::uint32_t>(slab.size() - 1);
  }
  const std::uint32_t place = free_places.back();
  free_places.pop_back();
  slab[place] = value;
  return place;
}

}  // namespace fleetsim
