#include <doctest/doctest.h>

#include "tests/engine/build.hpp"

// Which nodes members get that come one by one: to a gang that assembles, and to one that grows.
namespace fleetsim {
namespace {

using namespace build;

/// Whether the job has devices of the node at that instant: whether a crash there stops it.
bool uses(Scenario scenario, const std::string& id, std::uint32_t node, SimTime when) {
  scenario.script.push_back(crash(when, node));
  return outcome(run_recorded(scenario), id).failures == 1;
}

/// The first node that it uses.
std::uint32_t node_of(const Scenario& scenario, const std::string& id, SimTime when) {
  std::uint32_t node = 0;
  while (!uses(scenario, id, node, when)) ++node;
  return node;
}

TEST_CASE("a gang that assembles gets the nodes that the placement would rather have") {
  // Of four devices each, two, one and four are free.
  Scenario made = scenario({pool(3, 4)}, {job("two", 1, 2, seconds(100)), job("three", 1, 3, seconds(100)),
                                          job("one", 1, 1, seconds(100), at(1))});
  made.scheduler.admission = Admission::partial_hold;
  const auto node = [&](const char* placement) {
    made.scheduler.placement = placement;
    return node_of(made, "one", at(50));
  };
  CHECK(node("first-fit") == 0);
  CHECK(node("best-fit") == 1);
  CHECK(node("worst-fit") == 2);
}

TEST_CASE("a gang that assembles stays near what it has, where the placement is compact") {
  PoolSpec spec = pool(4, 1);
  spec.racks = {0, 1, 0, 1};
  Scenario made =
      scenario({spec}, {job("single", 1, 1, seconds(100)), job("pair", 2, 1, seconds(100), at(1))});
  made.scheduler.admission = Admission::partial_hold;
  for (const bool is_compact : {false, true}) {
    made.scheduler.placement = is_compact ? "compact" : "first-fit";
    CHECK(uses(made, "pair", 1, at(50)));
    CHECK(uses(made, "pair", 2, at(50)) == !is_compact);
    CHECK(uses(made, "pair", 3, at(50)) == is_compact);
  }
}

TEST_CASE("a gang that grows takes the nodes that the placement would rather have") {
  // It begins on node 2, half of node 3 is taken for good, and the other half until 10, when nodes 0 and 1
  // come.
  JobClass grows = job("grows", 1, 2, seconds(1000));
  grows.gang = {.shape = {}, .sizes = {2}, .weights = {1}};
  grows.elastic.emplace();
  grows.elastic->policy = "step-up";
  grows.elastic->sizes = {{.devices = 2, .time = seconds(1)}, {.devices = 3, .time = seconds(1)}};
  grows.step.continuous = false;
  grows.step.time = seconds(1);
  grows.steps = 100;
  PoolSpec spec = pool(4, 2);
  spec.dated = {{.nodes = {0, 1}, .from = at(10)}};
  Scenario made = scenario(
      {spec}, {grows, job("half", 1, 1, seconds(1000)), job("until ten", 1, 1, seconds(10))}, seconds(100));
  const auto grows_onto = [&](const char* placement, std::uint32_t node) {
    made.scheduler.placement = placement;
    return uses(made, "grows", node, at(50));
  };
  CHECK(grows_onto("first-fit", 0));
  CHECK(grows_onto("best-fit", 3));
  CHECK(grows_onto("worst-fit", 0));
  // Of node 0 another has half by then.
  made.classes.push_back(job("late", 1, 1, seconds(1000), at(10)));
  CHECK(grows_onto("first-fit", 0));
  CHECK(grows_onto("worst-fit", 1));
}

}  // namespace
}  // namespace fleetsim
