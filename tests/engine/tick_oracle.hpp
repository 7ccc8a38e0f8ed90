#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/ledger/leaf.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// What one job alone on one device did, counted nanosecond by nanosecond.
struct TickedJob {
  std::array<std::int64_t, kLeafCount> leaves{};  ///< inside the window
  std::int64_t end = 0, requeue_wait = 0, commits = 0, failures = 0, evictions = 0, drains = 0;
};

/// Plays a scenario of one job alone, whose failures strike wherever it is and take nothing out of service,
/// whose evictions come at instants, and whose nodes are drained for good while there is always another, one
/// nanosecond after the other. An independent reading of the rules: it knows nothing of how the
/// engine computes what lies between two events, and is to be used for runs of some thousand nanoseconds.
TickedJob play_by_ticks(const Scenario& scenario);

}  // namespace fleetsim
