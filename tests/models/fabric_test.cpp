#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "models/catalog/fabric_shape.hpp"
#include "models/collective/closed_form.hpp"
#include "models/fabric/fabric_graph.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

using Nodes = std::vector<std::uint32_t>;

/// Racks of two nodes at 50 GB/s, pods of two racks, eight nodes.
FabricShape small(double leaf, double pod) {
  return {.nodes = 8,
          .nodes_per_leaf = 2,
          .nodes_per_pod = 4,
          .node_rate = ByteRate{50e9},
          .leaf_oversubscription = leaf,
          .pod_oversubscription = pod};
}

JobTraffic ring(const Nodes& nodes, double gbps) { return {nodes, ByteRate{gbps * 1e9}}; }
JobTraffic all_to_all(const Nodes& nodes, double gbps) {
  return {nodes, ByteRate{gbps * 1e9}, TrafficPattern::kAllToAll};
}

std::vector<double> slowdowns(const FabricGraph& fabric, const std::vector<JobTraffic>& jobs) {
  return fabric.slowdowns(jobs);
}

}  // namespace

TEST_CASE("fabric: two nodes share a leaf, a pod or nothing") {
  const FabricGraph fabric{small(1, 1)};
  CHECK(fabric.hop(3, 3) == HopClass::kNode);
  CHECK(fabric.hop(0, 1) == HopClass::kLeaf);
  CHECK(fabric.hop(1, 2) == HopClass::kPod);
  CHECK(fabric.hop(3, 4) == HopClass::kAcross);
  const Nodes nodes{0, 1, 2, 4};
  CHECK(fabric.ring_hops(nodes) == HopMix{0, 0, 1, 1, 2});  // 0-1, 1-2, 2-4, 4-0
  CHECK(fabric.pair_hops(nodes) == HopMix{0, 0, 1, 2, 3});
  CHECK(placement_cost(fabric.pair_hops(nodes)) == 51);
  CHECK(fabric.ring_hops(Nodes{5}) == HopMix{});
}

TEST_CASE("fabric: pairs counted by place are the pairs counted one by one") {
  FabricShape shape{.nodes = 60, .nodes_per_leaf = 4, .nodes_per_pod = 12, .nodes_per_domain = 2};
  shape.node_rate = ByteRate{50e9};
  const FabricGraph fabric{shape};
  Nodes nodes;
  for (std::uint32_t n = 0; n < 60; n += 1 + n % 4) nodes.push_back(n);
  HopMix each{};
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size(); ++b)
      ++each[static_cast<std::size_t>(fabric.hop(nodes[a], nodes[b]))];
  CHECK(fabric.pair_hops(nodes) == each);
}

TEST_CASE("contention: alone on a fabric without oversubscription nobody is slowed") {
  const FabricGraph fabric{small(1, 1)};
  const Nodes all{0, 2, 4, 6, 1, 3, 5, 7};
  CHECK(slowdowns(fabric, {ring(all, 50)}) == std::vector<double>{1});
  CHECK(slowdowns(fabric, {ring(Nodes{3}, 50), ring(all, 0)}) == std::vector<double>{1, 1});
  CHECK(slowdowns(fabric, {}).empty());
}

TEST_CASE("contention: a full uplink is shared evenly, and what one leaves goes to the other") {
  const FabricGraph fabric{small(2, 1)};  // 50 GB/s up from a rack of two
  const Nodes a{0, 2}, b{1, 3};
  CHECK(slowdowns(fabric, {ring(a, 50)}) == std::vector<double>{1});
  CHECK(slowdowns(fabric, {ring(a, 50), ring(b, 50)}) == std::vector<double>{2, 2});
  // 10 of 50 are wanted by one: the other has 40.
  const std::vector<double> uneven = slowdowns(fabric, {ring(a, 10), ring(b, 50)});
  CHECK(uneven[0] == near(1));
  CHECK(uneven[1] == near(1.25));
  // The same nodes, each job in a rack of its own: nothing is shared.
  CHECK(slowdowns(fabric, {ring(Nodes{0, 1}, 50), ring(Nodes{2, 3}, 50)}) == std::vector<double>{1, 1});
}

