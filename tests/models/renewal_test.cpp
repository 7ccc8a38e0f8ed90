#include "models/checkpoint/renewal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "models/checkpoint/interval.hpp"
#include "models/goodput/runtime_loss.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

/// The running example: a rate of failures, one eviction a day, checkpoints 77 min apart.
constexpr RenewalJob running_job() {
  return {.failures = PerSecond{9.185185180286419e-07},
          .evictions = PerSecond{1.1574074074074073e-05},
          .interval = Seconds{4619.384123172628},
          .write = Seconds{9.8},
          .recovery = Seconds{369.8},
          .relaunch = Seconds{309.8},
          .eviction_loss = Seconds{900},
          .input_stall = 0.0769230769};
}

double sum(const RenewalShares& s) {
  return s.retained + s.input_wait + s.checkpoint + s.rework + s.recovery + s.preemption;
}

void check_shares(const RenewalShares& shares, const RenewalShares& expected) {
  CHECK(shares.retained == near(expected.retained));
  CHECK(shares.input_wait == near(expected.input_wait));
  CHECK(shares.checkpoint == near(expected.checkpoint));
  CHECK(shares.rework == near(expected.rework));
  CHECK(shares.recovery == near(expected.recovery));
  CHECK(shares.preemption == near(expected.preemption));
  CHECK(sum(shares) == near(1, 1e-12));
}

/// First order, for comparison: without a startup.
double first_order(const RenewalJob& job) {
  return runtime_losses({.held = Seconds{1},
                         .input_stall = job.input_stall,
                         .write = job.write,
                         .interval = job.interval,
                         .failures = job.failures,
                         .recovery = job.recovery,
                         .evictions = job.evictions,
                         .eviction_tax = job.eviction_loss.value_or(job.interval / 2) + job.relaunch})
      .runtime_goodput();
}

}  // namespace

// Known answers: an independent derivation in closed form, each confirmed by a Monte Carlo of another
// program.

TEST_CASE("renewal: an eviction that loses a fixed 15 minutes") {
  const RenewalJob job = running_job();
  check_shares(renewal_shares(job), {.retained = 0.9070109116968004,
                                     .input_wait = 0.07558424261683515,
                                     .checkpoint = 0.0020483239037752763,
                                     .rework = 0.002097257040728473,
                                     .recovery = 0.0003388847619957901,
                                     .preemption = 0.012920379979864914});
  CHECK(first_order(job) == near(0.9044919502770651));
}

TEST_CASE("renewal: an eviction that loses all since the last commit") {
  RenewalJob job = running_job();
  job.eviction_loss = std::nullopt;
  check_shares(renewal_shares(job), {.retained = 0.8912397099325939,
                                     .input_wait = 0.07426997580357843,
                                     .checkpoint = 0.0020483239037752763,
                                     .rework = 0.002097257040728473,
                                     .recovery = 0.0003388847619957901,
                                     .preemption = 0.03000584855732793});
  CHECK(first_order(job) == near(0.8881760699346309));
}

TEST_CASE("renewal: no evictions") {
  RenewalJob job = running_job();
  job.evictions = PerSecond{0};
  check_shares(renewal_shares(job), {.retained = 0.918853692246708,
                                     .input_wait = 0.07657114099567339,
                                     .checkpoint = 0.002111788737559114,
                                     .rework = 0.0021237675527869732,
                                     .recovery = 0.0003396104672725698,
                                     .preemption = 0.0});
  CHECK(first_order(job) == near(0.9184942650918799));
}

TEST_CASE("renewal: the joint cadence of failures and evictions") {
  RenewalJob job = running_job();
  job.interval = Seconds{1252.56};
  job.eviction_loss = std::nullopt;
  check_shares(renewal_shares(job), {.retained = 0.9051478579360602,
                                     .input_wait = 0.07542898813682393,
                                     .checkpoint = 0.00767201019632933,
                                     .rework = 0.0005759614695685557,
                                     .recovery = 0.00033888476199579005,
                                     .preemption = 0.010836297499222044});
  CHECK(first_order(job) == near(0.9035037694191668));
}

TEST_CASE("renewal: spot capacity interrupted per two productive hours, saved on notice") {
  const RenewalJob job{.failures = PerSecond{0},
                       .evictions = 1.0 / (2 * kOneHour),
                       .clock = RenewalClock::kProductive,
                       .interval = kOneHour,
                       .relaunch = 45 * kOneMinute,
                       .eviction_loss = Seconds{0}};
  check_shares(renewal_shares(job), {.retained = 0.7272727272727273, .preemption = 0.27272727272727276});
  CHECK(first_order(job) == near(0.625));  // far outside the first order's range
}

TEST_CASE("renewal: the clocks agree when evictions are none, and the shares close on either") {
  RenewalJob job{.failures = PerSecond{1e-3},
                 .evictions = PerSecond{0},
                 .interval = Seconds{500},
                 .write = Seconds{40},
                 .recovery = Seconds{300},
                 .relaunch = Seconds{200},
                 .eviction_loss = Seconds{100},
                 .input_stall = 0.1};
  const RenewalShares held = renewal_shares(job);
  job.clock = RenewalClock::kProductive;
  check_shares(renewal_shares(job), held);
  job.evictions = PerSecond{2e-3};
  CHECK(sum(renewal_shares(job)) == near(1, 1e-12));
  job.eviction_loss = std::nullopt;
  CHECK(sum(renewal_shares(job)) == near(1, 1e-12));
  job.clock = RenewalClock::kHeld;
  job.eviction_loss = Seconds{10};  // shorter than the pause: part of a pause is saved
  const RenewalShares saved_pause = renewal_shares(job);
  CHECK(sum(saved_pause) == near(1, 1e-12));
  job.eviction_loss = Seconds{50};
  CHECK(renewal_shares(job).checkpoint < saved_pause.checkpoint);
}

TEST_CASE("renewal: an eviction at any held time hurts more than one while stepping") {
  RenewalJob job = running_job();
  job.evictions = PerSecond{1e-3};
  const double held = renewal_shares(job).retained;
  job.clock = RenewalClock::kProductive;
  CHECK(renewal_shares(job).retained > held);
}

TEST_CASE("renewal: a job that never commits keeps nothing, unless nothing ever happens") {
  RenewalJob job{.failures = PerSecond{1e-4}, .interval = Seconds{HUGE_VAL}, .recovery = Seconds{100}};
  CHECK(renewal_shares(job).retained == 0);
  CHECK(sum(renewal_shares(job)) == near(1, 1e-12));
  job.failures = PerSecond{0};
  CHECK(renewal_shares(job).retained == 1);
}
