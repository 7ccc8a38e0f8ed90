#include "sim/packing/packer.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "tests/packing/plain_study.hpp"
#include "tests/packing/random_room.hpp"

namespace fleetsim {
namespace {

struct Running {
  ShapeId shape;
  TaskPlace place;
};

constexpr StreamKey kDraws{1, 0, Purpose::kPlacement, 0};

/// Hands out tasks and takes them back at random; `check` sees every decision before it is carried out.
void churn(
    Packer& packer, const std::vector<TaskShape>& tasks, std::uint64_t seed,
    const std::function<void(ShapeId, const std::optional<TaskPlace>&, const std::vector<Running>&)>& check) {
  testing::Draw draw{seed};
  std::vector<Running> running;
  for (int step = 0; step < 400; ++step) {
    if (!running.empty() && draw.from(0, 2) == 0) {
      const auto gone = running.begin() + draw.from(0, static_cast<std::uint32_t>(running.size() - 1));
      packer.give_back(gone->shape, gone->place);
      running.erase(gone);
      continue;
    }
    // Small indices are asked for often, large ones rarely, so that some shapes are far behind.
    const std::uint32_t most = draw.from(0, static_cast<std::uint32_t>(tasks.size() - 1));
    const ShapeId id = packer.shape(tasks[draw.from(0, most)]);
    const auto place = packer.find(id);
    check(id, place, running);
    if (!place) continue;
    packer.take(id, *place);
    running.push_back({id, *place});
  }
}

TEST_CASE("property: every policy places a task that fits somewhere, and only where it fits") {
  for (const PackingPolicy& policy : packing_table()) {
    CAPTURE(policy.name);
    testing::Draw draw{11};
    const auto nodes = draw.nodes(12);
    const auto tasks = draw.tasks(30);
    const auto typical = typical_tasks(tasks);
    Packer packer{{nodes, policy, typical, kDraws}}, twin{{nodes, policy, typical, kDraws}};
    std::vector<std::optional<TaskPlace>> places;
    int placed = 0, refused = 0;
    churn(packer, tasks, 5, [&](ShapeId id, const auto& place, const auto&) {
      const TaskShape& task = packer.shape(id);
      bool fits = false;
      for (std::uint32_t node = 0; node < 12; ++node) fits |= packer.room().fits(node, task);
      CHECK(place.has_value() == fits);
      places.push_back(place);
      ++(fits ? placed : refused);
      if (!place) return;
      CHECK(packer.room().fits(place->node, task));
      CHECK(std::popcount(place->cards) == static_cast<int>(task.cards));
      const auto free = packer.room().free_cards(place->node);
      for (std::size_t card = 0; card < 64; ++card) {
        if ((place->cards >> card & 1) == 0) continue;
        REQUIRE(card < free.size());
        CHECK(free[card] >= task.milli_per_card);
      }
    });
    CHECK(placed > 100);
    CHECK(refused > 20);
    std::size_t next = 0;
    churn(twin, tasks, 5, [&](ShapeId, const auto& place, const auto&) { CHECK(place == places[next++]); });
  }
}

TEST_CASE("property: kept scores decide as scores made anew for every node do, ties to the first") {
  using Score = std::function<double(const plain::Node&, const TaskShape&, const std::vector<TaskShape>&)>;
  testing::Draw draw{12};
  for (int round = 0; round < 5; ++round) {
    const auto nodes = draw.nodes(12);
    const auto tasks = draw.tasks(30);
    const auto typical = typical_tasks(tasks);
    const NodeRoom empty{nodes};
    const auto cpus = static_cast<double>(empty.largest_cpu());
    const double milli = empty.largest_cards() * 1000.0;
    struct Row {
      std::string name;
      Score score;
    };
    const Row policies[] = {
        {"first-fit", [](const auto&, const auto&, const auto&) { return 0; }},
        {"best-fit", [&](const auto& node, const auto& task,
                         const auto&) { return plain::best_fit(node, task, cpus, milli); }},
        {"worst-fit", [&](const auto& node, const auto& task,
                          const auto&) { return 100 - plain::best_fit(node, task, cpus, milli); }},
        {"dot-product", [&](const auto& node, const auto& task,
                            const auto&) { return plain::dot_product(node, task, cpus, milli); }},
        {"packing",
         [](const auto& node, const auto& task, const auto&) { return plain::packing(node, task); }},
        {"clustering",
         [&](const auto& node, const auto& task, const auto& others) {
           return plain::clustering(node, others, task, static_cast<int>(milli));
         }},
        {"fgd",
         [&](const auto& node, const auto& task, const auto&) { return plain::fgd(node, task, typical); }},
    };
    for (const Row& row : policies) {
      CAPTURE(row.name);
      Packer packer{{nodes, *find_packing(row.name), typical, kDraws}};
      churn(packer, tasks, 6, [&](ShapeId id, const auto& place, const auto& running) {
        const TaskShape& task = packer.shape(id);
        int best = -1;
        std::uint32_t first = 0;
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
          if (!packer.room().fits(node, task)) continue;
          std::vector<TaskShape> there;
          for (const Running& each : running)
            if (each.place.node == node) there.push_back(packer.shape(each.shape));
          // What is whole in exact arithmetic may be a little less in floating point.
          const auto whole =
              static_cast<int>(std::floor(row.score(plain::node(packer.room(), node), task, there) + 1e-9));
          if (whole <= best) continue;
          best = whole;
          first = node;
        }
        REQUIRE(place.has_value() == (best >= 0));
        if (!place) return;
        CHECK(place->node == first);
        if (row.name == "fgd" && task.is_share()) {
          const auto share = plain::fgd_share(plain::node(packer.room(), first), task, typical);
          CHECK(place->cards == CardMask{1} << share.card);
        }
      });
    }
  }
}

TEST_CASE("statistical: random takes each node with room, and each card with room, as often as the others") {
  const NodeSpec nodes[] = {{.cards = 2}, {.cards = 1}, {.cards = 2}, {.cards = 2}};
  Packer packer{{nodes, *find_packing("random"), {}, kDraws}};
  const ShapeId share = packer.shape({.cards = 1, .milli_per_card = 600});
  packer.take(share, {1, 0b1});  // node 1 is full for it, and so is a card of node 2
  packer.take(share, {2, 0b10});
  int seen[4][2] = {};
  constexpr int kRounds = 6000;
  for (int i = 0; i < kRounds; ++i) {
    const auto place = packer.find(share);
    ++seen[place->node][place->cards - 1];
  }
  const auto near = [](int count, int expected) { return std::abs(count - expected) < 150; };  // 4 sigma
  CHECK(seen[1][0] == 0);
  CHECK(seen[2][1] == 0);
  CHECK(near(seen[2][0], 2000));
  for (const int node : {0, 3})
    for (const int card : {0, 1}) CHECK(near(seen[node][card], 1000));
}

TEST_CASE("equal shapes have one number, and policies have names of their own") {
  const NodeSpec node{.cards = 1};
  Packer packer{{{&node, 1}, *find_packing("fgd"), {}, kDraws}};
  const ShapeId one = packer.shape({.cards = 1, .milli_per_card = 500});
  CHECK(one == packer.shape({.cards = 1, .milli_per_card = 500}));
  CHECK(one != packer.shape({.cards = 1, .milli_per_card = 501}));
  CHECK(packer.find(one).has_value());  // without typical tasks all nodes are alike
  CHECK(find_packing("tetris") == nullptr);
  for (const PackingPolicy& policy : packing_table()) CHECK(find_packing(policy.name) == &policy);
  Packer nowhere{{{}, *find_packing("best-fit"), {}, kDraws}};
  CHECK_FALSE(nowhere.find(nowhere.shape({})).has_value());
}

}  // namespace
}  // namespace fleetsim
