#include "sim/scenario/names.hpp"

#include "sim/ledger/leaf.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kOrders[] = {"fifo", "priority", "sjf", "srtf", "srsf", "las", "fair-share"};
constexpr std::string_view kVictims[] = {"worst",    "youngest", "lowest-priority",
                                         "cheapest", "fewest",   "least-fragmentation"};
constexpr std::string_view kPlacements[] = {"first-fit", "best-fit",    "worst-fit", "random",    "compact",
                                            "fgd",       "dot-product", "packing",   "clustering"};

constexpr std::string_view kElastic[] = {"fixed", "wait", "immediate", "step-up", "fill-and-shrink"};

}  // namespace

std::span<const std::string_view> known_orders() { return kOrders; }
std::span<const std::string_view> known_victims() { return kVictims; }
std::span<const std::string_view> known_placements() { return kPlacements; }
std::span<const std::string_view> known_elastic_policies() { return kElastic; }

std::vector<std::string_view> program_parts() {
  constexpr std::string_view kProgram = "program.";
  std::vector<std::string_view> parts;
  for (const LeafInfo& leaf : leaf_table()) {
    const bool is_rest = leaf.leaf == Leaf::program_unattributed || leaf.leaf == Leaf::program_unmodelled;
    if (leaf.boundary == Boundary::program && !is_rest) parts.push_back(leaf.name.substr(kProgram.size()));
  }
  return parts;
}

}  // namespace fleetsim
