#include <algorithm>

#include "sim/engine/engine.hpp"

namespace fleetsim {
namespace {

/// Whether the job's gang and its own spares are these parts, in any order.
bool holds_exactly(const Job& job, Placement parts) {
  Placement held = job.parts;
  held.append(job.own_spares.begin(), job.own_spares.end());
  const auto by_device = [](const Part& a, const Part& b) {
    return std::pair{a.node, a.devices} < std::pair{b.node, b.devices};
  };
  std::sort(held.begin(), held.end(), by_device);
  std::sort(parts.begin(), parts.end(), by_device);
  return held == parts;
}

}  // namespace

/// Whether some of what it holds will not be free when it is given back.
bool Engine::holds_withdrawn(const Job& job) const {
  const Pool& pool = pools_[job.pool.value];
  const auto withdrawn = [&](const Part& part) { return pool.is_withdrawn(part.node); };
  return std::any_of(job.parts.begin(), job.parts.end(), withdrawn) ||
         std::any_of(job.own_spares.begin(), job.own_spares.end(), withdrawn);
}

void Engine::free_up(Pool& pool, const Job& job) {
  for (const Placement* parts : {&job.parts, &job.own_spares})
    pool.give_back(*parts, job.slot, DeviceState::free);
}

/// The pool as it will be when those on their way out have left.
Pool Engine::soon_free(PoolId id) const {
  Pool pool = pools_[id.value];
  for (const JobId each : running_) {
    const Job& job = *jobs_[each.value];
    if (job.pool == id && job.phase == JobPhase::saving) free_up(pool, job);
  }
  for (std::uint32_t node = 0; node < pool.nodes(); ++node) {
    const DeviceMask leaving = pool.devices_in(DeviceState::transition, node);
    if (leaving != 0) pool.move(node, leaving, DeviceState::transition, DeviceState::free);
  }
  return pool;
}

void Engine::pass_remade() {
  // Every placement is made anew, in order, from what the jobs that can be stopped would leave free.
  std::vector<Pool> empty;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) empty.push_back(soon_free(PoolId{pool}));
  Quotas quotas = quotas_;  // as if whoever can be stopped held nothing
  std::vector<Job*> candidates;
  for (const JobId id : running_) {
    Job& each = job(id);
    if (each.phase != JobPhase::running || holds_withdrawn(each)) continue;
    each.key = key_of(each);
    candidates.push_back(&each);
    free_up(empty[each.pool.value], each);
    if (class_of(each).quota) quotas.give_back(*class_of(each).quota, each.assigned);
  }
  for (Job& each : queue_) candidates.push_back(&each);
  std::sort(candidates.begin(), candidates.end(),
            [](const Job* a, const Job* b) { return QueueOrder{}(*a, *b); });

  struct Choice {
    Job* job;
    PoolId pool;
    Placement parts;
  };
  std::vector<Choice> chosen;
  std::vector<Job*> stopped, moved;
  bool blocked = false;
  for (Job* const each : candidates) {
    const JobClass& job_class = class_of(*each);
    const GangShape shape = allocation_shape(*each);
    Placement parts;
    std::optional<std::uint32_t> pool;
    const bool allowed = !job_class.quota || quotas.allows(*job_class.quota, shape.capacity());
    for (std::size_t index = 0; allowed && !blocked && !pool && index < job_class.pools.size(); ++index) {
      const std::uint32_t choice = job_class.pools[index];
      if (find_place(empty[choice], *each, parts)) pool = choice;
    }
    const bool runs = each->phase == JobPhase::running;
    if (!pool) {
      if (runs) stopped.push_back(each);
      blocked = blocked || scenario_.scheduler.strict;
      continue;
    }
    for (const Part& part : parts) empty[*pool].take(part, each->slot);
    if (job_class.quota) quotas.hold(*job_class.quota, shape.capacity());
    if (runs && each->pool.value == *pool && holds_exactly(*each, parts)) continue;
    if (runs) moved.push_back(each);
    chosen.push_back({each, PoolId{*pool}, std::move(parts)});
  }
  for (Job* const each : stopped) evict(*each, scenario_.scheduler.eviction);
  for (Job* const each : moved) evict(*each, move_);
  for (Choice& choice : chosen) {
    // Whoever is still saving, or away, or has to wait for what is being vacated, comes in a later pass.
    const Pool& pool = pools_[choice.pool.value];
    const auto is_free = [&](const Part& part) { return pool.is_free(part); };
    if (choice.job->phase != JobPhase::queued) continue;
    if (!std::all_of(choice.parts.begin(), choice.parts.end(), is_free)) continue;
    dequeue(*choice.job);
    assign(*choice.job, choice.pool, choice.parts);
    start(*choice.job);
  }
  // Whom this pass stopped has had its turn in it.
  pass_wanted_ = false;
  fill_waiting();
}

