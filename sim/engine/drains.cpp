#include <algorithm>
#include <tuple>

#include "sim/engine/engine.hpp"

// Nodes that are withdrawn by plan: drained for a time, or not installed before a date or from a date on.

namespace fleetsim {

void Engine::start_withdrawals() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    const PoolSpec& spec = scenario_.pools[pool];
    drains_.plans.emplace_back();
    if (spec.drains.empty() && spec.dated.empty()) continue;
    drains_.plans.back().resize(spec.nodes);
    const auto plan = [&](const Withdrawal& what) {
      drains_.withdrawals.push_back(what);
      return static_cast<std::uint32_t>(drains_.withdrawals.size() - 1);
    };
    for (const DatedNodes& dated : spec.dated) {
      Withdrawal what{.pool = PoolId{pool}, .nodes = dated.nodes, .to = DeviceState::absent};
      push(dated.until, Phase::kLimit, EventKind::withdrawn, plan(what));
      if (dated.from == SimTime::zero()) continue;
      what.length = dated.from - SimTime::zero();
      withdraw(plan(what));
    }
    for (const DrainSpec& drain : spec.drains) {
      const Withdrawal what{.pool = PoolId{pool},
                            .nodes = drain.nodes,
                            .to = DeviceState::maintenance,
                            .mode = drain.mode,
                            .length = drain.length,
                            .every = drain.every};
      push(drain.at, Phase::kLimit, EventKind::withdrawn, plan(what));
    }
  }
}

void Engine::withdraw(std::uint32_t index) {
  const Withdrawal& what = drains_.withdrawals[index];
  if (what.every) push(now_ + *what.every, Phase::kLimit, EventKind::withdrawn, index);
  const bool for_good = what.length == Duration::max();
  if (!for_good) {
    drains_.ends_to_come.push_back(index);
    push(now_ + what.length, Phase::kLimit, EventKind::reinstated, index);
  }
  if (drains_.to_vacate.empty()) push(now_, Phase::kLimit, EventKind::vacated, 0);
  looked_at_ = kNeverLooked;  // what is held there will not be free
  for (const std::uint32_t node : what.nodes) {
    NodePlan& plan = drains_.plans[what.pool.value][node];
    plan.drains += what.to == DeviceState::maintenance ? 1 : 0;
    plan.absent = plan.absent || what.to == DeviceState::absent;
    if (for_good && !plan.gone) pools_[what.pool.value].write_off(node);
    plan.gone = plan.gone || for_good;
    plan.back = std::max(plan.back, now_ + what.length);
    follow_plan(what.pool, node);
    drains_.to_vacate.push_back({what.pool, node, what.mode});
  }
  if (!for_good) return;
  for (QueuedShape& each : shapes_) each.satisfiable = could_ever_start(each);
  push(now_, Phase::kLimit, EventKind::refused, 0);
}

void Engine::reinstate(std::uint32_t withdrawal) {
  const Withdrawal& what = drains_.withdrawals[withdrawal];
  drains_.ends_to_come.erase(std::find(drains_.ends_to_come.begin(), drains_.ends_to_come.end(), withdrawal));
  // The last first: those are the spares.
  for (std::size_t index = what.nodes.size(); index-- > 0;) {
    const std::uint32_t node = what.nodes[index];
    NodePlan& plan = drains_.plans[what.pool.value][node];
    plan.drains -= what.to == DeviceState::maintenance ? 1 : 0;
    plan.absent = plan.absent && what.to != DeviceState::absent;
    const DeviceMask moved = follow_plan(what.pool, node);
    if (!pools_[what.pool.value].is_withdrawn(node)) serve_again(what.pool, node, moved);
  }
}

/// @returns the devices that moved
DeviceMask Engine::follow_plan(PoolId id, std::uint32_t node) {
  const NodePlan& plan = drains_.plans[id.value][node];
  Pool& pool = pools_[id.value];
  touch(id);
  forget_teardown(id, node, pool.devices_in(DeviceState::transition, node));
  end_teardowns_of_shares(id, node, all_devices(pool.devices_per_node()));
  return pool.rest_in(node, plan.absent       ? DeviceState::absent
                            : plan.drains > 0 ? DeviceState::maintenance
                                              : DeviceState::free);
}

/// Who holds something of the nodes withdrawn at this instant. All at once, so that nobody moves from one of
/// them to another.
void Engine::vacate() {
  std::vector<std::tuple<std::uint64_t, DrainMode, JobId>> holders;
  const auto add = [&](JobId id, DrainMode mode) { holders.emplace_back(job(id).sequence, mode, id); };
  for (const auto& [id, node, mode] : drains_.to_vacate) {
    const Pool& pool = pools_[id.value];
    for (std::uint32_t device = 0; device < pool.devices_per_node(); ++device)
      if (const auto holder = pool.holder(node, device)) add(*holder, mode);
    for (const Pool::Share& share : pool.shares())
      if (share.node == node && share.is_held()) add(share.job, mode);
  }
  drains_.to_vacate.clear();
  // First come first served, and for each the strictest of the modes that it meets.
  std::sort(holders.begin(), holders.end());
  std::optional<std::uint64_t> last;
  for (const auto& [sequence, mode, id] : holders) {
    if (last == sequence) continue;
    last = sequence;
    Job& holder = job(id);
    give_up_unused(holder);
    if (mode == DrainMode::now) leave_withdrawn(holder);
    if (mode == DrainMode::at_commit) {
      holder.leaves_at_commit = true;
      schedule_leaving(holder);
    }
  }
  pass_wanted_ = true;
}

