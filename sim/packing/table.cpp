#include <algorithm>
#include <array>

#include "sim/packing/policy.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kFgdStudy = "Weng et al., USENIX ATC 2023, as in its public simulator";
constexpr auto kHighest = NodeChoice::kFirstOfHighest;

constexpr std::array kPolicies{
    PackingPolicy{"first-fit", "the first node of the list with room, and its first card", "", "O(1)",
                  score_first_fit, first_card, kHighest},
    PackingPolicy{
        "best-fit",
        "least left of CPU and cards together; shares on the card with the least room that is enough",
        kFgdStudy, "O(1)", score_best_fit, tightest_card, kHighest},
    PackingPolicy{"worst-fit", "most left of CPU and cards together; shares on the card with the most room",
                  "the mirror of best-fit", "O(1)", score_worst_fit, emptiest_card, kHighest},
    PackingPolicy{"dot-product", "least product of what is free and what is asked, over CPU and cards",
                  "Grandl et al. (Tetris), SIGCOMM 2014; as in Weng et al., USENIX ATC 2023", "O(1)",
                  score_dot_product, tightest_card, kHighest},
    PackingPolicy{"random", "any node with room, and for a share any card with room", kFgdStudy, "O(1)",
                  score_first_fit, drawn_card, NodeChoice::kDrawn},
    PackingPolicy{"packing", "shared cards first, then free cards of nodes in use, then free nodes",
                  "GpuPacking of Weng et al., USENIX ATC 2023", "O(c)", score_packing, tightest_card,
                  kHighest},
    PackingPolicy{"clustering", "nodes that run tasks with the same count of cards, or shares like this one",
                  "GpuClustering of Weng et al., USENIX ATC 2023", "O(1)", score_clustering, tightest_card,
                  kHighest},
    PackingPolicy{"fgd", "least growth of what typical tasks cannot use (fragmentation gradient descent)",
                  kFgdStudy, "O(c log c + t), times the cards that differ for a share", score_fgd, fgd_card,
                  kHighest},
};

}  // namespace

std::span<const PackingPolicy> packing_table() { return kPolicies; }

const PackingPolicy* find_packing(std::string_view name) {
  const auto row = std::find_if(kPolicies.begin(), kPolicies.end(),
                                [&](const PackingPolicy& each) { return each.name == name; });
  return row == kPolicies.end() ? nullptr : &*row;
}

}  // namespace fleetsim
