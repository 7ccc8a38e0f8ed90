#include <algorithm>
#include <array>

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

std::string_view name_of(StopCause cause) {
  constexpr std::array<std::string_view, kStopCauses> kNames{
      "order", "priority", "reclaim", "idle_reservation", "moved", "shrink", "drain", "swap", "outside"};
  return kNames[static_cast<std::size_t>(cause)];
}

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
  for (const OutPart& part : faults_.teardowns)
    if (part.pool == id && part.milli != 0 && part.until > now_ && part.devices != 0)
      pool.end_teardown(part.part());
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
    const bool allowed = !job_class.quota || (quotas.allows(*job_class.quota, shape.capacity()) &&
                                              !queue_blocked_[*job_class.quota]);
    for (std::size_t index = 0; allowed && !blocked && !pool && index < job_class.pools.size(); ++index) {
      const std::uint32_t choice = job_class.pools[index];
      if (find_place(empty[choice], *each, parts)) pool = choice;
    }
    const bool runs = each->phase == JobPhase::running;
    if (!pool) {
      if (runs) stopped.push_back(each);
      if (!allowed && scenario_.scheduler.strict) queue_blocked_[*job_class.quota] = true;
      blocked = blocked || (allowed && scenario_.scheduler.strict);
      continue;
    }
    empty[*pool].take(parts, each->slot);
    if (job_class.quota) quotas.hold(*job_class.quota, shape.capacity());
    if (runs && each->pool.value == *pool && holds_exactly(*each, parts)) continue;
    if (runs) moved.push_back(each);
    chosen.push_back({each, PoolId{*pool}, std::move(parts)});
  }
  const auto stop = [this](Job& job, StopCause cause, const EvictionTerms& terms) {
    const PreemptionRow before = before_stop(job, nullptr, cause);
    evict(job, terms);
    log_stop(before, job);
  };
  for (Job* const each : stopped) stop(*each, StopCause::order, scenario_.scheduler.eviction);
  for (Job* const each : moved) stop(*each, StopCause::moved, move_);
  for (Choice& choice : chosen) {
    // Whoever is still saving, or away, or has to wait for what is being vacated, comes in a later pass.
    const Pool& pool = pools_[choice.pool.value];
    const auto is_free = [&](const Part& part) {
      return pool.is_free(part) &&
             (pool.packed() == nullptr || pool.packed()->can_host(choice.job->slot, part));
    };
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

/// Why the victim may be stopped for the other; nothing if it may not. `given`: what the victim's queue is to
/// give back already.
std::optional<StopCause> Engine::why_stop(const Job& victim, const Job& beneficiary, Capacity given) const {
  const SchedulerSpec& scheduler = scenario_.scheduler;
  if (victim.phase != JobPhase::running && victim.phase != JobPhase::reserved) return std::nullopt;
  if (!class_of(victim).preemptible || now_ - victim.gang_complete < scheduler.min_runtime)
    return std::nullopt;
  if (!within(scheduler.job_budget, victim.preempted_at)) return std::nullopt;
  const auto owner = class_of(beneficiary).quota, borrower = class_of(victim).quota;
  if (scheduler.reclaim && owner && borrower &&
      quotas_.may_reclaim(*owner, allocation_shape(beneficiary).capacity(), *borrower, given))
    return StopCause::reclaim;
  // Whoever borrows takes nothing from a queue that has no more than it is guaranteed: that would have it
  // back.
  const bool borrows =
      owner && borrower && !quotas_.is_guaranteed(*owner, allocation_shape(beneficiary).capacity());
  if (scheduler.reclaim && borrows && *owner != *borrower &&
      quotas_.is_guaranteed(*borrower, Capacity::zero()))
    return std::nullopt;
  if (scheduler.preempt_by == PreemptBy::order && victim.key > beneficiary.key) return StopCause::order;
  if (scheduler.preempt_by == PreemptBy::priority && priority_of(victim) < priority_of(beneficiary))
    return StopCause::priority;
  return std::nullopt;
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
    if (free < static_cast<std::uint32_t>(std::popcount(pool.installed(part.node))))
      view.left_in_pieces += Capacity::devices(free);
  }
  return victims_->key(view);
}

