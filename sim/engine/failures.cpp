#include <algorithm>
#include <utility>

#include "sim/engine/engine.hpp"
#include "sim/engine/struck.hpp"

namespace fleetsim {
namespace {

/// When each entity is installed for the first time.
std::vector<SimTime> first_installed(const PoolSpec& spec, FaultScope scope, const Pool& pool) {
  std::vector<SimTime> of_nodes(pool.nodes(), SimTime::zero());
  for (const DatedNodes& dated : spec.dated)
    for (const std::uint32_t node : dated.nodes) of_nodes[node] = dated.from;
  std::vector<SimTime> of_entities(fault_entities(scope, pool), SimTime::never());
  for (std::uint32_t entity = 0; entity < of_entities.size(); ++entity) {
    if (scope == FaultScope::device) of_entities[entity] = of_nodes[entity / pool.devices_per_node()];
    if (scope == FaultScope::node) of_entities[entity] = of_nodes[entity];
  }
  if (scope == FaultScope::rack) {
    for (std::uint32_t node = 0; node < pool.nodes(); ++node) {
      SimTime& first = of_entities[pool.rack_of(node)];
      first = std::min(first, of_nodes[node]);
    }
  }
  return of_entities;
}

}  // namespace

void Engine::start_faults() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    const std::vector<FaultRow>& rows = scenario_.pools[pool].faults;
    for (std::uint32_t row = 0; row < rows.size(); ++row)
      faults_.processes.emplace_back(rows[row], pool, row, fault_entities(rows[row].hits, pools_[pool]),
                                     scenario_.runs.seed, options_.replication);
  }
  for (std::uint32_t index = 0; index < faults_.processes.size(); ++index) {
    FaultProcess& process = faults_.processes[index];
    faults_.ageing_from.push_back(static_cast<std::uint32_t>(faults_.ageing.size()));
    faults_.next_strike.push_back({});
    if (process.memoryless()) {
      schedule_strike(index);
      continue;
    }
    const std::uint32_t pool = process.pool();
    const auto first = first_installed(scenario_.pools[pool], process.row().hits, pools_[pool]);
    for (std::uint32_t entity = 0; entity < process.entities(); ++entity) {
      faults_.ageing.push_back(process.renew(entity, first[entity]));
      push(faults_.ageing.back().at, Phase::kFailure, EventKind::aged,
           static_cast<std::uint32_t>(faults_.ageing.size() - 1));
    }
  }
  for (std::uint32_t index = 0; index < scenario_.script.size(); ++index)
    push(scenario_.script[index].at, Phase::kFailure, EventKind::scripted, index);
}

void Engine::schedule_strike(std::uint32_t process) {
  faults_.next_strike[process] = faults_.processes[process].next(now_);
  push(faults_.next_strike[process].at, Phase::kFailure, EventKind::struck, process);
}

void Engine::struck(std::uint32_t index) {
  const FaultProcess& process = faults_.processes[index];
  const FaultProcess::Strike what = faults_.next_strike[index];
  schedule_strike(index);
  strike(process.pool(), what.entity, process.row(), what.repair,
         result_.faults[process.pool()][process.row_index()]);
}

void Engine::age(std::uint32_t aged) {
  const auto after = std::upper_bound(faults_.ageing_from.begin(), faults_.ageing_from.end(), aged);
  // Rows without entities of their own share a start with the next: the last of them is the one.
  const auto index = static_cast<std::uint32_t>(after - faults_.ageing_from.begin() - 1);
  FaultProcess& process = faults_.processes[index];
  const FaultProcess::Strike what = faults_.ageing[aged];
  const std::optional<SimTime> back = strike(process.pool(), what.entity, process.row(), what.repair,
                                             result_.faults[process.pool()][process.row_index()]);
  // Only what broke is renewed; a life does not go on while its entity is out.
  faults_.ageing[aged] = process.renew(what.entity, back.value_or(now_));
  push(faults_.ageing[aged].at, Phase::kFailure, EventKind::aged, aged);
}

