#pragma once

#include <array>
#include <cstdint>

#include "sim/core/size_cohort.hpp"
#include "sim/job/job.hpp"

namespace fleetsim {

/// Who is served first. Of those of one instant it is the order of the scenario: by class, then as they are
/// listed.
struct QueueOrder {
  bool operator()(const Job& a, const Job& b) const {
    if (a.key != b.key) return a.key < b.key;
    if (a.queue_time != b.queue_time) return a.queue_time < b.queue_time;
    if (a.job_class != b.job_class) return a.job_class < b.job_class;
    return a.sequence < b.sequence;
  }
};

/// Who is expected to leave first.
struct ReleaseOrder {
  bool operator()(const Job& a, const Job& b) const {
    if (a.expected_end != b.expected_end) return a.expected_end < b.expected_end;
    return a.sequence < b.sequence;
  }
};

enum class Hopeless : std::uint8_t { no, no_room, too_long };
/// How near together a gang has to be, and how near it is placed where there is room for that.
struct Nearness {
  TopologyLevel needed = TopologyLevel::pool, wished = TopologyLevel::pool;
  friend bool operator==(const Nearness&, const Nearness&) = default;
};

/// Queued gangs that are alike to a scheduler.
struct QueuedShape {
  GangShape shape;  ///< with the job's own spares
  const JobClass* job_class;
  Nearness near{};
  bool satisfiable = true;  ///< some pool that they accept could hold it when empty
  std::int64_t queued = 0;
  // Backfill.
  Duration least_estimate = Duration::max();  ///< no queued job of this shape has a shorter one
  std::uint64_t pass = 0;                     ///< number of the pass that the rest is of
  Hopeless hopeless = Hopeless::no;           ///< nobody of this shape can start any more
  std::uint64_t hopeless_at = 0;         ///< when it was found: too long is too long until somebody starts
  std::int64_t met = 0;                  ///< how many the pass has met and left queued
  Duration least_met = Duration::max();  ///< their least estimate
  void enter_pass(std::uint64_t number) {
    if (pass == number) return;
    pass = number;
    hopeless = Hopeless::no;
    met = 0;
    least_met = Duration::max();
  }
};

/// Queued jobs that accept a pool by the size of their gangs, and the sizes that there are, a bit each.
struct QueuedSizes {
  std::uint32_t present = 0;
  std::array<std::uint32_t, kSizeCohorts> count{};
  void add(std::uint32_t cohort) {
    if (count[cohort]++ == 0) present |= 1U << cohort;
  }
  void remove(std::uint32_t cohort) {
    if (--count[cohort] == 0) present &= ~(1U << cohort);
  }
};

}  // namespace fleetsim
