#include <doctest/doctest.h>

#include <memory>

#include "models/catalog/catalog.hpp"
#include "models/catalog/fabric_shape.hpp"
#include "models/catalog/network.hpp"
#include "models/step/constants.hpp"
#include "tests/engine/build.hpp"

// What a step takes by where its gang sits and whom it meets on the way, and what launches build for each
// other.
namespace fleetsim {
namespace {

using namespace build;

/// A 70e9-parameter model on 64 devices, in racks of 18 nodes of 4 that NVLink joins.
StepModel in_nvlink_racks() {
  const Node node = *fleetsim::node("gb200-nvl72").entry;
  const Fabric fabric = *fleetsim::fabric("ndr400-nvl72").entry;
  StepInput input;
  input.model = *transformer("llama3-70b").entry;
  input.device = step_device(*accelerator(node.accelerator).entry);
  input.links = std::make_shared<const Network>(*network(node.name, fabric.name).entry);
  input.layout = {.devices = 64, .tensor = 8, .global_batch = 64, .recompute = Recompute::kFull};
  return StepModel{input, 4, fabric_shape(fabric, node, 36)};
}

JobClass modelled_job(std::int64_t steps) {
  JobClass job = stepping_job("a", 16, 4, steps, Duration::zero());
  job.step.model = in_nvlink_racks();
  const StepProfile profile = step_profile(job.step.model->breakdown(64));
  job.step.time = profile.time;
  job.program.weights = profile.weights;
  return job;
}

TEST_CASE("a gang in more NVLink domains than it needs is slower, and that is charged to its placement") {
  JobClass first = job("first", 9, 4, seconds(100'000));
  JobClass gang = modelled_job(50);
  const RunResult result = run_recorded(scenario({pool(36, 4)}, {first, gang}));
  // Nodes 9 to 24 lie in two domains: groups of ranks have 32 members in each.
  StepInput apart = gang.step.model->input();
  Network narrower = apart.network();
  narrower.domain = 32;
  apart.links = std::make_shared<const Network>(narrower);
  const std::int64_t excess =
      step_profile(step_breakdown(apart, step_constants())).time.ns() - gang.step.time.ns();
  REQUIRE(excess > 0);
  CHECK(leaf(result, Leaf::program_placement) == Capacity::devices(64) * Duration::nanoseconds(50 * excess));
  CHECK(outcome(result, "a").end ==
        SimTime::zero() + Duration::nanoseconds(50 * (gang.step.time.ns() + excess)));
}

TEST_CASE("a gang in as few domains as can hold it loses nothing to its placement") {
  JobClass gang = modelled_job(50);
  const RunResult result = run_recorded(scenario({pool(36, 4)}, {gang}));
  CHECK(leaf(result, Leaf::program_placement) == DeviceTime::zero());
  DeviceTime program;
  for (const auto& [part, weight] : gang.program.weights) program += leaf(result, part);
  CHECK(program == Capacity::devices(64) * Duration::nanoseconds(50 * gang.step.time.ns()));
  for (const auto& [part, weight] : gang.program.weights)
    CHECK(leaf(result, part) == Capacity::devices(64) * Duration::nanoseconds(50 * weight));
}

TEST_CASE("gangs that meet on a link share it while both run") {
  // Leaves of two nodes with links for one upward. Both rings of three nodes cross the middle leaf's: each
  // has half of it, and the half of a step that is exchange takes twice as long: 15 s instead of 10 s. The
  // short gang's two steps end at 30 s; the other's next two take 10 s each.
  JobClass lasting = stepping_job("lasting", 3, 1, 4, seconds(10));
  JobClass brief = stepping_job("brief", 3, 1, 2, seconds(10));
  for (JobClass* job : {&lasting, &brief})
    job->step.stretched[static_cast<std::size_t>(SlowCause::noisy_neighbour)] = 0.5;
  PoolSpec fleet = pool(6, 1);
  fleet.shared_links = FabricShape{.nodes = 6,
                                   .nodes_per_leaf = 2,
                                   .nodes_per_pod = 6,
                                   .node_rate = ByteRate{1e9},
                                   .leaf_oversubscription = 2};
  const RunResult result = run_recorded(scenario({fleet}, {lasting, brief}));
  CHECK(outcome(result, "brief").end == at(30));
  CHECK(outcome(result, "lasting").end == at(50));
  CHECK(leaf(result, Leaf::program_noisy_neighbour) == device_seconds(3 * 10 + 3 * 10));
  fleet.shared_links.reset();
  const RunResult apart = run_recorded(scenario({fleet}, {lasting, brief}));
  CHECK(outcome(apart, "lasting").end == at(40));
}

/// 128 replicas of one device, one every 20 minutes, that compile for 15 minutes.
JobClass replicas() {
  JobClass replica = stepping_job("replica", 1, 1, 1, seconds(1));
  replica.arrivals.gap = fixed(1200);
  replica.arrivals.count = 128;
  replica.startup.compile = replica.recovery.relaunch.compile = seconds(900);
  replica.step.compile = CompileSpec{.keeps = {}, .build = seconds(900)};
  return replica;
}

TEST_CASE("a build per replica takes 32 device-hours of 128, a shared one a quarter of an hour") {
  JobClass replica = replicas();
  const RunResult each = run_recorded(scenario({pool(1, 1)}, {replica}));
  CHECK(leaf(each, Leaf::runtime_startup) == device_seconds(32 * 3600));
  replica.step.compile->is_shared = true;
  const RunResult shared = run_recorded(scenario({pool(1, 1)}, {replica}));
  CHECK(leaf(shared, Leaf::runtime_startup) == device_seconds(900));
}

TEST_CASE("a build that a failure ends is there for nobody") {
  // The first is struck 500 s into its build and builds anew; all others find that.
  JobClass replica = replicas();
  replica.arrivals.count = 3;
  replica.step.compile->is_shared = true;
  Scenario given = scenario({pool(1, 1)}, {replica});
  given.script = {crash(run(given).jobs.front().submit + seconds(500))};
  const RunResult result = run_recorded(given);
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(500));
  CHECK(leaf(result, Leaf::runtime_recovery) == device_seconds(900));
}

}  // namespace
}  // namespace fleetsim