TEST_CASE("contention: progressive filling over two bottlenecks") {
  // Racks of two with 25 GB/s up; pods of two racks with 32 GB/s up. A crosses pods from rack 0; B from rack
  // 0 to rack 1; C crosses pods from rack 1.
  const FabricGraph fabric{small(4, 6.25)};
  const Nodes a{0, 4}, b{1, 2}, c{3, 6};
  const std::vector<double> slower = slowdowns(fabric, {ring(a, 50), ring(b, 50), ring(c, 50)});
  // All rise to 12.5, where rack 0 (A, B) and rack 1 (B, C) are full; the pod carries 25 of 32.
  CHECK(slower[0] == near(4));
  CHECK(slower[1] == near(4));
  CHECK(slower[2] == near(4));
  // With B wanting 5: A and C rise on, to 16 each, where the pod is full before their racks are.
  const std::vector<double> light = slowdowns(fabric, {ring(a, 50), ring(b, 5), ring(c, 50)});
  CHECK(light[0] == near(3.125));
  CHECK(light[1] == near(1));
  CHECK(light[2] == near(3.125));
}

TEST_CASE("contention: the order of a ring decides how often it crosses") {
  const FabricGraph fabric{small(2, 1)};
  // By rack, each rack sends one node's worth up: 50 of 50. Alternating, two.
  CHECK(slowdowns(fabric, {ring(Nodes{0, 1, 2, 3}, 50)}) == std::vector<double>{1});
  CHECK(slowdowns(fabric, {ring(Nodes{0, 2, 1, 3}, 50)}) == std::vector<double>{2});
}

TEST_CASE("contention: of an all-to-all k (m - k)/(m - 1) leaves k nodes") {
  const FabricGraph fabric{small(2, 1)};
  // Four nodes in two racks: 2 x 2/3 x 50 = 66.7 over 50 GB/s.
  CHECK(slowdowns(fabric, {all_to_all(Nodes{0, 1, 2, 3}, 50)}).front() == near(4.0 / 3));
  // Eight in four racks: 2 x 6/7 x 50 = 85.7 over 50.
  CHECK(slowdowns(fabric, {all_to_all(Nodes{0, 1, 2, 3, 4, 5, 6, 7}, 50)}).front() == near(12.0 / 7));
}

TEST_CASE("contention: NVLink domains keep their traffic to themselves") {
  FabricShape shape = small(50, 1);
  shape.nodes_per_domain = 2;
  const FabricGraph fabric{shape};
  CHECK(fabric.hop(0, 1) == HopClass::kDomain);
  CHECK(slowdowns(fabric, {ring(Nodes{0, 1}, 50), all_to_all(Nodes{2, 3}, 50)}) == std::vector<double>{1, 1});
}

TEST_CASE("contention: no rate can be raised without lowering one that is not higher") {
  // The definition of max-min, checked on many jobs: each is met, or crosses a full link on which nobody has
  // more.
  const FabricShape shape{.nodes = 64,
                          .nodes_per_leaf = 4,
                          .nodes_per_pod = 16,
                          .node_rate = ByteRate{50e9},
                          .leaf_oversubscription = 3,
                          .pod_oversubscription = 5};
  const FabricGraph fabric{shape};
  std::vector<Nodes> placements;
  for (std::uint32_t j = 0; j < 16; ++j)
    placements.push_back({j, (j * 7 + 16) % 64, (j * 11 + 33) % 64, (j * 13 + 50) % 64});
  std::vector<JobTraffic> jobs;
  for (std::size_t j = 0; j < placements.size(); ++j)
    jobs.push_back(ring(placements[j], 10 + 5 * static_cast<double>(j % 9)));
  const std::vector<double> slower = fabric.slowdowns(jobs);
  const auto rate = [&](std::size_t j) { return jobs[j].per_node.si / slower[j]; };
  // Loads of leaf and pod uplinks, counted here from the rings alone: 0-15 leaves, 16-19 pods; up, then down.
  std::vector<double> capacity(40, 4 * 50e9 / 3), used(40, 0);
  for (std::size_t pod = 16; pod < 20; ++pod) capacity[pod] = capacity[20 + pod] = 16 * 50e9 / 5;
  std::vector<std::vector<std::size_t>> crossed(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t from = placements[j][i], to = placements[j][(i + 1) % 4];
      std::vector<std::size_t> links;
      if (from / 4 != to / 4) links.insert(links.end(), {from / 4, 20 + to / 4});
      if (from / 16 != to / 16) links.insert(links.end(), {16 + from / 16, 36 + to / 16});
      for (const std::size_t link : links) used[link] += rate(j), crossed[j].push_back(link);
    }
  }
  std::size_t slowed = 0;
  for (std::size_t link = 0; link < 40; ++link) CHECK(used[link] <= capacity[link] * (1 + 1e-9));
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (slower[j] <= 1 + 1e-9) continue;
    ++slowed;
    CHECK(std::any_of(crossed[j].begin(), crossed[j].end(), [&](std::size_t link) {
      if (used[link] < capacity[link] * (1 - 1e-9)) return false;
      for (std::size_t other = 0; other < jobs.size(); ++other) {
        const bool is_on = std::count(crossed[other].begin(), crossed[other].end(), link) > 0;
        if (is_on && rate(other) > rate(j) * (1 + 1e-9)) return false;
      }
      return true;
    }));
  }
  CHECK(slowed > 8);
}

