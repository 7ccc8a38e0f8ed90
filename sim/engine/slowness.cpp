#include <algorithm>
#include <cmath>

#include "sim/engine/engine.hpp"
#include "sim/engine/struck.hpp"

// Gangs that are slow for a time: members that all others wait for, and traffic of others on their links. A
// step keeps the speed it began with, so that an episode changes a gang's speed where its next step begins;
// there is no other event. And gangs that will not wait for a slow member.

namespace fleetsim {
namespace {

/// By how much a step is longer where `stretched` of its own time runs at `speed`.
std::int64_t excess(std::int64_t own, double stretched, double speed) {
  if (speed >= 1.0) return 0;
  return std::llround(static_cast<double>(own) * stretched * (1.0 / speed - 1.0));
}

}  // namespace

bool Engine::some_are_slow(const Scenario& scenario) {
  return !scenario.slow_script.empty() ||
         std::any_of(scenario.pools.begin(), scenario.pools.end(),
                     [](const PoolSpec& pool) { return !pool.slow.empty(); });
}

void Engine::start_slowness() {
  if (!some_are_slow(scenario_)) return;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    slow_.spots.emplace_back(pools_[pool].nodes());
    const std::vector<SlowRow>& rows = scenario_.pools[pool].slow;
    result_.episodes.emplace_back(rows.size());
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      SlowProcess& process =
          slow_.processes.emplace_back(rows[row], pool, row, fault_entities(rows[row].hits, pools_[pool]),
                                       scenario_.runs.seed, options_.replication);
      for (const SlowProcess::Episode& episode : process.at_start()) begin_episode(process, episode);
    }
  }
  slow_.next.resize(slow_.processes.size());
  for (std::uint32_t process = 0; process < slow_.processes.size(); ++process) schedule_episode(process);
  for (std::uint32_t index = 0; index < scenario_.slow_script.size(); ++index)
    push(scenario_.slow_script[index].at, Phase::kFailure, EventKind::slowed_by_script, index);
}

void Engine::schedule_episode(std::uint32_t process) {
  slow_.next[process] = slow_.processes[process].next(now_);
  push(slow_.next[process].at, Phase::kFailure, EventKind::slowed, process);
}

void Engine::slowed(std::uint32_t index) {
  const SlowProcess& process = slow_.processes[index];
  const SlowProcess::Episode episode = slow_.next[index];
  schedule_episode(index);
  begin_episode(process, episode);
}

void Engine::begin_episode(const SlowProcess& process, const SlowProcess::Episode& episode) {
  const Pool& pool = pools_[process.pool()];
  const SlowRow& row = process.row();
  const std::optional<StruckPlace> place = place_of(row.hits, episode.entity, pool);
  if (!place) return;
  if (in_window()) ++result_.episodes[process.pool()][process.row_index()];
  begin_episode({.at = now_,
                 .length = episode.length,
                 .pool = process.pool(),
                 .node = place->node,
                 .device = place->device,
                 .hits = row.hits,
                 .cause = row.cause,
                 .speed = episode.speed,
                 .repair = episode.repair});
}

void Engine::begin_episode(const ScriptedSlowness& what) {
  const std::uint32_t place = keep_in(slow_.episodes, slow_.free_episodes, what);
  const Pool& pool = pools_[what.pool];
  for_each_struck(pool, what.hits, what.node, what.device, [&](std::uint32_t node, DeviceMask devices) {
    slow_.spots[what.pool].add(node, devices, what.cause, what.speed, place);
  });
  meet_slowness(what);
  if (what.length != Duration::max())
    push(now_ + what.length, Phase::kFailure, EventKind::slowness_ends, place);
}

void Engine::end_episode(std::uint32_t place) {
  const ScriptedSlowness what = slow_.episodes[place];
  slow_.free_episodes.push_back(place);
  for_each_struck(pools_[what.pool], what.hits, what.node, what.device,
                  [&](std::uint32_t node, DeviceMask) { slow_.spots[what.pool].remove(node, place); });
  meet_slowness(what);
}

/// Whoever runs where an episode begins or ends goes on at another speed.
void Engine::meet_slowness(const ScriptedSlowness& what) {
  const Pool& pool = pools_[what.pool];
  faults_.struck.clear();
  for_each_struck(pool, what.hits, what.node, what.device, [&](std::uint32_t node, DeviceMask devices) {
    for (DeviceMask left = devices; left != 0; left &= left - 1)
      if (const auto holder = pool.holder(node, static_cast<std::uint32_t>(std::countr_zero(left))))
        faults_.struck.push_back(*holder);
    for (const Pool::Share& share : pool.shares())
      if (share.node == node && (devices >> share.device & 1) != 0 && share.is_held())
        faults_.struck.push_back(share.job);
  });
  std::sort(faults_.struck.begin(), faults_.struck.end());
  faults_.struck.erase(std::unique(faults_.struck.begin(), faults_.struck.end()), faults_.struck.end());
  for (const JobId id : faults_.struck) {
    Job& each = job(id);
    if (each.phase == JobPhase::running && each.stepping && !class_of(each).step.continuous) meet_speed(each);
  }
}

