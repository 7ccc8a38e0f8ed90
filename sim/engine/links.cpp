#include <algorithm>
#include <utility>

#include "sim/engine/engine.hpp"

// Where gangs sit, as far as their steps depend on it, and whom they meet on the links between.

namespace fleetsim {

void Engine::know_links() {
  links_.placed.resize(scenario_.classes.size());
  std::size_t nodes = 0;
  for (const PoolSpec& pool : scenario_.pools) {
    nodes = std::max<std::size_t>(nodes, pool.nodes);
    if (pool.shared_links) links_.graphs.resize(scenario_.pools.size());
  }
  for (std::size_t pool = 0; pool < links_.graphs.size(); ++pool)
    if (scenario_.pools[pool].shared_links) links_.graphs[pool].emplace(*scenario_.pools[pool].shared_links);
  const bool any_modelled = std::any_of(scenario_.classes.begin(), scenario_.classes.end(),
                                        [](const JobClass& each) { return each.step.model.has_value(); });
  if (any_modelled) links_.nodes_in_place.resize(nodes);
}

Spread Engine::spread_of(const Job& job, const FabricShape& fabric) {
  struct Places {
    std::uint32_t count, fewest;
  };
  const std::int64_t in_pool = scenario_.pools[job.pool.value].nodes;
  const auto places = [&](std::int64_t nodes_per_place) {
    links_.used_places.clear();
    for (const Part& part : job.parts) {
      const std::uint32_t place = part.node / static_cast<std::uint32_t>(nodes_per_place);
      if (links_.nodes_in_place[place]++ == 0) links_.used_places.push_back(place);
    }
    Places found{static_cast<std::uint32_t>(links_.used_places.size()), UINT32_MAX};
    for (const std::uint32_t place : links_.used_places) {
      const std::int64_t here = std::exchange(links_.nodes_in_place[place], 0);
      const std::int64_t there = std::min(nodes_per_place, in_pool - place * nodes_per_place);
      found.fewest = std::min(found.fewest, static_cast<std::uint32_t>(here * nodes_per_place / there));
    }
    return found;
  };
  const Places leaves = places(fabric.nodes_per_leaf), pods = places(fabric.nodes_per_pod);
  return {places(fabric.nodes_per_domain).count, leaves.count, pods.count, leaves.fewest, pods.fewest};
}

/// By how much each step is longer for where the gang sits or, where traffic of others makes its own take
/// `slower` times as long, for that. The model is asked once for each size, spread and traffic.
std::int64_t Engine::modelled_excess(const Job& job, double slower) {
  const StepModel& model = *class_of(job).step.model;
  const auto devices = static_cast<std::uint32_t>(job.gang_capacity.milli() / 1000);
  const Spread spread = spread_of(job, model.fabric());
  if (slower == 1.0 && spread == model.compact(devices)) return 0;
  const auto [known, is_new] =
      links_.placed[job.job_class.value].try_emplace(PlacedStep{devices, spread, slower}, 0);
  if (is_new)
    known->second =
        (slower == 1.0 ? model.excess(devices, spread) : model.neighbour_excess(devices, spread, slower))
            .ns();
  return known->second;
}

/// Gangs of several nodes that run in a pool whose links are shared. Each sends as fast as its nodes can
/// while it exchanges, so that what it gets is the least it ever gets.
void Engine::share_links() {
  links_.changed = false;
  for (std::uint32_t pool = 0; pool < links_.graphs.size(); ++pool)
    if (links_.graphs[pool]) share_links(pool, *links_.graphs[pool]);
}

void Engine::share_links(std::uint32_t pool, const FabricGraph& fabric) {
  std::vector<Job*> jobs;
  std::vector<std::vector<std::uint32_t>> nodes;
  for (const auto& slot : jobs_) {
    const bool sends = slot->phase == JobPhase::running && slot->stepping && slot->pool.value == pool &&
                       slot->parts.size() > 1 && !class_of(*slot).step.continuous;
    if (!sends) continue;
    jobs.push_back(slot.get());
    std::vector<std::uint32_t>& own = nodes.emplace_back();
    for (const Part& part : slot->parts) own.push_back(part.node);
    std::sort(own.begin(), own.end());
  }
  std::vector<JobTraffic> traffic;
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    const auto& model = class_of(*jobs[index]).step.model;
    const bool to_all = model && model->sends_to_all();
    traffic.push_back(
        {nodes[index], fabric.shape().node_rate, to_all ? TrafficPattern::kAllToAll : TrafficPattern::kRing});
  }
  const std::vector<double> together = fabric.slowdowns(traffic);
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    const double alone = fabric.slowdowns({&traffic[index], 1}).front();
    jobs[index]->link_speed = std::min(1.0, alone / together[index]);
    meet_speed(*jobs[index]);
  }
}

}  // namespace fleetsim
