#include <doctest/doctest.h>

#include "tests/engine/build.hpp"
#include "tests/engine/random_problem.hpp"

// Backfill, start for start beside a scheduler that shares nothing with the engine.
namespace fleetsim {
namespace {

using brute_force::Maker;
using brute_force::Policy;
using brute_force::Problem;

Scenario as_scenario(const Problem& problem) {
  Scenario scenario;
  scenario.pools.push_back(
      build::pool(static_cast<std::uint32_t>(problem.nodes), static_cast<std::uint32_t>(problem.devices)));
  scenario.pools[0].teardown = build::seconds(problem.teardown);
  for (std::size_t node = 0; node < problem.racks.size(); ++node)
    scenario.pools[0].racks[node] = static_cast<std::uint32_t>(problem.racks[node]);
  for (const brute_force::Job& each : problem.jobs) {
    JobClass job = build::job("job" + std::to_string(scenario.classes.size()), 1, 1,
                              build::seconds(each.duration), build::at(each.submit));
    job.gang.shape = GangShape{.nodes = static_cast<std::uint32_t>(each.shape.nodes),
                               .per_node = static_cast<std::uint32_t>(each.shape.per_node),
                               .remainder = static_cast<std::uint32_t>(each.shape.remainder)};
    if (each.near) job.topology.level = TopologyLevel::rack;
    if (each.wait) job.topology.wait = build::seconds(*each.wait);
    job.limit = build::seconds(each.estimate);
    job.enforce_limits = false;
    scenario.classes.push_back(job);
  }
  for (const brute_force::Outage& outage : problem.outages)
    scenario.script.push_back(build::node_fault(build::at(outage.from),
                                                static_cast<std::uint32_t>(outage.node),
                                                build::seconds(outage.until - outage.from)));
  scenario.scheduler.strict = problem.policy != Policy::greedy;
  if (problem.policy == Policy::easy) scenario.scheduler.backfill = Backfill::easy;
  if (problem.policy == Policy::conservative) scenario.scheduler.backfill = Backfill::conservative;
  if (problem.depth) scenario.scheduler.backfill_depth = static_cast<std::uint32_t>(*problem.depth);
  return scenario;
}

std::vector<std::optional<SimTime>> starts(const Problem& problem) {
  const RunResult result = simulate(as_scenario(problem), {.jobs = RunOptions::Jobs::each});
  std::vector<std::optional<SimTime>> starts(problem.jobs.size());
  for (const JobOutcome& job : result.jobs) starts[job.job_class] = job.first_start;
  return starts;
}

void check_like_brute_force(const Problem& problem) {
  const std::vector<brute_force::Outcome> expected = brute_force::schedule(problem);
  const auto found = starts(problem);
  for (std::size_t job = 0; job < expected.size(); ++job) {
    CAPTURE(job);
    const auto& start = expected[job].start;
    REQUIRE(found[job] == (start ? std::optional{build::at(*start)} : std::nullopt));
  }
}

enum class With : std::uint8_t { outages, racks, teardown };

void check_random(Policy policy, std::uint64_t number, With with) {
  CAPTURE(static_cast<int>(policy));
  CAPTURE(number);
  Maker maker{number};
  Problem problem = maker.make(policy, number % 2 == 0 ? Maker::Estimates::exact : Maker::Estimates::guessed);
  if (with == With::racks) maker.add_racks(problem);
  if (with == With::teardown) problem.teardown = maker.between(1, 15);
  if (policy == Policy::easy || policy == Policy::conservative) {
    if (maker.chance(20)) problem.depth = maker.between(1, 6);
    // The arrival of a job that is refused is no occasion to look at the queue again.
    std::erase_if(problem.jobs, [&](const brute_force::Job& job) { return !could_ever_fit(problem, job); });
  }
  if (with != With::teardown && maker.chance(30)) maker.add_outages(problem);
  check_like_brute_force(problem);
}

TEST_CASE("EASY, conservative, strict and greedy scheduling agree with brute force start for start") {
  for (const Policy policy : {Policy::fcfs, Policy::greedy, Policy::easy, Policy::conservative}) {
    for (std::uint64_t number = 0; number < 1'500; ++number) {
      check_random(policy, number, With::outages);
    }
  }
}

TEST_CASE("so they do where jobs require a rack, prefer one, or wait for one") {
  for (const Policy policy : {Policy::fcfs, Policy::greedy, Policy::easy, Policy::conservative})
    for (std::uint64_t number = 0; number < 1'500; ++number) check_random(policy, number, With::racks);
}

TEST_CASE("so they do where nodes are torn down between tenants") {
  for (const Policy policy : {Policy::fcfs, Policy::greedy, Policy::easy, Policy::conservative})
    for (std::uint64_t number = 0; number < 1'500; ++number) check_random(policy, number, With::teardown);
}

}  // namespace
}  // namespace fleetsim
