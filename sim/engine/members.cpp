#include <algorithm>
#include <bit>

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

/// Devices of the node that stragglers are among.
DeviceMask Engine::known_slow(std::uint32_t pool, std::uint32_t node) const {
  return slow_.spots.empty() ? DeviceMask{0} : slow_.spots[pool].stragglers(node);
}

/// What is free for a member of the gang.
std::optional<Part> Engine::find_free_member(const Job& job, std::uint32_t devices, Soundness which) const {
  const Pool& pool = pools_[job.pool.value];
  const auto usable = [&](std::uint32_t node) {
    const DeviceMask slow = which == Soundness::any ? 0 : known_slow(job.pool.value, node);
    return pool.free_devices(node) & ~slow;
  };
  const auto has_room = [&](std::uint32_t node) {
    return static_cast<std::uint32_t>(std::popcount(usable(node))) >= devices;
  };
  if (const PackedNodes* const packed = pool.packed()) {
    auto part = packed->find_member(job.shape, devices, has_room);
    // The policy, which chooses the cards, does not know which are slow.
    if (part && (part->devices & ~usable(part->node)) != 0)
      part->devices = lowest_bits(usable(part->node), devices);
    return part;
  }
  for (auto node = pool.next_with_at_least(devices, 0); node;
       node = pool.next_with_at_least(devices, *node + 1))
    if (has_room(*node)) return Part{.node = *node, .devices = lowest_bits(usable(*node), devices)};
  return std::nullopt;
}

std::optional<StandIn> Engine::find_stand_in(const Job& job, std::uint32_t devices, Soundness which) const {
  if (job.shape.unlike != 0) return std::nullopt;
  const std::uint32_t pool = job.pool.value;
  const auto slow = [&](std::uint32_t node) {
    return which == Soundness::any ? DeviceMask{0} : known_slow(pool, node);
  };
  for (const Part& spare : job.own_spares) {
    const DeviceMask usable = spare.devices & ~slow(spare.node);
    if (static_cast<std::uint32_t>(std::popcount(usable)) >= devices)
      return StandIn{Part{.node = spare.node, .devices = lowest_bits(usable, devices)}, DeviceState::held};
  }
  if (const auto spare = pools_[pool].find_spare(job.shape, devices, slow))
    return StandIn{*spare, DeviceState::spare};
  const auto free = find_free_member(job, devices, which);
  return free ? std::optional{StandIn{*free, DeviceState::free}} : std::nullopt;
}

/// One that is known to be slow only where there is no other.
std::optional<StandIn> Engine::find_stand_in(const Job& job, std::uint32_t devices) const {
  const auto sound = find_stand_in(job, devices, Soundness::sound);
  const bool some_are_slow = !slow_.spots.empty() && !slow_.spots[job.pool.value].empty();
  return sound || !some_are_slow ? sound : find_stand_in(job, devices, Soundness::any);
}

bool Engine::fill_member(Job& job, std::uint32_t devices) {
  const auto found = find_stand_in(job, devices);
  if (!found) return false;
  charge_held(job, now_);
  record_allocation(job, "member replaced");
  if (found->from != DeviceState::held) {
    take_part(job, found->part, found->from);
    return true;
  }
  for (Part& spare : job.own_spares)
    if (spare.node == found->part.node) spare.devices &= ~found->part.devices;
  add_member(job, found->part);
  job.own_spares.erase_if([](const Part& part) { return part.devices == 0; });
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
  pool.gather_spares();
  pass_wanted_ = true;
}

}  // namespace fleetsim
