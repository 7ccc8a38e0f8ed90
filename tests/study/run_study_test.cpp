#include <doctest/doctest.h>

#include <bit>

#include "sim/study/first_fault.hpp"
#include "sim/study/run_points.hpp"
#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

std::uint64_t bits(const std::optional<double>& value) {
  return value ? std::bit_cast<std::uint64_t>(*value) : 0xfff8'dead'dead'deadULL;
}

void check_same(const Estimate& a, const Estimate& b) {
  CHECK(bits(a.mean) == bits(b.mean));
  CHECK(bits(a.half_width) == bits(b.half_width));
  CHECK(a.n == b.n);
}

void check_same(const StudyResult& a, const StudyResult& b) {
  REQUIRE(a.points.size() == b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const PointResult& x = a.points[i];
    const PointResult& y = b.points[i];
    CHECK(x.replications == y.replications);
    CHECK(x.ledger == y.ledger);
    CHECK(x.events == y.events);
    CHECK(x.jobs.size() == y.jobs.size());
    REQUIRE(x.figures.size() == y.figures.size());
    for (std::size_t k = 0; k < x.figures.size(); ++k) {
      CHECK(x.figures[k].name == y.figures[k].name);
      check_same(x.figures[k].simulated, y.figures[k].simulated);
      CHECK(bits(x.figures[k].closed_form) == bits(y.figures[k].closed_form));
    }
  }
  REQUIRE(a.differences.size() == b.differences.size());
  for (std::size_t i = 0; i < a.differences.size(); ++i)
    check_same(a.differences[i].difference, b.differences[i].difference);
}

StudyReading three_points() {
  Scenario slow = busy_pool();
  slow.classes[0].arrivals.gap = Distribution{Distribution::Exponential{7200}};
  Scenario large = busy_pool();
  large.pools[0] = pool_of(3);
  return study_of({{"", busy_pool()}, {"fewer jobs", slow}, {"more nodes", large}});
}

}  // namespace

TEST_CASE("a study gives the same bits at any number of threads") {
  const StudyReading study = three_points();
  const StudyResult one = run_study(study, {.threads = 1, .each_job = true});
  CHECK(one.points[0].events > 100);
  CHECK(!one.points[0].jobs.empty());
  CHECK(!one.differences.empty());
  check_same(one, run_study(study, {.threads = 2, .each_job = true}));
  check_same(one, run_study(study, {.threads = 7, .each_job = true}));
}

TEST_CASE("the ledger of a study closes over all replications") {
  const StudyReading study = three_points();
  for (const PointResult& point : run_study(study, {.threads = 2}).points)
    CHECK(sum(point.ledger.total()) == point.installed_window);
}

TEST_CASE("a point stops at the first batch after which its figure is known well enough") {
  StudyReading study = study_of({{"", busy_pool()}});
  RunsSpec& runs = study.points[0].scenario.runs;
  runs.replications = 30;
  runs.until_figure = "scheduling_goodput";
  runs.batch = 4;
  const auto replications = [&](double half_width) {
    runs.until_half_width = half_width;
    return run_study(study, {.threads = 2}).points[0].replications;
  };
  CHECK(replications(1e9) == 4);
  CHECK(replications(0) == 30);

  // What a run of so many replications leaves open decides where one with `until` stops.
  std::uint32_t expected = 0;
  const double wanted = [&] {
    Scenario twelve = busy_pool();
    twelve.runs.replications = 12;
    const StudyReading fixed = study_of({{"", twelve}});
    return *figure(run_study(fixed, {.threads = 1}).points[0], "scheduling_goodput").simulated.half_width;
  }();
  for (const std::uint32_t n : {4U, 8U, 12U}) {
    Scenario fixed = busy_pool();
    fixed.runs.replications = n;
    const StudyReading reading = study_of({{"", fixed}});
    const PointResult point = run_study(reading, {.threads = 1}).points[0];
    if (expected == 0 && *figure(point, "scheduling_goodput").simulated.half_width <= wanted) expected = n;
  }
  CHECK(replications(wanted) == expected);
}

TEST_CASE("each point stops by itself") {
  StudyReading study = study_of({{"", busy_pool()}, {"exact", busy_pool()}});
  for (StudyPoint& point : study.points) {
    point.scenario.runs.until_figure = "mpg";
    point.scenario.runs.batch = 3;
  }
  study.points[0].scenario.runs.until_half_width = 1;
  const StudyResult result = run_study(study, {.threads = 2});
  CHECK(result.points[0].replications == 3);
  CHECK(result.points[1].replications == 8);
  // Only the replications that both have are paired, and those are equal.
  REQUIRE(!result.differences.empty());
  for (const PairedDifference& each : result.differences) {
    CHECK(each.difference.n == 3);
    CHECK(*each.difference.mean == 0);
  }
}

TEST_CASE("progress counts every replication once, those spared by a stop included") {
  StudyReading study = study_of({{"", busy_pool()}, {"early", busy_pool()}});
  study.points[1].scenario.runs.until_figure = "mpg";
  study.points[1].scenario.runs.until_half_width = 1;
  study.points[1].scenario.runs.batch = 2;
  std::size_t last = 0, calls = 0;
  run_study(study, {.threads = 2, .progress = [&](std::size_t done, std::size_t total) {
                      CHECK(done > last);
                      CHECK(total == 16);
                      last = done;
                      ++calls;
                    }});
  CHECK(last == 16);
  CHECK(calls == 8 + 2 + 1);
}

TEST_CASE("a fault names the first point and replication that has it, whichever thread meets one first") {
  StudyReading study = study_of({{"", busy_pool()}, {"broken", busy_pool()}, {"too", busy_pool()}});
  study.points[1].scenario.name = study.points[2].scenario.name = "broken";
  study.points[1].sweep = {{"/x", "2"}};
  const Simulate simulate_some = [](const Scenario& scenario, const RunOptions& options) {
    if (scenario.name == "broken" && options.replication >= 5) throw RunFault{"time stands still"};
    return simulate(scenario, options);
  };
  for (const std::uint32_t threads : {1U, 2U, 7U}) {
    std::string what;
    try {
      run_points(study, {.threads = threads}, simulate_some);
    } catch (const RunFault& fault) {
      what = fault.what();
    }
    CHECK(what == "alternative \"broken\", /x = 2, replication 5: time stands still");
  }
}

TEST_CASE("of several faults the earliest counts, and what comes after it need not run") {
  FirstFault fault;
  CHECK_NOTHROW(fault.raise());
  fault.add({1, 7}, "late");
  CHECK(fault.is_before({2, 0}));
  CHECK(!fault.is_before({1, 6}));
  fault.add({1, 5}, "early");
  fault.add({2, 0}, "later point");
  CHECK(fault.is_before({1, 6}));
  CHECK_THROWS_WITH_AS(fault.raise(), "early", RunFault);
}

}  // namespace fleetsim
