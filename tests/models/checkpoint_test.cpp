#include <doctest/doctest.h>

#include <cmath>

#include "models/checkpoint/interval.hpp"
#include "models/reliability/reliability.hpp"
#include "tests/models/near.hpp"
#include "tests/models/running_example.hpp"

using namespace fleetsim;

namespace {

constexpr PerSecond per(Seconds mtbf) { return 1.0 / mtbf; }

/// The efficiency of the best interval, by thirds: the exact curve has a single peak.
double best_efficiency(CheckpointedJob job) {
  const auto efficiency = [&job](double interval) {
    job.interval = Seconds{interval};
    return daly_efficiency(job);
  };
  double low = 1e-6 / job.failures.si;
  double high = 10 / job.failures.si;
  for (int i = 0; i < 200; ++i) {
    const double third = (high - low) / 3;
    if (efficiency(low + third) < efficiency(high - third)) {
      low += third;
    } else {
      high -= third;
    }
  }
  return efficiency((low + high) / 2);
}

}  // namespace

TEST_CASE("Young's interval and waste of the running example") {
  const PerSecond failures = textbook_rate(128);
  const std::optional<Seconds> interval = young_interval(kWrite70B, failures);
  REQUIRE(interval);
  CHECK(minutes(*interval) == near(76.98973538621047));  // ch. 9, napkin 9.3
  const CheckpointWaste waste = first_order_waste(kWrite70B, *interval, failures);
  CHECK(waste.write == near(0.0021214949306422445));  // two equal halves
  CHECK(waste.rework == near(0.0021214949306422445));
  CHECK(waste.total() == near(0.004242989861284489));  // ch. 9, napkin 9.3
  CHECK(least_first_order_waste(kWrite70B, failures) == near(0.004242989861284489));
}

TEST_CASE("evictions counted as interruptions shorten the interval") {
  const PerSecond failures = textbook_rate(128);
  const PerSecond interruptions = failures + 1.0 / kOneDay;
  const Seconds joint = young_interval(kWrite70B, interruptions).value();
  CHECK(minutes(joint) == near(20.876154233824444));  // ch. 9, section 9.5.2
  CHECK(first_order_waste(kWrite70B, joint, interruptions).total() == near(0.015647837384597747));
  const Seconds failures_only = young_interval(kWrite70B, failures).value();
  CHECK(first_order_waste(kWrite70B, failures_only, interruptions).total() == near(0.03097553687038535));
}

TEST_CASE("checkpoint waste of larger jobs") {
  CHECK(least_first_order_waste(kWrite175B, textbook_rate(10000)) ==
        near(0.05929758598546575));  // section 9.5.2
  const auto gpus_alone = [](double gpus) { return gpus / Seconds{50000 * 3600.0}; };
  // ch. 17, section 17.3
  CHECK(minutes(young_interval(kWrite175B, gpus_alone(1024)).value()) == near(48.913987007807904));
  CHECK(minutes(young_interval(kWrite175B, gpus_alone(2048)).value()) == near(34.58741190809165));
  CHECK(least_first_order_waste(kWrite175B, gpus_alone(1024)) == near(0.01669597423199843));
  CHECK(least_first_order_waste(kWrite175B, gpus_alone(2048)) == near(0.0236116731959239));
  CHECK(least_first_order_waste(kWrite175B, gpus_alone(2048)) /
            least_first_order_waste(kWrite175B, gpus_alone(1024)) ==
        near(1.414213562373095));
}

TEST_CASE("checkpoint sizes move at their share of the file system") {
  CHECK(Bytes{14 * 70e9} / kTextbookBandwidth == Seconds{9.8});    // ch. 9, napkin 9.3
  CHECK(Bytes{14 * 175e9} / kTextbookBandwidth == Seconds{24.5});  // ch. 17, section 17.3
}

TEST_CASE("the interval of a job follows from its own MTBF, not a device's or a node's") {
  // 128 nodes of 50,000 h each, and 1,024 GPUs of 50,000 h each, writes of 60 s
  CHECK(young_interval(Seconds{60}, 128.0 / (50000 * kOneHour)).value().si == near(12990, 1e-4));
  CHECK(young_interval(Seconds{60}, 1024.0 / (50000 * kOneHour)).value().si == near(4593, 1e-4));
}

TEST_CASE("Young within its range") {
  const PerSecond failures = per(Seconds{36000});
  const Seconds write{60};
  const Seconds young = young_interval(write, failures).value();
  CHECK(young.si == near(2078, 1e-3));
  CHECK(young_range(write, failures) == YoungRange::kHolds);
  CHECK(young_warning(write, failures).empty());
  CHECK(
      daly_efficiency({.write = write, .interval = young, .failures = failures, .recovery = Seconds{300}}) ==
      near(0.9355, 1e-4));
}

