#include "sim/packing/fragmentation.hpp"

#include <doctest/doctest.h>

#include "tests/packing/plain_study.hpp"
#include "tests/packing/random_room.hpp"

namespace fleetsim {
namespace {

TaskShape spec(std::int64_t cpu_milli, std::uint32_t cards, std::uint32_t milli) {
  return {.cpu_milli = cpu_milli, .cards = cards, .milli_per_card = milli};
}

TEST_CASE("fragmentation of one node, worked out by hand") {
  // Free: 200 and 700 milli on two of three cards, 1,000 on the third; 1,900 in all. 4 cores.
  const NodeSpec node{.cpu_milli = 4000, .cards = 3, .type = 1};
  NodeRoom room{{&node, 1}};
  room.take(spec(0, 1, 800), {0, 0b001});
  room.take(spec(0, 1, 300), {0, 0b010});
  const auto of = [&](const TaskShape& task) {
    const WeightedShape only[] = {{task, 1}};
    return Fragmentation{only}.of(room, 0);
  };
  CHECK(of(spec(4000, 1, 100)) == 0);      // every card has room for it
  CHECK(of(spec(4000, 1, 500)) == 200);    // one card is too full for it
  CHECK(of(spec(4000, 1, 1000)) == 900);   // two are
  CHECK(of(spec(4000, 2, 1000)) == 1900);  // it does not fit
  CHECK(of(spec(4001, 1, 100)) == 1900);   // nor does it for lack of CPU
  CHECK(of(spec(1000, 0, 0)) == 1900);     // it wants no card
  TaskShape elsewhere = spec(0, 1, 100);
  elsewhere.accepts = 2;
  CHECK(of(elsewhere) == 1900);

  const WeightedShape mix[] = {{spec(4000, 1, 500), 3}, {spec(1000, 0, 0), 1}};
  CHECK(Fragmentation{mix}.weight() == 4);
  CHECK(Fragmentation{mix}.of(room, 0) == 3 * 200 + 1900);
  CHECK(Fragmentation{mix}.of(room) == 3 * 200 + 1900);
}

TEST_CASE("property: fragmentation is what the definition says, whatever the node") {
  testing::Draw draw{1};
  int fragmented_nodes = 0;
  for (int round = 0; round < 30; ++round) {
    const auto specs = draw.nodes(10);
    NodeRoom room{specs};
    const auto typical = typical_tasks(draw.tasks(40));
    const Fragmentation fragmentation{typical};
    for (int i = 0; i < 60; ++i) {
      const std::uint32_t node = draw.from(0, 9);
      const TaskShape task = draw.task();
      if (!room.fits(node, task)) continue;
      CardMask cards = 0;
      std::uint32_t left = task.cards;
      for (std::uint32_t card = 0; left > 0; ++card) {
        if (room.free_cards(node)[card] < task.milli_per_card) continue;
        cards |= CardMask{1} << card;
        --left;
      }
      room.take(task, {node, cards});
    }
    std::int64_t total = 0;
    for (std::uint32_t node = 0; node < room.nodes(); ++node) {
      const double expected = plain::fragmented(plain::node(room, node), typical);
      const auto found = static_cast<double>(fragmentation.of(room, node));
      CHECK(found / static_cast<double>(fragmentation.weight()) == doctest::Approx(expected).epsilon(1e-12));
      total += fragmentation.of(room, node);
      fragmented_nodes += expected > 0 ? 1 : 0;
    }
    CHECK(fragmentation.of(room) == total);
  }
  CHECK(fragmented_nodes > 100);
}

TEST_CASE("typical tasks are the most frequent ones that make up the share asked for, memory aside") {
  std::vector<TaskShape> tasks;
  for (int i = 0; i < 90; ++i) {
    tasks.push_back(spec(1000, 1, 500));
    tasks.back().memory_bytes = i;
  }
  for (int i = 0; i < 5; ++i) tasks.push_back(spec(2000, 1, 500));
  for (int i = 0; i < 5; ++i) tasks.push_back(spec(3000, 1, 500));
  const auto typical = typical_tasks(tasks);
  REQUIRE(typical.size() == 2);
  CHECK(typical[0].shape == spec(1000, 1, 500));
  CHECK(typical[0].weight == 90);
  CHECK(typical[1].shape == spec(3000, 1, 500));  // among equals the one with more CPU
  CHECK(typical[1].weight == 5);
  CHECK(typical_tasks(tasks, 100).size() == 3);
  CHECK(typical_tasks({}).empty());
}

TEST_CASE("levels after a share or whole cards were taken are those sorted anew") {
  const std::uint16_t free[] = {300, 1000, 0, 1000, 650};
  const FreeLevels levels{free};
  const auto list = [](const FreeLevels& of) {
    return std::vector<int>{of.levels().begin(), of.levels().end()};
  };
  CHECK(list(levels) == std::vector{1000, 1000, 650, 300, 0});
  CHECK(list(levels.less(1000, 500)) == std::vector{1000, 650, 500, 300, 0});
  CHECK(list(levels.less(650, 650)) == std::vector{1000, 1000, 300, 0, 0});
  CHECK(levels.less(650, 650).sum() == 2300);
  CHECK(list(levels.without_first(2)) == std::vector{650, 300, 0});
  CHECK(levels.without_first(2).sum() == 950);
}

}  // namespace
}  // namespace fleetsim
