#include <doctest/doctest.h>

#include <cmath>

#include "models/checkpoint/renewal.hpp"
#include "sim/core/statistics.hpp"
#include "tests/engine/build.hpp"

// What failures cost and how often they come, against renewal theory.
namespace fleetsim {
namespace {

using namespace build;

/// R over replications of a long run, with its interval of 99.9 %.
Estimate runtime_goodput(const Scenario& scenario, std::uint32_t replications) {
  std::vector<double> retained, held;
  for (std::uint32_t replication = 0; replication < replications; ++replication) {
    const Factors sums = factors(simulate(scenario, {.replication = replication}).ledger.total());
    retained.push_back(sums.retained.to_double());
    held.push_back(sums.held.to_double());
  }
  return ratio_of_sums({retained, held}, 0.999);
}

JobClass endless(Duration interval, Duration write, Duration relaunch) {
  JobClass spec = job("job", 1, 1, Duration::zero());
  spec.steps.reset();
  checkpoint(spec, interval, write);
  spec.recovery.relaunch.launch = relaunch;
  return spec;
}

TEST_CASE("the long-run R of a job under exponential failures is Daly's exact value") {
  PoolSpec one = pool(1, 1);
  one.faults.push_back(crashes(exponential(5'000)));
  const Scenario long_run =
      scenario({one}, {endless(seconds(600), seconds(30), seconds(120))}, seconds(16'000'000));
  const Estimate simulated = runtime_goodput(long_run, 16);
  const RenewalShares exact = renewal_shares({.failures = PerSecond{1.0 / 5'000},
                                              .interval = Seconds{600},
                                              .write = Seconds{30},
                                              .recovery = Seconds{120}});
  CHECK(std::abs(*simulated.mean - exact.retained) <= *simulated.half_width);
  CHECK(*simulated.half_width < 0.003);
}

TEST_CASE("the long-run R under failures and evictions on either clock is the exact renewal value") {
  for (const bool held : {true, false}) {
    CAPTURE(held);
    PoolSpec one = pool(1, 1);
    one.faults.push_back(crashes(exponential(9'000)));
    JobClass spec = endless(seconds(900), seconds(20), seconds(200));
    spec.evictions.rate = PerSecond{1.0 / 6'000};
    spec.evictions.clock = held ? EvictionClock::held : EvictionClock::productive;
    spec.preemption.launch = seconds(150);
    const Estimate simulated = runtime_goodput(scenario({one}, {spec}, seconds(16'000'000)), 16);
    const RenewalShares exact =
        renewal_shares({.failures = PerSecond{1.0 / 9'000},
                        .evictions = PerSecond{1.0 / 6'000},
                        .clock = held ? RenewalClock::kHeld : RenewalClock::kProductive,
                        .interval = Seconds{900},
                        .write = Seconds{20},
                        .recovery = Seconds{200},
                        .relaunch = Seconds{150}});
    CHECK(std::abs(*simulated.mean - exact.retained) <= *simulated.half_width);
    CHECK(*simulated.half_width < 0.004);
  }
}

std::int64_t failures(const FaultRow& row, std::uint32_t nodes, std::int64_t window_seconds) {
  PoolSpec idle = pool(nodes, 2);
  idle.faults.push_back(row);
  return run(scenario({idle}, {}, seconds(window_seconds))).faults[0][0].failures;
}

/// Five standard deviations: one seed in a million.
bool is_near(std::int64_t count, double mean, double variance) {
  return std::abs(static_cast<double>(count) - mean) <= 5.0 * std::sqrt(variance);
}

TEST_CASE("memoryless rows strike in service entities at their rate") {
  FaultRow row = crashes(exponential(10'000));
  CHECK(is_near(failures(row, 16, 10'000'000), 16'000, 16'000));
  row.hits = FaultScope::device;
  CHECK(is_near(failures(row, 16, 10'000'000), 32'000, 32'000));
}

TEST_CASE("a row with lemons strikes as its entities together do") {
  FaultRow row = crashes(exponential(10'000));
  row.lemon_share = 0.25;
  row.lemon_factor = 5.0;
  const double mean = (12 + 4 * 5.0) * 1'000;
  CHECK(is_near(failures(row, 16, 10'000'000), mean, mean));
  row.lifetime = Distribution{Distribution::Weibull::with_mean(10'000, 2.0)};
  CHECK(is_near(failures(row, 16, 10'000'000), mean, mean));  // less dispersed than Poisson's
}

TEST_CASE("an ageing row renews what broke: one failure a mean life, whatever the shape") {
  for (const double shape : {0.7, 1.5, 3.0}) {
    CAPTURE(shape);
    const double mean_life = 1'000;
    const FaultRow row = crashes(Distribution{Distribution::Weibull::with_mean(mean_life, shape)});
    const double g1 = std::tgamma(1 + 1 / shape), g2 = std::tgamma(1 + 2 / shape);
    const double lives = 10.0 * 1'000'000 / mean_life;
    CHECK(is_near(failures(row, 10, 1'000'000), lives, lives * (g2 / (g1 * g1) - 1)));
  }
}

TEST_CASE("an entity out of service does not fail: cycles of life and repair") {
  FaultRow row = crashes(exponential(1'000));
  row.takes_out = FaultScope::node;
  row.repair = fixed(1'000);
  // A life and a repair of 1,000 s each; of a cycle of 2,000 s only the life varies.
  const double cycles = 20.0 * 1'000'000 / 2'000;
  CHECK(is_near(failures(row, 20, 1'000'000), cycles, cycles / 4));
}

}  // namespace
}  // namespace fleetsim
