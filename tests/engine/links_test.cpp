#include <doctest/doctest.h>

#include <memory>

#include "models/catalog/catalog.hpp"
#include "models/catalog/fabric_shape.hpp"
#include "models/step/constants.hpp"
#include "models/step/on_node.hpp"
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
  StepInput input = step_on(node, fabric.name);
  input.model = *transformer("llama3-70b").entry;
  input.layout = {.devices = 64, .tensor = 8, .global_batch = 64, .recompute = Recompute::kFull};
  return StepModel{input, 4, fabric_shape(fabric, node, 36), Uplinks::kShare};
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

/// Nodes of eight with a network between them, and a gang of four of them.
JobClass on_a_network(const Layout& layout, bool overlap, std::int64_t steps,
                      std::optional<FabricShape> shape = std::nullopt) {
  const Node node = *fleetsim::node("dgx-h100").entry;
  const Fabric fabric = *fleetsim::fabric("ndr400-rail").entry;
  StepInput input = step_on(node, fabric.name);
  input.model = *transformer("llama2-13b").entry;
  input.layout = layout;
  input.software.overlap = overlap;
  JobClass job = stepping_job("a", 4, 8, steps, Duration::zero());
  job.step.model = shape ? StepModel{input, 8, *shape, Uplinks::kShare}
                         : StepModel{input, 8, fabric_shape(fabric, node, 4), Uplinks::kAll};
  const StepProfile profile = step_profile(job.step.model->breakdown(32));
  job.step.time = profile.time;
  job.program.weights = profile.weights;
  return job;
}

/// Device-time per step that traffic of others costs, which leaves the links of one node this speed.
std::int64_t neighbours_of(const JobClass& job, double speed) {
  Scenario given = scenario({pool(4, 8)}, {job});
  ScriptedSlowness& traffic = given.slow_script.emplace_back();
  traffic.node = 1;
  traffic.hits = FaultScope::node;
  traffic.cause = SlowCause::noisy_neighbour;
  traffic.speed = speed;
  const RunResult result = run_recorded(given);
  const std::int64_t excess =
      (*outcome(result, "a").end - SimTime::zero()).ns() / *job.steps - job.step.time.ns();
  CHECK(leaf(result, Leaf::program_noisy_neighbour) ==
        Capacity::devices(32) * Duration::nanoseconds(*job.steps * excess));
  DeviceTime program = leaf(result, Leaf::program_noisy_neighbour);
  for (const auto& [part, weight] : job.program.weights) {
    CHECK(leaf(result, part) == Capacity::devices(32) * Duration::nanoseconds(*job.steps * weight));
    program += leaf(result, part);
  }
  CHECK(program == Capacity::devices(32) * Duration::nanoseconds(*job.steps * (job.step.time.ns() + excess)));
  return excess;
}

std::int64_t weight_of(const JobClass& job, Leaf leaf) {
  for (const auto& [part, weight] : job.program.weights)
    if (part == leaf) return weight;
  return 0;
}

/// A step over the same without its stragglers, which are a share of it, whatever it consists of.
double waited_for(const JobClass& job) {
  const auto time = static_cast<double>(job.step.time.ns());
  return time / (time - static_cast<double>(weight_of(job, Leaf::program_straggler)));
}

TEST_CASE("neighbours on the network stretch sends between stages, and nothing that stays inside nodes") {
  // Tensor ranks in a node and pipeline stages between: nothing is reduced over the network. Each of 32
  // microbatches is waited for once each way, and the first through all stages.
  const Layout stages{
      .devices = 32, .tensor = 8, .pipeline = 4, .global_batch = 32, .recompute = Recompute::kFull};
  const JobClass job = on_a_network(stages, true, 10);
  const StepInput& input = job.step.model->input();
  const Bytes rows{2.0 * 4096 * static_cast<double>(input.model.hidden) / 8};
  const Seconds send = collective_time(input.network(), Collective::kSendRecv, rows, {2, 1});
  const double sends = (2 * 31 + 2 * 3) * send.si * 1e9;
  REQUIRE(weight_of(job, Leaf::program_tensor_comm) > 2 * sends);
  CHECK(static_cast<double>(neighbours_of(job, 0.5)) ==
        doctest::Approx(sends * waited_for(job)).epsilon(1e-6));
}