/// Its own spares, and the members of a gang that is not complete, leave withdrawn nodes without further ado.
void Engine::give_up_unused(Job& job) {
  Placement unused = job.own_spares;
  if (job.phase == JobPhase::assembling) unused.append(job.parts.begin(), job.parts.end());
  for (const Part& part : unused)
    if (pools_[job.pool.value].is_withdrawn(part.node))
      part_with(job, part.node, part.devices, DeviceState::free, "drained");
}

/// Takes a job off the nodes that are withdrawn. A gang that runs is stopped, and goes on with other members.
void Engine::leave_withdrawn(Job& job) {
  job.leaves_at_commit = false;
  job.leaves_at = SimTime::never();
  const Pool& pool = pools_[job.pool.value];
  Placement leaving;
  for (Part part : job.parts) {
    if (!pool.is_withdrawn(part.node)) continue;
    if (part.milli != 0) return leave_shared(job);
    // What is broken and not known to be stays until it is, on a node that stays.
    for (Job::Broken& broken : job.broken)
      if (broken.part.node == part.node && pool.rest(part.node) == DeviceState::maintenance)
        part.devices &= ~broken.part.devices;
    if (part.devices != 0) leaving.push_back(part);
  }
  if (leaving.empty()) return;
  if (job.phase == JobPhase::draining) return end_service(job);
  std::erase_if(job.broken, [&](const Job::Broken& broken) {
    return pool.rest(broken.part.node) == DeviceState::absent;
  });
  const bool runs = job.phase == JobPhase::running || job.phase == JobPhase::saving;
  if (runs && !stop_for_drain(job)) return;
  for (const Part& part : leaving) part_with(job, part.node, part.devices, DeviceState::free, "drained");
  if (job.phase == JobPhase::provisioning) return requeue_unprovisioned(job);
  if (runs && !fill_members(job)) lack_members(job);
}

/// A part of a device has no members to be filled: its job is queued again; what does not work is left
/// without.
void Engine::leave_shared(Job& job) {
  if (job.phase != JobPhase::reserved && job.phase != JobPhase::zombie) {
    if (!stop_for_drain(job)) return;
    release(job, "drained");
    return enqueue(job, job.submit);
  }
  charge_held(job, now_);
  record_allocation(job, "drained");
  touch(job.pool);
  pools_[job.pool.value].give_back(job.parts, job.slot, DeviceState::free);
  if (!faults_.broken_shares.empty()) repair_shares();
  count_in_quota(job, Capacity::zero() - job.assigned);
  job.parts.clear();
  job.gang_capacity = job.assigned = Capacity::zero();
}

/// False if the job has ended.
bool Engine::stop_for_drain(Job& job) {
  ++job.drains;
  if (in_window()) ++result_.classes[job.job_class.value].drains;
  return stop_to_reconfigure(job, StopCause::drain);
}

/// Discards what is not committed; false if that was once too often, and the job has ended.
bool Engine::stop_to_reconfigure(Job& job, StopCause cause) {
  charge_held(job, now_);
  const PreemptionRow before = before_stop(job, nullptr, cause);
  settle(job, covered(job, now_), Leaf::runtime_reconfiguration);
  log_stop(before, job);
  if (job.phase == JobPhase::saving) run_eviction_clock(job);  // the eviction comes to nothing
  if (++job.stops_since_commit >= kHopeless) {
    stop_for_good(job, FinalState::no_progress);
    return false;
  }
  job.relaunch = &class_of(job).reconfiguration;
  job.relaunch_leaf = Leaf::runtime_reconfiguration;
  return true;
}

/// For a job that leaves drained nodes at its next commit: when that is, if it steps on. A commit of this
/// very instant stands where the job's speed has changed in it.
void Engine::schedule_leaving(Job& job) {
  if (!job.leaves_at_commit || job.phase != JobPhase::running || !job.stepping) return;
  if (job.leaves_at != now_) job.leaves_at = is_service(job) ? now_ : next_commit(job);
  push(job.leaves_at, Phase::kLimit, EventKind::leaves, job.slot.value, job.run_generation);
}

/// Devices of withdrawn nodes that will be free when these serve again: what rests there, and what is held
/// until its holder is expected to end. In order of time.
void Engine::foresee_returns(std::uint32_t pool_index, std::vector<OutPart>& returns) const {
  const Pool& pool = pools_[pool_index];
  const bool is_packed = pool.packed() != nullptr;
  const auto add = [&](std::uint32_t node, DeviceMask devices, SimTime from) {
    const SimTime until = std::max(from, drains_.plans[pool_index][node].back);
    const bool some = devices != 0 || is_packed;
    if (some && until != SimTime::never()) returns.push_back({PoolId{pool_index}, node, devices, until});
  };
  for (const std::uint32_t index : drains_.ends_to_come) {
    if (drains_.withdrawals[index].pool.value != pool_index) continue;
    for (const std::uint32_t node : drains_.withdrawals[index].nodes)
      if (pool.is_withdrawn(node))
        add(node, pool.devices_in(pool.rest(node), node) & pool.installed(node), now_);
  }
  // What is held of a packed node counts as free when its holder ends, and when the node is open.
  for (const Job& job : releases_) {
    if (job.pool.value != pool_index || is_packed) continue;
    for (const Placement* parts : {&job.parts, &job.own_spares})
      for (const Part& part : *parts)
        if (part.milli == 0 && pool.is_withdrawn(part.node)) add(part.node, part.devices, job.expected_end);
  }
  const auto key = [](const OutPart& part) { return std::tuple{part.until, part.node, part.devices}; };
  std::sort(returns.begin(), returns.end(),
            [&](const OutPart& a, const OutPart& b) { return key(a) < key(b); });
  const auto same = [&](const OutPart& a, const OutPart& b) { return key(a) == key(b); };
  returns.erase(std::unique(returns.begin(), returns.end(), same), returns.end());  // where drains overlap
}

}  // namespace fleetsim
