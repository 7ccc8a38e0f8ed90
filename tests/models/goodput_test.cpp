#include <doctest/doctest.h>

#include <cmath>

#include "models/goodput/factors.hpp"
#include "models/goodput/runtime_loss.hpp"
#include "models/money/cost.hpp"
#include "tests/models/near.hpp"
#include "tests/models/running_example.hpp"

using namespace fleetsim;

TEST_CASE("Llama 3 405B: shares of a dedicated cluster") {
  const MpgFactors llama3{.scheduling = 1, .runtime = 0.9, .program = 0.41};  // ch. 9, napkin 9.1
  CHECK(job_product(llama3) == near(0.369));
  const LossShares shares = loss_shares(llama3);
  CHECK(shares.scheduling == 0);
  CHECK(shares.runtime == near(0.1));
  CHECK(shares.program == near(0.531));
  CHECK(shares.useful == near(0.369));
  CHECK(1 - shares.useful == near(0.631));
  CHECK(0.65 * job_product(llama3) == near(0.23985));  // ch. 9, napkin 9.5
}

TEST_CASE("runtime composition of the running example") {
  const RuntimeLosses loss = runtime_losses(running_example(128));  // ch. 9, napkin 9.3
  CHECK(loss.startup == near(0.0005122354497354497));
  CHECK(loss.input_wait == near(0.07692307692307693));
  CHECK(loss.checkpoint_write == near(0.0021214949306422445));
  CHECK(loss.checkpoint_rework == near(0.0021214949306422445));
  CHECK(loss.checkpoint() == near(0.004242989861284489));
  CHECK(loss.recovery == near(0.0003396681481481482));
  CHECK(loss.preemption == near(0.014002314814814815));
  CHECK(loss.total() == near(0.09602028519705982));
  CHECK(loss.runtime_goodput() == near(0.9039797148029401));
  CHECK(loss.input_wait + loss.preemption == near(0.09092539173789174));
  CHECK(loss.checkpoint() + loss.recovery == near(0.004582658009432637));
}

TEST_CASE("trap: seventeen times recovery is checkpoint plus recovery, recovery alone is 226 times less") {
  const RuntimeLosses loss = runtime_losses(running_example(128));
  CHECK(loss.input_wait / (loss.checkpoint() + loss.recovery) == near(16.785690043800695));
  CHECK(loss.input_wait / loss.recovery == near(226.46, 1e-4));
}

TEST_CASE("a fixed loss per eviction against what a rollback would lose") {
  RuntimeTerms terms = running_example(128);
  CHECK(minutes(terms.eviction_tax) == near(20.163333333333334));
  terms.evictions = 12.0 / kOneDay;
  CHECK(runtime_losses(terms).preemption == near(0.16802777777777778));  // ch. 9, section 9.5.2
  // Trap: rolling back to checkpoints 77 min apart loses half of that, not 15 min.
  terms.evictions = 1.0 / kOneDay;
  terms.eviction_tax = terms.interval / 2 + terms.startup;
  CHECK(runtime_losses(terms).preemption == near(0.030318195157249005));
}

TEST_CASE("equation 4 with a stated stall of seven digits") {
  RuntimeTerms terms = running_example(128);
  terms.input_stall = 0.0769230769;
  CHECK(runtime_losses(terms).runtime_goodput() == near(0.9039797148273296));
}

TEST_CASE("short jobs pay for their startup") {
  RuntimeTerms terms = running_example(128);
  terms.held = kOneHour;
  CHECK(runtime_losses(terms).startup == near(0.08605555555555555));  // ch. 9, section 9.5.2
  // A serving replica ready 340 s after its placement, held for a day or for an hour (ch. 9, section 9.5.3)
  CHECK(runtime_losses({.startup = Seconds{340}, .held = kOneDay, .interval = kOneDay}).runtime_goodput() ==
        near(0.9960648148148148));
  CHECK(runtime_losses({.startup = Seconds{340}, .held = kOneHour, .interval = kOneDay}).runtime_goodput() ==
        near(0.9055555555555556));
}