/// Where its speed is another now, the next step begins with it.
void Engine::meet_speed(const Job& job) {
  StepTimes step = job.stretch.step();
  slow_down(job, step);
  if (step.straggler == job.stretch.step().straggler && step.neighbour == job.stretch.step().neighbour)
    return;
  push(job.stretch.next_step_start(std::max(now_, job.stretch.start())), Phase::kCompletion,
       EventKind::speed_changes, job.slot.value, job.run_generation);
}

/// What the members of a gang that begins to step now, and those it shares links with, add to each step.
void Engine::slow_down(const Job& job, StepTimes& step) {
  step.straggler = step.neighbour = 0;
  if (class_of(job).step.continuous) return;
  double speed_of_links = 1.0;
  if (!slow_.spots.empty() && !slow_.spots[job.pool.value].empty()) {
    const Slowness speeds = slow_.spots[job.pool.value].of(job.parts);
    const auto straggler = static_cast<std::size_t>(SlowCause::straggler);
    step.straggler = excess(step.own, class_of(job).step.stretched[straggler], speeds[straggler]);
    speed_of_links = speeds[static_cast<std::size_t>(SlowCause::noisy_neighbour)];
  }
  step.neighbour = neighbour_excess(job, step, speed_of_links);
}

/// Traffic of an episode that leaves the links `speed`, and that of the gangs it meets there, add up.
std::int64_t Engine::neighbour_excess(const Job& job, const StepTimes& step, double speed) {
  const StepSpec& spec = class_of(job).step;
  if (!spec.model) {
    const double share = spec.stretched[static_cast<std::size_t>(SlowCause::noisy_neighbour)];
    return excess(step.own, share, job.link_speed) + excess(step.own, share, speed);
  }
  const double slower = 1.0 / job.link_speed + 1.0 / speed - 1.0;
  return slower > 1.0 ? modelled_excess(job, slower) : 0;
}

/// Since when stragglers have slowed the gang; a policy may want to be rid of them after a while.
void Engine::watch_stragglers(Job& job, SimTime from) {
  const auto& policy = class_of(job).swap;
  if (!policy) return;
  if (job.stretch.step().straggler == 0) {
    job.slow_since.reset();
  } else if (!job.slow_since) {
    job.slow_since = from;
    push(from + policy->after, Phase::kLimit, EventKind::swap_due, job.slot.value, job.live_generation);
  }
}

bool Engine::wants_swap(const Job& job) const {
  return job.phase == JobPhase::running && job.stepping && job.slow_since &&
         now_ >= *job.slow_since + class_of(job).swap->after;
}

void Engine::swap_due(Job& job) {
  if (!wants_swap(job)) return;
  const bool waits = class_of(job).swap->at == SwapAt::commit && has_provisional(job) && !commits_now(job);
  if (waits)
    return push(next_commit(job), Phase::kLimit, EventKind::swap_due, job.slot.value, job.live_generation);
  if (!swap_stragglers(job) &&
      std::find(slow_.swaps_wanted.begin(), slow_.swaps_wanted.end(), job.slot) == slow_.swaps_wanted.end())
    slow_.swaps_wanted.push_back(job.slot);
}

/// Whoever found no other node tries again when something is free.
void Engine::swap_wanted() {
  std::vector<JobId> wanted;
  wanted.swap(slow_.swaps_wanted);
  for (const JobId id : wanted) swap_due(job(id));
}

/// Stops the gang and goes on with other members in place of as many stragglers as there are sound ones for;
/// false, and nothing happens, if there are none.
bool Engine::swap_stragglers(Job& job) {
  SlowSpots& spots = slow_.spots[job.pool.value];
  Placement stragglers;
  for (const Part& part : job.parts)
    if (part.milli == 0 && spots.is_straggler(part)) stragglers.push_back(part);
  const auto has_stand_in = [&](const Part& part) {
    return find_stand_in(job, part.count(), Soundness::sound).has_value();
  };
  if (stragglers.empty() || !has_stand_in(stragglers.front())) return false;
  ++job.swaps;
  if (in_window()) ++result_.classes[job.job_class.value].swaps;
  if (!stop_to_reconfigure(job, StopCause::swap)) return true;
  for (const Part& part : stragglers) {
    if (!has_stand_in(part)) break;
    const Duration repair =
        spots.repair(part, [&](std::uint32_t place) { return slow_.episodes[place].repair; });
    lose_devices(job, part.node, part.devices, repair);
    fill_member(job, job.missing.back());
    job.missing.pop_back();
  }
  fill_members(job);
  return true;
}

}  // namespace fleetsim