TEST_CASE("fabric: on rails a pod is one leaf; racks of NVL72 are domains") {
  const auto shape = [](std::string_view cables, std::string_view machine, std::int64_t nodes) {
    return fabric_shape(fabric(cables).entry.value(), node(machine).entry.value(), nodes);
  };
  const FabricGraph rails{shape("ndr400-rail", "dgx-h100", 128)};
  CHECK(rails.hop(0, 31) == HopClass::kLeaf);
  CHECK(rails.hop(0, 32) == HopClass::kAcross);
  CHECK(rails.shape().node_rate == ByteRate{400e9});
  const FabricGraph racks{shape("ethernet400-4to1", "dgx-h100", 128)};
  CHECK(racks.hop(0, 3) == HopClass::kLeaf);
  CHECK(racks.hop(0, 31) == HopClass::kPod);
  const FabricGraph nvl72{shape("ndr400-nvl72", "gb200-nvl72", 144)};
  CHECK(nvl72.hop(0, 17) == HopClass::kDomain);
  CHECK(nvl72.hop(0, 18) == HopClass::kLeaf);
  const FabricGraph llama{shape("llama3-roce400", "dgx-h100", 3072)};
  CHECK(llama.hop(0, 383) == HopClass::kPod);
  Nodes everyone(3072);
  std::iota(everyone.begin(), everyone.end(), 0U);
  CHECK(slowdowns(llama, {ring(everyone, 400)}) == std::vector<double>{1});
  // All to all, 7/8 leaves the pod, over a seventh.
  CHECK(slowdowns(llama, {all_to_all(everyone, 400)}).front() ==
        near(7.0 * 384 * (3072 - 384) / (384 * 3071)));
}

TEST_CASE("fabric: what scattering 64 GPUs costs where all jobs are scattered alike") {
  // Sixteen jobs of 8 nodes fill 128 nodes in racks of four, 4 to 1: in two racks each of its own, or strewn
  // so that every hop of every ring leaves its rack.
  const FabricGraph fabric{
      fabric_shape(fleetsim::fabric("ethernet400-4to1").entry.value(), node("dgx-h100").entry.value(), 128)};
  std::vector<Nodes> packed(16), strewn(16);
  for (std::uint32_t n = 0; n < 128; ++n) packed[n / 8].push_back(n), strewn[n % 16].push_back(n);
  const auto slowest = [&](const std::vector<Nodes>& placements) {
    std::vector<JobTraffic> jobs;
    for (const Nodes& nodes : placements) jobs.push_back(ring(nodes, 400));
    const std::vector<double> slower = fabric.slowdowns(jobs);
    return *std::max_element(slower.begin(), slower.end());
  };
  CHECK(slowest(packed) == near(1));
  CHECK(slowest(strewn) == near(4));  // published for 1 GB, on a fabric not named: 120 ms over 25 ms, 4.8
  CHECK(placement_cost(fabric.pair_hops(packed[0])) < placement_cost(fabric.pair_hops(strewn[0])));
}