/// Keeps the list of those who run, and what each priority holds.
void Engine::can_be_stopped(Job& job, bool can) {
  Capacity& held = preemptible_[job.pool.value][priority_of(job)];
  if (can) {
    job.cascade = 0;
    job.running_index = static_cast<std::uint32_t>(running_.size());
    running_.push_back(job.slot);
    job.preemptible = class_of(job).preemptible ? job.assigned : Capacity::zero();
    held += job.preemptible;
    const Duration min_runtime = scenario_.scheduler.min_runtime;
    if (min_runtime > Duration::zero()) push(now_ + min_runtime, Phase::kLimit, EventKind::look_again, 0);
    return;
  }
  if (job.running_index >= running_.size() || running_[job.running_index] != job.slot) return;
  held -= job.preemptible;
  this->job(running_.back()).running_index = job.running_index;
  running_[job.running_index] = running_.back();
  running_.pop_back();
}

bool Engine::within(const std::optional<EvictionBudget>& budget, const std::vector<SimTime>& spent) const {
  return !budget || left_of(*budget, spent) > 0;
}

/// How many evictions a budget still allows: those of less than an interval ago are spent.
std::int64_t Engine::left_of(const EvictionBudget& budget, const std::vector<SimTime>& spent) const {
  const auto recent =
      std::count_if(spent.begin(), spent.end(), [&](SimTime at) { return at + budget.per > now_; });
  return std::max<std::int64_t>(0, budget.evictions - recent);
}

/// `given`: what the victim's queue is to give back already.
bool Engine::may_stop(const Job& victim, const Job& beneficiary, Capacity given) const {
  const SchedulerSpec& scheduler = scenario_.scheduler;
  if (victim.phase != JobPhase::running && victim.phase != JobPhase::reserved) return false;
  if (!class_of(victim).preemptible || now_ - victim.gang_complete < scheduler.min_runtime) return false;
  if (!within(scheduler.job_budget, victim.preempted_at)) return false;
  const auto owner = class_of(beneficiary).quota, borrower = class_of(victim).quota;
  if (scheduler.reclaim && owner && borrower &&
      quotas_.may_reclaim(*owner, allocation_shape(beneficiary).capacity(), *borrower, given))
    return true;
  switch (scheduler.preempt_by) {
    case PreemptBy::order:
      return victim.key > beneficiary.key;
    case PreemptBy::priority:
      return priority_of(victim) < priority_of(beneficiary);
    case PreemptBy::nobody:
      break;
  }
  return false;
}

Int128 Engine::victim_key(const Job& job) const {
  if (victims_->key == nullptr) return 0;
  VictimView view{.priority = priority_of(job),
                  .running_since = job.gang_complete,
                  .capacity = job.assigned,
                  .uncommitted = {},
                  .left_in_pieces = {}};
  if (job.stepping && now_ > job.stretch.start())
    view.uncommitted = job.gang_capacity * (now_ - std::min(covered(job, now_), now_));
  const Pool& pool = pools_[job.pool.value];
  for (const Part& part : job.parts) {
    const std::uint32_t free =
        part.count() + static_cast<std::uint32_t>(std::popcount(pool.free_devices(part.node)));
    if (free < pool.devices_per_node()) view.left_in_pieces += Capacity::devices(free);
  }
  return victims_->key(view);
}

/// What will be free in the pool when those on their way out have left.
void Engine::forecast_leavers(std::uint32_t pool) {
  Forecast& forecast = forecasts_[pool];
  forecast.reset(pools_[pool]);
  for (const OutPart& part : teardowns_)
    if (part.pool.value == pool && part.until > now_)
      forecast.give_back({Part{.node = part.node, .devices = part.devices}});
  for (const JobId id : running_) {
    const Job& job = *jobs_[id.value];
    if (job.pool.value != pool || job.phase != JobPhase::saving) continue;
    forecast.give_back(staying(pool, job.parts));
    forecast.give_back(staying(pool, job.own_spares));
  }
}

/// Those parts that will be free when they are given back: not on nodes that are withdrawn.
Placement Engine::staying(std::uint32_t pool, const Placement& parts) const {
  Placement stay;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(stay),
               [&](const Part& part) { return !pools_[pool].is_withdrawn(part.node); });
  return stay;
}

/// Whether stopping everybody of lower priority could be enough; spares the search where it is hopeless.
bool Engine::room_is_thinkable(std::uint32_t pool, const Job& job) const {
  if (scenario_.scheduler.preempt_by != PreemptBy::priority || scenario_.scheduler.reclaim) return true;
  Capacity room = pools_[pool].in_state(DeviceState::free) + pools_[pool].in_state(DeviceState::transition);
  for (const auto& [priority, capacity] : preemptible_[pool])
    if (priority < priority_of(job)) room += capacity;
  return room >= allocation_shape(job).capacity();
}

