#include <algorithm>
#include <tuple>

#include "sim/engine/engine.hpp"

// Replicas that serve. One is provisioned, launches, and is ready until its life is over; then it drains.
// What it is ready is retained as it passes, so that nothing of it is ever lost. Warm replicas are loaded and
// idle: what they are ready is headroom, until one of them is wanted.

namespace fleetsim {

void Engine::start_services() {
  for (std::uint32_t index = 0; index < scenario_.classes.size(); ++index)
    for (std::uint32_t warm = 0; warm < scenario_.classes[index].service.warm; ++warm)
      push(scenario_.classes[index].arrivals.submit, Phase::kArrival, EventKind::warm_replica, index);
}

void Engine::bring_warm(std::uint32_t class_index) {
  Job& job = bring(class_index);
  job.standby = true;
  admit(job);
}

/// Its life and its drain, out of a stream of its own: that of whoever wants a replica, whichever serves.
void Engine::draw_life(Job& job, std::uint64_t wish) {
  const ServiceSpec& spec = class_of(job).service;
  RandomStream stream{StreamKey{scenario_.runs.seed, options_.replication, Purpose::kReplicaLife,
                                (std::uint64_t{job.job_class.value} << 40) | wish}};
  job.wanted = now_;
  if (spec.ready) job.steps = job.steps_done + spec.ready->sample_duration(stream).ns();
  if (spec.life) job.life = spec.life->sample_duration(stream);
  job.drain = spec.drain.sample_duration(stream);
}

/// A replica is wanted from now on: a warm one, if there is any, or a new one.
void Engine::want_replica(std::uint32_t class_index, std::uint64_t wish) {
  if (Job* const warm = next_warm(class_index)) return promote(*warm, wish);
  Job& job = bring(class_index);
  draw_life(job, wish);
  admit(job);
}

/// One whose life is over makes room for another.
void Engine::replace_replica(std::uint32_t class_index) {
  constexpr std::uint64_t kReplacements = std::uint64_t{1} << 39;
  want_replica(class_index, kReplacements | sources_[class_index].replaced++);
}

/// The warm replica that is ready first, or else will be.
Job* Engine::next_warm(std::uint32_t class_index) {
  if (scenario_.classes[class_index].service.warm == 0) return nullptr;
  const auto rank = [](const Job& job) {
    if (job.phase == JobPhase::running) return std::tuple{0, job.phase_until, job.sequence};
    return std::tuple{job.holds() ? 1 : 2, SimTime::zero(), job.sequence};
  };
  Job* first = nullptr;
  for (const auto& slot : jobs_) {
    Job& each = *slot;
    if (!each.standby || each.phase == JobPhase::ended || each.job_class.value != class_index) continue;
    if (first == nullptr || rank(each) < rank(*first)) first = &each;
  }
  return first;
}

/// A warm replica serves, and another becomes warm in its place.
void Engine::promote(Job& job, std::uint64_t wish) {
  const bool was_ready = is_ready(job);
  if (in_window()) ++result_.classes[job.job_class.value].from_warm;
  if (was_ready) {
    charge_held(job, now_);
    settle(job, now_, Leaf::ideal);
  }
  job.standby = false;
  draw_life(job, wish);
  if (was_ready) {
    count_ready(job, now_);
    launch(job, Duration::zero(), LaunchSpec{}, Leaf::runtime_startup);
  } else if (job.phase == JobPhase::running) {
    // What is left of its launch goes on.
    const LaunchSpec rest{.launch = job.phase_until - now_};
    charge_held(job, now_);
    drop_stretch(job);
    launch(job, Duration::zero(), rest, job.phase_leaf);
  } else if (job.phase == JobPhase::queued) {
    dequeue(job);
    enqueue(job, job.queue_time);
  }
  if (job.first_start) begin_life(job);
  push(now_, Phase::kArrival, EventKind::warm_replica, job.job_class.value);
}

/// Its nodes are made ready; its gang is complete when they are.
void Engine::provision(Job& job) {
  const Duration time = class_of(job).service.provision;
  job.phase = JobPhase::provisioning;
  job.phase_leaf = Leaf::scheduling_transition;
  job.charged = job.allocation_from = now_;
  if (backfills() && job.estimate != Duration::max()) expect_release(job, now_ + time + job.estimate);
  push(now_ + time, Phase::kCompletion, EventKind::provisioned, job.slot.value, job.attempt_generation);
}

/// It has lost a node before it had all of them.
void Engine::requeue_unprovisioned(Job& job) {
  job.missing.clear();
  release(job, "not provisioned");
  enqueue(job, job.submit);
}

/// The clock of a life runs from the first gang complete, or from when a warm replica is wanted.
void Engine::begin_life(Job& job) {
  if (!job.life) return;
  job.life_ends = now_ + *job.life;
  push(now_ + std::max(*job.life - job.drain, Duration::zero()), Phase::kLimit, EventKind::life_over,
       job.slot.value, job.live_generation);
}

void Engine::count_ready(Job& job, SimTime at) {
  if (job.was_ready) return;
  job.was_ready = true;
  if (job.wanted < window_start_ || job.wanted >= window_end_) return;
  ClassOutcome& sums = result_.classes[job.job_class.value];
  ++sums.ready;
  sums.ready_wait += Capacity::devices(1) * (at - job.wanted);
}

/// From here on it only ends what it has begun.
void Engine::begin_drain(Job& job) {
  charge_held(job, now_);
  settle(job, now_, Leaf::ideal);
  stop_eviction_clock(job);
  job.phase = JobPhase::draining;
  job.phase_leaf = Leaf::runtime_reconfiguration;
  push(now_ + job.drain, Phase::kCompletion, EventKind::drained, job.slot.value, ++job.run_generation);
}

void Engine::drained(Job& job) {
  if (job.life_is_over) return end_service(job);
  // Its life goes on, on other nodes.
  charge_held(job, now_);
  job.phase = JobPhase::running;
  job.phase_until = now_;
  run_eviction_clock(job);
  leave_withdrawn(job);
}

/// A replica that is ready drains before it goes; one that is not stays for its life.
void Engine::life_over(Job& job) {
  job.life_is_over = true;
  if (job.phase == JobPhase::draining) return;
  if (job.life_ends <= now_) return end_service(job);
  if (is_ready(job) && job.drain > Duration::zero()) return begin_drain(job);
  if (!job.life) return end_service(job);
  push(job.life_ends, Phase::kLimit, EventKind::life_over, job.slot.value, job.live_generation);
}

void Engine::end_service(Job& job) {
  const std::uint32_t class_index = job.job_class.value;
  const bool waits = !job.holds() || job.phase == JobPhase::provisioning;
  if (waits && job.first_start) job.requeue_wait = job.requeue_wait + (now_ - job.released);
  stop_for_good(job, FinalState::completed);
  if (scenario_.classes[class_index].service.kept)
    push(now_, Phase::kArrival, EventKind::replaced, class_index);
}

/// Off drained nodes, in no haste.
void Engine::leave_gently(Job& job) {
  const bool drains = is_service(job) && is_ready(job) && job.drain > Duration::zero();
  drains ? begin_drain(job) : leave_withdrawn(job);
}

}  // namespace fleetsim
