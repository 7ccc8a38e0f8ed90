#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/device_time.hpp"
#include "sim/core/ids.hpp"
#include "sim/ledger/leaf.hpp"

namespace fleetsim {

/// Device-time by leaf.
using LeafTotals = std::array<DeviceTime, kLeafCount>;

/// The sums of accounting: what each boundary let through.
struct Factors {
  DeviceTime installed, in_service, held, retained, ideal, unmodelled, unresolved;
};

/// Sums the leaves; nothing is left out, nothing is counted twice.
Factors factors(const LeafTotals& leaves);
DeviceTime sum(const LeafTotals& leaves);

/// Where every device-nanosecond of a window went: pool x class of job (or none) x leaf, in exact integers.
class Ledger {
 public:
  Ledger(std::size_t pools, std::size_t classes);

  void add(PoolId pool, ClassId job_class, Leaf leaf, DeviceTime amount) {
    cell(pool.value, job_class.value)[static_cast<std::size_t>(leaf)] += amount;
  }
  /// Capacity that no job holds.
  void add(PoolId pool, Leaf leaf, DeviceTime amount) {
    unheld(pool)[static_cast<std::size_t>(leaf)] += amount;
  }
  LeafTotals& unheld(PoolId pool) { return cell(pool.value, classes_); }

  std::size_t pools() const { return pools_; }
  std::size_t classes() const { return classes_; }
  LeafTotals total() const;
  LeafTotals of_pool(PoolId pool) const;
  LeafTotals of_class(ClassId job_class) const;
  const LeafTotals& of(PoolId pool, ClassId job_class) const {
    return rows_[row(pool.value, job_class.value)];
  }
  const LeafTotals& unheld(PoolId pool) const { return rows_[row(pool.value, classes_)]; }

  /// Adds another ledger of the same shape (replications sum).
  void merge(const Ledger& other);

  friend bool operator==(const Ledger&, const Ledger&) = default;

 private:
  std::size_t row(std::size_t pool, std::size_t job_class) const { return pool * (classes_ + 1) + job_class; }
  LeafTotals& cell(std::size_t pool, std::size_t job_class) { return rows_[row(pool, job_class)]; }

  std::size_t pools_, classes_;
  std::vector<LeafTotals> rows_;
};

/// Divides `amount` over integer `weights` by largest remainder; equal remainders go to the earlier entry.
/// The parts sum to `amount` exactly. Weights are >= 0 with a positive sum; amount >= 0.
std::vector<DeviceTime> split_by_largest_remainder(DeviceTime amount,
                                                   const std::vector<std::int64_t>& weights);

}  // namespace fleetsim
