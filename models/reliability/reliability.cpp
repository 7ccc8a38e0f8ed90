#include "models/reliability/reliability.hpp"

#include <cmath>

namespace fleetsim {
namespace {

double population(Hits hits, Extent extent) {
  switch (hits) {
    case Hits::kDevice:
      return static_cast<double>(extent.devices);
    case Hits::kNode:
      return static_cast<double>(extent.nodes);
    case Hits::kRack:
      break;
  }
  return static_cast<double>(extent.racks);
}

}  // namespace

PerSecond failure_rate(std::span<const FailureRow> rows, Extent extent) {
  PerSecond total;
  for (const FailureRow& row : rows) total += population(row.hits, extent) * row.rate;
  return total;
}

Seconds mean_time_between(PerSecond rate) { return 1.0 / rate; }

double none_within(PerSecond rate, Seconds time) { return std::exp(-(rate * time)); }

PerSecond observed_rate(std::int64_t count, std::int64_t watched, Seconds time) {
  return static_cast<double>(count) / (static_cast<double>(watched) * time);
}

Seconds recovery_time(const RecoveryBudget& budget, Seconds load) {
  return budget.detect + startup_time(budget, load);
}

Seconds startup_time(const RecoveryBudget& budget, Seconds load) {
  return budget.restart + load + budget.warmup;
}

}  // namespace fleetsim
