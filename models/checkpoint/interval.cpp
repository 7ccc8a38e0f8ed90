#include "models/checkpoint/interval.hpp"

#include <algorithm>
#include <cmath>

#include "models/checkpoint/renewal.hpp"

namespace fleetsim {
namespace {

constexpr double kYoungReach = 0.1;  // write over MTBF up to which Young's interval is as good as any
constexpr double kDalyReach = 2;     // write over MTBF from which Daly's series gives way to one MTBF

}  // namespace

std::optional<Seconds> young_interval(Seconds write, PerSecond interruptions) {
  if (interruptions.si == 0) return std::nullopt;
  return Seconds{std::sqrt(2 * write.si / interruptions.si)};
}

std::optional<Seconds> daly_interval(Seconds write, PerSecond interruptions) {
  if (interruptions.si == 0) return std::nullopt;
  const Seconds mtbf = 1.0 / interruptions;
  if (write >= kDalyReach * mtbf) return mtbf;
  const double ratio = write / (2 * mtbf);
  const double series = 1 + std::sqrt(ratio) / 3 + ratio / 9;
  return Seconds{std::sqrt(2 * write.si * mtbf.si) * series} - write;
}

YoungRange young_range(Seconds write, PerSecond interruptions) {
  if (interruptions.si == 0) return YoungRange::kNoInterruption;
  if (write.si == 0) return YoungRange::kContinuous;
  const double writes_per_mtbf = write * interruptions;
  if (writes_per_mtbf <= kYoungReach) return YoungRange::kHolds;
  return writes_per_mtbf < kDalyReach ? YoungRange::kPreferDaly : YoungRange::kHardlyAny;
}

std::string young_warning(Seconds write, PerSecond interruptions) {
  switch (young_range(write, interruptions)) {
    case YoungRange::kHolds:
      return {};
    case YoungRange::kPreferDaly:
      return "the write takes more than a tenth of the MTBF: Young's interval is too long, use Daly's";
    case YoungRange::kHardlyAny:
      return "the write takes at least twice the MTBF: one MTBF is the best interval, and little work "
             "survives";
    case YoungRange::kContinuous:
      return "the write takes no time: checkpoint at every step";
    case YoungRange::kNoInterruption:
      break;
  }
  return "nothing interrupts the job: no periodic checkpoints";
}

CheckpointWaste first_order_waste(Seconds write, Seconds interval, PerSecond interruptions) {
  if (write.si == 0 && interval.si == 0) return {};
  return {.write = write / interval, .rework = interval / 2 * interruptions};
}

double least_first_order_waste(Seconds write, PerSecond interruptions) {
  return std::sqrt(2 * (write * interruptions));
}

double daly_efficiency(const CheckpointedJob& job) {
  return renewal_shares({.failures = job.failures,
                         .interval = job.interval,
                         .write = job.write,
                         .recovery = job.recovery})
      .retained;
}

double kokolis_ettr(const CheckpointedJob& job) {
  const double lost = (job.recovery + job.interval / 2) * job.failures;
  return std::max(0.0, 1 - lost) / (1 + job.write / job.interval);
}

}  // namespace fleetsim
