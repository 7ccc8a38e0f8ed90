// The textbook's running example, from the file to the numbers the engine gets.
#include <cmath>

#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

const JobClass& llama(const Scenario& scenario) { return scenario.classes.at(0); }

Scenario shared_with(Sets sets) { return scenario_of(read_with(kSharedPool, std::move(sets))); }

/// Failures per second of the textbook's rates over 128 GPUs in 16 nodes.
constexpr double kFailures = 128 * (1.0 / 50000 + 1.0 / 200000 + 1.0 / 1200000) / 3600;

std::int64_t nearest_ns(double seconds) { return std::llround(seconds * 1e9); }

}  // namespace

TEST_CASE("the pool is what the catalog says of its node") {
  const Scenario scenario = shared_with({});
  REQUIRE(scenario.pools.size() == 1);
  const PoolSpec& pool = scenario.pools[0];
  CHECK(pool.name == "train");
  CHECK(pool.device_type == "h100-sxm");
  CHECK(pool.nodes == 64);
  CHECK(pool.devices_per_node == 8);
  CHECK(pool.spares == 2);
  CHECK(pool.peak == FlopRate{989e12});
  CHECK(pool.price == Price{2.0 / 3600});
  REQUIRE(pool.racks.size() == 64);
  CHECK(pool.racks[3] == 0);  // four nodes a rack in this fabric
  CHECK(pool.racks[4] == 1);
}

TEST_CASE("the textbook's rows keep their scopes and take the repair that is given") {
  const std::vector<FaultRow> rows = shared_with({}).pools[0].faults;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "GPU");
  CHECK(rows[0].hits == FaultScope::device);
  CHECK(rows[0].takes_out == FaultScope::device);
  CHECK(rows[0].lifetime.mean() == doctest::Approx(50000.0 * 3600).scale(0));
  CHECK(rows[2].name == "NIC");
  CHECK(rows[2].hits == FaultScope::node);
  CHECK(rows[2].takes_out == FaultScope::node);
  for (const FaultRow& row : rows) {
    CHECK(row.repair == Distribution{Distribution::Lognormal{3600, 1.4}});
    CHECK(row.lifetime.is_memoryless());
  }
}

