#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "sim/engine/engine.hpp"

namespace fleetsim {
/// False if there is nobody to serve.
bool Engine::pass() {
  if (waiting_.empty() && slow_.swaps_wanted.empty() && queue_.empty() && elastic_running_.empty())
    return false;
  count_pass();
  if (!waiting_.empty()) fill_waiting();
  if (!slow_.swaps_wanted.empty()) swap_wanted();
  if (!queue_.empty()) serve_queue();
  if (!elastic_running_.empty()) grow();
  return true;
}

void Engine::serve_queue() {
  if (!queue_blocked_.empty()) {
    rank_queues();
    std::fill(queue_blocked_.begin(), queue_blocked_.end(), false);
  }
  const SchedulerSpec& scheduler = scenario_.scheduler;
  if (scheduler.admission == Admission::partial_hold) return pass_partial_hold();
  if (scheduler.preemption == Preemption::remade) return pass_remade();
  if (scheduler.backfill == Backfill::conservative) return pass_conservative();
  if (scheduler.backfill == Backfill::none && scheduler.preemption == Preemption::none)
    return some_shrink_ ? pass_with_shrinking() : pass_atomic();
  pass_with_reservations();
}

bool Engine::quota_allows(const Job& job) const {
  const auto quota = class_of(job).quota;
  if (!quota) return true;
  // Gangs that assemble will hold all of what they have begun to take.
  Capacity wanted = allocation_shape(job).capacity();
  for (const JobId id : holders_) {
    const Job& holder = *jobs_[id.value];
    if (class_of(holder).quota == quota) wanted += allocation_shape(holder).capacity() - holder.assigned;
  }
  return quotas_.allows(*quota, wanted);
}

void Engine::count_in_quota(std::uint32_t quota, Capacity change) {
  decay_shares();
  change < Capacity::zero() ? quotas_.give_back(quota, Capacity::zero() - change)
                            : quotas_.hold(quota, change);
}

/// Under a strict order the first of a queue that cannot start keeps the others of its queue from starting,
/// and nobody else; false where the job's quota is no queue of its own.
bool Engine::block_queue(const Job& job) {
  const auto quota = class_of(job).quota;
  if (!quota || !quotas_.is_queue(*quota)) return false;
  queue_blocked_[*quota] = true;
  return true;
}

/// The same for whoever waits for nothing but its own quota, queue or not.
bool Engine::blocks_only_its_own(const Job& job) {
  if (block_queue(job)) return true;
  if (quota_allows(job)) return false;
  queue_blocked_[*class_of(job).quota] = true;
  return true;
}

void Engine::decay_shares() {
  if (order_->key != fair_share_key || fair_share_.since == now_) return;
  const double half_life = static_cast<double>(scenario_.scheduler.fair_share_half_life.ns());
  const double left = std::exp2(-static_cast<double>((now_ - fair_share_.since).ns()) / half_life);
  const double span = half_life / std::log(2.0) * (1 - left);  // what a unit held since then has come to
  for (std::uint32_t quota = 0; quota < fair_share_.held.size(); ++quota)
    fair_share_.held[quota] =
        fair_share_.held[quota] * left + static_cast<double>(quotas_.held(quota).milli()) * span;
  fair_share_.since = now_;
}

/// Ranks the queues by what they have had of their shares, and the jobs that wait by their queues.
void Engine::rank_queues() {
  if (order_->key != fair_share_key) return;
  decay_shares();
  const auto had = [&](std::uint32_t quota) {
    return fair_share_.held[quota] / scenario_.scheduler.quotas[quota].weight;
  };
  std::vector<std::uint32_t> quotas(fair_share_.held.size());
  std::iota(quotas.begin(), quotas.end(), 0U);
  std::stable_sort(quotas.begin(), quotas.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return had(a) < had(b); });
  std::vector<std::int64_t> ranks(quotas.size());
  for (std::size_t rank = 0; rank < quotas.size(); ++rank)
    ranks[quotas[rank]] = static_cast<std::int64_t>(rank);
  if (ranks == fair_share_.ranks) return;
  fair_share_.ranks.swap(ranks);
  looked_at_ = kNeverLooked;
  std::vector<Job*> jobs;
  for (Job& job : queue_) jobs.push_back(&job);
  queue_.clear();
  for (Job* const job : jobs) {
    job->key = key_of(*job);
    queue_.insert(*job);
  }
}

/// Gives `parts` to the job: the gang's whole nodes, its own spares, and its remainder, in this order. The
/// job takes the list itself, if it has not been made there, and leaves an empty one.
void Engine::assign(Job& job, PoolId pool, Placement& parts) {
  job.pool = pool;
  touch(pool);
  pools_[pool.value].take(parts, job.slot);
  job.gang_capacity = job.assigned = job.shape.capacity();
  if (class_of(job).own_spares == 0) {
    if (&parts != &job.parts) job.parts.swap(parts);
  } else {
    job.assigned = allocation_shape(job).capacity();
    const auto first_spare = parts.begin() + std::min<std::ptrdiff_t>(std::ssize(parts), job.shape.nodes);
    const auto last_spare = first_spare + class_of(job).own_spares;
    job.parts.append(parts.begin(), first_spare);
    job.own_spares.append(first_spare, last_spare);
    job.parts.append(last_spare, parts.end());
  }
  count_in_quota(job, job.assigned);
  job.charged = job.allocation_from = now_;
}