TEST_CASE("neighbours stretch the gradients' exchange between nodes, and only that") {
  // Without overlap all of it is in the open: at half the speed it takes twice as long, at a fifth five
  // times.
  const Layout ranks{.devices = 32, .tensor = 8, .global_batch = 32, .recompute = Recompute::kFull};
  const JobClass job = on_a_network(ranks, false, 10);
  const auto exchange = static_cast<double>(weight_of(job, Leaf::program_data_comm));
  REQUIRE(exchange > 0);
  REQUIRE(weight_of(job, Leaf::program_tensor_comm) > 0);
  CHECK(static_cast<double>(neighbours_of(job, 0.5)) ==
        doctest::Approx(exchange * waited_for(job)).epsilon(1e-6));
  CHECK(static_cast<double>(neighbours_of(job, 0.2)) ==
        doctest::Approx(4 * exchange * waited_for(job)).epsilon(1e-6));
}

TEST_CASE("exchange that is hidden behind compute shows once neighbours make it long enough") {
  const Layout sharded{
      .devices = 32, .global_batch = 64, .sharding = Sharding::kFull, .recompute = Recompute::kFull};
  const JobClass job = on_a_network(sharded, true, 10);
  const std::int64_t at_half = neighbours_of(job, 0.5), at_a_twentieth = neighbours_of(job, 0.05);
  // All that is exchanged, hidden or not, takes 20 times as long: an upper bound.
  StepInput open = job.step.model->input();
  open.software.overlap = false;
  const double all = step_breakdown(open, step_constants()).data_comm.si * 1e9;
  CHECK(at_a_twentieth > job.step.time.ns());
  CHECK(at_a_twentieth > 19 * weight_of(job, Leaf::program_data_comm));
  CHECK(static_cast<double>(at_a_twentieth) < 20 * all);
  CHECK(static_cast<double>(at_half) < all);
}

TEST_CASE("gangs whose steps are modelled share links by what they send over them") {
  // As above, with leaves of two nodes: rings of three each cross the middle one's links.
  const Layout ranks{.devices = 24, .tensor = 8, .global_batch = 24, .recompute = Recompute::kFull};
  JobClass first = on_a_network(ranks, false, 4);
  first.gang = stepping_job("a", 3, 8, 4, Duration::zero()).gang;
  const StepProfile profile = step_profile(first.step.model->breakdown(24));
  first.step.time = profile.time;
  first.program.weights = profile.weights;
  JobClass second = first;
  second.name = "b";
  PoolSpec fleet = pool(6, 8);
  fleet.shared_links = FabricShape{.nodes = 6,
                                   .nodes_per_leaf = 2,
                                   .nodes_per_pod = 6,
                                   .node_rate = ByteRate{1e9},
                                   .leaf_oversubscription = 2};
  const RunResult result = run_recorded(scenario({fleet}, {first, second}));
  const std::int64_t excess = first.step.model->neighbour_excess(24, first.step.model->compact(24), 2.0).ns();
  REQUIRE(excess > 0);
  CHECK(leaf(result, Leaf::program_noisy_neighbour) ==
        Capacity::devices(48) * Duration::nanoseconds(4 * excess));
}

/// Two pods of eight nodes, two leaves each.
FabricShape two_pods(double pod_oversubscription, Seconds switch_latency) {
  return {.nodes = 16,
          .nodes_per_leaf = 4,
          .nodes_per_pod = 8,
          .node_rate = ByteRate{400e9},
          .pod_oversubscription = pod_oversubscription,
          .switch_latency = switch_latency};
}

