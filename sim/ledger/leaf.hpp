#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fleetsim {

/// The boundaries a device-second has to cross before it is useful, in their order.
enum class Boundary : std::uint8_t { availability, scheduling, runtime, program, useful };

// One row a leaf: identifier, name, boundary, mechanism, layer that removes it, Fleet Law term, evidence,
// meaning. The only place where leaves are defined; everything that lists them reads this table.
#define FLEETSIM_LEAF(id, name, boundary, mechanism, layer, term, evidence, about) id,
enum class Leaf : std::uint8_t {
#include "sim/ledger/leaf.def"
};
#undef FLEETSIM_LEAF

#define FLEETSIM_LEAF(...) +1
inline constexpr std::size_t kLeafCount = 0
#include "sim/ledger/leaf.def"
    ;
#undef FLEETSIM_LEAF

struct LeafInfo {
  Leaf leaf;
  std::string_view name;
  Boundary boundary;
  std::string_view mechanism;  ///< compute, communication or coordination; "" for ideal
  std::string_view layer;      ///< who removes the loss
  std::string_view term;       ///< the term of the Fleet Law or of equation 4 it belongs to
  std::string_view evidence;   ///< the record that shows it
  std::string_view about;
};

/// All leaves, in the order of the enumeration.
std::span<const LeafInfo> leaf_table();
const LeafInfo& leaf_info(Leaf leaf);
std::optional<Leaf> leaf_by_name(std::string_view name);

}  // namespace fleetsim
