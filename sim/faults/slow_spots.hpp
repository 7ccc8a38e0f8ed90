#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/fleet/pool.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// What keeps a gang from its usual pace: the speed of the slowest of its members, 1 where none is slow, by
/// cause.
using Slowness = std::array<double, kSlowCauses>;

/// Which devices of a pool are slow just now.
class SlowSpots {
 public:
  explicit SlowSpots(std::uint32_t nodes) : spots_(nodes) {}

  void add(std::uint32_t node, DeviceMask devices, SlowCause cause, double speed, std::uint32_t episode);
  void remove(std::uint32_t node, std::uint32_t episode);
  /// Devices that are repaired are stragglers no more.
  void renew(std::uint32_t node, DeviceMask devices);

  bool empty() const { return count_ == 0; }
  /// Traffic of others slows what crosses the network: gangs of several nodes.
  Slowness of(const Placement& parts) const;
  /// Whether the part has a straggler.
  bool is_straggler(const Part& part) const;
  /// Which devices of a node are.
  DeviceMask stragglers(std::uint32_t node) const;
  /// The longest repair of the stragglers in the part, by episode.
  template <class RepairOf>
  Duration repair(const Part& part, RepairOf&& repair_of) const {
    Duration longest = Duration::zero();
    for (const Spot& spot : spots_[part.node])
      if (spot.cause == SlowCause::straggler && (spot.devices & part.devices) != 0)
        longest = std::max(longest, repair_of(spot.episode));
    return longest;
  }

 private:
  struct Spot {
    DeviceMask devices;
    SlowCause cause;
    double speed;
    std::uint32_t episode;
  };
  std::vector<std::vector<Spot>> spots_;  ///< by node
  std::size_t count_ = 0;
};

}  // namespace fleetsim
