#include <doctest/doctest.h>

#include <algorithm>

#include "sim/ledger/leaf.hpp"
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

TEST_CASE("tables: every placement gives a gang that fits what it asked for, and only what is free") {
  const std::vector<std::uint32_t> racks{0, 0, 1, 1, 2, 2};
  for (const PlacementPolicy& policy : placement_table()) {
    CAPTURE(policy.name);
    for (std::uint32_t taken = 0; taken <= 4; ++taken) {
      Pool pool{Pool::Shape{6, 4, 1, racks}};
      const Part busy{.node = 2, .milli = 0, .devices = (DeviceMask{1} << taken) - 1};
      if (taken > 0) pool.take(busy, JobId{7});
      for (const GangShape shape :
           {GangShape{.nodes = 1, .per_node = 3}, GangShape{.nodes = 2, .per_node = 4},
            GangShape{.nodes = 3, .per_node = 2, .remainder = 1},
            GangShape{.nodes = 4, .per_node = 4, .remainder = 3}}) {
        for (const bool within_rack : {false, true}) {
          Placement parts;
          const bool placed = place(pool, shape, within_rack, policy.place, parts);
          CHECK(placed == pool.fits(shape, within_rack));
          if (!placed) continue;
          CHECK(capacity(parts) == shape.capacity());
          for (const Part& part : parts) {
            CHECK((part.devices & ~pool.free_devices(part.node)) == 0);
            CHECK(std::count_if(parts.begin(), parts.end(),
                                [&](const Part& other) { return other.node == part.node; }) == 1);
            if (within_rack) CHECK(pool.rack_of(part.node) == pool.rack_of(parts.front().node));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fleetsim
