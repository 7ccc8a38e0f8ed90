#include "sim/ledger/ledger.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fleetsim {
namespace {

void add_to(LeafTotals& sums, const LeafTotals& more) {
  for (std::size_t i = 0; i < kLeafCount; ++i) sums[i] += more[i];
}

struct Quotient {
  Int128 whole, remainder;
};

/// `a * b / divisor` for 0 <= a < divisor < 2^125 and b >= 0, although the product may pass 128 bits: it is
/// then divided while it is being formed, one bit of b at a time.
Quotient divide_product(Int128 a, std::int64_t b, Int128 divisor) {
  Int128 product = 0;
  if (!__builtin_mul_overflow(a, static_cast<Int128>(b), &product))
    return {product / divisor, product % divisor};
  Quotient so_far{0, 0};
  for (int bit = 62; bit >= 0; --bit) {
    const Int128 next = 2 * so_far.remainder + ((b >> bit & 1) != 0 ? a : 0);
    so_far = {2 * so_far.whole + next / divisor, next % divisor};
  }
  return so_far;
}

}  // namespace

Factors factors(const LeafTotals& leaves) {
  Factors sums;
  for (const LeafInfo& row : leaf_table()) {
    const DeviceTime amount = leaves[static_cast<std::size_t>(row.leaf)];
    sums.installed += amount;
    if (row.boundary >= Boundary::scheduling) sums.in_service += amount;
    if (row.boundary >= Boundary::runtime) sums.held += amount;
    if (row.boundary >= Boundary::program) sums.retained += amount;
    if (row.boundary >= Boundary::useful) sums.ideal += amount;
  }
  sums.unmodelled = leaves[static_cast<std::size_t>(Leaf::program_unmodelled)];
  sums.unresolved = leaves[static_cast<std::size_t>(Leaf::runtime_unresolved)];
  return sums;
}

DeviceTime sum(const LeafTotals& leaves) {
  return std::accumulate(leaves.begin(), leaves.end(), DeviceTime::zero());
}

Ledger::Ledger(std::size_t pools, std::size_t classes)
    : pools_{pools}, classes_{classes}, rows_(pools * (classes + 1), LeafTotals{}) {}

LeafTotals Ledger::total() const {
  LeafTotals sums{};
  for (const LeafTotals& row : rows_) add_to(sums, row);
  return sums;
}

LeafTotals Ledger::of_pool(PoolId pool) const {
  LeafTotals sums{};
  for (std::size_t job_class = 0; job_class <= classes_; ++job_class)
    add_to(sums, rows_[row(pool.value, job_class)]);
  return sums;
}

LeafTotals Ledger::of_class(ClassId job_class) const {
  LeafTotals sums{};
  for (std::size_t pool = 0; pool < pools_; ++pool) add_to(sums, rows_[row(pool, job_class.value)]);
  return sums;
}

void Ledger::merge(const Ledger& other) {
  if (other.pools_ != pools_ || other.classes_ != classes_)
    throw std::invalid_argument("ledgers of different pools or classes cannot be added");
  for (std::size_t i = 0; i < rows_.size(); ++i) add_to(rows_[i], other.rows_[i]);
}

std::vector<DeviceTime> split_by_largest_remainder(DeviceTime amount,
                                                   const std::vector<std::int64_t>& weights) {
  const Int128 all = std::accumulate(weights.begin(), weights.end(), Int128{0});
  const Int128 whole = amount.milli_device_ns() / all;
  const Int128 rest = amount.milli_device_ns() % all;
  std::vector<DeviceTime> parts;
  std::vector<Int128> remainders;
  DeviceTime undivided = amount;
  for (const std::int64_t weight : weights) {
    const Quotient share = divide_product(rest, weight, all);
    parts.push_back(DeviceTime::milli_device_ns(whole * weight + share.whole));
    remainders.push_back(share.remainder);
    undivided -= parts.back();
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  constexpr DeviceTime kOne = DeviceTime::milli_device_ns(1);
  for (std::size_t i = 0; undivided > DeviceTime::zero(); ++i, undivided -= kOne) parts[order[i]] += kOne;
  return parts;
}

}  // namespace fleetsim
