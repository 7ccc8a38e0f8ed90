#pragma once

#include <cstdint>
#include <stdexcept>

#include "sim/engine/result.hpp"
#include "sim/engine/watch.hpp"
#include "sim/ledger/records.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

struct RunOptions {
  std::uint32_t replication = 0;
  Records* records = nullptr;  ///< filled when given
  enum class Jobs : std::uint8_t {
    sums_only,
    percentiles,  ///< 24 bytes a completed job while the run lasts
    each,         ///< a row for each of them, too
  } jobs = Jobs::sums_only;
  Watch* watch = nullptr;  ///< filled when given
};

/// The run cannot go on for a reason inside it, such as events without end at one instant.
struct RunFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Simulates one replication of a valid scenario. The same scenario, seed and replication give the same
/// result. The ledger closes: its leaves sum to installed capacity x window with ==, or RunFault is thrown.
RunResult simulate(const Scenario& scenario, const RunOptions& options);

}  // namespace fleetsim
