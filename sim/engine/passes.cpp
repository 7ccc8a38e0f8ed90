#include <algorithm>

#include "sim/engine/engine.hpp"

namespace fleetsim {
namespace {

/// Whether the job's gang and its own spares are these parts, in any order.
bool holds_exactly(const Job& job, Placement parts) {
  Placement held = job.parts;
  held.insert(held.end(), job.own_spares.begin(), job.own_spares.end());
  const auto by_device = [](const Part& a, const Part& b) {
    return std::pair{a.node, a.devices} < std::pair{b.node, b.devices};
  };
  std::sort(held.begin(), held.end(), by_device);
  std::sort(parts.begin(), parts.end(), by_device);
  return held == parts;
}

}  // namespace

void Engine::pass() {
  if (!waiting_.empty()) fill_waiting();
  if (queue_.empty()) return;
  if (scenario_.scheduler.admission == Admission::partial_hold) return pass_partial_hold();
  switch (scenario_.scheduler.preemption) {
    case Preemption::none:
      switch (scenario_.scheduler.backfill) {
        case Backfill::none:
          return pass_atomic();
        case Backfill::easy:
          return pass_easy();
        case Backfill::conservative:
          return pass_conservative();
      }
      return;
    case Preemption::kept:
      return pass_kept();
    case Preemption::remade:
      return pass_remade();
  }
}

bool Engine::quota_allows(const Job& job) const {
  const auto quota = class_of(job).quota;
  return !quota || quota_used_[*quota] + allocation_shape(job).capacity() <=
                       scenario_.scheduler.quotas[*quota].capacity;
}

/// Gives `parts` to the job: the gang's whole nodes, its own spares, and its remainder, in this order. The job
/// takes the list itself, and leaves an empty one.
void Engine::assign(Job& job, PoolId pool, Placement& parts) {
  job.pool = pool;
  touch(pool);
  pools_[pool.value].take(parts, job.slot);
  job.gang_capacity = job.shape.capacity();
  job.assigned = allocation_shape(job).capacity();
  if (class_of(job).own_spares == 0) {
    job.parts.swap(parts);
  } else {
    const auto first_spare = parts.begin() + std::min<std::ptrdiff_t>(std::ssize(parts), job.shape.nodes);
    const auto last_spare = first_spare + class_of(job).own_spares;
    job.parts.assign(parts.begin(), first_spare);
    job.own_spares.assign(first_spare, last_spare);
    job.parts.insert(job.parts.end(), last_spare, parts.end());
  }
  if (class_of(job).quota) quota_used_[*class_of(job).quota] += job.assigned;
  job.charged = job.allocation_from = now_;
}

bool Engine::try_start(Job& job) {
  if (!quota_allows(job)) return false;
  const JobClass& job_class = class_of(job);
  const GangShape shape = allocation_shape(job);
  for (const std::uint32_t pool : job_class.pools) {
    if (blocked_[pool]) continue;
    scratch_.clear();
    if (!place(pools_[pool], shape, job_class.within_rack, placement_->place, scratch_)) continue;
    dequeue(job);
    assign(job, PoolId{pool}, scratch_);
    start(job);
    return true;
  }
  return false;
}

void Engine::pass_atomic() {
  // A job that cannot start blocks the pools that it accepts, where order is strict.
  std::size_t open = pools_.size();
  std::fill(blocked_.begin(), blocked_.end(), false);
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    if (pools_[pool].is_full()) {
      blocked_[pool] = true;
      --open;
    }
  }
  for (auto next = queue_.begin(); next != queue_.end() && open > 0;) {
    Job& head = *next++;
    if (try_start(head)) {
      for (const std::uint32_t pool : class_of(head).pools) {
        if (!blocked_[pool] && pools_[pool].is_full()) {
          blocked_[pool] = true;
          --open;
        }
      }
    } else if (scenario_.scheduler.strict) {
      for (const std::uint32_t pool : class_of(head).pools) {
        if (!blocked_[pool]) --open;
        blocked_[pool] = true;
      }
    }
  }
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
    if (!pools_[pool].could_ever_fit(shape, job_class.within_rack)) continue;
    std::optional<Part> part;
    if (shape.milli != 0) {
      part = pools_[pool].find_share(shape.milli);
    } else {
      for (auto node = pools_[pool].next_with_at_least(devices, 0); node && !part;
           node = pools_[pool].next_with_at_least(devices, *node + 1)) {
        const bool other_rack = job_class.within_rack && !job.parts.empty() &&
                                pools_[pool].rack_of(*node) != pools_[pool].rack_of(job.parts.front().node);
        const bool already = std::any_of(job.parts.begin(), job.parts.end(),
                                         [&](const Part& each) { return each.node == *node; });
        if (!other_rack && !already) part = lowest_devices(pools_[pool], *node, devices);
      }
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
  return job.assigned == allocation_shape(job).capacity();
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
  const StepTimes& step = step_times_[job.job_class.value];
  JobView view;
  view.priority = job.listed != nullptr ? job.listed->priority : class_of(job).priority;
  view.capacity = job.shape.capacity();
  const bool has_gang = job.holds() && job.phase != JobPhase::assembling;
  view.attained = view.capacity * (job.held + (has_gang ? now_ - job.gang_complete : Duration::zero()));
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
  std::vector<Capacity> quota_left;
  for (std::size_t quota = 0; quota < quota_used_.size(); ++quota)
    quota_left.push_back(scenario_.scheduler.quotas[quota].capacity - quota_used_[quota]);
  std::vector<Job*> candidates;
  for (const JobId id : running_) {
    Job& each = job(id);
    if (each.phase != JobPhase::running) continue;
    each.key = key_of(each);
    candidates.push_back(&each);
    free_up(empty[each.pool.value], each);
    if (class_of(each).quota) quota_left[*class_of(each).quota] += each.assigned;
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
    const bool allowed = !job_class.quota || shape.capacity() <= quota_left[*job_class.quota];
    for (std::size_t index = 0; allowed && !blocked && !pool && index < job_class.pools.size(); ++index) {
      const std::uint32_t choice = job_class.pools[index];
      if (place(empty[choice], shape, job_class.within_rack, placement_->place, parts)) pool = choice;
    }
    const bool runs = each->phase == JobPhase::running;
    if (!pool) {
      if (runs) stopped.push_back(each);
      blocked = blocked || scenario_.scheduler.strict;
      continue;
    }
    for (const Part& part : parts) empty[*pool].take(part, each->slot);
    if (job_class.quota) quota_left[*job_class.quota] -= shape.capacity();
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

/// Stops as few of the worst running jobs as make room for `job`; nobody if even all of them would not.
/// The pool in which there is room now, or will be.
std::optional<std::uint32_t> Engine::preempt_for(Job& job) {
  const JobClass& job_class = class_of(job);
  const GangShape shape = allocation_shape(job);
  for (const std::uint32_t pool : job_class.pools) {
    if (blocked_[pool]) continue;
    std::vector<Job*> victims;
    for (const JobId id : running_) {
      Job& each = this->job(id);
      if (each.phase == JobPhase::running && each.pool.value == pool && each.key > job.key)
        victims.push_back(&each);
    }
    std::sort(victims.begin(), victims.end(),
              [](const Job* a, const Job* b) { return QueueOrder{}(*b, *a); });
    const Pool now = soon_free(PoolId{pool});
    Pool trial = now;
    const auto fits = [&] { return trial.fits(shape, job_class.within_rack); };
    if (fits()) return pool;  // room is being made already
    std::size_t count = 0;
    while (!fits() && count < victims.size()) free_up(trial, *victims[count++]);
    if (!fits()) continue;
    victims.resize(count);
    // Whoever is not needed after all stays, the best first.
    for (std::size_t index = victims.size(); index-- > 0;) {
      trial = now;
      for (std::size_t other = 0; other < victims.size(); ++other)
        if (other != index) free_up(trial, *victims[other]);
      if (fits()) victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(index));
    }
    for (Job* const victim : victims) evict(*victim, scenario_.scheduler.eviction);
    return pool;
  }
  return std::nullopt;
}

void Engine::pass_kept() {
  for (const JobId id : running_) job(id).key = key_of(job(id));
  std::fill(blocked_.begin(), blocked_.end(), false);
  // Whoever is stopped in this pass comes behind the job it was stopped for, and is met again further on.
  for (auto next = queue_.begin(); next != queue_.end();) {
    Job& head = *next;
    bool started = try_start(head);
    if (!started && quota_allows(head)) {
      const auto room = preempt_for(head);
      started = room && try_start(head);
      // Room that is still being made is kept for whom it is made.
      if (room && !started) blocked_[*room] = true;
    }
    if (!started && scenario_.scheduler.strict) return;
    next = started ? queue_.begin() : std::next(next);
  }
}

}  // namespace fleetsim
