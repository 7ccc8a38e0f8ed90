#include <doctest/doctest.h>

#include "sim/scenario/packing.hpp"
#include "tests/engine/build.hpp"

// Teardown follows every release: also that of a part of a device.
namespace fleetsim {
namespace {

using namespace build;

JobClass share(std::string name, std::uint32_t milli, std::int64_t length, std::int64_t submit) {
  JobClass made = job(std::move(name), 1, 1, seconds(length), at(submit));
  made.gang.shape = GangShape{.milli = milli};
  return made;
}

/// Two halves of one device, until 100 and 150; others wait for them.
Scenario halves(const char* placement, Backfill backfill) {
  Scenario made = scenario({pool(1, 1)}, {share("a", 500, 100, 0), share("b", 500, 150, 0),
                                          share("half", 500, 20, 10), share("most", 600, 40, 10)});
  made.pools[0].teardown = seconds(10);
  made.scheduler.placement = placement;
  made.scheduler.backfill = backfill;
  prepare_packing(made);
  return made;
}

TEST_CASE("a part of a device is torn down before others get it, and its card stays shared") {
  for (const char* const placement : {"first-fit", "worst-fit"}) {
    for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::conservative}) {
      CAPTURE(placement);
      CAPTURE(static_cast<int>(backfill));
      const RunResult result = run_recorded(halves(placement, backfill));
      CHECK(outcome(result, "half").first_start == at(110));
      // The half that `b` had is free at 160, when that of `half` has been for 20 s.
      CHECK(outcome(result, "most").first_start == at(160));
      CHECK(outcome(result, "most").end == at(200));
      const std::int64_t milli_seconds = 3 * 500 * 10;  // the run ends with `most`
      CHECK(leaf(result, Leaf::scheduling_transition) == Capacity::milli_devices(milli_seconds) * seconds(1));
    }
  }
}

TEST_CASE("a part in teardown ends with the device when that fails or its node is drained") {
  for (const bool is_drained : {false, true}) {
    Scenario made = halves("first-fit", Backfill::none);
    made.classes.resize(2);
    if (is_drained) {
      made.pools[0].drains = {{.at = at(104), .length = seconds(50), .every = {}, .nodes = {0}}};
    } else {
      made.script = {node_fault(at(104), 0, seconds(50))};
    }
    const RunResult result = run_recorded(made);
    CAPTURE(is_drained);
    // Of `a` 4 s; the run ends with `b`, which begins again when the device is back.
    const DeviceTime torn_down = Capacity::milli_devices(500) * seconds(4);
    CHECK(leaf(result, Leaf::scheduling_transition) == torn_down);
    CHECK(outcome(result, "b").end == at(154 + 150));
  }
}

}  // namespace
}  // namespace fleetsim
