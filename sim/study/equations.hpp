#pragma once

#include <cstdint>
#include <optional>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

// Equations of models/goodput and models/checkpoint whose vocabulary has words that the simulator uses for
// other things (the factors of a ledger, the clock of an eviction).

/// S, R and P, each within [0, 1].
struct GoodputFactors {
  double scheduling = 1, runtime = 1, program = 1;
};

/// What follows from the three factors of a pool.
struct PoolForms {
  double mpg = 0;
  double share_scheduling = 0, share_runtime = 0, share_program = 0, share_useful = 0;
  double value_of_scheduling = 0, value_of_runtime = 0, value_of_program = 0;
};
PoolForms pool_forms(const GoodputFactors& factors);

/// A job that holds its devices for ever, checkpoints, and is struck by exponential failures and evictions.
struct LongRun {
  PerSecond failures{}, evictions{};
  enum class Clock : std::uint8_t { held, productive } clock = Clock::held;  ///< of the evictions
  Seconds interval{};  ///< stepping time between commits, > 0
  Seconds pause{};
  Seconds recovery{}, relaunch{};          ///< after a failure; after an eviction
  std::optional<Seconds> eviction_loss{};  ///< nothing: all since the last commit
  double input_stall = 0;                  ///< share of stepping time, [0, 1)
};

/// Its exact runtime goodput.
double long_run_runtime_goodput(const LongRun& job);

}  // namespace fleetsim
