#include <doctest/doctest.h>

#include "sim/engine/simulate.hpp"
#include "sim/study/reduce.hpp"
#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

/// Replicas of one node, ready after 340 s, kept, and gone after an hour.
StudyPoint replicas() {
  StudyPoint point;
  point.scenario.pools = {pool_of(4)};
  JobClass& spec = point.scenario.classes.emplace_back();
  spec.name = "chat";
  spec.kind = JobKind::service;
  spec.pools = {0};
  spec.gang.sizes = {8};
  spec.gang.weights = {1};
  spec.startup.fetch = kSecond * 300;
  spec.startup.load = kSecond * 25;
  spec.startup.warmup = kSecond * 15;
  spec.service.life = Distribution{Distribution::Fixed{3600}};
  spec.service.kept = true;
  spec.service.mbu = 0.8;
  spec.arrivals.gap = Distribution{Distribution::Fixed{0}};
  spec.arrivals.count = 3;
  point.scenario.window.length = kHour * 24;
  return point;
}

PointResult result_of(const StudyPoint& point) {
  const RunResult run = simulate(point.scenario, {});
  return reduce(point, {&run, 1}).result;
}

TEST_CASE("services have figures of their own, and no job's") {
  const StudyPoint point = replicas();
  const PointResult result = result_of(point);
  CHECK(result.find("jobs.chat.runtime_goodput") == nullptr);
  const double ready = 1 - 340.0 / 3600;
  const Figure* const runtime = result.find("services.chat.runtime_goodput");
  REQUIRE(runtime != nullptr);
  CHECK(*runtime->closed_form == doctest::Approx(ready).epsilon(1e-12).scale(0));
  CHECK(simulated(result, "services.chat.runtime_goodput") == doctest::Approx(ready).epsilon(1e-12).scale(0));
  CHECK(simulated(result, "services.chat.time_to_ready") == doctest::Approx(340).epsilon(1e-12));
  CHECK(simulated(result, "services.chat.held_replicas") == doctest::Approx(3).epsilon(1e-12));
  CHECK(simulated(result, "services.chat.ready_replicas") == doctest::Approx(3 * ready).epsilon(1e-12));
  CHECK(simulated(result, "services.chat.ready") == 3 * 24);
  CHECK(simulated(result, "services.chat.mbu") == doctest::Approx(0.8).epsilon(1e-12));
}

TEST_CASE("warm replicas are headroom in the figures too, and leave R without a closed form") {
  StudyPoint point = replicas();
  point.scenario.classes[0].service.warm = 1;
  const PointResult result = result_of(point);
  CHECK(!result.find("services.chat.runtime_goodput")->closed_form.has_value());
  const double warm = simulated(result, "services.chat.headroom_replicas");
  CHECK(warm > 0.5);
  CHECK(simulated(result, "services.chat.headroom") ==
        doctest::Approx(warm / simulated(result, "services.chat.ready_replicas")).epsilon(1e-9));
  CHECK(simulated(result, "services.chat.mbu") ==
        doctest::Approx(0.8 * (1 - simulated(result, "services.chat.headroom"))).epsilon(1e-9));
  // All three lives end together: one of them finds the warm replica each time.
  CHECK(simulated(result, "services.chat.from_warm") >= 24);
}

TEST_CASE("failures cost a replica their detection and its relaunch, to first order") {
  StudyPoint point = replicas();
  point.scenario.pools[0].faults = {row("gpu", FaultScope::device, 800)};
  point.scenario.classes[0].recovery.detect = kSecond * 60;
  point.scenario.classes[0].recovery.relaunch.load = kSecond * 340;
  // Eight devices fail once in 100 h together: 400 s of 360,000 s.
  const double expected = 1 - 340.0 / 3600 - 400.0 / 360'000;
  const PointResult result = result_of(point);
  CHECK(*result.find("services.chat.runtime_goodput")->closed_form ==
        doctest::Approx(expected).epsilon(1e-12).scale(0));
}

}  // namespace
}  // namespace fleetsim
