#include <algorithm>

#include "sim/packing/policy.hpp"

namespace fleetsim {
namespace {

constexpr int kOnFreeNode = 33, kOnFreeCards = 50, kOnSharedCard = 100;

}  // namespace

// Shared cards, the fullest best, before free cards of a node in use, few best, before a free node, small
// best.
int score_packing(const Candidate& candidate) {
  const NodeRoom& room = candidate.room;
  const TaskShape& shape = candidate.shape;
  if (shape.cards == 0) return 0;
  const auto whole_free = static_cast<int>(room.whole_free_cards(candidate.node));
  if (whole_free == static_cast<int>(room.spec(candidate.node).cards))
    return std::max(kOnFreeNode - whole_free, 0);
  int tightest = kMilliPerCard;
  for (const std::uint16_t free : room.free_cards(candidate.node))
    if (free >= shape.milli_per_card) tightest = std::min<int>(tightest, free);
  if (tightest == kMilliPerCard) return std::max(kOnFreeCards - static_cast<int>(shape.cards), kOnFreeNode);
  return std::max(kOnSharedCard - tightest / 10 / 10, kOnFreeCards);
}

}  // namespace fleetsim
