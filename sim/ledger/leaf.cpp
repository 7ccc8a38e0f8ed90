#include "sim/ledger/leaf.hpp"

#include <algorithm>
#include <array>

namespace fleetsim {
namespace {

#define FLEETSIM_LEAF(id, name, boundary, mechanism, layer, term, evidence, about) \
  LeafInfo{Leaf::id, name, Boundary::boundary, mechanism, layer, term, evidence, about},
constexpr std::array<LeafInfo, kLeafCount> kLeaves{
#include "sim/ledger/leaf.def"
};
#undef FLEETSIM_LEAF

}  // namespace

std::span<const LeafInfo> leaf_table() { return kLeaves; }

const LeafInfo& leaf_info(Leaf leaf) { return kLeaves[static_cast<std::size_t>(leaf)]; }

std::optional<Leaf> leaf_by_name(std::string_view name) {
  const auto found =
      std::find_if(kLeaves.begin(), kLeaves.end(), [&](const LeafInfo& row) { return row.name == name; });
  if (found == kLeaves.end()) return std::nullopt;
  return found->leaf;
}

}  // namespace fleetsim