/// Near together if there is room for that, otherwise as near as it has to be.
bool Engine::find_place(const Pool& pool, const Job& job, Placement& out) const {
  const auto& [needed, wished] = near(job);
  const GangShape& shape = allocation_shape(job);
  return place(pool, shape, wished, *placement_, out) ||
         (needed != wished && place(pool, shape, needed, *placement_, out));
}

bool Engine::try_start(Job& job) {
  if (!quota_allows(job)) return false;
  const JobClass& job_class = class_of(job);
  for (const std::uint32_t pool : job_class.pools) {
    if (blocked_[pool]) continue;
    Placement& parts = job_class.own_spares == 0 ? job.parts : scratch_;
    parts.clear();
    if (!find_place(pools_[pool], job, parts)) continue;
    if (job.phase == JobPhase::queued) dequeue(job);
    assign(job, PoolId{pool}, parts);
    start(job);
    return true;
  }
  return false;
}

void Engine::pass_atomic() {
  // A job that cannot start blocks the pools that it accepts, where order is strict.
  std::size_t open = 0;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    blocked_[pool] = pools_[pool].is_full();
    if (!blocked_[pool]) ++open;
  }
  for (auto next = queue_.begin(); next != queue_.end() && open > 0;) {
    Job& head = *next++;
    if (stands_behind_its_queue(head)) continue;
    if (try_start(head)) {
      for (const std::uint32_t pool : class_of(head).pools) {
        if (!blocked_[pool] && pools_[pool].is_full()) {
          blocked_[pool] = true;
          --open;
        }
      }
    } else if (scenario_.scheduler.strict && !blocks_only_its_own(head)) {
      for (const std::uint32_t pool : class_of(head).pools) {
        if (!blocked_[pool]) --open;
        blocked_[pool] = true;
      }
    }
  }
}

/// The node that the placement would rather have for one more member of a gang that assembles.
template <class MayUse>
std::optional<std::uint32_t> Engine::node_to_hold(const Pool& pool, const Job& job, std::uint32_t devices,
                                                  MayUse&& may_use) const {
  std::vector<std::uint32_t> nodes;
  for (auto node = pool.next_with_at_least(devices, 0); node;
       node = pool.next_with_at_least(devices, *node + 1)) {
    if (!may_use(*node)) continue;
    if (placement_->members == MemberChoice::lowest) return node;
    nodes.push_back(*node);
  }
  if (nodes.empty()) return std::nullopt;
  if (placement_->members == MemberChoice::drawn) return nodes[draw_below(nodes.size(), pool.draws())];
  const auto room = [&](std::uint32_t node) { return std::popcount(pool.free_devices(node)); };
  const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
    if (placement_->members == MemberChoice::roomiest) return room(a) > room(b);
    if (placement_->members == MemberChoice::nearest) {
      const std::size_t to_a = distance(pool, job.parts.list(), a),
                        to_b = distance(pool, job.parts.list(), b);
      if (to_a != to_b) return to_a < to_b;
    }
    return room(a) < room(b);
  };
  return *std::min_element(nodes.begin(), nodes.end(), is_better);
}

/// Takes one more part for a gang that assembles (or begins to); false if nothing free helps it.
bool Engine::hold_next(Job& job) {
  const JobClass& job_class = class_of(job);
  const GangShape shape = allocation_shape(job);
  // A failure may have taken any of the parts away again.
  const auto whole = std::count_if(job.parts.begin(), job.parts.end(),
                                   [&](const Part& part) { return part.count() == shape.per_node; });
  const bool whole_parts = shape.milli == 0 && whole < std::int64_t{shape.nodes};
  const std::uint32_t devices = whole_parts ? shape.per_node : shape.remainder;
  for (const std::uint32_t pool : job_class.pools) {
    if (job.phase == JobPhase::assembling && job.pool.value != pool) continue;
    if (!pools_[pool].could_ever_fit(shape, near(job).needed)) continue;
    const Domains* const domains = pools_[pool].domains(near(job).needed);
    const PackedNodes* const packed = pools_[pool].packed();
    // It stays in the domain in which it has begun, which is one that could hold all of it.
    const auto near_enough = [&](std::uint32_t node) {
      if (domains == nullptr) return true;
      if (!job.parts.empty()) return domains->of(node) == domains->of(job.parts.front().node);
      if (packed != nullptr) return packed->could_ever_hold(shape, *domains, domains->of(node));
      return can_hold(shape, [&](std::uint32_t) { return domains->usable(domains->of(node)); });
    };
    const auto may_use = [&](std::uint32_t node) {
      const auto is_there = [&](const Part& each) { return each.node == node; };
      return near_enough(node) && std::none_of(job.parts.begin(), job.parts.end(), is_there);
    };
    std::optional<Part> part;
    if (packed != nullptr) {
      part = packed->find_member(shape, devices, may_use);
    } else if (shape.milli != 0) {
      part = pools_[pool].find_share(shape.milli);
    } else {
      const auto node = node_to_hold(pools_[pool], job, devices, may_use);
      if (node) part = lowest_devices(pools_[pool], *node, devices);
    }
    if (!part) continue;
    if (job.phase == JobPhase::queued) {
      --shapes_[job.shape_index].queued;
      job.phase = JobPhase::assembling;
      job.phase_leaf = Leaf::scheduling_partial_gang;
      job.pool = PoolId{pool};
      job.charged = job.allocation_from = now_;
      holders_.push_back(job.slot);
      if (scenario_.scheduler.hold_timeout)
        push(now_ + *scenario_.scheduler.hold_timeout, Phase::kLimit, EventKind::hold_timeout, job.slot.value,
             job.attempt_generation);
    }
    charge_held(job, now_);
    record_allocation(job, "member taken");
    take_part(job, *part, DeviceState::free);
    return true;
  }
  return false;
}

