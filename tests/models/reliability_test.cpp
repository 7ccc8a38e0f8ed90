#include "models/reliability/reliability.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "models/quantity/parse.hpp"
#include "tests/models/near.hpp"
#include "tests/models/running_example.hpp"

using namespace fleetsim;

TEST_CASE("component rates add up to the MTBF of the job") {
  CHECK(hours(mean_time_between(textbook_rate(128))) == near(302.41935483870964));     // ch. 9, napkin 9.3
  CHECK(hours(mean_time_between(textbook_rate(10000))) == near(3.8709677419354835));   // ch. 7
  CHECK(mean_time_between(textbook_rate(128)) / kOneDay == near(12.600806451612902));  // section 9.10
  const auto per_hour = [](std::size_t row, Extent extent) {
    return failure_rate(std::vector{kTextbookMix[row]}, extent) * kOneHour;
  };
  CHECK(per_hour(0, {.devices = 128}) == near(0.00256));
  CHECK(per_hour(1, {.devices = 128}) == near(0.00064));
  CHECK(per_hour(2, {.nodes = 16}) == near(0.00010666666666666667));
}

TEST_CASE("MTBF is of what is counted: device, node or job") {
  const FailureRow row{.name = "any", .hits = Hits::kNode, .rate = 1.0 / (50000 * kOneHour)};
  CHECK(hours(mean_time_between(failure_rate(std::vector{row}, {.nodes = 128}))) == near(390.625));
  FailureRow gpu = row;
  gpu.hits = Hits::kDevice;
  // ch. 17, section 17.3: twice the GPUs, half the MTBF
  CHECK(hours(mean_time_between(failure_rate(std::vector{gpu}, {.devices = 1024}))) == near(48.828125));
  CHECK(hours(mean_time_between(failure_rate(std::vector{gpu}, {.devices = 2048}))) == near(24.4140625));
  // A log of ten runs over 1,000 h, nine of which ended as they should, has one failure.
  CHECK(hours(mean_time_between(observed_rate(1, 1, 1000 * kOneHour))) == near(1000));
  CHECK(std::isinf(mean_time_between(failure_rate({}, {.devices = 8})).si));
}

TEST_CASE("a short window sees few failures or none") {
  CHECK(none_within(textbook_rate(128), kOneDay) == near(0.923707329942889));  // section 9.10
  CHECK(textbook_rate(128) * kOneWeek == near(0.5555200000000001));
  CHECK(none_within(PerSecond{0}, kOneWeek) == 1);
}

TEST_CASE("the Llama 3 405B run was interrupted every 3.1 hours") {
  CHECK(hours(mean_time_between(observed_rate(419, 1, 54 * kOneDay))) == near(3.0930787589498805));  // ch. 17
  // The textbook's rates would give 549 interruptions for its 16,384 GPUs and 54 days, GPUs alone 425.
  CHECK(textbook_rate(16384) * (54 * kOneDay) == near(549, 1e-3));
  CHECK(failure_rate(std::vector{kTextbookMix[0]}, {.devices = 16384}) * (54 * kOneDay) == near(425, 1e-3));
}

TEST_CASE("recovery and startup budgets") {
  CHECK(minutes(recovery_time(kTextbookBudget, kWrite70B)) == near(6.163333333333333));  // ch. 9, napkin 9.3
  CHECK(minutes(startup_time(kTextbookBudget, kWrite70B)) == near(5.163333333333333));
  CHECK(recovery_time(kTextbookBudget, kWrite175B).si == near(384.5));
  CHECK(recovery_time(kTextbookBudget, kWrite175B) * textbook_rate(10000) == near(0.027591435185185188));
  CHECK(least_first_order_waste(kWrite175B, textbook_rate(10000)) +
            recovery_time(kTextbookBudget, kWrite175B) * textbook_rate(10000) ==
        near(0.08688902117065093));  // ch. 9, section 9.5.2
  CHECK(recovery_time(kTextbookBudget, kWrite175B) * (1.0 / (5 * kOneHour)) == near(0.021361111111111112));
}

TEST_CASE("trap: Llama 3 needs its own storage to keep nine tenths of its time") {
  // 14 bytes x 405e9 parameters, the published 419 interruptions in 54 days, the textbook's recovery budget
  const PerSecond failures = observed_rate(419, 1, 54 * kOneDay);
  const auto runtime_goodput = [&](ByteRate bandwidth) {
    const Seconds write = Bytes{14 * 405e9} / bandwidth;
    return 1 - least_first_order_waste(write, failures) - recovery_time(kTextbookBudget, write) * failures;
  };
  CHECK(least_first_order_waste(Bytes{14 * 405e9} / kTextbookBandwidth, failures) == near(0.10, 2e-2));
  CHECK(runtime_goodput(kTextbookBandwidth) < 0.90);
  CHECK(runtime_goodput(ByteRate{2e12}) == near(0.945, 1e-3));  // arXiv:2407.21783, section 3.3.1
}
