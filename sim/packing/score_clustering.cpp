#include "sim/packing/policy.hpp"

namespace fleetsim {

// A quarter of the points for how full the node is, measured against the largest one, the rest for company.
// To a task without cards all nodes are alike.
int score_clustering(const Candidate& candidate) {
  const NodeRoom& room = candidate.room;
  if (candidate.shape.cards == 0) return 0;
  const std::int64_t most_milli = room.largest_cards() * kMilliPerCard;
  const auto full = static_cast<int>(25 * (most_milli - room.free_milli(candidate.node)) / most_milli);
  const std::uint32_t kinds = room.kinds(candidate.node);
  if (kinds == 0) return full + 25;
  if (room.tasks_of_kind(candidate.node, candidate.shape) == 0) return full;
  return full + (kinds == 1 ? 75 : 50);
}

}  // namespace fleetsim
