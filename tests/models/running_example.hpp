#pragma once

#include <cstdint>
#include <vector>

#include "models/checkpoint/interval.hpp"
#include "models/goodput/factors.hpp"
#include "models/goodput/runtime_loss.hpp"
#include "models/quantity/quantity.hpp"
#include "models/reliability/reliability.hpp"

namespace fleetsim {

// The running example of Machine Learning Systems, volume 2, chapter 9: Llama 2 70B on 128 H100s for a week.

inline const std::vector<FailureRow> kTextbookMix{
    {.name = "GPU", .hits = Hits::kDevice, .rate = 1.0 / Seconds{50000 * 3600.0}},
    {.name = "PCIe switch", .hits = Hits::kDevice, .rate = 1.0 / Seconds{200000 * 3600.0}},
    {.name = "NIC", .hits = Hits::kNode, .rate = 1.0 / Seconds{150000 * 3600.0}}};

inline PerSecond textbook_rate(std::int64_t devices) {
  return failure_rate(kTextbookMix, {.devices = devices, .nodes = devices / 8});
}

inline constexpr RecoveryBudget kTextbookBudget{Seconds{60}, Seconds{180}, Seconds{120}};
inline constexpr ByteRate kTextbookBandwidth{100e9};
inline constexpr Seconds kWrite70B{9.8};
inline constexpr Seconds kWrite175B{24.5};
inline constexpr double kInputStall = 0.05 / 0.65;

/// Equation 4's inputs at one size of the job, all else held (figure 5).
inline RuntimeTerms running_example(std::int64_t devices) {
  const PerSecond failures = textbook_rate(devices);
  const Seconds startup = startup_time(kTextbookBudget, kWrite70B);
  return {.startup = startup,
          .held = kOneWeek,
          .input_stall = kInputStall,
          .write = kWrite70B,
          .interval = young_interval(kWrite70B, failures).value(),
          .failures = failures,
          .recovery = recovery_time(kTextbookBudget, kWrite70B),
          .evictions = 1.0 / kOneDay,
          .eviction_tax = 15 * kOneMinute + startup};
}

inline constexpr Flops kStepWork{6 * 70e9 * 35446};
inline constexpr Flops kNodeStepWork{6 * 70e9 * 2204};
inline constexpr FlopRate kPeakH100{989e12};

/// S of the snapshot, R of equation 4, P of the fleet step; none of them rounded.
inline MpgFactors running_factors() {
  return {.scheduling = 0.65,
          .runtime = runtime_losses(running_example(128)).runtime_goodput(),
          .program = model_flops_utilization(kStepWork, 128, kPeakH100, Seconds{0.245})};
}

inline double node_program_goodput() {
  return model_flops_utilization(kNodeStepWork, 8, kPeakH100, Seconds{0.180});
}

}  // namespace fleetsim
