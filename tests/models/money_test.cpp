#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/checkpoint/interval.hpp"
#include "models/money/cost.hpp"
#include "models/money/elastic_plan.hpp"
#include "models/money/pareto.hpp"
#include "tests/models/near.hpp"
#include "tests/models/running_example.hpp"

using namespace fleetsim;

namespace {

constexpr Price dollars_per_hour(double usd) { return Money{usd} / kOneHour; }
double per_hour(Price price) { return (price * kOneHour).si; }

// Epochs per hour at 128, 256 and 512 GPUs (ch. 9, section 9.9.1)
const Stage kSmall{.devices = 128, .throughput = 1.0 / kOneHour};
const Stage kMiddle{.devices = 256, .throughput = 1.8 / kOneHour, .pause = 10 * kOneMinute};
const Stage kLarge{.devices = 512, .throughput = 3.2 / kOneHour};

Stage for_hours(Stage stage, double length) {
  stage.length = length * kOneHour;
  return stage;
}

ElasticPlan immediate() { return {.stages = {kSmall}}; }
ElasticPlan step_up() { return {.stages = {for_hours(kSmall, 4), kMiddle}}; }
ElasticPlan wait_for_all() { return {.wait = 4 * kOneHour, .stages = {kLarge}}; }

constexpr SpotTerms kSpot{
    .productive_between = 2 * kOneHour, .save = 15 * kOneMinute, .restart = 30 * kOneMinute};
constexpr double kTarget = 64;

}  // namespace

TEST_CASE("cost of a useful accelerator-hour") {
  const MpgFactors f = running_factors();
  CHECK(per_hour(cost_per_useful(dollars_per_hour(2), mpg(f))) == near(7.091102712064311));  // section 9.8.2
  CHECK(cost_per_useful(Price{1}, mpg(f)).si == near(3.5455513560321554));
  CHECK(cost_per_useful(Price{1}, job_product(f)).si == near(2.304608381420901));  // billed by held hours
  CHECK(1 - f.program / node_program_goodput() == near(0.2615143153450128));
  // Dividing by P alone forgets what scheduling and runtime cost: 4.17, not 7.09.
  CHECK(per_hour(cost_per_useful(dollars_per_hour(2), 0.48)) == near(4.166666666666667));
}

TEST_CASE("spot capacity is interrupted per productive hours") {
  CHECK(spot_factor(kSpot) == near(1.375));
  CHECK(1 / spot_factor(kSpot) == near(0.7272727272727273));
  const Price spot = 0.35 * dollars_per_hour(2);
  CHECK(per_hour(spot) == near(0.7));
  CHECK(cost_per_useful(spot, 1 / spot_factor(kSpot)) / dollars_per_hour(2) == near(0.48124999999999996));
  // Trap: interruptions per two wall hours would leave 1.25 productive ones, at 0.56 of the fleet's rate.
  const SpotTerms wall{.productive_between = 75 * kOneMinute, .save = kSpot.save, .restart = kSpot.restart};
  CHECK(0.35 * spot_factor(wall) == near(0.56));
}

TEST_CASE("expansion from 1,024 to 2,048 GPUs") {
  const auto overhead = [](double gpus) {
    return least_first_order_waste(kWrite175B, gpus / (50000 * kOneHour));
  };
  const Expansion expansion{.growth = 2, .overhead_before = overhead(1024), .overhead_after = overhead(2048)};
  CHECK(break_even_speedup(expansion) == near(1.0070829390049778));  // ch. 17, section 17.3
  CHECK(device_hours_ratio(expansion, 2) - 1 == near(0.007082939004977806));
  struct Row {
    double speedup, ratio;
  };
  constexpr Row kRows[] = {{1.01, 1.9942236415940156}, {1.2, 1.6784715650082964}, {1.4, 1.438689912864254},
                           {1.6, 1.2588536737562221},  {1.8, 1.1189810433388643}, {2.0, 1.0070829390049778}};
  for (const Row& row : kRows) CHECK(device_hours_ratio(expansion, row.speedup) == near(row.ratio));
}

