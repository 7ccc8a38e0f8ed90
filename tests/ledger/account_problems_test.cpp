#include <doctest/doctest.h>

#include "sim/ledger/records.hpp"
#include "tests/ledger/record_builder.hpp"

namespace fleetsim {
namespace {

/// The first problem of the records.
std::string problem(const RecordBuilder& make) {
  const Accounting accounting = account(make.records);
  return accounting.problems.empty() ? "none" : accounting.problems.front();
}

bool tells(const RecordBuilder& make, const std::string& part) {
  CAPTURE(problem(make));
  const bool told = problem(make).find(part) != std::string::npos;
  if (!told) MESSAGE(problem(make));
  return told;
}

TEST_CASE("account: held time has to be in the timeline, all of it and no more") {
  RecordBuilder shorter(0, 100);
  shorter.allocation(0, 100, 1).leaf(0, 90, 1, Leaf::runtime_startup);
  CHECK(problem(shorter) ==
        "job 0 (job) holds 100000000000000 milli-device-ns by its allocations and 90000000000000 by its "
        "timeline");
  RecordBuilder longer(0, 100);
  longer.allocation(0, 90, 1).leaf(0, 100, 1, Leaf::runtime_startup);
  CHECK(tells(longer, "does not hold 1000 milli-devices"));
  RecordBuilder wider(0, 100);
  wider.allocation(0, 100, 1).leaf(0, 100, 2, Leaf::runtime_startup);
  CHECK(tells(wider, "does not hold 2000 milli-devices"));
  RecordBuilder early(0, 100);
  early.allocation(0, 100, 1, {.complete = 20}).leaf(10, 100, 1, Leaf::runtime_startup);
  CHECK(tells(early, "with its gang complete"));
}

TEST_CASE("account: a row may span allocations of the same capacity, not a gap between them") {
  RecordBuilder make(0, 100);
  make.allocation(0, 40, 1, {.spare = 1}).allocation(40, 100, 1).leaf(0, 100, 1, Leaf::runtime_startup);
  CHECK(problem(make) == "none");
  RecordBuilder gap(0, 100);
  gap.allocation(0, 40, 1).allocation(50, 100, 1).leaf(0, 100, 1, Leaf::runtime_startup);
  CHECK(tells(gap, "does not hold"));
}

TEST_CASE("account: a stretch across an edge of the window") {
  RecordBuilder start(50, 100);
  start.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 100}).commit(100);
  CHECK(tells(start, "timeline row 1: stretch [0, 100000000000) crosses an edge of the window"));
  RecordBuilder end(0, 50);
  end.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 100}).commit(100);
  CHECK(tells(end, "crosses an edge of the window"));
}

TEST_CASE("account: a commit inside a stretch") {
  RecordBuilder make(0, 100);
  make.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 100}).commit(50);
  CHECK(tells(make, "timeline row 2: the commit of 50000000000 cuts the stretch [0, 100000000000)"));
}

TEST_CASE("account: overlaps and disorder") {
  RecordBuilder timeline(0, 100);
  timeline.allocation(0, 100, 1)
      .leaf(0, 60, 1, Leaf::runtime_startup)
      .leaf(50, 100, 1, Leaf::runtime_startup);
  CHECK(tells(timeline, "timeline row 2: job 0 (job) is already accounted for at 50000000000"));
  RecordBuilder allocations(0, 100);
  allocations.allocation(0, 60, 1).allocation(50, 100, 1);
  CHECK(tells(allocations, "allocation row 2: job 0 (job) is already accounted for"));
  RecordBuilder order(0, 100);
  order.allocation(0, 100, 1).stretch(50, 100, 1, {.step = 50}).stretch(0, 50, 1, {.step = 50}).commit(100);
  CHECK(tells(order, "after it stepped at"));
}

TEST_CASE("account: parts of a stretch add up to its length") {
  RecordBuilder make(0, 100);
  make.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 90}).commit(100);
  CHECK(tells(make, "the parts add up to 90000000000 ns of 100000000000"));
  RecordBuilder negative(0, 100);
  negative.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 110, .wait = -10}).commit(100);
  CHECK(tells(negative, "negative part"));
}

TEST_CASE("account: leaves stay on their side of the boundaries") {
  RecordBuilder timeline(0, 100);
  timeline.allocation(0, 100, 1).leaf(0, 100, 1, Leaf::scheduling_spare);
  CHECK(tells(timeline, "held time cannot be scheduling.spare"));
  RecordBuilder pool(0, 100);
  pool.pool(0, 100, 1, Leaf::runtime_startup);
  CHECK(tells(pool, "free capacity cannot be runtime.startup"));
  RecordBuilder discard(0, 100);
  discard.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 100}).discard(100, Leaf::ideal);
  CHECK(tells(discard, "discarded time cannot be ideal"));
  RecordBuilder steps(0, 100);
  steps.records.steps = {{0, Leaf::runtime_rework, 1}};
  CHECK(tells(steps, "retained time cannot be runtime.rework"));
}

TEST_CASE("account: numbers that name nothing, empty rows and weights that weigh nothing") {
  RecordBuilder job(0, 100);
  job.on(7, 0).allocation(0, 100, 1);
  CHECK(tells(job, "allocation row 1: unknown job 7"));
  RecordBuilder pool(0, 100);
  pool.on(0, 7).pool(0, 100, 1, Leaf::scheduling_spare);
  CHECK(tells(pool, "pool row 1: unknown pool 7"));
  RecordBuilder job_class(0, 100);
  job_class.records.jobs[0].job_class = 3;
  CHECK(tells(job_class, "job 0 (job) has an unknown class"));
  RecordBuilder empty(0, 100);
  empty.pool(50, 50, 1, Leaf::scheduling_spare);
  CHECK(tells(empty, "[50000000000, 50000000000) is empty"));
  RecordBuilder weights(0, 100);
  weights.allocation(0, 100, 1).stretch(0, 100, 1, {.step = 100}).commit(100);
  weights.records.steps = {{0, Leaf::ideal, 0}};
  CHECK(tells(weights, "all weigh nothing"));
  weights.records.steps = {{0, Leaf::ideal, -1}};
  CHECK(tells(weights, "step row 1: negative weight"));
  CHECK(tells(RecordBuilder(100, 100), "the window"));
}

TEST_CASE("account: of very many problems only the first are told") {
  RecordBuilder make(0, 100);
  for (int i = 0; i < 1000; ++i) make.pool(50, 50, 1, Leaf::scheduling_spare);
  const std::vector<std::string> problems = account(make.records).problems;
  REQUIRE(problems.size() == 51);
  CHECK(problems.back() == "and 950 more problems");
}

}  // namespace
}  // namespace fleetsim