TEST_CASE("Young's interval is 76.990 min, to the nanosecond") {
  // sqrt(2 x 9.8 s x 302.419 h): 980 GB at 100 GB/s.
  const Scenario scenario = shared_with({});
  CHECK(llama(scenario).checkpoint.pause.ns() == 9'800'000'000);
  CHECK(llama(scenario).checkpoint.rule == CheckpointRule::young);
  const std::int64_t young = nearest_ns(std::sqrt(2 * 9.8 / kFailures));
  CHECK(std::abs(llama(scenario).checkpoint.interval.ns() - young) <= 1);
  CHECK(to_seconds(llama(scenario).checkpoint.interval).si ==
        doctest::Approx(4619.38412).epsilon(1e-8).scale(0));
}

TEST_CASE("counting evictions as interruptions makes it 20.876 min") {
  const Scenario scenario = shared_with(
      {{"/workload/llama/checkpoint/interval", "auto"}, {"/workload/llama/evictions/rate", "1 /d"}});
  const std::int64_t joint = nearest_ns(std::sqrt(2 * 9.8 / (kFailures + 1.0 / 86400)));
  CHECK(std::abs(llama(scenario).checkpoint.interval.ns() - joint) <= 1);
  CHECK(to_seconds(llama(scenario).checkpoint.interval).si ==
        doctest::Approx(20.876 * 60).epsilon(1e-4).scale(0));
}

TEST_CASE("Daly's interval is a little shorter than Young's minus the write") {
  const Scenario scenario = shared_with({{"/workload/llama/checkpoint/interval", "daly"}});
  const double interval = to_seconds(llama(scenario).checkpoint.interval).si;
  const double young = std::sqrt(2 * 9.8 / kFailures);
  const double x = std::sqrt(9.8 * kFailures / 2);  // of order 1e-3: the series has converged after two terms
  CHECK(interval == doctest::Approx(young * (1 + x / 3 + x * x / 9) - 9.8).epsilon(1e-9).scale(0));
}

TEST_CASE("a stall is a share of stepping time, rounded once per step") {
  const auto wait = [](const char* stall) {
    return llama(shared_with({{"/workload/llama/input_stall", stall}})).step.wait.ns();
  };
  CHECK(wait("0.07692307692307693") == 20'416'667);  // 1/13: 20,416,666.67
  CHECK(wait("0.0769230769") == 20'416'667);         // 20,416,666.66
  CHECK(wait("0.0769231") == 20'416'673);            // 20,416,673.30
  CHECK(wait("0") == 0);
}

TEST_CASE("the ideal of a step is its model's arithmetic at peak") {
  // 6 x 70e9 x 35,446 FLOP over 128 x 989 TFLOP/s: 117.6007963... ms of 245 ms.
  const Scenario scenario = shared_with({});
  const double ideal = 6.0 * 70e9 * 35446 / (128 * 989e12);
  const auto& weights = llama(scenario).program.weights;
  REQUIRE(weights.size() == 2);
  CHECK(weights[0] == std::pair{Leaf::program_unattributed, 245'000'000 - nearest_ns(ideal)});
  CHECK(weights[1] == std::pair{Leaf::ideal, nearest_ns(ideal)});
  CHECK(llama(scenario).program_goodput.value() == doctest::Approx(0.480003).epsilon(1e-6).scale(0));
  CHECK(scenario.classes[1].program.weights ==
        std::vector<std::pair<Leaf, std::int64_t>>{{Leaf::program_unattributed, 520'000'000},
                                                   {Leaf::ideal, 480'000'000}});
}

TEST_CASE("the other jobs come as a stream of sizes and durations") {
  const Scenario scenario = shared_with({});
  const JobClass& others = scenario.classes.at(1);
  CHECK(others.arrivals.gap == Distribution{Distribution::Exponential{1800}});
  CHECK(!others.arrivals.count);
  CHECK(others.gang.sizes == std::vector<std::uint32_t>{8, 16, 32, 64});
  CHECK(others.gang.weights == std::vector<double>{0.5, 0.2, 0.2, 0.1});
  CHECK(others.duration == Distribution{Distribution::Lognormal{10800, 1.2}});
  CHECK(others.step.continuous);
  CHECK(others.checkpoint.mode == CheckpointMode::none);
  CHECK(!llama(scenario).step.continuous);
  CHECK(!llama(scenario).steps);
  CHECK(!llama(scenario).duration);  // endless
}

TEST_CASE("scheduler, window, runs and figures") {
  const Scenario scenario = shared_with({});
  CHECK(scenario.scheduler.order == "fifo");
  CHECK(scenario.scheduler.admission == Admission::partial_hold);
  CHECK(scenario.window.length == Duration::nanoseconds(7 * 86400 * std::int64_t{1'000'000'000}));
  CHECK(scenario.window.warm_up == Duration::nanoseconds(2 * 86400 * std::int64_t{1'000'000'000}));
  CHECK(scenario.runs.replications == 64);
  CHECK(scenario.runs.until_figure == "mpg");
  CHECK(scenario.runs.until_half_width == 0.002);
  REQUIRE(scenario.assume.size() == 1);
  CHECK(scenario.assume[0].figure == "pools.train.scheduling_goodput");
  CHECK(scenario.assume[0].value == 0.65);
}

TEST_CASE("what is expected holds where the sweep stands at the file's own values") {
  const StudyReading reading = read(kSharedPool);
  REQUIRE(reading.points.size() == 12);
  CHECK(reading.points[0].scenario.expect.empty());  // 0 /d, where the file itself has 1 /d
  const Scenario& own = reading.points[1].scenario;
  REQUIRE(own.expect.size() == 1);
  CHECK(own.expect[0].basis == Basis::closed_form);
  CHECK(own.expect[0].value == 0.903980);
  CHECK(own.expect[0].within == 1e-6);
}

TEST_CASE("the study is base and alternatives, each over the sweep") {
  const StudyReading reading = read(kSharedPool);
  REQUIRE(reading.points.size() == 12);
  CHECK(reading.points[0].alternative.empty());
  CHECK(reading.points[4].alternative == "atomic admission");
  CHECK(reading.points[8].alternative == "lost since commit");
  CHECK(reading.points[6].sweep == Sets{{"/workload/llama/evictions/rate", "4 /d"}});
  CHECK(!reading.points[0].scenario.classes[0].evictions.rate);  // 0 /d: none ever come
  CHECK(reading.points[6].scenario.classes[0].evictions.rate == PerSecond{4.0 / 86400});
  CHECK(reading.points[3].scenario.scheduler.admission == Admission::partial_hold);
  CHECK(reading.points[4].scenario.scheduler.admission == Admission::atomic);
  CHECK(reading.points[4].scenario.classes[0].evictions.terms.lost_work.has_value());
  CHECK(!reading.points[8].scenario.classes[0].evictions.terms.lost_work);
}
