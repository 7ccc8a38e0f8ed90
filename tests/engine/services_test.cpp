#include <doctest/doctest.h>

#include "tests/engine/build.hpp"

// Replicas that serve. Ledgers are worked out in the comments.
namespace fleetsim {
namespace {

using namespace build;

/// A replica of one device that launches in 10 s.
JobClass replica() {
  JobClass spec = job("s", 1, 1, Duration::zero());
  spec.kind = JobKind::service;
  spec.steps.reset();
  spec.startup.launch = seconds(10);
  return spec;
}

TEST_CASE("ready time is retained as it passes: a failure loses none of it") {
  // Launch to 10, ready to 30; noticed at 32, back at 37, ready to 65, drained to 70.
  JobClass spec = replica();
  spec.service.life = fixed(70);
  spec.service.drain = fixed(5);
  spec.recovery.detect = seconds(2);
  spec.recovery.relaunch.launch = seconds(5);
  Scenario given = scenario({pool(1, 1)}, {spec}, seconds(80));
  given.script = {crash(at(30))};
  const RunResult result = run_recorded(given);
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(10));
  CHECK(leaf(result, Leaf::runtime_recovery) == device_seconds(7));
  CHECK(leaf(result, Leaf::runtime_rework) == device_seconds(0));
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(5));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(48));
  CHECK(outcome(result, "s").state == FinalState::completed);
  CHECK(outcome(result, "s").end == at(70));
}

TEST_CASE("a warm replica serves at once, and what it was warm is headroom") {
  // Warm: launch to 10, idle to 50, then it serves for 40 s; another launches 50-60 and is idle to 100.
  JobClass spec = replica();
  spec.service.ready = fixed(40);
  spec.service.warm = 1;
  spec.arrivals.gap = fixed(50);
  spec.arrivals.count = 1;
  const RunResult result = run_recorded(scenario({pool(3, 1)}, {spec}, seconds(100)));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(20));
  CHECK(leaf(result, Leaf::program_headroom) == device_seconds(80));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(40));
  CHECK(result.classes[0].ready == 1);
  CHECK(result.classes[0].from_warm == 1);
  CHECK(result.classes[0].ready_wait == DeviceTime::zero());
}

TEST_CASE("without a warm one it takes the time of a launch") {
  JobClass spec = replica();
  spec.service.ready = fixed(40);
  spec.arrivals.gap = fixed(50);
  spec.arrivals.count = 1;
  const RunResult result = run_recorded(scenario({pool(3, 1)}, {spec}, seconds(100)));
  CHECK(result.classes[0].ready == 1);
  CHECK(result.classes[0].ready_wait == device_seconds(10));
}

TEST_CASE("a warm replica that is still launching serves when it is ready") {
  // Wanted at 4: ready at 10, serves to 50.
  JobClass spec = replica();
  spec.service.ready = fixed(40);
  spec.service.warm = 1;
  spec.arrivals.gap = fixed(4);
  spec.arrivals.count = 1;
  const RunResult result = run_recorded(scenario({pool(2, 1)}, {spec}, seconds(60)));
  CHECK(result.classes[0].ready_wait == device_seconds(6));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(40));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(20));
  CHECK(leaf(result, Leaf::program_headroom) == device_seconds(46));
}

TEST_CASE("a replica that is kept is replaced by another when its life is over") {
  // Lives of 50 s: launches at 0 and 50.
  JobClass spec = replica();
  spec.service.life = fixed(50);
  spec.service.kept = true;
  spec.arrivals.gap = fixed(0);
  spec.arrivals.count = 1;
  const RunResult result = run_recorded(scenario({pool(1, 1)}, {spec}, seconds(100)));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(20));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(80));
  CHECK(result.classes[0].ready == 2);
}

