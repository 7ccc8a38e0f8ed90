#include "sim/packing/policy.hpp"

namespace fleetsim {
namespace {

/// What would be left on the node, as a share of the largest node, on average over CPU and cards: as a
/// numerator over `whole`.
struct Left {
  std::int64_t part, whole;
};

Left left(const Candidate& candidate) {
  const NodeRoom& room = candidate.room;
  const std::int64_t cpu = room.free_cpu(candidate.node) - candidate.shape.cpu_milli;
  const std::int64_t milli = room.free_milli(candidate.node) - candidate.shape.milli();
  const std::int64_t most_milli = room.largest_cards() * kMilliPerCard;
  return {cpu * most_milli + milli * room.largest_cpu(), 2 * room.largest_cpu() * most_milli};
}

}  // namespace

// The study also stretches the scores of a decision to 0..100, which changes neither their order nor ties.
int score_best_fit(const Candidate& candidate) {
  const Left rest = left(candidate);
  return static_cast<int>(100 * (rest.whole - rest.part) / rest.whole);
}

int score_worst_fit(const Candidate& candidate) {
  const Left rest = left(candidate);
  return static_cast<int>(100 * rest.part / rest.whole);
}

}  // namespace fleetsim
