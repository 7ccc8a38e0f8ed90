#include <algorithm>

#include "sim/engine/engine.hpp"

// What a gang is made of: members that it loses, and what takes their place.

namespace fleetsim {

/// Notes where all its parts are, on the way.
Part* Engine::seek_part(Job& job, std::uint32_t node) {
  std::vector<std::uint32_t>& hints = part_hints_[job.pool.value];
  std::vector<Part>& parts = job.parts.list();
  Part* found = nullptr;
  for (std::uint32_t index = 0; index < parts.size(); ++index) {
    hints[parts[index].node] = index;
    if (parts[index].node == node) found = &parts[index];
  }
  return found;
}

/// Takes whole devices from a job: of its own spares, or of its gang, which then misses them.
/// @returns those that it had
DeviceMask Engine::part_with(Job& job, std::uint32_t node, DeviceMask devices, DeviceState to,
                             const char* reason) {
  charge_held(job, now_);
  record_allocation(job, reason);
  DeviceMask all_gone = 0;
  const auto lose = [&](Part& part) {
    const Part gone{.node = node, .devices = part.devices & devices};
    if (gone.devices == 0) return gone;
    touch(job.pool);
    pools_[job.pool.value].give_back(gone, job.slot, to);
    part.devices &= ~gone.devices;
    job.assigned -= gone.capacity();
    count_in_quota(job, Capacity::zero() - gone.capacity());
    all_gone |= gone.devices;
    return gone;
  };
  for (Part& spare : job.own_spares)
    if (spare.node == node) lose(spare);
  job.own_spares.erase_if([](const Part& part) { return part.devices == 0; });
  if (Part* const member = find_part(job, node); member != nullptr && member->milli == 0) {
    const Part gone = lose(*member);
    job.gang_capacity -= gone.capacity();
    const bool is_gang =
        job.phase != JobPhase::reserved && job.phase != JobPhase::zombie && job.phase != JobPhase::assembling;
    if (is_gang && gone.devices != 0) job.missing.push_back(gone.count());
    if (job.phase == JobPhase::assembling && gone.devices != 0 && member->devices != 0) {
      // A gang assembles from whole members; what is left of this one is no use to it.
      pools_[job.pool.value].give_back(*member, job.slot, DeviceState::free);
      job.gang_capacity -= member->capacity();
      job.assigned -= member->capacity();
      count_in_quota(job, Capacity::zero() - member->capacity());
      member->devices = 0;
    }
    if (member->devices == 0) {
      part_hints_[job.pool.value][job.parts.back().node] =
          static_cast<std::uint32_t>(member - job.parts.data());
      *member = job.parts.back();
      job.parts.pop_back();
    }
  }
  return all_gone;
}

/// Nothing can replace a member of the gang now.
void Engine::lack_members(Job& job) {
  // Unlike members have their nodes from one matching of all of them.
  if (class_of(job).no_replacement == NoReplacement::release || job.shape.unlike != 0) {
    job.missing.clear();
    release(job, "no replacement");
    return enqueue(job, job.submit);
  }
  if (go_on_smaller(job)) return;
  stop_eviction_clock(job);
  record_allocation(job, "member lost");
  ++job.run_generation;
  job.phase = JobPhase::waiting_member;
  job.phase_leaf = Leaf::scheduling_partial_gang;
  job.member_wait_from = now_;
  waiting_.push_back(job.slot);
  if (is_hopeless(job)) push(now_, Phase::kLimit, EventKind::refused, 0);
}

bool Engine::fill_members(Job& job) {
  while (!job.missing.empty()) {
    if (!fill_member(job, job.missing.back())) return false;
    job.missing.pop_back();
  }
  if (job.phase == JobPhase::waiting_member) {
    job.member_wait = job.member_wait + (now_ - job.member_wait_from);
    run_eviction_clock(job);
  }
  const bool failed = job.relaunch_leaf == Leaf::runtime_recovery;
  launch(job, failed ? class_of(job).recovery.replace : Duration::zero(), *job.relaunch, job.relaunch_leaf);
  return true;
}

void Engine::take_part(Job& job, const Part& part, DeviceState from) {
  touch(job.pool);
  Pool& pool = pools_[job.pool.value];
  from == DeviceState::spare ? pool.take_spare(part, job.slot) : pool.take(part, job.slot);
  add_member(job, part);
  job.assigned += part.capacity();
  count_in_quota(job, part.capacity());
}

void Engine::add_member(Job& job, const Part& part) {
  job.gang_capacity += part.capacity();
  const bool may_share_node = part.milli == 0 && part.count() < pools_[job.pool.value].devices_per_node();
  if (Part* const same_node = may_share_node ? find_part(job, part.node) : nullptr) {
    same_node->devices |= part.devices;
    return;
  }
  part_hints_[job.pool.value][part.node] = static_cast<std::uint32_t>(job.parts.size());
  job.parts.push_back(part);
}

bool Engine::can_fill_member(const Job& job, std::uint32_t devices) const {
  const Pool& pool = pools_[job.pool.value];
  if (job.shape.unlike != 0) return false;
  const bool own = std::any_of(job.own_spares.begin(), job.own_spares.end(),
                               [&](const Part& spare) { return spare.count() >= devices; });
  return own || pool.find_spare(job.shape, devices) || find_free_member(job, devices);
}

/// What is free for a member of the gang.
std::optional<Part> Engine::find_free_member(const Job& job, std::uint32_t devices) const {
  const Pool& pool = pools_[job.pool.value];
  if (const PackedNodes* const packed = pool.packed())
    return packed->find_member(job.shape, devices, [](std::uint32_t) { return true; });
  const auto node = pool.next_with_at_least(devices, 0);
  return node ? std::optional{lowest_devices(pool, *node, devices)} : std::nullopt;
}

bool Engine::fill_member(Job& job, std::uint32_t devices) {
  if (job.shape.unlike != 0) return false;
  for (Part& spare : job.own_spares) {
    if (spare.count() < devices) continue;
    charge_held(job, now_);
    record_allocation(job, "member replaced");
    DeviceMask rest = spare.devices;
    for (std::uint32_t taken = 0; taken < devices; ++taken) rest &= rest - 1;
    const Part member{.node = spare.node, .devices = spare.devices & ~rest};
    spare.devices = rest;
    add_member(job, member);
    job.own_spares.erase_if([](const Part& part) { return part.devices == 0; });
    return true;
  }
  const Pool& pool = pools_[job.pool.value];
  const auto spare = pool.find_spare(job.shape, devices);
  const auto part = spare ? spare : find_free_member(job, devices);
  if (!part) return false;
  charge_held(job, now_);
  record_allocation(job, "member replaced");
  take_part(job, *part, spare ? DeviceState::spare : DeviceState::free);
  return true;
}

void Engine::fill_waiting() {
  for (std::size_t index = 0; index < waiting_.size();) {
    if (fill_members(job(waiting_[index]))) {
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      ++index;
    }
  }
}

/// Devices that are back complete a waiting gang, then refill the spares, then are free.
void Engine::serve_again(PoolId id, std::uint32_t node, DeviceMask devices) {
  Pool& pool = pools_[id.value];
  fill_waiting();
  DeviceMask refill = 0;
  std::uint32_t lacking = pool.spare_target() - std::min(pool.spare_target(), pool.spare_count());
  for (DeviceMask left = devices & pool.free_devices(node); left != 0 && lacking > 0; left &= left - 1) {
    refill |= left & (~left + 1);
    --lacking;
  }
  if (refill != 0) {
    touch(id);
    pool.move(node, refill, DeviceState::free, DeviceState::spare);
  }
  pass_wanted_ = true;
}

}  // namespace fleetsim
