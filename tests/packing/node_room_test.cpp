#include "sim/packing/node_room.hpp"

#include <doctest/doctest.h>

#include "tests/packing/task_shapes.hpp"

namespace fleetsim {
namespace {

constexpr DeviceTypes kV100 = 1, kT4 = 2;
constexpr TaskShape kHalf{.cards = 1, .milli_per_card = 500};
constexpr TaskShape kWhole{.cards = 1, .milli_per_card = 1000};

TEST_CASE("a task is whole cards, or a share of one card, or no card") {
  CHECK(TaskShape{}.is_valid());
  CHECK(kHalf.is_valid());
  CHECK(whole(8).is_valid());
  CHECK_FALSE(TaskShape{.cards = 2, .milli_per_card = 500}.is_valid());
  CHECK_FALSE(TaskShape{.cards = 1, .milli_per_card = 0}.is_valid());
  CHECK_FALSE(TaskShape{.cards = 0, .milli_per_card = 500}.is_valid());
  CHECK_FALSE(TaskShape{.cards = 1, .milli_per_card = 1001}.is_valid());
  CHECK_FALSE(TaskShape{.cpu_milli = -1}.is_valid());
  CHECK_FALSE(whole(65).is_valid());
}

TEST_CASE("free parts of different cards do not add up") {
  const NodeSpec node{.cards = 2};
  NodeRoom room{{&node, 1}};
  room.take(share(600), {0, 0b01});
  room.take(share(600), {0, 0b10});
  CHECK(room.free_milli(0) == 800);
  CHECK_FALSE(room.fits(0, share(401)));
  CHECK(room.fits(0, share(400)));
  CHECK_FALSE(room.fits(0, kWhole));
}

TEST_CASE("whole cards need cards that nobody shares") {
  const NodeSpec node{.cards = 3};
  NodeRoom room{{&node, 1}};
  room.take(share(1), {0, 0b010});
  CHECK(room.fits(0, whole(2)));
  CHECK_FALSE(room.fits(0, whole(3)));
  room.take(whole(2), {0, 0b101});
  CHECK(room.free_milli(0) == 999);
  CHECK_FALSE(room.fits(0, kWhole));
  CHECK(room.fits(0, share(999)));
}

TEST_CASE("CPU, memory and type must fit as well") {
  const NodeSpec nodes[] = {{.cpu_milli = 4000, .memory_bytes = 100, .cards = 1, .type = kV100},
                            {.cpu_milli = 4000, .memory_bytes = 100, .cards = 1, .type = kT4},
                            {.cpu_milli = 8000, .memory_bytes = 200}};
  const NodeRoom room{nodes};
  CHECK(room.fits(0, {.cpu_milli = 4000, .memory_bytes = 100, .cards = 1, .milli_per_card = 1000}));
  CHECK_FALSE(room.fits(0, {.cpu_milli = 4001, .cards = 1, .milli_per_card = 1000}));
  CHECK_FALSE(room.fits(0, {.memory_bytes = 101, .cards = 1, .milli_per_card = 1000}));
  CHECK_FALSE(room.fits(0, {.cards = 1, .milli_per_card = 1000, .accepts = kT4}));
  CHECK(room.fits(1, {.cards = 1, .milli_per_card = 1000, .accepts = kT4}));
  CHECK(room.fits(1, {.cards = 1, .milli_per_card = 1000, .accepts = kT4 | kV100}));
  CHECK(room.fits(2, {.cpu_milli = 8000, .memory_bytes = 200}));
  CHECK_FALSE(room.fits(2, share(1)));
  CHECK_FALSE(room.fits(2, {.accepts = kT4}));
}

TEST_CASE("what is given back is free again, and kinds of tasks are counted") {
  const NodeSpec node{.cpu_milli = 10, .memory_bytes = 10, .cards = 4};
  NodeRoom room{{&node, 1}};
  const TaskShape two{.cpu_milli = 3, .memory_bytes = 4, .cards = 2, .milli_per_card = 1000};
  const TaskShape no_card{.cpu_milli = 1};
  room.take(two, {0, 0b0110});
  room.take(kHalf, {0, 0b0001});
  room.take(share(200), {0, 0b0001});
  room.take(no_card, {0, 0});
  CHECK(room.free_cpu(0) == 6);
  CHECK(room.free_memory(0) == 6);
  CHECK(room.free_milli(0) == 1300);
  CHECK(room.whole_free_cards(0) == 1);
  CHECK(room.free_cards(0)[0] == 300);
  CHECK(room.kinds(0) == 2);
  CHECK(room.tasks_of_kind(0, kHalf) == 2);
  CHECK(room.tasks_of_kind(0, two) == 1);
  CHECK(room.tasks_of_kind(0, kWhole) == 0);
  room.give_back(kHalf, {0, 0b0001});
  CHECK(room.kinds(0) == 2);
  room.give_back(share(200), {0, 0b0001});
  room.give_back(two, {0, 0b0110});
  room.give_back(no_card, {0, 0});
  CHECK(room.kinds(0) == 0);
  CHECK(room.free_cpu(0) == 10);
  CHECK(room.free_memory(0) == 10);
  CHECK(room.free_milli(0) == 4000);
  CHECK(room.whole_free_cards(0) == 4);
}

}  // namespace
}  // namespace fleetsim
