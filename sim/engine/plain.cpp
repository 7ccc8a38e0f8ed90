#include <algorithm>

#include "sim/engine/engine.hpp"

// Most jobs of most traces do one thing: they start, step, and end. What start, launch, settlement and
// release come to for them is done here at once, and nothing is asked that cannot be. What is left behind at
// either end is what the long way leaves, so that all else may look at such a job as at any other.

namespace fleetsim {

/// Whether jobs of the class begin to step as they start, at one speed, and nothing but their end, or that of
/// the run, comes between.
bool Engine::is_plain(const JobClass& job_class) const {
  const auto has_limit = [](const ListedJob& job) { return job.limit.has_value(); };
  const auto& listed = job_class.arrivals.listed;
  const bool may_be_killed =
      job_class.enforce_limits && (job_class.limit || std::any_of(listed.begin(), listed.end(), has_limit));
  const bool is_left_alone = job_class.kind == JobKind::work && !job_class.elastic && !job_class.quota &&
                             job_class.own_spares == 0 && !may_be_killed && !job_class.evictions.rate &&
                             !job_class.evictions.every && job_class.evictions.at.empty();
  const bool just_steps = job_class.checkpoint.mode == CheckpointMode::none && !job_class.step.model &&
                          job_class.step.wait == Duration::zero() &&
                          job_class.startup.total() == Duration::zero() && job_class.startup.slow_steps == 0;
  const auto stays = [this](std::uint32_t pool) {
    return !pools_[pool].knows_holders() && scenario_.pools[pool].teardown == Duration::zero();
  };
  return is_left_alone && just_steps && records_ == nullptr && !preempts() && links_.graphs.empty() &&
         std::all_of(job_class.pools.begin(), job_class.pools.end(), stays);
}

void Engine::start_plain(Job& job) {
  progress_at_event_ = result_.events;
  job.attempt = 1;
  job.first_start = job.gang_complete = job.committed = job.phase_until = now_;
  job.longest_wait = now_ - job.submit;
  job.phase = JobPhase::running;
  job.launch_leaf = job.phase_leaf = Leaf::runtime_startup;
  job.stepping = true;
  job.stretch_base = 0;
  job.stretch.begin(*job.step, {}, Stretch::Start{.at = now_});
  job.slow_steps_left = job.slow_excess = 0;
  ++job.run_generation;
  if (backfills()) expect_release(job, now_ + job.estimate);
  if (job.steps != std::numeric_limits<std::int64_t>::max())
    push(job.stretch.end_of_step(job.steps), Phase::kCompletion, EventKind::completed, job.slot.value,
         job.run_generation);
  if (window_closed_) watch_resolution(job);
}

void Engine::complete_plain(Job& job) {
  const SimTime first = clip(job.committed), last = clip(now_);
  if (first < last) split(job, job.pool, *job.program, job.gang_capacity * (last - first));
  job.committed = job.released = now_;
  job.steps_done = job.steps;
  job.commits = 1;
  if (in_window()) ++result_.classes[job.job_class.value].commits;
  if (job.unresolved) resolve(job);
  job.stepping = false;
  touch(job.pool);
  const std::uint64_t version_before = pools_[job.pool.value].version();
  pools_[job.pool.value].give_back(job.parts, job.slot, DeviceState::free);
  job.parts.clear();
  if (job.release_hook.is_linked()) expect_no_release(job, version_before);
  job.gang_capacity = job.assigned = Capacity::zero();
  job.held = now_ - job.gang_complete;
  pass_wanted_ = true;
  end(job, last_state(job));
}

}  // namespace fleetsim
