#include <doctest/doctest.h>

#include "sim/engine/simulate.hpp"
#include "sim/ledger/records.hpp"
#include "tests/engine/build.hpp"

namespace fleetsim {
namespace {

using namespace build;

/// Nodes of one device each, two a rack, two racks a pod.
PoolSpec racks_of_two(std::uint32_t nodes) {
  PoolSpec spec = pool(nodes, 1);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    spec.racks[node] = node / 2;
    spec.pods.push_back(node / 4);
  }
  return spec;
}

JobClass near(JobClass job, TopologyLevel level, Duration wait = Duration::max()) {
  job.topology = {.level = level, .wait = wait};
  return job;
}

/// One node of each of two racks is taken, until 100 and 200; a pair that would be together comes at 10.
Scenario split_pair(TopologyLevel level, Duration wait) {
  Scenario made = scenario({racks_of_two(4)}, {job("a", 1, 1, seconds(100)), job("x", 1, 1, seconds(10)),
                                               job("b", 1, 1, seconds(200)),
                                               near(job("pair", 2, 1, seconds(50), at(10)), level, wait)});
  return made;
}

std::optional<SimTime> start_of_pair(Scenario scenario, Backfill backfill) {
  scenario.scheduler.backfill = backfill;
  return outcome(run_recorded(scenario), "pair").first_start;
}

TEST_CASE("topology: what is required is waited for, what is preferred is not, and a wait has its end") {
  for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::conservative}) {
    CAPTURE(static_cast<int>(backfill));
    const auto start = [&](TopologyLevel level, Duration wait) {
      return start_of_pair(split_pair(level, wait), backfill);
    };
    CHECK(start(TopologyLevel::rack, Duration::max()) == at(100));
    CHECK(start(TopologyLevel::rack, Duration::zero()) == at(10));
    CHECK(start(TopologyLevel::rack, seconds(30)) == at(40));
    CHECK(start(TopologyLevel::rack, seconds(500)) == at(100));
    CHECK(start(TopologyLevel::pod, Duration::max()) == at(10));
    CHECK(start(TopologyLevel::pool, Duration::max()) == at(10));
  }
}

TEST_CASE("topology: the reserved start of a job that stops waiting is when it does") {
  // `late` would be there until 60, past the instant at which the pair takes nodes anywhere.
  Scenario made = split_pair(TopologyLevel::rack, seconds(30));
  made.classes.push_back(job("late", 1, 1, seconds(40), at(20)));
  made.classes.push_back(job("soon", 1, 1, seconds(20), at(20)));
  for (const Backfill backfill : {Backfill::easy, Backfill::conservative}) {
    made.scheduler.backfill = backfill;
    const RunResult result = run_recorded(made);
    CHECK(outcome(result, "pair").first_start == at(40));
    CHECK(outcome(result, "late").first_start == at(90));
    CHECK(outcome(result, "soon").first_start == at(20));
  }
}

TEST_CASE("topology: nobody waits for a rack where no rack is large enough") {
  const auto start = [](Duration wait) {
    const Scenario made =
        scenario({racks_of_two(8)}, {near(job("four", 4, 1, seconds(10)), TopologyLevel::rack, wait)});
    return simulate(made, {.jobs = RunOptions::Jobs::each}).jobs[0];
  };
  CHECK(start(Duration::zero()).first_start == at(0));
  CHECK(start(seconds(100)).first_start == at(0));
  CHECK(start(Duration::max()).state == FinalState::unsatisfiable);
}

TEST_CASE("topology: preemption makes its room in one rack") {
  JobClass high = near(job("pair", 2, 1, seconds(10), at(5)), TopologyLevel::rack);
  high.priority = 2;
  JobClass keep = job("keep", 1, 1, seconds(100));
  keep.priority = 5;
  // Node 0 cannot be had, so that of the rack of nodes 2 and 3 both have to go.
  Scenario made = scenario(
      {racks_of_two(4)},
      {keep, job("b", 1, 1, seconds(100)), job("c", 1, 1, seconds(100)), job("d", 1, 1, seconds(100)), high});
  made.scheduler.order = "priority";
  made.scheduler.preemption = Preemption::kept;
  made.scheduler.preempt_by = PreemptBy::priority;
  const RunResult result = simulate(made, {.jobs = RunOptions::Jobs::each});
  REQUIRE(result.preemptions.rows.size() == 2);
  CHECK(result.preemptions.rows[0].cause == StopCause::priority);
  CHECK(outcome(result, "pair").first_start == at(5));
  CHECK(outcome(result, "b").evictions == 0);
  CHECK(outcome(result, "c").evictions == 1);
  CHECK(outcome(result, "d").evictions == 1);
}

TEST_CASE("topology: a gang that assembles begins in a rack that can hold it") {
  PoolSpec spec = pool(3, 1);
  spec.racks = {0, 1, 1};
  Scenario made = scenario({spec}, {near(job("pair", 2, 1, seconds(10)), TopologyLevel::rack)});
  made.scheduler.admission = Admission::partial_hold;
  CHECK(outcome(run_recorded(made), "pair").first_start == at(0));
}

TEST_CASE("topology: who is refused is told which limit binds") {
  const auto refusal = [](PoolSpec spec, JobClass job) {
    const RunResult result = simulate(scenario({std::move(spec)}, {std::move(job)}), RunOptions{});
    CHECK(result.state == RunState::completed);
    REQUIRE(result.classes[0].refusal);
    return *result.classes[0].refusal;
  };
  const auto check = [](const Refusal& found, RefusalLimit limit, TopologyLevel level, std::int64_t wanted,
                        std::int64_t most) {
    CHECK(found.limit == limit);
    CHECK(found.level == level);
    CHECK(found.wanted == wanted);
    CHECK(found.most == most);
  };
  check(refusal(racks_of_two(8), near(job("j", 4, 1, seconds(1)), TopologyLevel::rack)), RefusalLimit::nodes,
        TopologyLevel::rack, 4, 2);
  check(refusal(racks_of_two(8), near(job("j", 5, 1, seconds(1)), TopologyLevel::pod)), RefusalLimit::nodes,
        TopologyLevel::pod, 5, 4);
  check(refusal(pool(8, 4), near(job("j", 2, 4, seconds(1)), TopologyLevel::node)), RefusalLimit::nodes,
        TopologyLevel::node, 2, 1);
  PoolSpec with_spare = pool(9, 1);
  with_spare.spares = 1;
  check(refusal(with_spare, job("j", 9, 1, seconds(1))), RefusalLimit::nodes, TopologyLevel::pool, 9, 8);
  check(refusal(pool(2, 4), job("j", 1, 8, seconds(1))), RefusalLimit::devices_of_node, TopologyLevel::pool,
        8, 4);
}

}  // namespace
}  // namespace fleetsim
