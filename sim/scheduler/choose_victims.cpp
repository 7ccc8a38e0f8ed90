#include "sim/scheduler/choose_victims.hpp"

#include <algorithm>
#include <utility>

namespace fleetsim {
namespace {

/// Stops one after the other until there is room; whoever is passed over goes to `others`.
std::vector<VictimCandidate> collect(const std::vector<VictimCandidate>& candidates, RoomToMake& room,
                                     std::vector<VictimCandidate>& others) {
  std::vector<VictimCandidate> victims;
  for (const VictimCandidate& each : candidates) {
    if (room.is_enough() || !room.may_stop(each)) {
      others.push_back(each);
    } else {
      room.stop(each);
      victims.push_back(each);
    }
  }
  return victims;
}

/// The last chosen first.
void spare_unneeded(std::vector<VictimCandidate>& victims, RoomToMake& room,
                    std::vector<VictimCandidate>& others) {
  for (std::size_t index = victims.size(); index-- > 0;) {
    room.spare(victims[index]);
    if (room.is_enough()) {
      others.push_back(victims[index]);
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      room.stop(victims[index]);
    }
  }
}

/// Puts a smaller one, of no larger priority, in the place of a victim where that is enough as well.
void exchange(VictimCandidate& victim, RoomToMake& room, std::vector<VictimCandidate>& others) {
  room.spare(victim);
  for (VictimCandidate& other : others) {
    const bool smaller = other.capacity < victim.capacity && other.priority <= victim.priority;
    if (!smaller || !room.may_stop(other)) continue;
    room.stop(other);
    if (room.is_enough()) {
      std::swap(victim, other);
      return;
    }
    room.spare(other);
  }
  room.stop(victim);
}

}  // namespace

std::vector<VictimCandidate> choose_victims(const std::vector<VictimCandidate>& candidates,
                                            const VictimPolicy& policy, RoomToMake& room) {
  std::vector<VictimCandidate> others;
  std::vector<VictimCandidate> victims = collect(candidates, room, others);
  if (!room.is_enough()) return {};
  spare_unneeded(victims, room, others);
  if (policy.fewest) {
    std::sort(others.begin(), others.end(),
              [](const VictimCandidate& a, const VictimCandidate& b) { return a.capacity < b.capacity; });
    for (VictimCandidate& each : victims) exchange(each, room, others);
  }
  return victims;
}

}  // namespace fleetsim
