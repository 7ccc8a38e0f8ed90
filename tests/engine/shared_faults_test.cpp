#include <doctest/doctest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/build.hpp"

// Devices that several jobs share, and that fail.
namespace fleetsim {
namespace {

using namespace build;

ScriptedFault device_fault(SimTime when, Duration repair) {
  ScriptedFault fault;
  fault.at = when;
  fault.hits = fault.takes_out = FaultScope::device;
  fault.repair = repair;
  return fault;
}

TEST_CASE(
    "a shared device that fails goes out of service part by part, as its jobs notice, and is repaired once") {
  JobClass a = job("a", 1, 1, seconds(100)), b = job("b", 1, 1, seconds(60));
  a.gang.shape = GangShape{.milli = 400};
  b.gang.shape = GangShape{.milli = 500};
  a.recovery.detect = seconds(5);
  b.recovery.detect = seconds(10);
  Scenario fleet = scenario({pool(2, 1)}, {a, b}, seconds(200));
  fleet.script = {device_fault(at(30), seconds(20))};
  // Both lose 30 s. The tenth that nobody holds fails at 30, the part of a at 35, that of b at 40: out are
  // 0.1 x 10 + 0.4 x 5, and the device for 20 s of repair. They begin again on the other device.
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "a").end == at(135));
  CHECK(outcome(result, "b").end == at(100));
  CHECK(outcome(result, "a").failures == 1);
  CHECK(leaf(result, Leaf::runtime_rework) == device_seconds(27));
  CHECK(leaf(result, Leaf::runtime_recovery) == device_seconds(2 + 5));
  CHECK(leaf(result, Leaf::out_of_service_failed) == device_seconds(1 + 2 + 20));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(40 + 30));
  CHECK(leaf(result, Leaf::scheduling_no_demand) == device_seconds(400 - 27 - 7 - 23 - 70));
}

TEST_CASE("nobody is given a part of a shared device that has failed") {
  JobClass a = job("a", 1, 1, seconds(100)), late = job("late", 1, 1, seconds(10), at(31));
  a.gang.shape = GangShape{.milli = 400};
  late.gang.shape = GangShape{.milli = 500};
  a.recovery.detect = seconds(10);
  Scenario fleet = scenario({pool(1, 1)}, {a, late}, seconds(300));
  fleet.script = {device_fault(at(30), seconds(20))};
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "late").first_start == at(60));  // noticed at 40, repaired at 60
  CHECK(outcome(result, "a").end == at(160));
}

TEST_CASE("a reservation of a part leaves a device that fails at once, and goes on without") {
  JobClass a = job("a", 1, 1, seconds(100));
  a.kind = JobKind::reservation;
  a.steps.reset();
  a.duration = fixed(100);
  a.gang.shape = GangShape{.milli = 400};
  Scenario fleet = scenario({pool(1, 1)}, {a}, seconds(200));
  fleet.script = {device_fault(at(30), seconds(20))};
  const RunResult result = run_recorded(fleet);
  CHECK(leaf(result, Leaf::out_of_service_failed) == device_seconds(20));
  CHECK(leaf(result, Leaf::runtime_idle_reservation) == device_seconds(12));
  CHECK(outcome(result, "a").end == at(100));
}

}  // namespace
}  // namespace fleetsim
