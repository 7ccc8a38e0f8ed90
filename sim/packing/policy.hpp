#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/core/random_stream.hpp"
#include "sim/packing/fragmentation.hpp"
#include "sim/packing/node_room.hpp"

namespace fleetsim {

/// A task and a node that it fits on.
struct Candidate {
  const NodeRoom& room;
  const Fragmentation& fragmentation;
  const TaskShape& shape;
  std::uint32_t node;
};

/// How well the task would go there: a whole number from 0 to 100, more is better. It may depend on nothing
/// but this node, the shape, and what never changes.
using ScoreFunction = int (*)(const Candidate&);

/// Cards for the task on the node that was chosen.
using CardFunction = CardMask (*)(const Candidate&, RandomStream& draws);

/// Which node a task goes to, of those it fits on.
enum class NodeChoice : std::uint8_t {
  kFirstOfHighest,  ///< the highest score; the first in the list among equals
  kDrawn            ///< each with the same chance
};

struct PackingPolicy {
  std::string_view name, about;
  std::string_view source;
  std::string_view cost;  ///< of scoring one node, with c cards and t typical tasks
  ScoreFunction score;
  CardFunction cards;
  NodeChoice choice;
};

std::span<const PackingPolicy> packing_table();
/// The policy of this name, or nullptr.
const PackingPolicy* find_packing(std::string_view name);

// One file each; worst-fit stands beside best-fit, whose mirror it is.
int score_first_fit(const Candidate&);
int score_worst_fit(const Candidate&);
int score_best_fit(const Candidate&);
int score_dot_product(const Candidate&);
int score_packing(const Candidate&);
int score_clustering(const Candidate&);
int score_fgd(const Candidate&);

// Whole cards are always the first free ones; a share goes to the first card with room, the one with the
// least or the most room, a random one, or where FGD's score is highest; first among equals.
CardMask first_card(const Candidate&, RandomStream&);
CardMask tightest_card(const Candidate&, RandomStream&);
CardMask emptiest_card(const Candidate&, RandomStream&);
CardMask drawn_card(const Candidate&, RandomStream&);
CardMask fgd_card(const Candidate&, RandomStream&);

/// The first free cards for a task that wants whole ones.
CardMask whole_cards(const Candidate&);

}  // namespace fleetsim
