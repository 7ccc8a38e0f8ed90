#pragma once

#include <cstdint>
#include <stdexcept>

#include "sim/engine/result.hpp"
#include "sim/ledger/records.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

struct RunOptions {
  std::uint32_t replication = 0;
  Records* records = nullptr;  ///< filled when given
  enum class Jobs : std::uint8_t { sums_only, each } jobs = Jobs::sums_only;
};

/// The run cannot go on for a reason inside it, such as events without end at one instant.
struct RunFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Simulates one replication of a valid scenario. The same scenario, seed and replication give the same
/// result. The ledger closes: its leaves sum to installed capacity x window with ==, or RunFault is thrown.
RunResult simulate(const Scenario& scenario, const RunOptions& options);

}  // namespace fleetsim
