#pragma once

#include <span>
#include <string_view>

#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"

namespace fleetsim {

/// What a choice of victims may know of a running job.
struct VictimView {
  std::int64_t priority = 0;
  SimTime running_since;    ///< gang complete
  Capacity capacity;        ///< of everything it holds
  DeviceTime uncommitted;   ///< device-time since its last commit
  Capacity left_in_pieces;  ///< of the nodes it would leave without filling them: what is free on them then
};

/// Who is stopped first when room has to be made: the smaller key; among equals the last in the order of the
/// queue. Whoever turns out not to be needed is spared, the last chosen first.
struct VictimPolicy {
  std::string_view name, about;
  Int128 (*key)(const VictimView&);  ///< null: by the order of the queue alone
  bool fewest = false;               ///< of the chosen, each is exchanged for a smaller job that does as well
};

std::span<const VictimPolicy> victim_table();
const VictimPolicy* find_victims(std::string_view name);

}  // namespace fleetsim
