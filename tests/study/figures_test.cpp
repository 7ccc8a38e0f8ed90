#include <doctest/doctest.h>

#include "sim/study/reduce.hpp"
#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

constexpr Int128 kUnit = 1'000'000;

/// A replication whose ledger is given: two pools, two classes, in units small enough to add up by hand.
RunResult run_with(const std::vector<std::tuple<std::uint32_t, std::uint32_t, Leaf, int>>& amounts) {
  RunResult run{.replication = 0,
                .ledger = Ledger{2, 2},
                .window_start = SimTime::zero(),
                .window_end = SimTime::at_ns(10),
                .ended = SimTime::at_ns(10),
                .holders = {},
                .classes = std::vector<ClassOutcome>(2),
                .faults = std::vector<std::vector<FaultOutcome>>(2),
                .waiting = std::vector<LeafTotals>(2),
                .pool_ends = {{Capacity::devices(3), Capacity::devices(4)},
                              {Capacity::devices(1), Capacity::devices(1)}},
                .makespan = std::nullopt,
                .jobs = {}};
  for (const auto& [pool, job_class, leaf, units] : amounts) {
    const DeviceTime amount = DeviceTime::milli_device_ns(kUnit * units);
    if (job_class < 2)
      run.ledger.add(PoolId{pool}, ClassId{job_class}, leaf, amount);
    else
      run.ledger.add(PoolId{pool}, leaf, amount);
  }
  return run;
}

constexpr std::uint32_t kUnheld = 2;

StudyPoint point_of_two() {
  StudyPoint point;
  point.scenario.pools = {pool_of(1), pool_of(2)};
  point.scenario.pools[0].name = "a";
  point.scenario.pools[1].name = "b";
  point.scenario.classes.resize(2);
  point.scenario.classes[0].name = "x";
  point.scenario.classes[1].name = "y";
  point.scenario.classes[0].pools = point.scenario.classes[1].pools = {0, 1};
  return point;
}

RunResult example() {
  return run_with({{0, kUnheld, Leaf::out_of_service_failed, 10},
                   {0, kUnheld, Leaf::scheduling_no_demand, 20},
                   {0, 0, Leaf::scheduling_partial_gang, 10},
                   {0, 0, Leaf::runtime_startup, 4},
                   {0, 0, Leaf::runtime_input_wait, 3},
                   {0, 0, Leaf::runtime_checkpoint, 2},
                   {0, 0, Leaf::runtime_rework, 1},
                   {0, 0, Leaf::program_unattributed, 30},
                   {0, 0, Leaf::ideal, 20},
                   {1, kUnheld, Leaf::scheduling_shortfall, 50},
                   {1, 1, Leaf::runtime_unresolved, 10},
                   {1, 1, Leaf::ideal, 40}});
}

}  // namespace

TEST_CASE(
    "figures: what a pool holds of what is installed when the window ends, and fragmentation where asked "
    "for") {
  StudyPoint point = point_of_two();
  point.scenario.pools[1].measure_fragmentation = true;
  std::vector<RunResult> runs{example(), example()};
  for (RunResult& run : runs) {
    run.fragmentation.resize(2);
    run.fragmentation[1].free = DeviceTime::milli_device_ns(40);
    run.fragmentation[1].node = DeviceTime::milli_device_ns(10);
  }
  runs[1].fragmentation[1].node = DeviceTime::milli_device_ns(20);
  const PointResult result = reduce(point, runs).result;
  CHECK(result.find("pools.a.allocated_at_end")->simulated.mean == 0.75);
  CHECK(result.find("pools.b.allocated_at_end")->simulated.mean == 1.0);
  CHECK(result.find("pools.a.fragmentation.node") == nullptr);
  CHECK(result.find("pools.b.fragmentation.node")->simulated.mean == 30.0 / 80);
  CHECK(result.find("pools.b.fragmentation.rack")->absent == "the pool is one rack");
  CHECK(!result.find("pools.b.fragmentation.fgd")->absent.empty());
}

TEST_CASE("the time of a step is a figure of classes that have steps") {
  StudyPoint point = point_of_two();
  point.scenario.classes[0].step.continuous = false;
  point.scenario.classes[0].step.time = Duration::nanoseconds(245'000'000);
  const std::vector<RunResult> runs{example(), example(), example()};
  const PointResult result = reduce(point, runs).result;
  const Figure* const step = result.find("jobs.x.step_time");
  REQUIRE(step != nullptr);
  CHECK(step->simulated.mean == 0.245);
  CHECK(step->simulated.half_width == 0.0);
  CHECK(step->closed_form == 0.245);
  CHECK(step->closed_form_kind == "as given");
  CHECK(result.find("jobs.y.step_time") == nullptr);
}