void Engine::scripted(const ScriptedFault& fault) {
  FaultRow row;
  row.hits = fault.hits;
  row.takes_out = fault.takes_out;
  row.detect = fault.detect;
  const Pool& pool = pools_[fault.pool];
  const std::uint32_t entity = fault.hits == FaultScope::device
                                   ? fault.node * pool.devices_per_node() + fault.device
                                   : (fault.hits == FaultScope::rack ? pool.rack_of(fault.node) : fault.node);
  FaultOutcome outcome;
  strike(fault.pool, entity, row, fault.repair, outcome);
}

std::optional<SimTime> Engine::strike(std::uint32_t pool_index, std::uint32_t entity, const FaultRow& row,
                                      Duration repair, FaultOutcome& outcome) {
  const PoolId pool_id{pool_index};
  Pool& pool = pools_[pool_index];
  const std::optional<StruckPlace> place = place_of(row.hits, entity, pool);
  if (!place) return std::nullopt;
  const auto [node, device] = *place;

  DeviceMask in_service = 0;
  faults_.struck.clear();
  const auto interrupt = [&](std::uint32_t each, DeviceMask devices) {
    in_service |= pool.in_service(each, devices);
    pool.for_each_holder(each, devices, [&](JobId holder) {
      if (faults_.struck.empty() || faults_.struck.back() != holder) faults_.struck.push_back(holder);
    });
    for (const Pool::Share& share : pool.shares())
      if (share.node == each && (devices >> share.device & 1) != 0 && share.is_held())
        faults_.struck.push_back(share.job);
  };
  for_each_struck(pool, row.hits, node, device, interrupt);
  if (in_service == 0) return std::nullopt;
  if (row.takes_out != row.hits) for_each_struck(pool, row.takes_out, node, device, interrupt);
  if (faults_.struck.size() > 1) {
    std::sort(faults_.struck.begin(), faults_.struck.end());
    faults_.struck.erase(std::unique(faults_.struck.begin(), faults_.struck.end()), faults_.struck.end());
  }

  // What no running gang uses is known broken at once; members of running gangs when that gang detects it.
  SimTime back = now_ + repair;
  const auto take = [&](std::uint32_t each, DeviceMask devices) {
    end_teardowns_of_shares(pool_id, each, devices);
    for (const DeviceState from : {DeviceState::free, DeviceState::spare, DeviceState::transition}) {
      const DeviceMask idle = devices & pool.devices_in(from, each);
      if (idle != 0) take_out(pool_id, each, idle, from, repair);
    }
    if (!pool.shares().empty()) break_shares(pool_id, each, devices, repair);
    for (const JobId id : faults_.struck) {
      Job& victim = job(id);
      DeviceMask spares = 0;
      for (const Part& spare : victim.own_spares)
        if (spare.node == each) spares |= spare.devices & devices;
      if (spares != 0) lose_devices(victim, each, spares, repair);
      const Part* const member = find_part(victim, each);
      const DeviceMask lost = member == nullptr ? 0 : member->devices & devices;
      if (lost == 0) continue;
      if (can_fail(victim)) {
        add_broken(victim, Part{.node = each, .devices = lost}, repair);
        back = std::max(back, now_ + row.detect.value_or(class_of(victim).recovery.detect) + repair);
      } else if (member->milli != 0) {
        leave_shared(victim);
      } else {
        lose_devices(victim, each, lost, repair);
      }
    }
  };
  for_each_struck(pool, row.takes_out, node, device, take);

  if (in_window()) ++outcome.failures;
  for (std::size_t index = 0; index < faults_.struck.size(); ++index) {
    Job& victim = job(faults_.struck[index]);
    if (victim.phase == JobPhase::provisioning && !victim.missing.empty()) requeue_unprovisioned(victim);
    if (!can_fail(victim)) continue;
    if (!gang_has(victim, row, node, device)) continue;
    if (in_window()) {
      ++outcome.interruptions;
      ++result_.classes[victim.job_class.value].failures;
    }
    fail(victim, row.detect);
  }
  pass_wanted_ = true;
  return back;
}

