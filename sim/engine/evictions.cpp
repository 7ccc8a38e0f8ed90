#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <cmath>

#include "sim/engine/engine.hpp"

namespace fleetsim {

void Engine::draw_eviction(Job& job) {
  const EvictionSpec& spec = class_of(job).evictions;
  if (spec.rate) {
    boost::random::exponential_distribution<double> gap{spec.rate->si};
    job.eviction_left = round_to_duration(Seconds{gap(*job.eviction_stream)});
  } else {
    job.eviction_left = spec.every;
  }
}

/// On the wall clock evictions fall due whether the job is there or not; on the others only while the clock
/// runs.
void Engine::run_eviction_clock(Job& job) {
  if (!job.eviction_left || job.eviction_clock_runs) return;
  SimTime due = now_ + *job.eviction_left;
  if (class_of(job).evictions.clock == EvictionClock::productive) {
    if (!job.stepping) return;
    due = job.stretch.when_stepped(job.eviction_left->ns());
  }
  job.eviction_clock_runs = true;
  job.eviction_clock_from = now_;
  push(due, Phase::kEviction, EventKind::evicted, job.slot.value, ++job.eviction_generation);
}

void Engine::stop_eviction_clock(Job& job) {
  if (!job.eviction_clock_runs || class_of(job).evictions.clock == EvictionClock::wall) return;
  job.eviction_clock_runs = false;
  ++job.eviction_generation;
  if (class_of(job).evictions.clock == EvictionClock::held) {
    job.eviction_left = *job.eviction_left - (now_ - job.eviction_clock_from);
  } else if (now_ > job.stretch.start()) {
    const std::int64_t stepped = job.stretch.between(job.stretch.start(), now_).stepping();
    job.eviction_left = *job.eviction_left - Duration::nanoseconds(stepped);
  }
}

void Engine::pause_productive_clock(Job& job) {
  if (job.stepping && class_of(job).evictions.clock == EvictionClock::productive) stop_eviction_clock(job);
}

void Engine::eviction_due(Job& job) {
  stop_eviction_clock(job);
  job.eviction_clock_runs = false;
  draw_eviction(job);
  if (class_of(job).evictions.clock == EvictionClock::wall) run_eviction_clock(job);
  const std::int64_t before = job.evictions;
  evict_from_outside(job);
  if (job.evictions > before && ++job.stops_since_commit >= kHopeless)
    stop_for_good(job, FinalState::no_progress);
}

void Engine::evict_from_outside(Job& job) {
  const std::int64_t evictions = job.evictions;
  const PreemptionRow before = before_stop(job, nullptr, StopCause::outside);
  evict(job, class_of(job).evictions.terms);
  if (job.evictions > evictions) log_stop(before, job);
}

void Engine::evict(Job& job, const EvictionTerms& terms) {
  const bool can_leave = job.phase == JobPhase::running || job.phase == JobPhase::detecting ||
                         job.phase == JobPhase::waiting_member || job.phase == JobPhase::draining ||
                         (job.phase == JobPhase::reserved && &terms == &scenario_.scheduler.eviction);
  if (!can_leave) return;
  ++job.evictions;
  if (in_window()) ++result_.classes[job.job_class.value].evictions;
  if (job.phase == JobPhase::draining) return end_service(job);
  job.eviction = &terms;
  charge_held(job, now_);
  // An idle reservation comes back for what is left of it.
  if (job.phase == JobPhase::reserved) job.steps -= (now_ - job.gang_complete).ns();
  if (has_provisional(job) && terms.save && *terms.save <= terms.grace) {
    pause_productive_clock(job);
    count_commits(job);
    retain(job, covered(job, now_));
    keep_progress(job, job.committed);
    if (job.committed < now_)
      job.pieces.push_back(
          Piece{job.stretch, std::max(job.committed, job.stretch.start()), now_, job.stretch_base});
    job.stepping = false;
    job.phase = JobPhase::saving;
    job.phase_leaf = Leaf::runtime_preemption;
    if (job.release_hook.is_linked()) expect_release(job, now_ + *terms.save);
    push(now_ + *terms.save, Phase::kCompletion, EventKind::saved, job.slot.value, ++job.run_generation);
    return;
  }
  const SimTime cover = covered(job, now_);
  const SimTime kept =
      terms.lost_work ? std::max(cover, now_ + Duration::nanoseconds(-terms.lost_work->ns())) : cover;
  settle(job, std::min(kept, now_), Leaf::runtime_preemption);
  leave(job);
}

void Engine::saved(Job& job) {
  charge_held(job, now_);
  if (!job.pieces.empty()) {
    const SimTime notice = job.pieces.back().to;
    keep_progress(job, notice);
    retain(job, notice);
    ++job.commits;
    if (in_window()) ++result_.classes[job.job_class.value].commits;
  }
  if (job.unresolved) resolve(job);
  leave(job);
}

void Engine::leave(Job& job) {
  const EvictionTerms& terms = *job.eviction;
  const bool by_order = &terms == &scenario_.scheduler.eviction || &terms == &move_;
  job.relaunch =
      by_order && scenario_.scheduler.eviction_relaunch ? &eviction_relaunch_ : &class_of(job).preemption;
  job.relaunch_leaf = Leaf::runtime_preemption;
  release(job, "evicted");
  if (terms.requeue_delay > Duration::zero()) {
    job.phase = JobPhase::away;
    const double times = std::pow(terms.requeue_backoff, std::max(job.preemptions, 1U) - 1);
    const Duration delay = terms.requeue_backoff == 1.0
                               ? terms.requeue_delay
                               : round_to_duration(Seconds{to_seconds(terms.requeue_delay).si * times});
    push(now_ + delay, Phase::kArrival, EventKind::requeued, job.slot.value, job.live_generation);
    return;
  }
  requeue(job);
}

}  // namespace fleetsim
