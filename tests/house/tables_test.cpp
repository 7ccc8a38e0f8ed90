#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "sim/ledger/leaf.hpp"
#include "sim/packing/policy.hpp"
#include "sim/scenario/names.hpp"
#include "sim/scheduler/elastic.hpp"
#include "sim/scheduler/order.hpp"
#include "sim/scheduler/placement.hpp"
#include "sim/scheduler/victims.hpp"

namespace fleetsim {
namespace {

template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(row.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string_view> sorted(std::span<const std::string_view> names) {
  std::vector<std::string_view> out{names.begin(), names.end()};
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("tables: what a scenario may name is what the scheduler has") {
  CHECK(sorted(known_orders()) == names_of(order_table()));
  CHECK(sorted(known_victims()) == names_of(victim_table()));
  CHECK(sorted(known_placements()) == names_of(placement_table()));
  CHECK(sorted(known_elastic_policies()) == names_of(elastic_table()));
}

TEST_CASE(
    "tables: leaves stand in the order of their boundaries, each name once, each loss with who removes it") {
  const auto leaves = leaf_table();
  for (std::size_t index = 0; index < leaves.size(); ++index) {
    CHECK(static_cast<std::size_t>(leaves[index].leaf) == index);
    CHECK(leaf_by_name(leaves[index].name) == leaves[index].leaf);
    if (index > 0) CHECK(leaves[index - 1].boundary <= leaves[index].boundary);
    const bool has_owner = leaves[index].leaf < Leaf::program_unattributed;
    CHECK(leaves[index].layer.empty() != has_owner);
  }
}

/// Gangs of one node and of several, in pools of which some is taken: `setup` packs the nodes, or does not.
void check_placement(const PlacementPolicy& policy, const PackedNodes::Setup* setup) {
  const std::vector<std::uint32_t> racks{0, 0, 1, 1, 2, 2}, pods{0, 0, 0, 0, 1, 1};
  const std::uint32_t spares = setup == nullptr ? 1 : 0;
  for (std::uint32_t taken = 0; taken <= 4; ++taken) {
    Pool pool{Pool::Shape{
        6, 4, spares, racks, Pool::Shape::Holders::known, setup, {0, 0, Purpose::kPlacement, 0}, pods}};
    const Part busy{.node = 2, .milli = 0, .devices = (DeviceMask{1} << taken) - 1};
    pool.know(JobId{7}, GangShape{.nodes = 1, .per_node = taken});
    if (taken > 0) pool.take(busy, JobId{7});
    for (const GangShape shape : {GangShape{.nodes = 1, .per_node = 3}, GangShape{.nodes = 2, .per_node = 4},
                                  GangShape{.nodes = 3, .per_node = 2, .remainder = 1},
                                  GangShape{.nodes = 4, .per_node = 4, .remainder = 3}}) {
      for (const TopologyLevel level : {TopologyLevel::node, TopologyLevel::rack, TopologyLevel::pod,
                                        TopologyLevel::spine, TopologyLevel::pool}) {
        Placement parts;
        const bool placed = place(pool, shape, level, policy, parts);
        CHECK(placed == pool.fits(shape, level));
        if (placed) CHECK(pool.could_ever_fit(shape, level));
        if (!placed) continue;
        CHECK(capacity(parts.list()) == shape.capacity());
        for (const Part& part : parts) {
          CHECK((part.devices & ~pool.free_devices(part.node)) == 0);
          CHECK(std::count_if(parts.begin(), parts.end(),
                              [&](const Part& other) { return other.node == part.node; }) == 1);
          if (const Domains* const domains = pool.domains(level))
            CHECK(domains->of(part.node) == domains->of(parts.front().node));
          if (level == TopologyLevel::node) CHECK(parts.size() == 1);
        }
      }
    }
  }
}

TEST_CASE("tables: every placement gives a gang that fits what it asked for, and only what is free") {
  for (const PlacementPolicy& policy : placement_table()) {
    CAPTURE(policy.name);
    CHECK((policy.place != nullptr || find_packing(policy.name) != nullptr));
    if (policy.place != nullptr) check_placement(policy, nullptr);
  }
}

TEST_CASE("tables: so does every packing policy, of nodes of which one has no devices and one has fewer") {
  const std::vector<NodeSpec> nodes{{.cards = 4}, {.cards = 4}, {.cards = 4},
                                    {.cards = 0}, {.cards = 2}, {.cards = 4}};
  for (const PackingPolicy& policy : packing_table()) {
    CAPTURE(policy.name);
    const PackedNodes::Setup setup{.nodes = nodes, .policy = policy, .draws = {1, 0, Purpose::kPlacement, 0}};
    check_placement({policy.name, "", "", "", nullptr}, &setup);
  }
}

TEST_CASE("tables: worst-fit takes the emptiest nodes, and random ones are random but the same again") {
  const std::vector<std::uint32_t> racks(6, 0);
  const auto chosen = [&](const char* name, std::uint64_t seed) {
    Pool pool{
        Pool::Shape{6, 4, 0, racks, Pool::Shape::Holders::known, nullptr, {seed, 0, Purpose::kPlacement, 0}}};
    for (std::uint32_t node = 0; node < 6; ++node)
      if (node != 4) pool.take(Part{.node = node, .milli = 0, .devices = node % 3 == 0 ? 3U : 1U}, JobId{7});
    Placement parts;
    CHECK(place(pool, {.nodes = 3, .per_node = 2}, TopologyLevel::pool, *find_placement(name), parts));
    std::vector<std::uint32_t> nodes;
    for (const Part& part : parts) nodes.push_back(part.node);
    return nodes;
  };
  CHECK(chosen("worst-fit", 1) == std::vector<std::uint32_t>{4, 1, 2});
  CHECK(chosen("random", 1) == chosen("random", 1));
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) seen.insert(chosen("random", seed));
  CHECK(seen.size() > 40);  // of 120
}

}  // namespace
}  // namespace fleetsim