/// Whether a member of the gang itself, not only a spare of its own, was struck.
bool Engine::gang_has(Job& victim, const FaultRow& row, std::uint32_t node, std::uint32_t device) {
  bool found = false;
  const Pool& pool = pools_[victim.pool.value];
  for (const FaultScope scope : {row.hits, row.takes_out == row.hits ? FaultScope::nothing : row.takes_out}) {
    for_each_struck(pool, scope, node, device, [&](std::uint32_t each, DeviceMask devices) {
      const Part* const member = find_part(victim, each);
      found |= member != nullptr && (member->devices & devices) != 0;
    });
  }
  return found;
}

void Engine::take_out(PoolId pool, std::uint32_t node, DeviceMask devices, DeviceState from,
                      Duration repair) {
  touch(pool);
  if (from == DeviceState::transition) forget_teardown(pool, node, devices);
  pools_[pool.value].move(node, devices, from, DeviceState::failed);
  repair_later(pool, node, devices, repair);
}

void Engine::repair_later(PoolId pool, std::uint32_t node, DeviceMask devices, Duration repair) {
  ++parts_out_;
  push(now_ + repair, Phase::kFailure, EventKind::repaired,
       keep_in(faults_.out_parts, faults_.free_out_parts, {pool, node, devices, now_ + repair}));
}

void Engine::break_shares(PoolId pool_id, std::uint32_t node, DeviceMask devices, Duration repair) {
  Pool& pool = pools_[pool_id.value];
  for (const Pool::Share& share : pool.shares()) {
    if (share.node != node || (devices >> share.device & 1) == 0) continue;
    const auto is_this = [&](const BrokenShare& each) {
      return each.pool == pool_id && each.node == node && each.device == share.device;
    };
    if (std::any_of(faults_.broken_shares.begin(), faults_.broken_shares.end(), is_this)) continue;
    touch(pool_id);
    pool.break_share(node, share.device);
    faults_.broken_shares.push_back({pool_id, node, share.device, repair});
  }
}

/// The repair of a shared device begins when the last who holds a part of it has noticed and left.
void Engine::repair_shares() {
  std::erase_if(faults_.broken_shares, [this](const BrokenShare& broken) {
    const Pool& pool = pools_[broken.pool.value];
    if (pool.share_free(broken.node, broken.device) != 1000) return false;
    const DeviceMask device = DeviceMask{1} << broken.device;
    if ((pool.devices_in(DeviceState::failed, broken.node) & device) != 0)
      repair_later(broken.pool, broken.node, device, broken.repair);
    return true;
  });
}

void Engine::lose_devices(Job& job, std::uint32_t node, DeviceMask devices, Duration repair) {
  const DeviceMask lost = part_with(job, node, devices, DeviceState::failed, "member lost");
  if (lost != 0) repair_later(job.pool, node, lost, repair);
}

void Engine::add_broken(Job& job, Part part, Duration repair) {
  for (const Job::Broken& known : job.broken)
    if (known.part.node == part.node) part.devices &= ~known.part.devices;
  if (part.devices != 0) job.broken.push_back({part, repair});
}

void Engine::fail(Job& job, std::optional<Duration> detect) {
  const JobClass& job_class = class_of(job);
  ++job.failures;
  charge_held(job, now_);
  if (job.phase == JobPhase::draining) return end_service(job);
  if (job_class.max_restarts && job.failures > *job_class.max_restarts)
    return stop_for_good(job, FinalState::failed);
  settle(job, covered(job, now_), Leaf::runtime_rework);
  if (job.phase == JobPhase::saving) run_eviction_clock(job);  // the eviction comes to nothing
  if (++job.stops_since_commit >= kHopeless) return stop_for_good(job, FinalState::no_progress);

  const Duration until_detected = detect.value_or(job_class.recovery.detect);
  if (job.broken.empty())
    return launch(job, until_detected, job_class.recovery.relaunch, Leaf::runtime_recovery);
  job.phase = JobPhase::detecting;
  job.phase_leaf = Leaf::runtime_recovery;
  push(now_ + until_detected, Phase::kFailure, EventKind::detected, job.slot.value, ++job.run_generation);
}

