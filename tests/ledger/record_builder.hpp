#pragma once

#include <map>
#include <string>

#include "sim/ledger/records.hpp"

namespace fleetsim {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr SimTime at(std::int64_t seconds) { return SimTime::at_ns(seconds * kSecond); }
constexpr Duration seconds(std::int64_t count) { return Duration::nanoseconds(count * kSecond); }
constexpr DeviceTime device_seconds(std::int64_t count) { return Capacity::devices(1) * seconds(count); }

/// Parts of a stretch, in seconds.
struct Parts {
  std::int64_t step = 0, wait = 0, pause = 0, excess = 0, straggler = 0, neighbour = 0, warm_up = 0;
};

struct Gang {
  std::int64_t complete = 0;
  std::int64_t spare = 0;
  bool never_complete = false;
};

/// Writes records down in seconds and devices, for one job in one pool unless told otherwise.
class RecordBuilder {
 public:
  RecordBuilder(std::int64_t window_start, std::int64_t window_end) {
    records.pools = {"pool"};
    records.classes = {"class"};
    records.jobs = {{"job", 0, SimTime::zero()}};
    records.window_start = at(window_start);
    records.window_end = at(window_end);
  }

  /// Whose rows follow.
  RecordBuilder& on(std::uint32_t job, std::uint32_t pool_index) {
    job_ = job;
    pool_ = pool_index;
    return *this;
  }
  RecordBuilder& allocation(std::int64_t from, std::int64_t to, std::int64_t devices, Gang gang = {}) {
    AllocationRow row;
    row.job = job_;
    row.attempt = 1;
    row.pool = pool_;
    row.from = at(from);
    row.to = at(to);
    if (!gang.never_complete) row.gang_complete = at(gang.complete == 0 ? from : gang.complete);
    row.capacity = Capacity::devices(devices);
    row.spare = Capacity::devices(gang.spare);
    row.reason = "completed";
    records.allocations.push_back(row);
    return *this;
  }
  RecordBuilder& pool(std::int64_t from, std::int64_t to, std::int64_t devices, Leaf leaf) {
    records.pool_rows.push_back({pool_, at(from), at(to), leaf, Capacity::devices(devices), 0});
    return *this;
  }
  RecordBuilder& leaf(std::int64_t from, std::int64_t to, std::int64_t devices, Leaf leaf) {
    TimelineRow& row = add(TimelineKind::leaf, from, to);
    row.capacity = Capacity::devices(devices);
    row.leaf = leaf;
    return *this;
  }
  RecordBuilder& stretch(std::int64_t from, std::int64_t to, std::int64_t devices, Parts parts) {
    TimelineRow& row = add(TimelineKind::stretch, from, to);
    row.capacity = Capacity::devices(devices);
    row.step = seconds(parts.step);
    row.wait = seconds(parts.wait);
    row.pause = seconds(parts.pause);
    row.excess = seconds(parts.excess);
    row.straggler = seconds(parts.straggler);
    row.neighbour = seconds(parts.neighbour);
    row.warm_up = seconds(parts.warm_up);
    return *this;
  }
  RecordBuilder& commit(std::int64_t of) {
    add(TimelineKind::commit, of, of);
    return *this;
  }
  RecordBuilder& discard(std::int64_t when, Leaf leaf) {
    add(TimelineKind::discard, when, when).leaf = leaf;
    return *this;
  }

  Records records;

 private:
  TimelineRow& add(TimelineKind kind, std::int64_t from, std::int64_t to) {
    TimelineRow row;
    row.job = job_;
    row.attempt = 1;
    row.kind = kind;
    row.from = at(from);
    row.to = at(to);
    records.timeline.push_back(row);
    return records.timeline.back();
  }

  std::uint32_t job_ = 0, pool_ = 0;
};

/// The leaves that hold something, in device-seconds.
using SecondsByLeaf = std::map<std::string, std::int64_t>;
inline SecondsByLeaf seconds_by_leaf(const Ledger& ledger) {
  SecondsByLeaf result;
  const LeafTotals totals = ledger.total();
  for (const LeafInfo& row : leaf_table()) {
    const Int128 amount = totals[static_cast<std::size_t>(row.leaf)].milli_device_ns();
    const Int128 unit = device_seconds(1).milli_device_ns();
    if (amount != 0)
      result[std::string(row.name)] = amount % unit == 0 ? static_cast<std::int64_t>(amount / unit) : -1;
  }
  return result;
}

}  // namespace fleetsim