/// What will be free in the pool when those on their way out have left.
void Engine::forecast_leavers(std::uint32_t pool) {
  Forecast& forecast = forecasts_[pool];
  forecast.reset(pools_[pool]);
  for (const OutPart& part : faults_.teardowns)
    if (part.pool.value == pool && part.until > now_) forecast.give_back(part.part());
  for (const JobId id : running_) {
    const Job& job = *jobs_[id.value];
    if (job.pool.value != pool || job.phase != JobPhase::saving) continue;
    forecast.give_back(staying(pool, job.parts), id);
    forecast.give_back(staying(pool, job.own_spares), id);
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

/// What is free in a pool when those on their way out, and the victims, have left.
class Engine::RoomInPool final : public RoomToMake {
 public:
  RoomInPool(Engine& engine, const Job& beneficiary, std::uint32_t pool)
      : engine_{engine},
        beneficiary_{beneficiary},
        pool_{pool},
        given_(engine.scenario_.scheduler.quotas.size()) {
    engine.forecast_leavers(pool);
    if (!engine.quota_allows(beneficiary)) quotas_.emplace(engine.quotas_without_leavers());
  }
  bool is_enough() override {
    const GangShape& shape = engine_.allocation_shape(beneficiary_);
    if (quotas_ && !quotas_->allows(*engine_.class_of(beneficiary_).quota, shape.capacity())) return false;
    return engine_.forecasts_[pool_].fits(shape, engine_.near(beneficiary_).needed);
  }
  bool may_stop(const VictimCandidate& candidate) const override {
    const Job& victim = victim_of(candidate);
    const auto quota = engine_.class_of(victim).quota;
    return !quota || engine_.why_stop(victim, beneficiary_, given_[*quota]).has_value();
  }
  void stop(const VictimCandidate& candidate) override {
    change(victim_of(candidate), &Forecast::give_back);
    const auto quota = engine_.class_of(victim_of(candidate)).quota;
    if (quota) given_[*quota] += candidate.capacity;
    if (quota && quotas_) {
      quotas_->give_back(*quota, candidate.capacity);
      quotas_->wait(*quota, 1);  // it will want it again
    }
  }
  void spare(const VictimCandidate& candidate) override {
    change(victim_of(candidate), &Forecast::take);
    const auto quota = engine_.class_of(victim_of(candidate)).quota;
    if (quota) given_[*quota] -= candidate.capacity;
    if (quota && quotas_) {
      quotas_->hold(*quota, candidate.capacity);
      quotas_->wait(*quota, -1);
    }
  }

 private:
  const Job& victim_of(const VictimCandidate& candidate) const { return *engine_.jobs_[candidate.job]; }
  void change(const Job& victim, void (Forecast::*how)(const Placement&, JobId)) {
    for (const Placement* parts : {&victim.parts, &victim.own_spares})
      (engine_.forecasts_[pool_].*how)(engine_.staying(pool_, *parts), victim.slot);
  }

  Engine& engine_;
  const Job& beneficiary_;
  std::uint32_t pool_;
  std::vector<Capacity> given_;   ///< by quota: what its victims hold
  std::optional<Quotas> quotas_;  ///< where the quota of the beneficiary forbids it to start now
};

/// As they will be when those on their way out have left.
Quotas Engine::quotas_without_leavers() const {
  Quotas quotas = quotas_;
  for (const JobId id : running_) {
    const Job& each = *jobs_[id.value];
    if (each.phase == JobPhase::saving && class_of(each).quota)
      quotas.give_back(*class_of(each).quota, each.assigned);
  }
  return quotas;
}

/// Those in the pool that the job may stop, in the order in which they would be.
std::vector<VictimCandidate> Engine::candidates(std::uint32_t pool, const Job& beneficiary) {
  const bool by_priority = scenario_.scheduler.preempt_by == PreemptBy::priority;
  std::vector<VictimCandidate> candidates;
  for (const JobId id : running_) {
    Job& each = job(id);
    if (each.pool.value != pool || !why_stop(each, beneficiary, Capacity::zero())) continue;
    if (by_priority) each.key = key_of(each);
    candidates.push_back({.job = id.value,
                          .key = victim_key(each),
                          .priority = by_priority ? priority_of(each) : 0,
                          .capacity = each.assigned});
  }
  std::sort(candidates.begin(), candidates.end(), [&](const VictimCandidate& a, const VictimCandidate& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    return a.key != b.key ? a.key < b.key : QueueOrder{}(job(b.job), job(a.job));
  });
  return candidates;
}

/// Stops as few running jobs as make room for `job` in the pool, the first by the policy; nobody if even all
/// of them would not, or if it would take more than the budget allows.
bool Engine::stop_for(const Job& job, std::uint32_t pool) {
  RoomInPool room{*this, job, pool};
  const std::vector<VictimCandidate> victims = choose_victims(candidates(pool, job), *victims_, room);
  const auto& budget = scenario_.scheduler.pool_budget;
  if (budget && std::ssize(victims) > left_of(*budget, pool_preempted_at_[pool])) return false;
  std::vector<StopCause> causes;
  for (const VictimCandidate& victim : victims) {
    const bool is_idle = this->job(victim.job).phase == JobPhase::reserved;
    const auto why = why_stop(this->job(victim.job), job, Capacity::zero());
    causes.push_back(is_idle ? StopCause::idle_reservation : why.value_or(StopCause::reclaim));
  }
  for (std::size_t index = 0; index < victims.size(); ++index)
    preempt(this->job(victims[index].job), job, causes[index]);
  return !victims.empty();
}

/// Where there will be room for the job in a pool that is not reserved, if need be when others have been
/// stopped for it.
Room Engine::make_room(Job& job) {
  for (const std::uint32_t pool : class_of(job).pools) {
    if (reservations_[pool].head != nullptr) continue;
    if (some_shrink_ && quota_allows(job) && shrink_for(job, pool)) return {.pool = pool, .stopped = true};
    if (!room_is_thinkable(pool, job)) continue;
    const bool is_being_made = RoomInPool{*this, job, pool}.is_enough();
    if (is_being_made || stop_for(job, pool)) return {.pool = pool, .stopped = !is_being_made};
  }
  return {};
}

/// Whether one for whom room is being made comes before another: it could stop it if that one ran. Otherwise
/// whoever was stopped, and stood first in the order, would take the room, only to be stopped again.
bool Engine::goes_before(const Job& promised, const Job& other) const {
  const SchedulerSpec& scheduler = scenario_.scheduler;
  if (scheduler.preempt_by == PreemptBy::priority && priority_of(other) < priority_of(promised)) return true;
  const auto owner = class_of(promised).quota, borrower = class_of(other).quota;
  return scheduler.reclaim && owner && borrower &&
         quotas_.may_reclaim(*owner, allocation_shape(promised).capacity(), *borrower,
                             Capacity::zero() - allocation_shape(other).capacity());
}

/// Starts those for whom room is being made and who come before the other, or keeps their room.
void Engine::keep_promises_before(const Job& other, QueueLook& look) {
  for (std::size_t index = 0; index < promised_.size();) {
    Job& job = this->job(promised_[index]);
    const bool is_next = &job != &other && job.promise_kept != pass_number_ && goes_before(job, other);
    if (is_next) keep_promise(job, look);
    if (index < promised_.size() && promised_[index] == job.slot) ++index;
  }
}

void Engine::keep_promise(Job& job, QueueLook& look) {
  job.promise_kept = pass_number_;
  const std::uint32_t pool = *job.room_in;
  if (reservations_[pool].head != nullptr) return;
  const bool by_plan = scenario_.scheduler.backfill == Backfill::conservative, allowed = may_look(job);
  if (!by_plan && allowed && backfill_in(job, pool) == Backfilled::started) {
    --look.ahead;
    return note_start(look);
  }
  reserve_room(job, pool);
  if (RoomInPool{*this, job, pool}.is_enough()) {
    if (by_plan && allowed && plan_promised(job, pool)) reservations_[pool].head = nullptr;
    return;
  }
  // What was to become free is out of service.
  reservations_[pool].head = nullptr;
  forget_room(job);
}

void Engine::forget_room(Job& job) {
  if (!job.room_in) return;
  job.room_in.reset();
  std::erase(promised_, job.slot);
}

void Engine::preempt(Job& victim, const Job& beneficiary, StopCause cause) {
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
  const PreemptionRow before = before_stop(victim, &beneficiary, cause);
  evict(victim, scheduler.eviction);
  log_stop(before, victim);
}

/// What of a class has been discarded, or was paused for, since it was stopped.
DeviceTime Engine::lost_to_stops(PoolId pool, ClassId job_class) const {
  const LeafTotals& leaves = result_.ledger.of(pool, job_class);
  return leaves[static_cast<std::size_t>(Leaf::runtime_preemption)] +
         leaves[static_cast<std::size_t>(Leaf::runtime_reconfiguration)];
}

PreemptionRow Engine::before_stop(const Job& victim, const Job* beneficiary, StopCause cause) const {
  PreemptionRow row{.at = now_,
                    .cause = cause,
                    .extent = StopExtent::all,
                    .victim = victim.sequence,
                    .beneficiary = {},
                    .pool = victim.pool.value,
                    .capacity = victim.assigned,
                    .lost = DeviceTime{} - lost_to_stops(victim.pool, victim.job_class),
                    .depth = beneficiary != nullptr ? beneficiary->cascade + 1 : 1};
  if (beneficiary != nullptr) row.beneficiary = beneficiary->sequence;
  return row;
}

/// Notes that the job has been stopped, or something taken from it.
void Engine::log_stop(PreemptionRow row, const Job& victim) {
  row.lost += lost_to_stops(PoolId{row.pool}, victim.job_class);
  Preemptions& log = result_.preemptions;
  if (in_window()) ++log.by_cause[static_cast<std::size_t>(row.cause)];
  if (in_window() && row.is_preemption()) {
    ++log.count;
    log.lost += row.lost;
    log.deepest = std::max(log.deepest, row.depth);
  }
  if (options_.jobs == RunOptions::Jobs::each) log.rows.push_back(row);
}

}  // namespace fleetsim