/// Stops as few running jobs as make room for `job`, the first by the policy; nobody if even all of them
/// would not, or if it would take more than the budget allows.
Engine::Room Engine::make_room(Job& job) {
  const JobClass& job_class = class_of(job);
  const GangShape& shape = allocation_shape(job);
  const SchedulerSpec& scheduler = scenario_.scheduler;
  for (const std::uint32_t pool : job_class.pools) {
    if (reservations_[pool].head != nullptr) continue;
    if (some_shrink_ && shrink_for(job, pool)) return {.pool = pool, .stopped = true};
    if (!room_is_thinkable(pool, job)) continue;
    forecast_leavers(pool);
    Forecast& forecast = forecasts_[pool];
    const auto fits = [&] { return forecast.fits(shape, near(job).needed); };
    if (fits()) return {.pool = pool, .stopped = false};  // room is being made already
    std::vector<Victim> victims;
    for (const JobId id : running_) {
      Job& each = this->job(id);
      if (each.pool.value == pool && may_stop(each, job, Capacity::zero()))
        victims.push_back({&each, victim_key(each)});
    }
    const bool by_priority = scheduler.preempt_by == PreemptBy::priority;
    std::sort(victims.begin(), victims.end(), [&](const Victim& a, const Victim& b) {
      if (by_priority && priority_of(*a.job) != priority_of(*b.job))
        return priority_of(*a.job) < priority_of(*b.job);
      return a.key != b.key ? a.key < b.key : QueueOrder{}(*b.job, *a.job);
    });
    const auto change = [&](const Victim& victim, void (Forecast::*how)(const Placement&)) {
      for (const Placement* parts : {&victim.job->parts, &victim.job->own_spares})
        (forecast.*how)(staying(pool, *parts));
    };
    const auto stop = [&](const Victim& victim) { change(victim, &Forecast::give_back); };
    const auto spare = [&](const Victim& victim) { change(victim, &Forecast::take); };
    std::vector<Victim> others;
    std::vector<Capacity> given(scheduler.quotas.size());
    std::size_t count = 0;
    for (std::size_t index = 0; index < victims.size(); ++index) {
      Capacity* const of_queue =
          class_of(*victims[index].job).quota ? &given[*class_of(*victims[index].job).quota] : nullptr;
      const bool needed = !fits() && (of_queue == nullptr || may_stop(*victims[index].job, job, *of_queue));
      if (!needed) {
        others.push_back(victims[index]);
        continue;
      }
      if (of_queue != nullptr) *of_queue += victims[index].job->assigned;
      stop(victims[index]);
      victims[count++] = victims[index];
    }
    if (!fits()) continue;
    victims.resize(count);
    // Whoever is not needed after all is spared, the last chosen first.
    for (std::size_t index = victims.size(); index-- > 0;) {
      spare(victims[index]);
      if (fits()) {
        others.push_back(victims[index]);
        victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(index));
      } else {
        stop(victims[index]);
      }
    }
    if (victims_->fewest) {
      std::sort(others.begin(), others.end(),
                [](const Victim& a, const Victim& b) { return a.job->assigned < b.job->assigned; });
      for (Victim& each : victims) {
        spare(each);
        for (Victim& other : others) {
          const bool smaller = other.job->assigned < each.job->assigned &&
                               (!by_priority || priority_of(*other.job) <= priority_of(*each.job));
          if (!smaller) continue;
          stop(other);
          if (fits()) {
            std::swap(each, other);
            break;
          }
          spare(other);
        }
        if (!fits()) stop(each);
      }
    }
    const auto needed = static_cast<std::int64_t>(victims.size());
    if (scheduler.pool_budget && needed > left_of(*scheduler.pool_budget, pool_preempted_at_[pool])) continue;
    for (const Victim& victim : victims) preempt(*victim.job, job);
    return {.pool = pool, .stopped = true};
  }
  return {};
}

void Engine::preempt(Job& victim, const Job& beneficiary) {
  const SchedulerSpec& scheduler = scenario_.scheduler;
  const auto spend = [&](const std::optional<EvictionBudget>& budget, std::vector<SimTime>& spent) {
    if (!budget) return;
    std::erase_if(spent, [&](SimTime at) { return at + budget->per <= now_; });
    spent.push_back(now_);
    push(now_ + budget->per, Phase::kLimit, EventKind::look_again, 0);
  };
  spend(scheduler.job_budget, victim.preempted_at);
  spend(scheduler.pool_budget, pool_preempted_at_[victim.pool.value]);
  if (watched_ == victim.slot) gave_way_to_ = name_of(beneficiary);
  ++victim.preemptions;
  victim.cascade = beneficiary.cascade + 1;
  PreemptionRow row{.at = now_,
                    .victim = victim.sequence,
                    .beneficiary = beneficiary.sequence,
                    .pool = victim.pool.value,
                    .capacity = victim.assigned,
                    .lost = {},
                    .depth = victim.cascade};
  const ClassId job_class = victim.job_class;
  const PoolId pool = victim.pool;
  const auto charged = [&] {
    return result_.ledger.of(pool, job_class)[static_cast<std::size_t>(Leaf::runtime_preemption)];
  };
  const DeviceTime before = charged();
  evict(victim, scheduler.eviction);
  row.lost = charged() - before;
  if (in_window()) {
    ++result_.preemptions.count;
    result_.preemptions.lost += row.lost;
    result_.preemptions.deepest = std::max(result_.preemptions.deepest, row.depth);
  }
  if (options_.jobs == RunOptions::Jobs::each) result_.preemptions.rows.push_back(row);
}

}  // namespace fleetsim
