#pragma once

#include <cstdint>
#include <vector>

#include "sim/scheduler/victims.hpp"

namespace fleetsim {

/// A running job that may be stopped to make room.
struct VictimCandidate {
  std::uint32_t job = 0;      ///< whoever asks knows by it which one it is
  Int128 key = 0;             ///< by the policy: the smaller is stopped first
  std::int64_t priority = 0;  ///< the smaller is stopped first, where priorities count
  Capacity capacity;
};

/// The place where room is made, as it would be if those chosen so far were stopped.
class RoomToMake {
 public:
  virtual ~RoomToMake() = default;
  virtual bool is_enough() = 0;
  /// Whether one more may be stopped beside those chosen.
  virtual bool may_stop(const VictimCandidate& candidate) const = 0;
  virtual void stop(const VictimCandidate& candidate) = 0;
  virtual void spare(const VictimCandidate& candidate) = 0;
};

/// Chooses, of candidates in the order in which they would be stopped, as few as make the room: the first,
/// less those that turn out not to be needed; where the policy wants few, each exchanged for a smaller one
/// that does as well. Nobody if all of them are not enough.
std::vector<VictimCandidate> choose_victims(const std::vector<VictimCandidate>& candidates,
                                            const VictimPolicy& policy, RoomToMake& room);

}  // namespace fleetsim
