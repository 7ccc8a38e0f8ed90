#include <algorithm>
#include <limits>

#include "sim/engine/engine.hpp"

namespace fleetsim {
void Engine::start(Job& job) {
  if (job.is_plain) return start_plain(job);
  const JobClass& job_class = class_of(job);
  if (job_class.service.provision > Duration::zero() && job.phase != JobPhase::provisioning)
    return provision(job);
  ++job.attempt;
  progress_at_event_ = result_.events;
  const Duration wait = now_ - (job.first_start ? job.released : job.submit);
  job.longest_wait = std::max(job.longest_wait, wait);
  if (!job.first_start && !job.standby) begin_life(job);
  if (job.first_start) {
    job.requeue_wait = job.requeue_wait + wait;
  } else {
    job.first_start = now_;
  }
  job.gang_complete = now_;
  job.link_speed = 1.0;
  job.committed = now_;
  job.allocation_from = now_;
  if (backfills()) expect_release(job, now_ + job.estimate);
  if (const auto& limit = limit_of(job); limit && job_class.enforce_limits)
    push(now_ + *limit, Phase::kLimit, EventKind::limit, job.slot.value, job.attempt_generation);
  if (job_class.kind == JobKind::reservation) {
    job.phase = JobPhase::reserved;
    job.phase_leaf = Leaf::runtime_idle_reservation;
    job.charged = now_;
    job.stepping = false;
    if (preempts()) can_be_stopped(job, true);
    ++job.run_generation;
    if (job.steps != std::numeric_limits<std::int64_t>::max())
      push(now_ + Duration::nanoseconds(job.steps), Phase::kCompletion, EventKind::completed, job.slot.value,
           job.run_generation);
    return;
  }
  if (preempts()) can_be_stopped(job, true);
  if (job_class.elastic) elastic_running_.push_back(job.slot);
  if (job.eviction_stream || job_class.evictions.every) run_eviction_clock(job);
  schedule_jump(job);
  launch(job, Duration::zero(), *job.relaunch, job.relaunch_leaf);
}

void Engine::launch(Job& job, Duration extra, const LaunchSpec& phases, Leaf leaf) {
  job.phase = JobPhase::running;
  job.phase_leaf = job.launch_leaf = leaf;
  job.charged = now_;
  const bool compiles = phases.compile > Duration::zero(), builds = compiles && !is_built(job);
  job.phase_until = now_ + (extra + phases.total());
  if (compiles && !builds) job.phase_until = now_ + (extra + phases.total() - phases.compile);
  links_.changed = !links_.graphs.empty();
  job.slow_excess = phases.slow_excess.ns();
  job.pauses_at_new_size = false;
  job.stepping = true;
  job.committed = job.phase_until;
  job.pending_durable = SimTime::never();
  job.stretch_base = job.steps_done;
  begin_stretch(job, phases.slow_steps, Stretch::Start{.at = job.phase_until, .position = job.position});
  if (builds && class_of(job).step.compile && class_of(job).step.compile->is_shared)
    push(job.phase_until + (Duration::zero() - phases.warmup), Phase::kCompletion, EventKind::built,
         job.slot.value, job.run_generation);
}

/// Whether an earlier launch of the class has built what a gang of this size runs.
bool Engine::is_built(const Job& job) const {
  const auto& sizes = built_[job.job_class.value];
  return std::find(sizes.begin(), sizes.end(), job.gang_capacity) != sizes.end();
}

void Engine::built(const Job& job) {
  if (!is_built(job)) built_[job.job_class.value].push_back(job.gang_capacity);
}

void Engine::begin_stretch(Job& job, std::int64_t slow_steps, const Stretch::Start& from) {
  StepTimes step = *job.step;
  const std::int64_t left = job.steps - job.stretch_base;
  const bool slow = slow_steps > 0 && job.slow_excess > 0 && slow_steps < left;
  if (slow_steps > 0) step.warm_up = job.slow_excess;
  if (!slow_.spots.empty() || !links_.graphs.empty()) slow_down(job, step);
  if (class_of(job).step.model) step.placement = modelled_excess(job, 1.0);
  job.stretch.begin(step, cycles_[job.job_class.value], from);
  job.slow_steps_left = slow_steps;
  ++job.run_generation;
  if (slow) {
    push(job.stretch.end_of_step(slow_steps), Phase::kCompletion, EventKind::speed_changes, job.slot.value,
         job.run_generation);
  } else if (job.steps != std::numeric_limits<std::int64_t>::max()) {
    push(job.stretch.end_of_step(left), Phase::kCompletion, EventKind::completed, job.slot.value,
         job.run_generation);
  }
  if (job.eviction_left && class_of(job).evictions.clock == EvictionClock::productive)
    run_eviction_clock(job);
  schedule_leaving(job);
  if (!slow_.spots.empty()) watch_stragglers(job, from.at);
  if (window_closed_) watch_resolution(job);
}

/// A step begins at another speed; what is provisional goes on in the next stretch.
void Engine::change_speed(Job& job) {
  pause_productive_clock(job);
  count_commits(job);
  const SimTime cover = covered(job, now_);
  const auto flush = job.stretch.flush_until(now_);
  const Elapsed so_far = job.stretch.at(now_);
  const std::int64_t since = job.stretch.since_checkpoint(now_);
  charge_held(job, now_);
  retain(job, cover);
  keep_progress(job, cover);
  if (flush) {
    job.pending_cover = job.stretch.last_stage_end(now_).value_or(job.pending_cover);
    job.pending_durable = *flush;
  } else {
    job.pending_durable = SimTime::never();
  }
  if (cover < now_) {
    const SimTime from = std::max(cover, job.stretch.start());
    job.pieces.push_back(Piece{job.stretch, from, now_, job.stretch_base});
  }
  job.committed = cover;
  job.stretch_base += so_far.steps;
  begin_stretch(
      job, std::max<std::int64_t>(job.slow_steps_left - so_far.steps, 0),
      Stretch::Start{
          .at = now_, .position = so_far.position, .since_checkpoint = since, .flush_until = flush});
}

SimTime Engine::covered(const Job& job, SimTime at) const {
  if (is_service(job)) return at;
  if (const auto cover = job.stretch.covered(at)) {
    // A job that stopped to save has staged no checkpoint since; one in flight may still become durable.
    const bool stopped = job.phase == JobPhase::saving && !job.pieces.empty();
    return stopped
               ? std::min(*cover, job.stretch.last_stage_end(job.pieces.back().to).value_or(job.committed))
               : *cover;
  }
  if (job.pending_durable <= at) return job.pending_cover;
  return job.committed;
}

/// Gives `job.committed` .. `to` its fate: retained.
void Engine::retain(Job& job, SimTime to) {
  if (to <= job.committed) return;
  for (const Piece& piece : job.pieces)
    if (piece.from < to) add_stretch(job, piece.stretch, piece.from, std::min(piece.to, to), std::nullopt);
  if (job.stepping && job.stretch.start() < to)
    add_stretch(job, job.stretch, std::max(job.stretch.start(), job.committed), to, std::nullopt);
  record(job, TimelineKind::commit, job.committed, to, Leaf::ideal, job.gang_capacity);
  if (!job.pieces.empty()) {
    std::erase_if(job.pieces, [&](const Piece& piece) { return piece.to <= to; });
    for (Piece& piece : job.pieces) piece.from = std::max(piece.from, to);
  }
  if (is_service(job) && !job.standby) count_ready(job, job.stretch.start());
  job.committed = to;
  job.stops_since_commit = 0;
}

void Engine::settle(Job& job, SimTime retained_to, Leaf lost) {
  if (!has_provisional(job)) return drop_stretch(job);
  if (job.stepping && job.stretch.has_checkpoints()) count_commits(job);
  retain(job, retained_to);
  keep_progress(job, retained_to);
  if (job.committed < now_) {
    for (const Piece& piece : job.pieces) add_stretch(job, piece.stretch, piece.from, piece.to, lost);
    if (job.stepping && std::max(job.stretch.start(), job.committed) < now_)
      add_stretch(job, job.stretch, std::max(job.stretch.start(), job.committed), now_, lost);
    if (lost != Leaf::runtime_unresolved)
      record(job, TimelineKind::discard, job.committed, now_, lost, job.gang_capacity);
  }
  if (job.unresolved) resolve(job);
  drop_stretch(job);
}

bool Engine::has_provisional(const Job& job) const {
  return (job.stepping && now_ > job.phase_until) || !job.pieces.empty();
}

void Engine::count_commits(Job& job) {
  const auto count = [&](SimTime from, SimTime to) {
    const bool inherited = job.pending_durable > from && job.pending_durable <= to;
    return job.stretch.durable(to) - job.stretch.durable(from) + (inherited ? 1 : 0);
  };
  const SimTime from = job.stretch.start() + Duration::nanoseconds(-1);
  const std::int64_t commits = count(from, now_);
  job.commits += commits;
  const bool all_inside = clip(from) == from && clip(now_) == now_;
  result_.classes[job.job_class.value].commits += all_inside ? commits : count(clip(from), clip(now_));
}

void Engine::keep_progress(Job& job, SimTime at) {
  if (job.steps_done == job.steps) return;
  const auto keep = [&](const Stretch& stretch, std::int64_t base) {
    const Elapsed done = stretch.at(at);
    const bool step_is_done = done.position == job.step->wait + job.step->own;
    job.steps_done = base + done.steps + (step_is_done ? 1 : 0);
    job.position = step_is_done ? 0 : done.position;
  };
  const auto keep_up_to = [&](const Stretch& stretch, std::int64_t base) {
    if (at > stretch.start()) return keep(stretch, base);
    if (job.steps_done != base) job.position = 0;
    job.steps_done = base;
  };
  for (const Piece& piece : job.pieces)
    if (at >= piece.from && at <= piece.to) return keep_up_to(piece.stretch, piece.base);
  if (job.stepping && at >= job.stretch.start()) keep_up_to(job.stretch, job.stretch_base);
}

void Engine::drop_stretch(Job& job) {
  links_.changed = !links_.graphs.empty();
  pause_productive_clock(job);
  job.pieces.clear();
  job.stepping = false;
  job.slow_since.reset();
  job.pending_durable = job.leaves_at = SimTime::never();
}

/// Of a job whose work is done.
FinalState Engine::last_state(const Job& job) {
  const bool never_ran = job.listed != nullptr && job.listed->never_ran;
  return never_ran ? FinalState::cancelled : FinalState::completed;
}

void Engine::completed(Job& job) {
  if (job.is_plain) return complete_plain(job);
  if (is_service(job)) return life_over(job);
  charge_held(job, now_);
  if (job.phase != JobPhase::reserved) {
    // The last step's end is the commit, also where a checkpoint without a pause falls on it.
    const bool twice = job.stretch.has_checkpoints() &&
                       (job.pending_durable == now_ ||
                        job.stretch.durable(now_) > job.stretch.durable(now_ + Duration::nanoseconds(-1)));
    job.steps_done = job.steps;
    settle(job, now_, Leaf::ideal);
    job.commits += twice ? 0 : 1;
    if (in_window() && !twice) ++result_.classes[job.job_class.value].commits;
  }
  release(job, "completed");
  end(job, last_state(job));
}

void Engine::release(Job& job, const char* reason) {
  stop_eviction_clock(job);
  record_allocation(job, reason);
  const Duration teardown = scenario_.pools[job.pool.value].teardown;
  const bool was_waiting = job.phase == JobPhase::waiting_member;
  if (was_waiting) {
    job.member_wait = job.member_wait + (now_ - job.member_wait_from);
    std::erase(waiting_, job.slot);
  }
  clear_broken(job);
  touch(job.pool);
  Pool& pool = pools_[job.pool.value];
  const std::uint64_t version_before = pool.version();
  const DeviceState to = teardown > Duration::zero() ? DeviceState::transition : DeviceState::free;
  for (Placement* parts : {&job.parts, &job.own_spares}) {
    if (parts->empty()) continue;
    pool.give_back(*parts, job.slot, to);
    if (to != DeviceState::free)
      for (const Part& part : *parts) tear_down(job.pool, part);
    parts->clear();
  }
  pool.gather_spares();
  if (!faults_.broken_shares.empty()) repair_shares();
  if (job.release_hook.is_linked()) expect_no_release(job, version_before);
  count_in_quota(job, Capacity::zero() - job.assigned);
  job.missing.clear();
  job.gang_capacity = job.assigned = Capacity::zero();
  if (job.phase != JobPhase::assembling && job.phase != JobPhase::provisioning) {
    job.held = job.held + (now_ - job.gang_complete);
    job.released = now_;
  }
  ++job.run_generation;
  ++job.attempt_generation;
  job.leaves_at_commit = false;
  if (job.unresolved) resolve(job);
  if (preempts()) can_be_stopped(job, false);
  if (class_of(job).elastic) std::erase(elastic_running_, job.slot);
  pass_wanted_ = true;
}

void Engine::end(Job& job, FinalState state) {
  progress_at_event_ = result_.events;
  if (job.retained.program != nullptr) split_retained(job);
  count_outcome(job, state);
  job.phase = JobPhase::ended;
  ++job.live_generation;
  ++job.run_generation;
  ++job.attempt_generation;
  ++job.eviction_generation;
  --live_;
  free_slots_.push_back(job.slot.value);
}

void Engine::stop_for_good(Job& job, FinalState state) {
  if (job.phase == JobPhase::zombie || job.phase == JobPhase::ended) return;
  if (!job.holds()) {
    if (job.phase == JobPhase::queued) dequeue(job);
    pass_wanted_ = true;  // whoever stood behind it
    return end(job, state);
  }
  charge_held(job, now_);
  if (job.phase == JobPhase::assembling) {
    std::erase(holders_, job.slot);
    dequeue(job);
    release(job, "ended");
    return end(job, state);
  }
  settle(job, covered(job, now_), Leaf::runtime_abandoned);
  const auto lease = class_of(job).lease;
  if (lease && job.gang_complete + *lease > now_) {
    stop_eviction_clock(job);
    clear_broken(job);
    if (job.phase == JobPhase::waiting_member) {
      record_allocation(job, "stopped");
      job.member_wait = job.member_wait + (now_ - job.member_wait_from);
      std::erase(waiting_, job.slot);
    }
    job.phase = JobPhase::zombie;
    job.final_state = state;
    job.stopped = now_;
    job.phase_leaf = Leaf::runtime_zombie;
    ++job.run_generation;
    ++job.attempt_generation;
    if (job.unresolved) resolve(job);
    if (backfills()) expect_release(job, job.gang_complete + *lease);
    push(job.gang_complete + *lease, Phase::kLimit, EventKind::lease_end, job.slot.value,
         job.attempt_generation);
    return;
  }
  release(job, "ended");
  end(job, state);
}

void Engine::lease_over(Job& job) {
  charge_held(job, now_);
  release(job, "lease over");
  end(job, job.final_state);
}

}  // namespace fleetsim
