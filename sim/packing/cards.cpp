#include <boost/random/uniform_int_distribution.hpp>

#include "sim/packing/policy.hpp"

namespace fleetsim {
namespace {

/// The first card with room for the share of which no other `is_better`.
template <class Compare>
CardMask best_card(const Candidate& candidate, Compare is_better) {
  const auto cards = candidate.room.free_cards(candidate.node);
  std::size_t best = cards.size();
  for (std::size_t card = 0; card < cards.size(); ++card) {
    if (cards[card] < candidate.shape.milli_per_card) continue;
    if (best == cards.size() || is_better(cards[card], cards[best])) best = card;
  }
  return CardMask{1} << best;
}

}  // namespace

CardMask whole_cards(const Candidate& candidate) {
  const auto cards = candidate.room.free_cards(candidate.node);
  CardMask chosen = 0;
  std::uint32_t left = candidate.shape.cards;
  for (std::size_t card = 0; left > 0; ++card) {
    if (cards[card] != kMilliPerCard) continue;
    chosen |= CardMask{1} << card;
    --left;
  }
  return chosen;
}

CardMask first_card(const Candidate& candidate, RandomStream&) {
  if (!candidate.shape.is_share()) return whole_cards(candidate);
  return best_card(candidate, [](int, int) { return false; });
}

CardMask tightest_card(const Candidate& candidate, RandomStream&) {
  if (!candidate.shape.is_share()) return whole_cards(candidate);
  return best_card(candidate, [](int free, int best) { return free < best; });
}

CardMask emptiest_card(const Candidate& candidate, RandomStream&) {
  if (!candidate.shape.is_share()) return whole_cards(candidate);
  return best_card(candidate, [](int free, int best) { return free > best; });
}

CardMask drawn_card(const Candidate& candidate, RandomStream& draws) {
  if (!candidate.shape.is_share()) return whole_cards(candidate);
  const auto cards = candidate.room.free_cards(candidate.node);
  const auto has_room = [&](std::size_t card) { return cards[card] >= candidate.shape.milli_per_card; };
  std::uint32_t count = 0;
  for (std::size_t card = 0; card < cards.size(); ++card) count += has_room(card) ? 1 : 0;
  std::uint32_t passed = boost::random::uniform_int_distribution<std::uint32_t>{0, count - 1}(draws);
  std::size_t card = 0;
  while (!has_room(card) || passed-- > 0) ++card;
  return CardMask{1} << card;
}

}  // namespace fleetsim
