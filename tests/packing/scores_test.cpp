#include <doctest/doctest.h>

#include "sim/packing/policy.hpp"
#include "tests/packing/task_shapes.hpp"

// Scores worked out by hand from the rules of the FGD study.
namespace fleetsim {
namespace {

/// A node of four cards and 64 cores next to the largest one, of eight and 128.
struct Pair {
  Pair() : room{std::vector<NodeSpec>{{128'000, 0, 8, 1}, {64'000, 0, 4, 1}}} {}

  int score(std::string_view policy, const TaskShape& shape) const {
    return find_packing(policy)->score({room, fragmentation, shape, 1});
  }
  CardMask cards(std::string_view policy, const TaskShape& shape) const {
    RandomStream draws{{1, 0, Purpose::kPlacement, 0}};
    return find_packing(policy)->cards({room, fragmentation, shape, 1}, draws);
  }
  void take(const TaskShape& shape, CardMask cards) { room.take(shape, {1, cards}); }

  NodeRoom room;
  WeightedShape typical[2] = {{share(600), 3}, {whole(2), 1}};
  Fragmentation fragmentation{typical};
};

TEST_CASE("best-fit and worst-fit weigh what would be left against the largest node") {
  Pair pair;
  // Left: 32 of 128 cores and 3 of 8 cards, on average 0.3125.
  const TaskShape task{.cpu_milli = 32'000, .cards = 1, .milli_per_card = 1000};
  CHECK(pair.score("best-fit", task) == 68);
  CHECK(pair.score("worst-fit", task) == 31);
  CHECK(pair.score("first-fit", task) == 0);
}

TEST_CASE("dot-product weighs what is free against what is asked") {
  Pair pair;
  // 64/128 x 32/128 and 4/8 x 2/8, on average 0.125.
  const TaskShape task{.cpu_milli = 32'000, .cards = 2, .milli_per_card = 1000};
  CHECK(pair.score("dot-product", task) == 87);
  CHECK(pair.score("dot-product", {}) == 100);
}

TEST_CASE("packing prefers shared cards to free ones, and nodes in use to free nodes") {
  Pair pair;
  CHECK(pair.score("packing", share(300)) == 33 - 4);
  pair.take(share(450), 0b0010);
  CHECK(pair.score("packing", share(300)) == 100 - 5);  // 550 free: 55 %, a tenth of it whole
  CHECK(pair.score("packing", share(551)) == 50 - 1);
  CHECK(pair.score("packing", whole(3)) == 50 - 3);
  pair.take(share(200), 0b0001);
  CHECK(pair.score("packing", share(300)) == 95);  // the fullest card decides
  CHECK(pair.score("packing", share(600)) == 92);
  CHECK(pair.score("packing", {}) == 0);
}

TEST_CASE("clustering gives 25 points for fullness and up to 75 for like tasks") {
  Pair pair;
  CHECK(pair.score("clustering", whole(1)) == 25 + 12);  // 4 of 8 cards are not there: half of 25
  pair.take(whole(1), 0b0001);
  CHECK(pair.score("clustering", whole(1)) == 75 + 15);  // 5 of 8
  CHECK(pair.score("clustering", whole(2)) == 15);
  CHECK(pair.score("clustering", share(100)) == 15);
  pair.take(share(500), 0b0010);
  CHECK(pair.score("clustering", whole(1)) == 50 + 17);
  CHECK(pair.score("clustering", share(999)) == 50 + 17);
  CHECK(pair.score("clustering", {}) == 0);
}

TEST_CASE("fgd scores the fall in fragmentation with a sigmoid") {
  Pair pair;
  // On the free node nothing is fragmented. A share of 600 leaves 400 that a share of 600 (weight 3 of 4) and
  // two whole cards (1 of 4) cannot use: it rises by 0.4 devices, and 100 / (1 + e^0.4) = 40.1.
  CHECK(pair.score("fgd", share(600)) == 40);
  // A third of the three cards left is still usable to both after one whole card: no change, half.
  CHECK(pair.score("fgd", whole(1)) == 50);
  // After three, the last card is of no use to two whole cards: a rise by 0.25, and 100 / (1 + e^0.25)
  // = 43.8.
  CHECK(pair.score("fgd", whole(3)) == 43);
  // With 400 and 400 on two cards fragmentation is 0.8; taking 400 of them lowers it by 0.4: 59.9.
  pair.take(share(600), 0b0001);
  pair.take(share(600), 0b0100);
  CHECK(pair.score("fgd", share(400)) == 59);
  CHECK(pair.cards("fgd", share(400)) == 0b0001);
}

TEST_CASE("shares go to the card that the policy says, whole cards to the first free ones") {
  Pair pair;
  pair.take(share(300), 0b0001);
  pair.take(share(700), 0b0010);
  for (const std::string_view policy : {"first-fit", "fgd", "worst-fit", "packing"})
    CHECK(pair.cards(policy, whole(2)) == 0b1100);
  CHECK(pair.cards("first-fit", share(200)) == 0b0001);
  CHECK(pair.cards("best-fit", share(200)) == 0b0010);
  CHECK(pair.cards("best-fit", share(400)) == 0b0001);
  CHECK(pair.cards("worst-fit", share(200)) == 0b0100);
}

}  // namespace
}  // namespace fleetsim
