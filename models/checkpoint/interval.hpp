#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

// `interruptions` is the rate of all that discards uncommitted work; rates of failures and of evictions add.
// Nothing here is to be asked about a negative time or rate.

/// The checkpoint interval that minimises first-order waste: sqrt(2 write / interruptions).
/// Range: needs a write short against the MTBF (see young_range). Zero when the write costs nothing: commit
/// at every step. Nothing when there are no interruptions: no periodic checkpoints. Source: Young, CACM
/// 17(9), 1974.
std::optional<Seconds> young_interval(Seconds write, PerSecond interruptions);

/// The same to higher order, with the MTBF itself once the write takes twice that or more.
/// Source: Daly, Future Generation Computer Systems 22(3), 2006.
std::optional<Seconds> daly_interval(Seconds write, PerSecond interruptions);

enum class YoungRange : std::uint8_t {
  kHolds,          ///< write at most a tenth of the MTBF: within half a point of the best efficiency
  kPreferDaly,     ///< a longer write: Young's interval is too long, above MTBF/2 it exceeds the MTBF
  kHardlyAny,      ///< write at least twice the MTBF: the rule is one MTBF, little work survives
  kContinuous,     ///< write of zero: commit at every step, there is no interval to choose
  kNoInterruption  ///< nothing to guard against: no periodic checkpoints
};

YoungRange young_range(Seconds write, PerSecond interruptions);

/// What to tell a user who relies on Young's interval; empty where it holds.
std::string young_warning(Seconds write, PerSecond interruptions);

/// Share of time that writes and rework take, to first order.
struct CheckpointWaste {
  double write = 0;   ///< write / interval
  double rework = 0;  ///< half an interval per interruption
  double total() const { return write + rework; }
};

/// Source: Young 1974; valid while both shares are small. With write and interval both zero it is zero.
CheckpointWaste first_order_waste(Seconds write, Seconds interval, PerSecond interruptions);

/// First-order waste at Young's interval: sqrt(2 write interruptions).
double least_first_order_waste(Seconds write, PerSecond interruptions);

/// What decides the efficiency of a job that checkpoints; recovery is per failure, without rework.
struct CheckpointedJob {
  Seconds write{};
  Seconds interval{};  ///< > 0
  PerSecond failures{};
  Seconds recovery{};
};

/// Share of time that is work kept, under exponential failures that may also hit writes and recoveries;
/// exact. Source: Daly 2006, the complete cost function with its restart time; without failures, interval /
/// (interval + write).
double daly_efficiency(const CheckpointedJob& job);

/// Expected effective-training-time ratio, first order in the failures, never below zero.
/// Source: Kokolis et al., HPCA 2025 (arXiv:2410.21680), without queue waits; within about 5 % of their
/// simulation.
double kokolis_ettr(const CheckpointedJob& job);

}  // namespace fleetsim