TEST_CASE("a life that is shorter than a launch is never ready, and the next one follows") {
  JobClass spec = replica();
  spec.service.life = fixed(8);
  spec.service.drain = fixed(30);
  spec.service.kept = true;
  spec.arrivals.gap = fixed(0);
  spec.arrivals.count = 1;
  const RunResult result = run_recorded(scenario({pool(1, 1)}, {spec}, seconds(16)));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(16));
  CHECK(result.classes[0].ready == 0);
}

RunResult on_a_drained_node(DrainMode mode) {
  JobClass spec = replica();
  spec.service.drain = fixed(5);
  spec.reconfiguration.launch = seconds(4);
  PoolSpec nodes = pool(2, 1);
  nodes.drains = {
      {.at = at(30), .length = Duration::max(), .every = std::nullopt, .nodes = {0}, .mode = mode}};
  return run_recorded(scenario({nodes}, {spec}, seconds(60)));
}

TEST_CASE("off a node that is drained in no haste a replica drains first") {
  // Launch to 10, ready to 30, drains to 35, launches elsewhere to 39, ready to 60.
  const RunResult result = on_a_drained_node(DrainMode::at_commit);
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(9));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(41));
  CHECK(leaf(result, Leaf::out_of_service_maintenance) == device_seconds(25));
}

TEST_CASE("off a node that is drained at once a replica goes at once") {
  const RunResult result = on_a_drained_node(DrainMode::now);
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(4));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(46));
  CHECK(leaf(result, Leaf::out_of_service_maintenance) == device_seconds(30));
}

TEST_CASE("a node that fails while it is made ready puts the replica back into the queue") {
  // Node 0 to 3, node 1 made ready 3-8, launch to 18, ready to 30.
  JobClass spec = replica();
  spec.service.provision = seconds(5);
  Scenario given = scenario({pool(2, 1)}, {spec}, seconds(30));
  given.script = {node_fault(at(3), 0, seconds(100))};
  const RunResult result = run_recorded(given);
  CHECK(leaf(result, Leaf::scheduling_transition) == device_seconds(8));
  CHECK(leaf(result, Leaf::runtime_startup) == device_seconds(10));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(12));
  CHECK(leaf(result, Leaf::out_of_service_failed) == device_seconds(27));
}

TEST_CASE("a failure ends a replica that drains for the last time") {
  JobClass spec = replica();
  spec.service.life = fixed(40);
  spec.service.drain = fixed(20);
  Scenario given = scenario({pool(1, 1)}, {spec}, seconds(60));
  given.script = {node_fault(at(25), 0, seconds(5))};
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "s").end == at(25));
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(5));
  CHECK(leaf(result, Leaf::out_of_service_failed) == device_seconds(5));
}

TEST_CASE("an evicted replica keeps what it was ready, and comes back as after an eviction") {
  // Ready 10-30; away 5 s; relaunch 35-42; ready to 60.
  JobClass spec = replica();
  spec.preemption.launch = seconds(7);
  spec.evictions.at = {at(30)};
  spec.evictions.terms.requeue_delay = seconds(5);
  const RunResult result = run_recorded(scenario({pool(1, 1)}, {spec}, seconds(60)));
  CHECK(leaf(result, Leaf::runtime_preemption) == device_seconds(7));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(38));
  CHECK(leaf(result, Leaf::scheduling_no_demand) == device_seconds(5));
}

TEST_CASE("whoever wants a replica wants it as long, whether a warm one serves or not") {
  JobClass spec = replica();
  spec.service.ready = exponential(300);
  spec.arrivals.gap = exponential(200);
  spec.arrivals.count = 50;
  Scenario cold = scenario({pool(40, 1)}, {spec}, seconds(100'000)), warm = cold;
  warm.classes.front().service.warm = 2;
  const RunResult a = run_recorded(cold), b = run_recorded(warm);
  CHECK(leaf(a, Leaf::program_unmodelled) == leaf(b, Leaf::program_unmodelled));
  CHECK(a.classes[0].ready == 50);
  CHECK(b.classes[0].ready == 50);
  CHECK(b.classes[0].ready_wait < a.classes[0].ready_wait);
}

}  // namespace
}  // namespace fleetsim
