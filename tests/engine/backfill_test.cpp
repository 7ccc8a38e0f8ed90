#include <doctest/doctest.h>

#include "sim/scenario/packing.hpp"
#include "tests/engine/build.hpp"
#include "tests/engine/random_problem.hpp"

// Backfill, start for start beside a scheduler that shares nothing with the engine.
namespace fleetsim {
namespace {

using brute_force::Maker;
using brute_force::Policy;
using brute_force::Problem;

/// Whether nodes are told apart by what they are; where only devices bind that comes to the same.
enum class Nodes : std::uint8_t { plain, packed };

Scenario as_scenario(const Problem& problem, Nodes nodes) {
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
    if (nodes == Nodes::packed && each.shape.nodes == 0)
      job.gang.shape = GangShape{.nodes = 1, .per_node = job.gang.shape->remainder};
    if (each.cpu != 0)
      job.gang.demand = demand_number({.cpu_milli = 1000 * each.cpu, .memory_bytes = 0}, scenario);
    if (each.near) job.topology.level = TopologyLevel::rack;
    if (each.wait) job.topology.wait = build::seconds(*each.wait);
    job.priority = each.priority;
    job.limit = build::seconds(each.estimate);
    job.enforce_limits = false;
    scenario.classes.push_back(job);
  }
  for (const brute_force::Outage& outage : problem.outages)
    scenario.script.push_back(build::node_fault(build::at(outage.from),
                                                static_cast<std::uint32_t>(outage.node),
                                                build::seconds(outage.until - outage.from)));
  if (problem.order == brute_force::Order::priority) {
    scenario.scheduler.order = "priority";
    scenario.scheduler.preemption = Preemption::kept;
    scenario.scheduler.preempt_by = PreemptBy::priority;
  }
  scenario.scheduler.strict = problem.policy != Policy::greedy;
  if (problem.policy == Policy::easy) scenario.scheduler.backfill = Backfill::easy;
  if (problem.policy == Policy::conservative) scenario.scheduler.backfill = Backfill::conservative;
  if (problem.depth) scenario.scheduler.backfill_depth = static_cast<std::uint32_t>(*problem.depth);
  if (nodes == Nodes::packed)
    scenario.pools[0].packed.assign(scenario.pools[0].nodes, {.cpu_milli = 1000 * problem.cpus,
                                                              .cards = scenario.pools[0].devices_per_node});
  return scenario;
}

std::vector<JobOutcome> outcomes(const Scenario& scenario) {
  std::vector<JobOutcome> outcomes = simulate(scenario, {.jobs = RunOptions::Jobs::each}).jobs;
  std::sort(outcomes.begin(), outcomes.end(),
            [](const JobOutcome& a, const JobOutcome& b) { return a.job_class < b.job_class; });
  return outcomes;
}

void check_starts(const Problem& problem, Nodes nodes, const std::vector<brute_force::Outcome>& expected) {
  const std::vector<JobOutcome> found = outcomes(as_scenario(problem, nodes));
  for (std::size_t job = 0; job < expected.size(); ++job) {
    CAPTURE(job);
    const auto& start = expected[job].start;
    REQUIRE(found[job].first_start.has_value() == start.has_value());
    if (!start) continue;
    REQUIRE(found[job].evictions == expected[job].stops);
    REQUIRE(found[job].end == build::at(*start + problem.jobs[job].duration));
    if (expected[job].stops == 0) REQUIRE(found[job].first_start == build::at(*start));
  }
}

enum class With : std::uint8_t { outages, racks, teardown, cpus, priorities };

void check_random(Policy policy, std::uint64_t number, With with, Nodes nodes = Nodes::plain) {
  CAPTURE(static_cast<int>(policy));
  CAPTURE(number);
  Maker maker{number};
  Problem problem = maker.make(policy, number % 2 == 0 ? Maker::Estimates::exact : Maker::Estimates::guessed);
  if (with == With::racks) maker.add_racks(problem);
  if (with == With::priorities) maker.add_priorities(problem);
  if (with == With::cpus) maker.add_cpus(problem);
  if (with == With::teardown) problem.teardown = maker.between(1, 15);
  if (policy == Policy::easy || policy == Policy::conservative) {
    // Whoever is stopped is occasion for a pass of its own, which looks as far again.
    if (maker.chance(20) && with != With::priorities) problem.depth = maker.between(1, 6);
    // The arrival of a job that is refused is no occasion to look at the queue again.
    std::erase_if(problem.jobs, [&](const brute_force::Job& job) { return !could_ever_fit(problem, job); });
  }
  const bool may_fail = with != With::teardown && with != With::priorities;
  if (may_fail && maker.chance(30)) maker.add_outages(problem);
  check_starts(problem, nodes, brute_force::schedule(problem));
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

TEST_CASE("so they do where the first in the queue stops others of smaller priority") {
  for (const Policy policy : {Policy::fcfs, Policy::easy, Policy::conservative})
    for (std::uint64_t number = 0; number < 1'000; ++number)
      check_random(policy, 9'000 + number, With::priorities, number % 3 == 0 ? Nodes::packed : Nodes::plain);
}

TEST_CASE("so they do where gangs take whole nodes, of which a plan knows only how many") {
  // Then nodes count alike, as the devices of one do.
  for (const Policy policy : {Policy::fcfs, Policy::greedy, Policy::easy, Policy::conservative}) {
    for (std::uint64_t number = 0; number < 500; ++number) {
      CAPTURE(static_cast<int>(policy));
      CAPTURE(number);
      Maker maker{30'000 + number};
      Problem whole =
          maker.make(policy, number % 2 == 0 ? Maker::Estimates::exact : Maker::Estimates::guessed);
      if (number % 3 == 0) whole.teardown = maker.between(1, 15);
      Problem alike = whole;
      alike.devices = whole.nodes;
      alike.nodes = 1;
      for (std::size_t job = 0; job < whole.jobs.size(); ++job) {
        const int nodes = std::max(whole.jobs[job].shape.nodes, 1);
        whole.jobs[job].shape = {nodes, whole.devices, 0};
        alike.jobs[job].shape = {1, nodes, 0};
      }
      check_starts(whole, Nodes::plain, brute_force::schedule(alike));
    }
  }
}

TEST_CASE("so they do where nodes are packed, and CPU binds as well as devices") {
  for (const Policy policy : {Policy::fcfs, Policy::greedy, Policy::easy, Policy::conservative})
    for (const With with : {With::outages, With::racks, With::teardown, With::cpus})
      for (std::uint64_t number = 0; number < 500; ++number)
        check_random(policy, 7'000 + number, with, Nodes::packed);
}

TEST_CASE("conservative: who comes later moves nobody's start, where all last as long as they say") {
  int shares = 0, waited = 0;
  for (const std::string_view placement : {"first-fit", "best-fit", "worst-fit", "packing", "fgd"}) {
    for (std::uint64_t number = 0; number < 150; ++number) {
      CAPTURE(placement);
      CAPTURE(number);
      Maker maker{50'000 + number};
      Problem problem = maker.make(Policy::conservative, Maker::Estimates::exact);
      maker.add_cpus(problem);
      for (brute_force::Job& job : problem.jobs) job.shape = {1, std::max(job.shape.per_node, 1), 0};
      Scenario scenario = as_scenario(problem, Nodes::packed);
      scenario.scheduler.placement = placement;
      for (JobClass& job : scenario.classes) {
        if (maker.chance(50)) continue;
        job.gang.shape = GangShape{.milli = static_cast<std::uint32_t>(maker.between(1, 9) * 100)};
        ++shares;
      }
      prepare_packing(scenario);
      const auto starts_of = [](const Scenario& of) {
        std::vector<std::optional<SimTime>> starts;
        for (const JobOutcome& job : outcomes(of)) starts.push_back(job.first_start);
        return starts;
      };
      auto all = starts_of(scenario);
      for (std::size_t job = 0; job < all.size(); ++job)
        waited += all[job] && *all[job] > build::at(problem.jobs[job].submit) ? 1 : 0;
      scenario.classes.pop_back();
      all.pop_back();
      CHECK(starts_of(scenario) == all);
    }
  }
  CHECK(shares > 1000);
  CHECK(waited > 1000);
}

}  // namespace
}  // namespace fleetsim