TEST_CASE("runtime loss against the size of the job") {
  struct Row {
    std::int64_t devices;
    double interval_min, checkpoint, recovery, loss;
  };
  constexpr Row kRows[] = {
      // ch. 9, figure 5
      {128, 76.98973538621047, 0.004242989861284489, 0.0003396681481481482, 0.09602028519705982},
      {256, 54.439963973347325, 0.006000493806840062, 0.0006793362962962964, 0.09811745729076354},
      {512, 38.494867693105235, 0.008485979722568978, 0.0013586725925925928, 0.10128227950278876},
      {1024, 27.219981986673663, 0.012000987613680123, 0.0027173451851851857, 0.10615595998649249},
      {2048, 19.247433846552617, 0.016971959445137956, 0.005434690370370371, 0.11384427700313551},
      {4096, 13.609990993336831, 0.024001975227360247, 0.010869380740740743, 0.1263089831557282},
      {8192, 9.623716923276309, 0.03394391889027591, 0.021738761481481485, 0.14712030755938457},
      {16384, 6.804995496668416, 0.048003950454720494, 0.04347752296296297, 0.18291910060531066}};
  for (const Row& row : kRows) {
    CAPTURE(row.devices);
    const RuntimeTerms terms = running_example(row.devices);
    const RuntimeLosses loss = runtime_losses(terms);
    CHECK(minutes(terms.interval) == near(row.interval_min));
    CHECK(loss.checkpoint() == near(row.checkpoint));
    CHECK(loss.recovery == near(row.recovery));
    CHECK(loss.total() == near(row.loss));
    CHECK(loss.runtime_goodput() == near(1 - row.loss));
  }
}

TEST_CASE("failures cost as much as input waits near 13,000 GPUs") {
  const PerSecond per_device = textbook_rate(8) / 8;
  const Seconds recovery = recovery_time(kTextbookBudget, kWrite70B);
  const double devices = devices_where_failures_cost(kInputStall, kWrite70B, recovery, per_device);
  CHECK(devices == near(12922.20724919282));  // ch. 9, figure 5
  const PerSecond failures = devices * per_device;
  CHECK(least_first_order_waste(kWrite70B, failures) + recovery * failures == near(kInputStall, 1e-12));
  CHECK(devices_where_failures_cost(0.1, Seconds{0}, Seconds{100}, PerSecond{1e-6}) == near(1000, 1e-12));
  CHECK(devices_where_failures_cost(0.1, Seconds{50}, Seconds{0}, PerSecond{1e-6}) == near(100, 1e-12));
}

TEST_CASE("program goodput of the fleet step and of one node") {
  const MpgFactors f = running_factors();
  CHECK((128.0 * (kPeakH100 * Seconds{0.245})).si == near(31.01504e15));  // ch. 9, napkin 9.4
  CHECK(f.program == near(0.4800032500361115));
  CHECK(node_program_goodput() == near(0.6499831479609033));
  CHECK(1 - f.program == near(0.5199967499638884));
  CHECK(1 - node_program_goodput() == near(0.3500168520390967));  // section 9.7.2
}

TEST_CASE("trap: 74 % is the ratio of two MFUs, the step times printed beside it give 73.5 %") {
  const double by_mfu = running_factors().program / node_program_goodput();
  CHECK(by_mfu == near(0.7384856846549872));
  CHECK(1 - by_mfu == near(0.2615143153450128));
  CHECK(Seconds{0.180} / Seconds{0.245} == near(0.7346938775510204));
  // Equal work per device would make both the same, and would miss the published $7.09.
  MpgFactors equal_work = running_factors();
  equal_work.program = node_program_goodput() * (Seconds{0.180} / Seconds{0.245});
  CHECK(equal_work.program == near(0.47753863931821466));
  CHECK(cost_per_useful(Price{2}, mpg(equal_work)).si == near(7.128, 1e-4));
}

TEST_CASE("the pool of the running example") {
  const MpgFactors f = running_factors();
  CHECK(job_product(f) == near(0.43391320107212844));  // ch. 9, napkin 9.5
  CHECK(mpg(f) == near(0.2820435806968835));
  const LossShares shares = loss_shares(f);
  CHECK(shares.scheduling == near(0.35));
  CHECK(shares.runtime == near(0.0624131853780889));
  CHECK(shares.program == near(0.3055432339250276));
  CHECK(shares.useful == near(0.2820435806968835));
  CHECK(shares.scheduling + shares.runtime + shares.program + shares.useful == near(1, 1e-15));
}

