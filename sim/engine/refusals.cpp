#include <algorithm>
#include <tuple>

#include "sim/engine/engine.hpp"
#include "sim/scenario/installed.hpp"

// Gangs that no pool can ever hold: they are refused, and it is said what is too small for them.

namespace fleetsim {

bool Engine::could_ever_start(const QueuedShape& shape) const {
  const auto& [quota, pools] = std::tie(shape.job_class->quota, shape.job_class->pools);
  if (quota && !quotas_.could_ever_allow(*quota, shape.shape.capacity())) return false;
  return std::any_of(pools.begin(), pools.end(), [&](std::uint32_t pool) {
    return pools_[pool].could_ever_fit(shape.shape, shape.near.needed);
  });
}

std::uint32_t Engine::widest_member(const GangShape& gang) const {
  std::uint32_t widest = std::max(gang.nodes > 0 ? gang.per_node : 0, gang.unlike == 0 ? gang.remainder : 0);
  for (const MemberKind& kind : scenario_.unlike[gang.unlike]) widest = std::max(widest, kind.devices);
  return std::max(widest, 1U);
}

/// What is too small for a gang that could never start; of several pools, the one that comes nearest.
Refusal Engine::what_forbids(const QueuedShape& shape) const {
  const GangShape& gang = shape.shape;
  const auto& [quota, pools] = std::tie(shape.job_class->quota, shape.job_class->pools);
  if (quota && !quotas_.could_ever_allow(*quota, gang.capacity()))
    return {.limit = RefusalLimit::quota,
            .pool = *quota,
            .level = {},
            .wanted = gang.capacity().milli(),
            .most = 0};
  Refusal nearest;
  for (const std::uint32_t index : pools) {
    const Pool& pool = pools_[index];
    const std::uint32_t member = widest_member(gang);
    Refusal here{.limit = RefusalLimit::devices_of_node,
                 .pool = index,
                 .level = TopologyLevel::pool,
                 .wanted = member,
                 .most = devices_of(scenario_.pools[index]) == 0 ? 0 : pool.devices_per_node()};
    const bool only_hosts = gang.capacity() == Capacity::zero();
    if (only_hosts || member <= here.most) {
      // The narrowest level at which there are too few nodes: the pool itself, if there are nowhere enough.
      const bool anywhere = pool.could_ever_fit(gang, TopologyLevel::pool);
      here.level = anywhere ? shape.near.needed : TopologyLevel::pool;
      here.limit = RefusalLimit::nodes;
      here.wanted = gang.members();
      here.most = pool.most_nodes(here.level);
      if (here.most >= here.wanted) here.limit = RefusalLimit::nodes_with_room;
    }
    const auto nearness = [](const Refusal& each) { return std::pair{each.limit, each.most}; };
    if (index == pools.front() || nearness(here) > nearness(nearest)) nearest = here;
  }
  return nearest;
}

/// Whether no pool can ever hold a gang that is queued, or its own pool one that waits for a member.
bool Engine::is_hopeless(const Job& job) const {
  if (job.phase != JobPhase::waiting_member) {
    const bool waits = job.near_until != SimTime::never();  // for a place near together, not for ever
    return !shapes_[waits ? job.later_shape : job.shape_index].satisfiable;
  }
  const std::vector<NodePlan>& plans = drains_.plans[job.pool.value];
  if (plans.empty()) return false;
  // It may stay on nodes that will not serve anybody after it.
  const auto kept = std::count_if(job.parts.begin(), job.parts.end(),
                                  [&](const Part& part) { return plans[part.node].gone; });
  return job.shape.members() > pools_[job.pool.value].nodes_left() + kept;
}

/// Jobs that no pool can hold any more do not wait for one.
void Engine::refuse_hopeless() {
  std::vector<JobId> hopeless;
  const auto add = [&](const Job& job) {
    if (is_hopeless(job)) hopeless.push_back(job.slot);
  };
  for (const Job& each : queue_) add(each);
  for (const JobId id : waiting_) add(job(id));
  for (const JobId id : hopeless) {
    note_refusal(job(id));
    stop_for_good(job(id), FinalState::unsatisfiable);
  }
}

/// The first of each class stands for the others.
void Engine::note_refusal(const Job& job) {
  const Refusal refusal = what_forbids(shapes_[job.shape_index]);
  auto& known = result_.classes[job.job_class.value].refusal;
  if (!known) known = refusal;
  if (watched_ == job.slot) options_.watch->refusal = refusal;
}

}  // namespace fleetsim
