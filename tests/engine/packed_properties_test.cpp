#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "sim/engine/simulate.hpp"
#include "sim/packing/policy.hpp"
#include "sim/scenario/installed.hpp"
#include "sim/scenario/packing.hpp"
#include "tests/engine/random_scenario.hpp"

// What holds in every run on packed nodes: the mechanisms of the random scenarios, with parts of devices,
// CPU, memory, nodes that differ, jobs that give up, and every packing policy.
namespace fleetsim {
namespace {

constexpr std::uint64_t kPackedScenarios = 1500;

class Changes {
 public:
  explicit Changes(std::uint64_t number) : stream_{StreamKey{number, 1, Purpose::kBootstrap, 0}} {}
  std::uint64_t draw(std::uint64_t below) { return stream_() % below; }
  bool chance(std::uint64_t percent) { return draw(100) < percent; }

 private:
  RandomStream stream_;
};

std::uint32_t random_demand(Changes& changes, Scenario& scenario) {
  HostDemand demand{static_cast<std::int64_t>(1000 * changes.draw(7)),
                    static_cast<std::int64_t>(100 * changes.draw(7)), 0};
  if (changes.chance(20)) demand.accepts = 1 + changes.draw(3);
  return demand_number(demand, scenario);
}

/// The scenario of this number on packed nodes; `single` has pools of one node, of which a sum over its jobs
/// says all.
Scenario packed_scenario(std::uint64_t number, bool single) {
  Scenario scenario = random_scenario(number);
  Changes changes{number};
  SchedulerSpec& scheduler = scenario.scheduler;
  const auto policies = packing_table();
  scheduler.placement = policies[changes.draw(policies.size())].name;
  scenario.device_models = {"a", "b"};
  for (PoolSpec& pool : scenario.pools) {
    if (single) {
      pool.spares = 0;
      pool.nodes = 1;
      pool.racks = {0};
      std::erase_if(pool.drains,
                    [](const DrainSpec& drain) { return drain.nodes.empty() || drain.nodes[0] != 0; });
      for (DrainSpec& drain : pool.drains) drain.nodes = {0};
      std::erase_if(pool.dated,
                    [](const DatedNodes& dated) { return dated.nodes.empty() || dated.nodes[0] != 0; });
      for (DatedNodes& dated : pool.dated) dated.nodes = {0};
    }
    pool.shuffled = changes.chance(50);
    pool.measure_fragmentation = changes.chance(30);
    for (std::uint32_t node = 0; node < pool.nodes; ++node) {
      const bool narrow = changes.chance(30);
      pool.packed.push_back(
          {.cpu_milli = 8000,
           .memory_bytes = 800,
           .cards = narrow ? static_cast<std::uint32_t>(changes.draw(pool.devices_per_node + 1))
                           : pool.devices_per_node,
           .type = DeviceTypes{1} << changes.draw(2)});
    }
  }
  for (ScriptedFault& fault : scenario.script)
    fault.node = std::min(fault.node, scenario.pools[fault.pool].nodes - 1);
  const bool of_one_node = is_for_packing(scheduler.placement);
  for (JobClass& job : scenario.classes) {
    job.elastic.reset();
    if (changes.chance(70)) job.gang.demand = random_demand(changes, scenario);
    if (of_one_node) {
      job.own_spares = 0;
      if (job.gang.shape)
        job.gang.shape->nodes = std::min(job.gang.shape->nodes, 1U), job.gang.shape->remainder = 0;
      for (std::uint32_t& size : job.gang.sizes)
        size = 1 + size % scenario.pools[job.pools[0]].devices_per_node;
    }
    if (changes.chance(40))
      job.gang = {.shape = GangShape{.milli = 100 + 50 * static_cast<std::uint32_t>(changes.draw(19))},
                  .sizes = {},
                  .weights = {},
                  .demand = job.gang.demand},
      job.own_spares = 0;
    if (!job.arrivals.listed.empty()) job.gang.shape.reset();
    for (ListedJob& listed : job.arrivals.listed) {
      listed.demand = random_demand(changes, scenario);
      if (of_one_node) listed.devices = 1 + listed.devices % scenario.pools[job.pools[0]].devices_per_node;
      if (job.own_spares == 0 && changes.chance(40)) listed.milli = 250;
      if (job.own_spares == 0 && changes.chance(20) && listed.demand != 0) listed.devices = listed.milli = 0;
      if (changes.chance(30))
        listed.patience = Duration::nanoseconds(static_cast<std::int64_t>(changes.draw(3)) * 10'000'000'000);
    }
    if (changes.chance(30))
      job.patience = Duration::nanoseconds(static_cast<std::int64_t>(changes.draw(3)) * 10'000'000'000);
  }
  prepare_packing(scenario);
  return scenario;
}

using Steps = std::map<SimTime, std::int64_t>;

/// The most that a sum of changes comes to at any instant.
std::int64_t most(const Steps& steps) {
  std::int64_t there = 0, most = 0;
  for (const auto& [time, change] : steps) most = std::max(most, there += change);
  return most;
}

TEST_CASE("packed: the ledger closes over what is installed and is the ledger of the records") {
  std::int64_t completed = 0, gave_up = 0, failures = 0, shares = 0;
  for (std::uint64_t number = 0; number < kPackedScenarios; ++number) {
    CAPTURE(number);
    const Scenario scenario = packed_scenario(number, false);
    Records records;
    const RunResult result =
        simulate(scenario, {.replication = 0, .records = &records, .jobs = RunOptions::Jobs::each});
    for (std::uint32_t pool = 0; pool < scenario.pools.size(); ++pool) {
      CHECK(sum(result.ledger.of_pool(PoolId{pool})) ==
            installed(scenario.pools[pool], result.window_start, result.window_end));
      for (const DeviceTime amount : result.ledger.unheld(PoolId{pool})) CHECK(amount >= DeviceTime::zero());
      const FragmentationSums& sums = result.fragmentation[pool];
      for (const DeviceTime amount : {sums.device, sums.node, sums.rack, sums.typical}) {
        CHECK(amount >= DeviceTime::zero());
        CHECK(amount <= sums.free);
      }
      CHECK(sums.node <= sums.rack);
    }
    for (const ClassOutcome& of : result.classes) {
      CHECK(of.submitted == of.completed + of.failed + of.cancelled + of.killed_at_limit + of.unsatisfiable +
                                of.no_progress + of.gave_up + of.unfinished);
      completed += of.completed;
      gave_up += of.gave_up;
      failures += of.failures;
    }
    for (const JobOutcome& job : result.jobs) {
      shares += job.capacity.milli() % 1000 != 0 && job.first_start ? 1 : 0;
      if (job.state == FinalState::gave_up) CHECK(!job.first_start);
    }
    if (result.window_end == result.window_start) continue;
    const Accounting accounting = account(records);
    for (const std::string& problem : accounting.problems) FAIL_CHECK(problem);
    CHECK(accounting.ledger == result.ledger);
  }
  CHECK(completed > 1000);
  CHECK(gave_up > 100);
  CHECK(failures > 100);
  CHECK(shares > 1000);
}

TEST_CASE("packed: no node ever gives more devices, CPU or memory than it has") {
  for (std::uint64_t number = 0; number < kPackedScenarios; ++number) {
    CAPTURE(number);
    const Scenario scenario = packed_scenario(number, true);
    Records records;
    const RunResult result =
        simulate(scenario, {.replication = 0, .records = &records, .jobs = RunOptions::Jobs::each});
    std::vector<Steps> cpu(scenario.pools.size()), memory(cpu), milli(cpu);
    // A job holds its node from its first allocation there to the last: jobs of one node hold all or nothing.
    for (const AllocationRow& row : records.allocations) {
      if (row.from == row.to) continue;
      const RecordedJob& job = records.jobs[row.job];
      const JobClass& job_class = scenario.classes[job.job_class];
      std::uint32_t demand = job_class.gang.demand;
      for (const ListedJob& listed : job_class.arrivals.listed)
        if (listed.id == job.id) demand = listed.demand;
      const auto add = [&](Steps& steps, std::int64_t amount) {
        steps[row.from] += amount;
        steps[row.to] -= amount;
      };
      add(cpu[row.pool], scenario.demands[demand].cpu_milli);
      add(memory[row.pool], scenario.demands[demand].memory_bytes);
      add(milli[row.pool], (row.capacity + row.spare).milli());
    }
    for (std::uint32_t pool = 0; pool < scenario.pools.size(); ++pool) {
      const NodeSpec& node = scenario.pools[pool].packed[0];
      CHECK(most(cpu[pool]) <= node.cpu_milli);
      CHECK(most(memory[pool]) <= node.memory_bytes);
      CHECK(most(milli[pool]) <= 1000 * std::int64_t{node.cards});
    }
  }
}

TEST_CASE("packed: like nodes with CPU to spare are scheduled as if nobody asked for CPU") {
  // Packed nodes have code of their own for placement, forecasts, members and spares: where nothing but
  // devices binds, every mechanism must come to the same ledger as the one that looks at devices alone.
  std::int64_t easy = 0, conservative = 0, preempting = 0, holding = 0, spares = 0;
  for (std::uint64_t number = 0; number < kPackedScenarios; ++number) {
    CAPTURE(number);
    Scenario plain = random_scenario(number);
    SchedulerSpec& scheduler = plain.scheduler;
    scheduler.placement = "first-fit";
    for (JobClass& job : plain.classes) job.elastic.reset();
    // A plan that counts nodes does not mind which of them a job gets.
    if (scheduler.backfill == Backfill::conservative) plain.classes[0].topology.level = TopologyLevel::rack;
    Scenario packed = plain;
    for (PoolSpec& pool : packed.pools) pool.cpu_milli = 1'000'000;
    const std::uint32_t one_cpu = demand_number({.cpu_milli = 1000, .memory_bytes = 0, .accepts = 0}, packed);
    bool only_devices = true;
    for (JobClass& job : packed.classes) {
      job.gang.demand = one_cpu;
      for (ListedJob& listed : job.arrivals.listed) listed.demand = one_cpu;
      only_devices = only_devices && (!job.gang.shape || job.gang.shape->milli == 0);
    }
    if (!only_devices) continue;
    prepare_packing(packed);
    const RunResult expected = simulate(plain, {}), found = simulate(packed, {});
    CHECK(found.ledger == expected.ledger);
    CHECK(found.preemptions.by_cause == expected.preemptions.by_cause);
    easy += scheduler.backfill == Backfill::easy ? 1 : 0;
    conservative += scheduler.backfill == Backfill::conservative ? 1 : 0;
    preempting += expected.preemptions.count;
    holding += scheduler.admission == Admission::partial_hold ? 1 : 0;
    for (const PoolSpec& pool : plain.pools) spares += pool.spares;
  }
  CHECK(easy > 50);
  CHECK(conservative > 50);
  CHECK(preempting > 50);
  CHECK(holding > 50);
  CHECK(spares > 50);
}

}  // namespace
}  // namespace fleetsim
