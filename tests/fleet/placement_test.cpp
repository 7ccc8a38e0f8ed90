#include "sim/fleet/placement.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "sim/fleet/pool.hpp"

namespace fleetsim {
namespace {

std::uint64_t lowest_bits_one_by_one(std::uint64_t bits, std::uint32_t count) {
  std::uint64_t lowest = 0;
  for (; count > 0; --count, bits &= bits - 1) lowest |= bits & (~bits + 1);
  return lowest;
}

TEST_CASE("the lowest bits of a word are those that a walk over it meets first") {
  std::mt19937_64 any{1};
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t bits = any();
    for (int thinner = round % 6; thinner > 0; --thinner) bits &= any();
    if (round % 5 == 0) bits |= std::uint64_t{1} << 63;
    if (round == 0) bits = ~std::uint64_t{0};
    for (std::uint32_t count = 0; count <= static_cast<std::uint32_t>(std::popcount(bits)); ++count)
      CHECK(lowest_bits(bits, count) == lowest_bits_one_by_one(bits, count));
  }
}

TEST_CASE("whole nodes of a placement are listed by number, before its other parts") {
  Placement placement;
  CHECK(placement.empty());
  placement.add_nodes({.word = 1, .nodes = 0b101}, 0xff);
  placement.add_nodes({.word = 3, .nodes = 0b10}, 0xff);
  placement.push_back({.node = 2, .devices = 0b11});
  CHECK_FALSE(placement.empty());
  CHECK(placement.unlisted().size() == 2);
  const Placement::Parts expected{{.node = 64, .devices = 0xff},
                                  {.node = 66, .devices = 0xff},
                                  {.node = 193, .devices = 0xff},
                                  {.node = 2, .devices = 0b11}};
  CHECK(placement.list() == expected);
  CHECK(placement.unlisted().empty());
  placement.clear();
  CHECK(placement.empty());
}

/// Everything that a pool answers about what is free.
void check_same(const Pool& a, const Pool& b) {
  for (std::uint32_t node = 0; node < a.nodes(); ++node) {
    REQUIRE(a.free_devices(node) == b.free_devices(node));
    for (std::uint32_t device = 0; device < a.devices_per_node(); ++device)
      REQUIRE(a.holder(node, device) == b.holder(node, device));
  }
  const Domains* const racks_of_a = a.domains(TopologyLevel::rack);
  const Domains* const racks_of_b = b.domains(TopologyLevel::rack);
  for (std::uint32_t count = 0; count <= a.devices_per_node(); ++count) {
    REQUIRE(a.nodes_with(count) == b.nodes_with(count));
    for (std::uint32_t rack = 0; rack < a.racks(); ++rack)
      REQUIRE(racks_of_a->nodes_with_at_least(count, rack) == racks_of_b->nodes_with_at_least(count, rack));
  }
  REQUIRE(a.in_state(DeviceState::free) == b.in_state(DeviceState::free));
  REQUIRE(a.in_state(DeviceState::held) == b.in_state(DeviceState::held));
}

TEST_CASE("nodes taken and given back by words leave a pool as if each part had been by itself") {
  constexpr std::uint32_t kNodes = 200, kPerNode = 4;
  std::vector<std::uint32_t> racks;
  for (std::uint32_t node = 0; node < kNodes; ++node) racks.push_back(node / 30);
  const Pool::Shape shape{kNodes, kPerNode, 0, racks};
  Pool by_words{shape}, by_parts{shape};
  std::mt19937 random{2};
  const auto any = [&](std::size_t count) { return static_cast<std::uint32_t>(random() % count); };
  std::vector<std::pair<JobId, Placement>> held;
  for (std::uint32_t round = 0; round < 400; ++round) {
    const std::uint32_t count = 1 + any(70);
    const JobId job{round};
    if (by_words.nodes_with(kPerNode) >= count) {
      Placement words;
      by_words.first_whole_nodes(count, 0, words);
      CHECK_FALSE(words.unlisted().empty());
      by_words.take(words, job);
      Placement parts = words;
      REQUIRE(parts.size() == count);
      for (const Part& part : parts) by_parts.take(part, job);
      held.emplace_back(job, any(2) == 0 ? words : parts);
    } else if (const auto node = by_words.next_with_at_least(1, any(kNodes))) {
      const Part part{.node = *node, .devices = std::bit_floor(by_words.free_devices(*node))};
      by_words.take(part, job);
      by_parts.take(part, job);
      held.emplace_back(job, Placement{part});
    }
    while (held.size() > 6) {
      const auto leaves = held.begin() + any(held.size());
      by_words.give_back(leaves->second, leaves->first, DeviceState::free);
      for (const Part& part : leaves->second) by_parts.give_back(part, leaves->first, DeviceState::free);
      held.erase(leaves);
    }
    check_same(by_words, by_parts);
  }
}

}  // namespace
}  // namespace fleetsim
