#include "sim/scenario/packing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/packing/fragmentation.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kForPacking[] = {"fgd", "dot-product", "packing", "clustering"};

bool accepts(const JobClass& job_class, std::uint32_t pool) {
  return std::find(job_class.pools.begin(), job_class.pools.end(), pool) != job_class.pools.end();
}

double expected_jobs(const ArrivalSpec& arrivals, const WindowSpec& window) {
  if (!arrivals.gap) return 1;
  const double most = arrivals.count ? static_cast<double>(*arrivals.count) : 1e9;
  if (!window.length) return most;
  return std::min(most, to_seconds(*window.length).si / arrivals.gap->mean());
}

/// What a gang takes of one of its nodes: of unlike members, what the widest takes.
TaskShape task_of(const GangShape& shape, const Scenario& scenario) {
  const bool is_unlike = shape.unlike != 0;
  const MemberKind widest = is_unlike ? scenario.unlike[shape.unlike].front() : MemberKind{};
  const HostDemand& demand = scenario.demands[is_unlike ? widest.demand : shape.demand];
  const std::uint32_t cards = shape.milli != 0 ? 1 : is_unlike ? widest.devices : shape.per_node;
  const std::uint32_t milli = shape.milli != 0 ? shape.milli : static_cast<std::uint32_t>(kMilliPerCard);
  return {.cpu_milli = demand.cpu_milli,
          .memory_bytes = demand.memory_bytes,
          .cards = cards,
          .milli_per_card = cards == 0 ? 0 : milli,
          .accepts = demand.accepts};
}

std::vector<WeightedShape> typical_of(const Scenario& scenario, std::uint32_t pool) {
  std::vector<std::pair<TaskShape, double>> tasks;
  double all = 0;
  bool whole = true;
  for (const JobClass& job_class : scenario.classes) {
    if (!accepts(job_class, pool)) continue;
    for (const ExpectedGang& gang :
         expected_gangs(job_class, scenario.pools[pool].devices_per_node, scenario.window)) {
      tasks.emplace_back(task_of(gang.shape, scenario), gang.jobs);
      all += gang.jobs;
      whole = whole && std::floor(gang.jobs) == gang.jobs;
    }
  }
  // Jobs of lists are counted; the weights of streams are as fine as makes no difference.
  constexpr double kWeight = 1'000'000;
  const double unit = whole && all <= kWeight ? 1 : kWeight / all;
  std::vector<WeightedShape> weighted;
  for (const auto& [task, jobs] : tasks)
    weighted.push_back({task, static_cast<std::int64_t>(std::floor(jobs * unit + 0.5))});
  return typical_of_weighted(std::move(weighted));
}

bool asks_hosts(const JobClass& job_class) {
  const auto& listed = job_class.arrivals.listed;
  return job_class.gang.demand != 0 || (job_class.gang.shape && job_class.gang.shape->unlike != 0) ||
         std::any_of(listed.begin(), listed.end(), [](const ListedJob& job) { return job.demand != 0; });
}

bool has_shares(const JobClass& job_class) {
  const auto& listed = job_class.arrivals.listed;
  return (job_class.gang.shape && job_class.gang.shape->milli != 0) ||
         std::any_of(listed.begin(), listed.end(), [](const ListedJob& job) { return job.milli != 0; });
}

bool needs_packing(const Scenario& scenario, std::uint32_t pool) {
  const std::string& placement = scenario.scheduler.placement;
  if (is_for_packing(placement)) return true;
  const bool packs_shares = placement == "random" || placement == "worst-fit" ||
                            scenario.scheduler.backfill == Backfill::conservative;
  return std::any_of(scenario.classes.begin(), scenario.classes.end(), [&](const JobClass& job_class) {
    return accepts(job_class, pool) && (asks_hosts(job_class) || (packs_shares && has_shares(job_class)));
  });
}

}  // namespace

bool is_for_packing(std::string_view placement) {
  return std::find(std::begin(kForPacking), std::end(kForPacking), placement) != std::end(kForPacking);
}

std::vector<ExpectedGang> expected_gangs(const JobClass& job_class, std::uint32_t per_node,
                                         const WindowSpec& window) {
  std::map<GangShape, double> jobs;
  const GangSpec& gang = job_class.gang;
  const auto with_demand = [&](GangShape shape) {
    shape.demand = gang.demand;
    return shape;
  };
  if (!job_class.arrivals.listed.empty()) {
    for (const ListedJob& listed : job_class.arrivals.listed) jobs[gang_of(listed, per_node)] += 1;
  } else if (gang.shape) {
    jobs[with_demand(*gang.shape)] += expected_jobs(job_class.arrivals, window);
  } else {
    double weights = 0;
    for (const double weight : gang.weights) weights += weight;
    for (std::size_t i = 0; i < gang.sizes.size(); ++i)
      jobs[with_demand(spread(gang.sizes[i], per_node))] +=
          expected_jobs(job_class.arrivals, window) * gang.weights[i] / weights;
  }
  std::vector<ExpectedGang> gangs;
  for (const auto& [shape, count] : jobs) gangs.push_back({shape, count});
  return gangs;
}

std::uint32_t demand_number(const HostDemand& demand, Scenario& scenario) {
  std::vector<HostDemand>& known = scenario.demands;
  const auto found = std::find(known.begin(), known.end(), demand);
  const auto number = static_cast<std::uint32_t>(found - known.begin());
  if (found == known.end()) known.push_back(demand);
  return number;
}

void prepare_packing(Scenario& scenario) {
  for (std::uint32_t index = 0; index < scenario.pools.size(); ++index) {
    PoolSpec& pool = scenario.pools[index];
    if (pool.packed.empty() && !needs_packing(scenario, index)) continue;
    if (pool.packed.empty()) {
      NodeSpec node{.cpu_milli = pool.cpu_milli.value_or(0),
                    .memory_bytes = pool.memory_bytes.value_or(0),
                    .cards = pool.devices_per_node};
      const auto& models = scenario.device_models;
      const auto model = std::find(models.begin(), models.end(), pool.device_type);
      if (model != models.end()) node.type = DeviceTypes{1} << (model - models.begin());
      pool.packed.assign(pool.nodes, node);
    }
    if (scenario.scheduler.placement == "fgd" || pool.measure_fragmentation)
      pool.typical = typical_of(scenario, index);
  }
}

}  // namespace fleetsim