void Engine::lose_broken(Job& job) {
  // Out of `broken` first: losing devices looks at the job.
  faults_.losing.clear();
  faults_.losing.swap(job.broken);
  for (const Job::Broken& each : faults_.losing)
    lose_devices(job, each.part.node, each.part.devices, each.repair);
}

void Engine::detected(Job& job) {
  charge_held(job, now_);
  job.relaunch = &class_of(job).recovery.relaunch;
  job.relaunch_leaf = Leaf::runtime_recovery;
  if (job.shape.milli != 0) {
    job.broken.clear();
    release(job, "member lost");
    return enqueue(job, job.submit);
  }
  clear_broken(job);
  if (!fill_members(job)) lack_members(job);
}

void Engine::repaired(std::uint32_t place) {
  const OutPart part = faults_.out_parts[place];
  faults_.free_out_parts.push_back(place);
  --parts_out_;
  touch(part.pool);
  Pool& pool = pools_[part.pool.value];
  if (!slow_.spots.empty()) slow_.spots[part.pool.value].renew(part.node, part.devices);
  // What is not installed any more has been taken away broken.
  const DeviceMask devices = part.devices & pool.devices_in(DeviceState::failed, part.node);
  const auto count = static_cast<std::uint32_t>(std::popcount(devices));
  const bool all_lacking = pool.spare_count() + count <= pool.spare_target();
  if (devices != 0 && all_lacking && waiting_.empty() && !pool.is_withdrawn(part.node)) {
    // The spares get all of it, and nobody waits before them.
    pool.move(part.node, devices, DeviceState::failed, DeviceState::spare);
    pass_wanted_ = true;
    return;
  }
  pool.move(part.node, devices, DeviceState::failed, DeviceState::free);
  serve_again(part.pool, part.node, devices);
}

void Engine::tear_down(PoolId pool, const Part& part) {
  const Pool& of = pools_[pool.value];
  const DeviceMask devices = part.milli == 0
                                 ? part.devices & of.devices_in(DeviceState::transition, part.node)
                             : of.is_torn_down(part) ? part.devices
                                                     : 0;
  if (devices == 0) return;
  ++tearing_down_;
  const SimTime until = now_ + scenario_.pools[pool.value].teardown;
  push(until, Phase::kRelease, EventKind::torn_down,
       keep_in(faults_.teardowns, faults_.free_teardowns, {pool, part.node, devices, until, part.milli}));
}

/// Devices that failed or were withdrawn in their teardown do not become free at its end.
void Engine::forget_teardown(PoolId pool, std::uint32_t node, DeviceMask devices) {
  if (devices == 0) return;
  for (OutPart& part : faults_.teardowns)
    if (part.pool == pool && part.node == node && part.milli == 0) part.devices &= ~devices;
}

/// Nor are parts of shared devices torn down any longer.
void Engine::end_teardowns_of_shares(PoolId pool, std::uint32_t node, DeviceMask devices) {
  for (OutPart& part : faults_.teardowns) {
    if (part.pool != pool || part.node != node || part.milli == 0 || (part.devices & devices) == 0) continue;
    touch(pool);
    pools_[pool.value].end_teardown(part.part());
    part.devices = 0;
  }
}

void Engine::torn_down(std::uint32_t place) {
  const OutPart part = std::exchange(faults_.teardowns[place], {});
  faults_.free_teardowns.push_back(place);
  --tearing_down_;
  Pool& pool = pools_[part.pool.value];
  if (part.devices == 0) return;
  touch(part.pool);
  const std::uint64_t before = pool.version();
  if (part.milli != 0) {
    pool.end_teardown(part.part());
  } else {
    pool.move(part.node, part.devices, DeviceState::transition, DeviceState::free);
  }
  if (scenario_.scheduler.backfill == Backfill::conservative)
    looked_at_ += pool.version() - before;  // as foreseen
  pass_wanted_ = true;
}

}  // namespace fleetsim