TEST_CASE("figures of the fleet are ratios of sums of the ledger") {
  const StudyPoint point = point_of_two();
  const std::vector<RunResult> runs{example()};
  const PointResult result = reduce(point, runs).result;
  // Installed 200, in service 190, held 110 of which 10 unresolved, retained 90, ideal 60.
  CHECK(simulated(result, "availability") == near(190.0 / 200));
  CHECK(simulated(result, "scheduling_goodput") == near(110.0 / 190));
  CHECK(simulated(result, "runtime_goodput") == near(90.0 / 100));
  CHECK(simulated(result, "runtime_goodput_with_unresolved") == near(90.0 / 110));
  CHECK(simulated(result, "program_goodput") == near(60.0 / 90));
  CHECK(simulated(result, "mpg") == near(60.0 / 190));
  CHECK(simulated(result, "mpg_installed") == near(60.0 / 200));
  CHECK(simulated(result, "job_product") == near(60.0 / 100));
  CHECK(simulated(result, "mpg") ==
        near(simulated(result, "scheduling_goodput") * simulated(result, "runtime_goodput_with_unresolved") *
             simulated(result, "program_goodput")));
  CHECK(result.find("mpg.upper") == nullptr);
}

TEST_CASE("shares of offered capacity add to one") {
  const StudyPoint point = point_of_two();
  const std::vector<RunResult> runs{example()};
  const PointResult result = reduce(point, runs).result;
  CHECK(simulated(result, "share.scheduling") == near(80.0 / 190));
  CHECK(simulated(result, "share.runtime") == near(20.0 / 190));
  CHECK(simulated(result, "share.program") == near(30.0 / 190));
  CHECK(simulated(result, "share.useful") == near(60.0 / 190));
  double leaves = 0;
  for (const Figure& each : result.figures)
    if (each.name.starts_with("loss.") && !each.name.starts_with("loss.out_of_service"))
      leaves += *each.simulated.mean;
  CHECK(leaves == near(130.0 / 190));
}

TEST_CASE("figures of a pool and of a class are of their own device-time") {
  const StudyPoint point = point_of_two();
  const std::vector<RunResult> runs{example()};
  const PointResult result = reduce(point, runs).result;
  CHECK(simulated(result, "pools.a.availability") == near(90.0 / 100));
  CHECK(simulated(result, "pools.a.scheduling_goodput") == near(60.0 / 90));
  CHECK(simulated(result, "pools.b.mpg") == near(40.0 / 100));
  CHECK(simulated(result, "jobs.x.runtime_goodput") == near(50.0 / 60));
  CHECK(simulated(result, "jobs.x.startup") == near(4.0 / 60));
  CHECK(simulated(result, "jobs.x.input") == near(3.0 / 60));
  CHECK(simulated(result, "jobs.x.checkpoint") == near(3.0 / 60));
  CHECK(simulated(result, "jobs.x.job_product") == near(20.0 / 60));
  CHECK(simulated(result, "jobs.y.runtime_goodput") == near(1.0));
  CHECK(simulated(result, "jobs.y.runtime_goodput_with_unresolved") == near(40.0 / 50));
}

TEST_CASE("replications are summed before they are divided, and the interval is the jackknife's") {
  const auto run = [](int retained, int held) {
    return run_with({{0, 0, Leaf::ideal, retained}, {0, 0, Leaf::runtime_startup, held - retained}});
  };
  const StudyPoint point = point_of_two();
  const std::vector<RunResult> runs{run(90, 100), run(80, 100), run(50, 60)};
  const PointResult result = reduce(point, runs).result;
  const Estimate estimate = figure(result, "runtime_goodput").simulated;
  CHECK(estimate.n == 3);
  CHECK(*estimate.mean == near(11.0 / 13));
  // Pseudo-values 3 m - 2 m_i with m_i = 13/16, 7/8, 17/20; t(2, 0.975) x sqrt(their variance / 3).
  CHECK(*estimate.half_width == near(0.15629023699027209));
  CHECK(result.ledger.total()[static_cast<std::size_t>(Leaf::ideal)] ==
        DeviceTime::milli_device_ns(kUnit * 220));
}