TEST_CASE("what one point of a factor is worth, and what its ceiling would bring") {
  const MpgFactors f = running_factors();
  const MpgFactors value = value_of_point(f);  // ch. 9, section 9.8.1
  CHECK(value.scheduling == near(0.43391320107212844));
  CHECK(value.runtime == near(0.3120021125234725));
  CHECK(value.program == near(0.5875868146219111));

  CHECK(ceiling_gain(f.scheduling, 0.80) == near(0.23076923076923084));
  CHECK(0.80 * value.scheduling == near(0.3471305608577028));
  CHECK(f.runtime + kInputStall == near(0.9809027917260171));
  CHECK(ceiling_gain(f.runtime, f.runtime + kInputStall) == near(0.08509380870326888));
  CHECK((f.runtime + kInputStall) * value.runtime == near(0.3060437431986891));
  CHECK(ceiling_gain(f.program, node_program_goodput()) == near(0.354122389612995));
  CHECK(node_program_goodput() * value.program == near(0.38192152746826946));
  CHECK(0.35 * value.scheduling == near(0.15186962037524496));  // what a perfect scheduler adds, section 9.10
}

TEST_CASE("trap: the headroom of R is 10.6 %, neither 11 nor about 13") {
  CHECK(ceiling_gain(running_factors().runtime, 1) == near(0.106219513142495));
}

TEST_CASE("a change is judged by the product of ratios") {
  const MpgFactors before = running_factors();
  MpgFactors after = before;
  after.program *= 1.10;
  after.runtime *= 11.0 / 12;
  CHECK(product_of_ratios(before, after) == near(1.0083333333333335));  // ch. 9, checkpoint 9.4
  // A program lever up to the node's P may give up 26 % of R, down to 0.668 (figure 11).
  after = before;
  after.program = node_program_goodput();
  after.runtime = break_even(before.runtime, before.program, after.program);
  CHECK(after.runtime == near(0.6675760786004693));
  CHECK(product_of_ratios(before, after) == near(1, 1e-15));
  CHECK(1 - after.runtime / before.runtime == near(0.2615143153450128));
}

TEST_CASE("equal products along the curve through the running example") {
  const MpgFactors f = running_factors();
  struct Row {
    double runtime, program;
  };
  constexpr Row kRows[] = {{0.5, 0.8678264021442569},
                           {0.6, 0.7231886684535475},
                           {0.7, 0.619876001531612},
                           {0.8, 0.5423915013401606},
                           {1.0, 0.43391320107212844}};  // ch. 9, figure 11
  for (const Row& row : kRows) CHECK(break_even(f.program, f.runtime, row.runtime) == near(row.program));
}

TEST_CASE("time to result grows with the wait and shrinks with devices and goodput") {
  const TimeToResult job{
      .queue_wait = kOneHour, .ideal = 1280 * kOneHour, .devices = 128, .runtime = 0.8, .program = 0.5};
  CHECK(hours(time_to_result(job)) == near(1 + 10 / 0.4));
  // A plan of 30 days at 10 % and 20 % lower throughput (ch. 9, perspective 9.1)
  const auto days = [](double throughput) {
    return time_to_result({.queue_wait = Seconds{0}, .ideal = 30 * kOneDay, .runtime = throughput}) / kOneDay;
  };
  CHECK(days(0.9) == near(33.333333333333336));
  CHECK(days(0.8) == near(37.5));
}

TEST_CASE("trap: a batch of one at FP16 cannot have 86 % of bandwidth and 2.5 % of arithmetic") {
  // Two FLOPs a parameter against two bytes: MFU is MBU over the ridge point of 295 FLOP per byte.
  const double ridge = kPeakH100.si / 3.35e12;
  CHECK(ridge == near(295.2238805970149));         // ch. 9, section 9.6.3
  CHECK(0.86 / ridge == near(0.0029, 5e-3));       // not 0.025
  CHECK(1 / ridge == near(0.003387259858442871));  // the most it can be: not 12 % either
  const Seconds floor = Bytes{140e9} / (8 * ByteRate{3.35e12});
  CHECK(floor.si == near(5.223880597014926e-3));
  CHECK(model_flops_utilization(Flops{140e9}, 8, kPeakH100, floor) == near(0.003387259858442871));
  CHECK(model_flops_utilization(Flops{140e9}, 8, 2 * kPeakH100, floor) == near(0.0016936299292214356));
}