bool Engine::gang_is_complete(const Job& job) const {
  // A job that asks for no devices has all of them before it has its node.
  return job.assigned == allocation_shape(job).capacity() && !job.parts.empty();
}

void Engine::complete_gang(Job& job) {
  record_allocation(job, "gang complete");
  std::erase(holders_, job.slot);
  dequeue(job);
  for (std::uint32_t spare = 0; spare < class_of(job).own_spares; ++spare) {
    const auto last = std::find_if(job.parts.rbegin(), job.parts.rend(),
                                   [&](const Part& part) { return part.count() == job.shape.per_node; });
    job.own_spares.push_back(*last);
    job.gang_capacity -= last->capacity();
    job.parts.erase(std::next(last).base());
  }
  job.allocation_from = now_;
  ++job.attempt_generation;  // no hold timeout any more
  start(job);
}

void Engine::pass_partial_hold() {
  const auto limit = scenario_.scheduler.holders.value_or(std::numeric_limits<std::uint32_t>::max());
  const auto may_hold = [&](const Job& job) {
    return job.phase == JobPhase::assembling || (holders_.size() < limit && quota_allows(job));
  };
  if (!scenario_.scheduler.interleave) {
    for (auto next = queue_.begin(); next != queue_.end();) {
      Job& job = *next++;
      if (!may_hold(job)) continue;
      while (!gang_is_complete(job) && hold_next(job)) {
      }
      if (gang_is_complete(job)) complete_gang(job);
    }
    return;
  }
  for (bool dealt = true; dealt;) {
    dealt = false;
    for (auto next = queue_.begin(); next != queue_.end();) {
      Job& job = *next++;
      if (!may_hold(job) || !hold_next(job)) continue;
      dealt = true;
      if (gang_is_complete(job)) complete_gang(job);
    }
  }
}

void Engine::hold_timeout(Job& job) {
  charge_held(job, now_);
  std::erase(holders_, job.slot);
  dequeue(job);
  release(job, "hold timeout");
  enqueue(job, now_);
}

JobView Engine::view(const Job& job) const {
  const StepTimes& step = *job.step;
  JobView view;
  view.priority = priority_of(job);
  view.capacity = job.shape.capacity();
  if (class_of(job).quota) view.queue_rank = fair_share_.ranks[*class_of(job).quota];
  const bool has_gang =
      job.holds() && job.phase != JobPhase::assembling && job.phase != JobPhase::provisioning;
  view.runs = has_gang;
  view.attained = view.capacity * (job.held + (has_gang ? now_ - job.gang_complete : Duration::zero())) +
                  job.at_other_sizes;
  if (job.steps == std::numeric_limits<std::int64_t>::max()) {
    view.total = view.remaining = Duration::max();
    return view;
  }
  std::int64_t done = job.steps_done, position = job.position;
  if (job.stepping && now_ > job.stretch.start()) {
    const Elapsed elapsed = job.stretch.at(now_);
    done = job.stretch_base + elapsed.steps;
    position = elapsed.position;
  }
  const std::int64_t stepping = step.wait + step.own;
  view.total = Duration::nanoseconds(stepping) * job.steps;
  view.remaining = Duration::nanoseconds(stepping) * (job.steps - done) - Duration::nanoseconds(position);
  return view;
}

void Engine::schedule_jump(Job& job) {
  if (order_->next_jump == nullptr || scenario_.scheduler.preemption == Preemption::none) return;
  const JobView now = view(job);
  if (now.capacity == Capacity::zero()) return;
  if (const auto next = order_->next_jump(now, scenario_.scheduler)) {
    const Int128 left = (*next - now.attained).milli_device_ns();
    const Int128 wait = (left + now.capacity.milli() - 1) / now.capacity.milli();
    push(now_ + Duration::nanoseconds(static_cast<std::int64_t>(wait)), Phase::kLimit, EventKind::jump,
         job.slot.value, job.attempt_generation);
  }
}

}  // namespace fleetsim