TEST_CASE("unmodelled time makes a range of P and MPG") {
  const StudyPoint point = point_of_two();
  const std::vector<RunResult> runs{run_with({{0, 0, Leaf::ideal, 20},
                                              {0, 0, Leaf::program_unattributed, 20},
                                              {0, 1, Leaf::program_unmodelled, 60},
                                              {1, kUnheld, Leaf::scheduling_no_demand, 100}})};
  const PointResult result = reduce(point, runs).result;
  CHECK(simulated(result, "mpg") == near(20.0 / 200));
  CHECK(simulated(result, "mpg.upper") == near(80.0 / 200));
  CHECK(simulated(result, "program_goodput") == near(20.0 / 100));
  CHECK(simulated(result, "program_goodput.upper") == near(80.0 / 100));
  CHECK(!figure(result, "jobs.y.program_goodput").simulated.mean);
  CHECK(figure(result, "jobs.y.program_goodput").absent == "the ideal of the work is not known");
  CHECK(simulated(result, "jobs.y.program_goodput.upper") == near(1.0));
  CHECK(simulated(result, "jobs.x.program_goodput") == near(0.5));
}

TEST_CASE("a figure without a value says why") {
  StudyPoint point = point_of_two();
  point.scenario.classes[0].steps = 10;
  const std::vector<RunResult> runs{example()};
  const PointResult result = reduce(point, runs).result;
  CHECK(figure(result, "jobs.x.time_to_result").absent == "no job of the class ended");
  CHECK(figure(result, "jobs.y.time_to_result").absent == "the job has no end");
  CHECK(figure(result, "cost_per_useful_device_hour").absent == "a pool has no price");
  CHECK(figure(result, "makespan").absent == "no job ended");
  CHECK(figure(result, "mean_time_between_interruptions").absent == "no failure stopped a gang");
}

TEST_CASE("money is what was in service at each pool's price") {
  StudyPoint point = point_of_two();
  point.scenario.pools[0].price = Price{3.6 / 3600};
  point.scenario.pools[1].price = Price{7.2 / 3600};
  const std::vector<RunResult> runs{example()};
  const PointResult result = reduce(point, runs).result;
  // In service 90 at 3.6 and 100 at 7.2: 1044. Held 60 and 50: 576.
  CHECK(simulated(result, "cost_per_useful_device_hour") == near(1044.0 / 60));
  CHECK(simulated(result, "cost_per_useful_device_hour.held") == near(576.0 / 60));
  CHECK(simulated(result, "cost_per_held_device_hour") == near(1044.0 / 110));
  // A unit is 10^6 milli-device-ns, 10^-6 device-seconds.
  CHECK(simulated(result, "cost_total") == near(1044e-6 / 3600));
}

TEST_CASE("times of jobs are means over those that completed") {
  StudyPoint point = point_of_two();
  point.scenario.classes[0].duration = Distribution{Distribution::Fixed{40}};
  std::vector<RunResult> runs{example(), example()};
  const auto job_seconds = [](int seconds) { return Capacity::devices(1) * (seconds * kSecond); };
  runs[0].classes[0].completed = 2;
  runs[0].classes[0].time_to_result = job_seconds(150);
  runs[0].classes[0].queue_wait = job_seconds(30);
  runs[1].classes[0].completed = 1;
  runs[1].classes[0].time_to_result = job_seconds(90);
  runs[1].makespan = SimTime::at_ns(120'000'000'000);
  const PointResult result = reduce(point, runs).result;
  CHECK(simulated(result, "jobs.x.time_to_result") == near(80.0));
  CHECK(simulated(result, "jobs.x.queue_wait") == near(10.0));
  CHECK(simulated(result, "jobs.x.completed") == near(1.5));
  CHECK(simulated(result, "jobs.x.ettr") == near(120.0 / 240));
  CHECK(simulated(result, "makespan") == near(120.0));
}

TEST_CASE("every row of the table names what it is of, and no two are alike") {
  const Scenario scenario = busy_pool();
  std::vector<std::string> names;
  for (const NamedFigure& each : figures_of(scenario)) {
    for (const char* word : {"LEAF", "SIZE", "QUOTA", "POOL", "CLASS", "ROW"})
      CHECK(each.name.find(word) == std::string::npos);
    CHECK(std::find(names.begin(), names.end(), each.name) == names.end());
    CHECK((each.info->numerator == nullptr) == (each.info->denominator == nullptr));
    CHECK(!each.info->about.empty());
    names.push_back(each.name);
  }
}

}  // namespace fleetsim
