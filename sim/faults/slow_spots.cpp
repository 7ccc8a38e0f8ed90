#include "sim/faults/slow_spots.hpp"

#include <algorithm>

namespace fleetsim {

void SlowSpots::add(std::uint32_t node, DeviceMask devices, SlowCause cause, double speed,
                    std::uint32_t episode) {
  spots_[node].push_back({devices, cause, speed, episode});
  ++count_;
}

void SlowSpots::remove(std::uint32_t node, std::uint32_t episode) {
  count_ -= std::erase_if(spots_[node], [&](const Spot& spot) { return spot.episode == episode; });
}

void SlowSpots::renew(std::uint32_t node, DeviceMask devices) {
  for (Spot& spot : spots_[node])
    if (spot.cause == SlowCause::straggler) spot.devices &= ~devices;
  count_ -= std::erase_if(spots_[node], [](const Spot& spot) { return spot.devices == 0; });
}

Slowness SlowSpots::of(const Placement& parts) const {
  Slowness slowness;
  slowness.fill(1.0);
  for (const Part& part : parts) {
    for (const Spot& spot : spots_[part.node]) {
      if ((spot.devices & part.devices) == 0) continue;
      if (spot.cause == SlowCause::noisy_neighbour && parts.size() < 2) continue;
      double& speed = slowness[static_cast<std::size_t>(spot.cause)];
      speed = std::min(speed, spot.speed);
    }
  }
  return slowness;
}

DeviceMask SlowSpots::stragglers(std::uint32_t node) const {
  DeviceMask slow = 0;
  for (const Spot& spot : spots_[node])
    if (spot.cause == SlowCause::straggler) slow |= spot.devices;
  return slow;
}

bool SlowSpots::is_straggler(const Part& part) const { return (stragglers(part.node) & part.devices) != 0; }

}  // namespace fleetsim
