#include <algorithm>

#include "sim/engine/engine.hpp"
#include "sim/engine/releases.hpp"

namespace fleetsim {

// Conservative backfill (Feitelson and Weil, IPPS 1998): everybody is given a start, in the order of the
// queue, the earliest that moves nobody's before. Where jobs may be stopped, or asked to shrink, it is done
// for the first in the order that cannot start at once in a pool, as under EASY; from then on everybody has a
// start there that is not moved. After a stop all plans are made anew. Whoever room is being made for comes
// before those that it goes before.

void Engine::pass_conservative() {
  if (as_planned()) {
    start_as_planned();
  } else {
    if (preempts() && scenario_.scheduler.preempt_by == PreemptBy::order) rank_running();
    while (!plan_anew()) count_pass();
  }
  remember_what_was_looked_at();
}

bool Engine::some_make_room() const { return preempts() || some_shrink_; }

/// Whether all that has happened since the last pass was foreseen: jobs ended when expected, and newcomers
/// stand behind everybody.
bool Engine::as_planned() const {
  if (plans_.empty() || !whole_nodes_ || some_take_no_time_ || looked_at_ != free_version()) return false;
  if (scenario_.scheduler.backfill_depth || !scenario_.scheduler.quotas.empty() || some_make_room())
    return false;
  if (!releases_.empty() && releases_.begin()->expected_end <= now_) return false;
  auto last = queue_.rbegin();
  for (std::size_t index = newcomers_.size(); index-- > 0; ++last)
    if (last == queue_.rend() || last->planned_start != SimTime::never() || !last->is_newcomer) return false;
  return true;
}

void Engine::start_as_planned() {
  for (Plan& plan : plans_) plan.advance(now_);
  for (auto next = queue_.begin(); next != queue_.end();) {
    Job& job = *next++;
    if (job.is_newcomer) {
      plan(job);
    } else if (job.planned_start == now_) {
      scratch_.clear();
      find_place(pools_[job.pool.value], job, scratch_);
      dequeue(job);
      assign(job, job.pool, scratch_);
      start(job);
    }
  }
}

void Engine::reset_plans() {
  some_take_no_time_ = false;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    const Plan::Grain grain = pools_[pool].packed() != nullptr ? Plan::Grain::cards
                              : whole_nodes_                   ? Plan::Grain::whole_nodes
                                                               : Plan::Grain::devices;
    if (pool == plans_.size()) {
      plans_.emplace_back(pools_[pool], grain, placement_->members);
    } else if (plans_[pool].grain() != grain) {
      plans_[pool] = Plan{pools_[pool], grain, placement_->members};
    }
    Plan& plan = plans_[pool];
    plan.reset(pools_[pool], now_);
    for_each_release(pool, [&](SimTime at, const Placement& parts, std::optional<JobId> by) {
      by ? plan.give_back(parts, *by, at) : plan.serve_again(parts.front(), at);
      return true;
    });
  }
}

/// Plans everybody's start; false if somebody was stopped for one of them.
bool Engine::plan_anew() {
  reset_plans();
  ++pass_number_;
  for (Reservation& reservation : reservations_) reservation.head = nullptr;
  QueueLook look;
  for (auto next = queue_.begin(); next != queue_.end();) {
    if (!promised_.empty()) keep_promises_before(*next, look);
    Job& job = *next++;
    if (look.depth && (*look.depth)-- == 0) return true;
    if (has_room_kept(job) || stands_behind_its_queue(job)) continue;
    const bool allowed = may_look(job);
    const Looked looked = allowed ? plan_or_make_room(job) : look_past_quota(job);
    if (looked == Looked::others_stopped) return false;
    if (!allowed) continue;
    if (looked == Looked::stays && !look.depth) look.depth = scenario_.scheduler.backfill_depth;
  }
  return true;
}