TEST_CASE("work done in a day by three elastic policies") {
  CHECK(scaling_efficiency(kSmall, kMiddle) == near(0.9));  // ch. 9, section 9.9.1
  CHECK(scaling_efficiency(kSmall, kLarge) == near(0.8));
  CHECK(work_within(immediate(), kOneDay) == near(24));
  CHECK(work_within(wait_for_all(), kOneDay) == near(64));
  CHECK(work_within(step_up(), kOneDay) == near(39.699999999999996));
  CHECK(work_within(step_up(), kOneDay) / work_within(immediate(), kOneDay) == near(1.6541666666666666));
  CHECK(1 - work_within(step_up(), kOneDay) / work_within(wait_for_all(), kOneDay) ==
        near(0.37968750000000007));
  CHECK(work_within(wait_for_all(), kOneHour) == 0);
}

TEST_CASE("a pause of almost nine hours eats what the step up gains") {
  ElasticPlan plan = step_up();
  plan.stages[1].pause = 8.88888888888889 * kOneHour;
  CHECK(work_within(plan, kOneDay) == near(work_within(immediate(), kOneDay)));
}

TEST_CASE("the frontier of six plans for 64 epochs") {
  struct Row {
    const char* name;
    ElasticPlan plan;
    double factor, price, time_h, held_gpu_h, relative_goodput, total_usd;
    bool on_frontier;
  };
  const double spot = spot_factor(kSpot);
  const std::vector<Row> rows{
      // ch. 9, figure 12; the pause of the step up is spent on 256 GPUs
      {"fleet 128", immediate(), 1, 2.0, 64, 8192, 1, 16384, false},
      {"fleet step up", step_up(), 1, 2.0, 37.5, 9088, 0.9014084507042254, 18176, false},
      {"fleet 512", wait_for_all(), 1, 2.0, 24, 10240, 0.8, 20480, true},
      {"spot 128", immediate(), spot, 0.7, 88, 11264, 0.7272727272727273, 7884.8, true},
      {"spot step up", step_up(), spot, 0.7, 51.5625, 12496, 0.6555697823303457, 8747.2, true},
      {"spot 512", wait_for_all(), spot, 0.7, 31.5, 14080, 0.5818181818181818, 9856, true}};
  std::vector<Objectives> choices;
  std::vector<std::size_t> expected;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const PlanOutcome outcome = finish(row.plan, kTarget, row.factor);
    const double goodput = 8192 * kOneHour / outcome.device_time;
    const Price cost = cost_per_useful(dollars_per_hour(row.price), goodput);
    CHECK(hours(outcome.time) == near(row.time_h));
    CHECK(hours(outcome.device_time) == near(row.held_gpu_h));
    CHECK(goodput == near(row.relative_goodput));
    CHECK((dollars_per_hour(row.price) * outcome.device_time).si == near(row.total_usd));
    choices.push_back({outcome.time.si, cost.si});
    if (row.on_frontier) expected.push_back(choices.size() - 1);
  }
  CHECK(pareto_set(choices) == expected);
}

TEST_CASE("a plan that is done early holds no later stage") {
  const PlanOutcome outcome = finish(step_up(), 2);
  CHECK(outcome.time == 2 * kOneHour);
  CHECK(outcome.device_time == 256 * kOneHour);
}

TEST_CASE("the Pareto set does not depend on order and keeps equals") {
  std::vector<Objectives> choices{{1, 5}, {2, 3}, {2, 3}, {3, 3}, {4, 1}, {4, 2}, {1, 5}};
  std::vector<Objectives> kept;
  for (const std::size_t i : pareto_set(choices)) kept.push_back(choices[i]);
  CHECK(kept == std::vector<Objectives>{{1, 5}, {2, 3}, {2, 3}, {4, 1}, {1, 5}});
  std::sort(kept.begin(), kept.end());
  std::sort(choices.begin(), choices.end());
  do {
    std::vector<Objectives> again;
    for (const std::size_t i : pareto_set(choices)) again.push_back(choices[i]);
    std::sort(again.begin(), again.end());
    CHECK(again == kept);
  } while (std::next_permutation(choices.begin(), choices.end()));
  CHECK(pareto_set({}).empty());
}
