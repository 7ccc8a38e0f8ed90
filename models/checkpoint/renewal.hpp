#pragma once

#include <cstdint>
#include <optional>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// When evictions may come: at any held time, or while the job steps. Failures may come at any time.
enum class RenewalClock : std::uint8_t { kHeld, kProductive };

/// One job that always holds its devices, steps for `interval`, pauses for `write`, commits, and so on, while
/// exponential failures and evictions strike. A failure loses all since the last commit and starts a
/// recovery; an eviction loses what `eviction_loss` says and starts a relaunch. Both phases may be struck
/// themselves: a failure starts a recovery anew, an eviction (held clock) a relaunch.
struct RenewalJob {
  PerSecond failures{};
  PerSecond evictions{};
  RenewalClock clock = RenewalClock::kHeld;
  Seconds interval{};  ///< stepping time between commits, > 0, may be infinite: never commits
  Seconds write{};
  Seconds recovery{};
  Seconds relaunch{};
  /// The last so much is lost and the rest committed; nothing means all since the last commit is lost.
  std::optional<Seconds> eviction_loss{};
  double input_stall = 0;  ///< share of stepping time spent waiting for input, [0, 1)
};

/// Long-run shares of held time; they add to one.
struct RenewalShares {
  double retained = 0;  ///< the runtime goodput R
  double input_wait = 0;
  double checkpoint = 0;
  double rework = 0;      ///< lost to failures
  double recovery = 0;    ///< after failures
  double preemption = 0;  ///< lost to evictions, and relaunches after them
};

/// The exact long-run value for the model above: expected time in each state over one cycle from commit or
/// interruption to the next, over the expected length of the cycle (renewal-reward theorem; without evictions
/// it is Daly's complete cost function of 2006). A window that begins with a cold start has a little more.
RenewalShares renewal_shares(const RenewalJob& job);

}  // namespace fleetsim