/// Who cannot start at once, and is the first in a pool, may have others stopped.
Engine::Looked Engine::plan_or_make_room(Job& job) {
  if (!some_make_room()) return plan(job) ? Looked::started : Looked::stays;
  Plan::Slot best = choose_start(job, class_of(job).pools);
  if (!best.at_once && !all_reserved(job)) {
    if (others_make_room(job)) return Looked::others_stopped;
    if (job.room_in) best = choose_start(job, std::span{&*job.room_in, 1});
  }
  if (start_or_plan(job, best)) return Looked::started;
  Reservation& reservation = reservations_[job.pool.value];
  if (reservation.head == nullptr) reservation = {.head = &job, .start = best.start};
  return Looked::stays;
}

/// Starts one for whom room is being made, or plans its start where it is; false if there will be none.
bool Engine::plan_promised(Job& job, std::uint32_t pool) {
  const Plan::Slot slot = choose_start(job, std::span{&pool, 1});
  return slot.start != SimTime::never() && start_or_plan(job, slot);
}

/// The earliest start in a pool, near together if that is no later; `places_` gets its nodes.
std::optional<Plan::Slot> Engine::earliest_start(std::uint32_t pool, const Job& job) {
  const GangShape& shape = allocation_shape(job);
  const Duration hold = job.estimate + scenario_.pools[pool].teardown;
  const auto& [needed, wished] = near(job);
  Plan& plan = plans_[pool];
  auto slot = plan.earliest(shape, needed, hold, now_, places_);
  const auto take_other = [&](TopologyLevel level, SimTime from, auto&& is_better) {
    const auto other = plan.earliest(shape, level, hold, from, other_places_);
    if (!other || !is_better(*other)) return;
    slot = other;
    places_.swap(other_places_);
  };
  if (slot && wished != needed)
    take_other(wished, now_, [&](const Plan::Slot& nearer) {
      return nearer.start == slot->start && nearer.at_once == slot->at_once;
    });
  if (job.near_until != SimTime::never())
    take_other(TopologyLevel::pool, job.near_until,
               [&](const Plan::Slot& later) { return !slot || later.start < slot->start; });
  return slot;
}

/// The earliest start among these pools, `chosen_places_` are its nodes.
Plan::Slot Engine::choose_start(Job& job, std::span<const std::uint32_t> pools) {
  Plan::Slot best;
  chosen_places_.clear();
  for (const std::uint32_t pool : pools) {
    const auto slot = earliest_start(pool, job);
    const bool earlier = slot && (slot->start < best.start || (slot->start == best.start && slot->at_once));
    if (!earlier || best.at_once) continue;
    best = *slot;
    job.pool = PoolId{pool};
    chosen_places_.swap(places_);
  }
  return best;
}

/// Plans the job's start, the earliest among its pools, and starts it if that is now.
bool Engine::plan(Job& job) { return start_or_plan(job, choose_start(job, class_of(job).pools)); }

bool Engine::start_or_plan(Job& job, const Plan::Slot& slot) {
  job.is_newcomer = false;
  job.planned_start = slot.start;
  if (slot.start == SimTime::never()) return false;
  Plan& plan = plans_[job.pool.value];
  const Duration hold = job.estimate + scenario_.pools[job.pool.value].teardown;
  plan.take(allocation_shape(job), chosen_places_, slot, hold);
  some_take_no_time_ = some_take_no_time_ || (!slot.at_once && hold == Duration::zero());
  // Room that is being made is kept for whom it is made, however soon others would leave.
  if (job.room_in) plan.keep(allocation_shape(job), chosen_places_, slot);
  if (!slot.at_once) return false;
  const Pool& pool = pools_[job.pool.value];
  scratch_.clear();
  if (plan.grain() == Plan::Grain::whole_nodes) {
    find_place(pool, job, scratch_);
  } else if (plan.grain() == Plan::Grain::cards) {
    scratch_.swap(chosen_places_);
  } else {
    for (const Part& each : chosen_places_) scratch_.push_back(lowest_devices(pool, each.node, each.count()));
  }
  dequeue(job);
  assign(job, job.pool, scratch_);
  start(job);
  return true;
}

}  // namespace fleetsim