TEST_CASE("a write longer than twice the MTBF falls back to one MTBF and says so") {
  const PerSecond failures = per(Seconds{100});
  CHECK(young_interval(Seconds{300}, failures).value().si == near(std::sqrt(60000.0)));
  CHECK(daly_interval(Seconds{300}, failures).value().si == near(100));
  CHECK(daly_interval(Seconds{200}, failures).value().si == near(100));
  CHECK(young_range(Seconds{300}, failures) == YoungRange::kHardlyAny);
  CHECK(young_warning(Seconds{300}, failures).find("little work survives") != std::string::npos);
  CHECK(young_range(Seconds{60}, failures) == YoungRange::kPreferDaly);
}

TEST_CASE("Daly's interval as he published it") {
  // Daly 2006, figures 3 to 5: writes of 5 min; the minutes as printed
  const auto interval = [](double mtbf_minutes) {
    return minutes(daly_interval(5 * kOneMinute, per(mtbf_minutes * kOneMinute)).value());
  };
  CHECK(std::fabs(interval(24 * 60) - 117) < 0.5);
  CHECK(std::fabs(interval(6 * 60) - 57) < 0.5);
  CHECK(std::fabs(interval(15) - 9.1) < 0.05);
}

TEST_CASE("a free checkpoint is taken at every step, without a division by zero") {
  const PerSecond failures = per(Seconds{36000});
  CHECK(young_interval(Seconds{0}, failures) == Seconds{0});
  CHECK(daly_interval(Seconds{0}, failures) == Seconds{0});
  CHECK(first_order_waste(Seconds{0}, Seconds{0}, failures).total() == 0);
  CHECK(young_range(Seconds{0}, failures) == YoungRange::kContinuous);
}

TEST_CASE("without interruptions there are no periodic checkpoints") {
  CHECK_FALSE(young_interval(Seconds{60}, PerSecond{0}));
  CHECK_FALSE(daly_interval(Seconds{60}, PerSecond{0}));
  CHECK(young_range(Seconds{60}, PerSecond{0}) == YoungRange::kNoInterruption);
  const double infinity = HUGE_VAL;
  CHECK(daly_efficiency({.write = Seconds{60}, .interval = Seconds{infinity}}) == 1);
  CHECK(daly_efficiency({.write = Seconds{60}, .interval = Seconds{540}}) == near(0.9));
}

TEST_CASE("Daly's interval is close to the best, and Young's is where its range ends") {
  for (const double write : {0.001, 0.01, 0.1, 0.5, 1.0}) {
    CAPTURE(write);
    CheckpointedJob job{.write = Seconds{write}, .failures = PerSecond{1}};
    const double best = best_efficiency(job);
    job.interval = daly_interval(job.write, job.failures).value();
    CHECK(daly_efficiency(job) > best * (1 - 2e-3));
    job.interval = young_interval(job.write, job.failures).value();
    if (write <= 0.1) CHECK(daly_efficiency(job) > best - 0.005);
    if (write >= 0.5) CHECK(daly_efficiency(job) < best - 0.01);
  }
}

TEST_CASE("the exact efficiency is the textbook exponential and meets first order for rare failures") {
  // Daly 2006: interval / (M e^(R/M) (e^((interval + write)/M) - 1))
  const double m = 1000;
  const CheckpointedJob job{
      .write = Seconds{30}, .interval = Seconds{250}, .failures = per(Seconds{m}), .recovery = Seconds{80}};
  CHECK(daly_efficiency(job) == near(250 / (m * std::exp(80 / m) * (std::exp(280 / m) - 1)), 1e-12));

  const CheckpointedJob rare{.write = kWrite70B,
                             .interval = Seconds{4619.384},
                             .failures = textbook_rate(128),
                             .recovery = Seconds{369.8}};
  const double first_order =
      1 - first_order_waste(rare.write, rare.interval, rare.failures).total() - rare.recovery * rare.failures;
  CHECK(daly_efficiency(rare) == near(first_order, 2e-5));
}

TEST_CASE("the effective-training-time ratio of Kokolis et al.") {
  // 512 nodes at 6.5 failures per 1,000 node-days, hourly checkpoints: above 0.9 as they report for such
  // runs.
  const PerSecond failures = observed_rate(6500, 1000, 1000 * kOneDay) * 512;
  const CheckpointedJob job{
      .write = Seconds{0}, .interval = kOneHour, .failures = failures, .recovery = 5 * kOneMinute};
  CHECK(kokolis_ettr(job) == near(1 - 3.328 * (35.0 / 60) / 24, 1e-12));
  CHECK(kokolis_ettr(job) > 0.9);
  // It is first order in the failures: below the exact value's neighbourhood it must not turn negative.
  CheckpointedJob hopeless = job;
  hopeless.failures = 100.0 / kOneHour;
  CHECK(kokolis_ettr(hopeless) == 0);
  CHECK(daly_efficiency(hopeless) > 0);
}