/// What placement costs each step of a gang of four nodes behind so many others.
std::int64_t placement_of(const JobClass& gang, std::uint32_t behind) {
  JobClass first = job("first", behind, 8, seconds(100'000));
  const RunResult result = run_recorded(scenario({pool(16, 8)}, {first, gang}));
  const std::int64_t excess =
      (*outcome(result, "a").end - SimTime::zero()).ns() / *gang.steps - gang.step.time.ns();
  CHECK(leaf(result, Leaf::program_placement) ==
        Capacity::devices(32) * Duration::nanoseconds(*gang.steps * excess));
  return excess;
}

constexpr Layout kDataRanks{.devices = 32, .tensor = 8, .global_batch = 32, .recompute = Recompute::kFull};

TEST_CASE("a gang over two pods has its nodes' share of the links between them") {
  // Two nodes in each pod have half a node's rate at 4 to 1: what is exchanged takes twice as long.
  const JobClass gang = on_a_network(kDataRanks, false, 10, two_pods(4, Seconds{}));
  const auto exchange = static_cast<double>(weight_of(gang, Leaf::program_data_comm));
  REQUIRE(exchange > 0);
  CHECK(placement_of(gang, 8) == 0);
  CHECK(static_cast<double>(placement_of(gang, 6)) ==
        doctest::Approx(exchange * waited_for(gang)).epsilon(1e-6));
  // A single node there has a quarter.
  CHECK(static_cast<double>(placement_of(gang, 7)) ==
        doctest::Approx(3 * exchange * waited_for(gang)).epsilon(1e-6));
}

TEST_CASE(
    "in a full-bisection tree a gang over two pods pays for more switches on the way, and nothing else") {
  CHECK(placement_of(on_a_network(kDataRanks, false, 10, two_pods(1, Seconds{})), 6) == 0);
  const JobClass gang = on_a_network(kDataRanks, false, 10, two_pods(1, Seconds{1e-6}));
  // Five switches for one: 4 us more, up and down, of a scatter and of a gather. Over a leaf three for one.
  CHECK(static_cast<double>(placement_of(gang, 6)) ==
        doctest::Approx(2 * 2 * 4000 * waited_for(gang)).epsilon(1e-3));
  CHECK(static_cast<double>(placement_of(gang, 5)) ==
        doctest::Approx(2 * 2 * 4000 * waited_for(gang)).epsilon(1e-3));
  CHECK(static_cast<double>(placement_of(gang, 2)) ==
        doctest::Approx(2 * 2 * 2000 * waited_for(gang)).epsilon(1e-3));
}

TEST_CASE("stages send from every node at once, and all of it leaves a pod that holds no other stage") {
  // Two stages of two nodes, one in each pod: at 4 to 1 a send takes four times as long.
  const Layout stages{
      .devices = 32, .tensor = 8, .pipeline = 2, .global_batch = 32, .recompute = Recompute::kFull};
  const JobClass gang = on_a_network(stages, true, 10, two_pods(4, Seconds{}));
  const StepInput& input = gang.step.model->input();
  const Bytes rows{2.0 * 4096 * static_cast<double>(input.model.hidden) / 8};
  const Seconds send = collective_time(input.network(), Collective::kSendRecv, rows, {2, 1});
  StepInput scattered = input;
  scattered.slow_links.ring = 2;
  const double rest = static_cast<double>(
      step_profile(step_breakdown(scattered, step_constants())).time.ns() - gang.step.time.ns());
  // 16 microbatches of each data rank: 15 waits and the first one's two.
  CHECK(static_cast<double>(placement_of(gang, 6)) ==
        doctest::Approx(rest + 3 * 17 * send.si * 1e9 * waited_for(gang)).epsilon(1e-6));
}

TEST_CASE("where what others take is simulated, a gang that is alone has all links above it") {
  const JobClass gang = on_a_network(kDataRanks, false, 10, two_pods(4, Seconds{}));
  const StepModel alone{gang.step.model->input(), 8, two_pods(4, Seconds{}), Uplinks::kAll};
  const Spread apart{.domains = 4, .leaves = 2, .pods = 2, .fewest_in_leaf = 2, .fewest_in_pod = 2};
  CHECK(alone.excess(32, apart) == Duration::zero());
  CHECK(gang.step.model->excess(32, apart) > Duration::zero());
}

TEST_CASE(
    "a gang that takes the whole pool is as compact as can be, and the edge of the pool has its links") {
  // Eleven nodes: a pod of eight, and three of the next, whose share of its links is all.
  FabricShape shape = two_pods(4, Seconds{});
  shape.nodes = 11;
  shape.leaf_oversubscription = 4;
  StepInput input = on_a_network(kDataRanks, false, 10, shape).step.model->input();
  input.layout = {.devices = 88, .tensor = 8, .global_batch = 88, .recompute = Recompute::kFull};
  JobClass gang = stepping_job("a", 11, 8, 10, Duration::zero());
  gang.step.model = StepModel{input, 8, shape, Uplinks::kShare};
  CHECK(gang.step.model->compact(88).fewest_in_pod == 8);
  CHECK(gang.step.model->compact(88).fewest_in_leaf == 4);
  // A ring crosses with one node's worth of a leaf's, and of two of a pod's.
  const StepProfile profile = step_profile(gang.step.model->breakdown(88));
  CHECK(profile.time == step_profile(step_breakdown(input, step_constants())).time);
  gang.step.time = profile.time;
  gang.program.weights = profile.weights;
  const RunResult result = run_recorded(scenario({pool(11, 8)}, {gang}));
  CHECK(leaf(result, Leaf::program_placement) == DeviceTime::zero());
  CHECK(outcome(result, "a").end == SimTime::zero() + Duration::nanoseconds(10 * profile.time.ns()));
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
