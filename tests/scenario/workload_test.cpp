// How the keys of a class of jobs become times and weights.
#include <cmath>

#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

Duration seconds(std::int64_t count) { return Duration::nanoseconds(count * kSecond); }

/// The class of the small scenario with one key set.
JobClass job_with(Sets sets) { return scenario_of(read_with(kSmall, std::move(sets))).classes.at(0); }

using Weights = std::vector<std::pair<Leaf, std::int64_t>>;

}  // namespace

TEST_CASE("a quota of 0 devices is none, written as a number or as a limit") {
  for (const char* quota : {"0", R"({"limit": 0})"}) {
    const Scenario scenario = scenario_of(
        read_with(kSmall, {{"/scheduler", R"({"quotas": {"none": )" + std::string(quota) + "}}"}}));
    CHECK(scenario.scheduler.quotas.at(0).capacity == Capacity::zero());
  }
}

TEST_CASE("without a phase, a launch takes no time") {
  const JobClass job = job_with({});
  CHECK(job.startup.total() == Duration::zero());
  CHECK(job.recovery.relaunch.total() == Duration::zero());
  CHECK(job.preemption.total() == Duration::zero());
}

TEST_CASE("the textbook's recovery is 369.8 s, and 309.8 s where nothing is to be detected") {
  const Scenario scenario = scenario_of(read_with(kSharedPool, {{"/workload/llama/recovery", "textbook"}}));
  const JobClass& job = scenario.classes[0];
  CHECK(job.recovery.detect == seconds(60));
  CHECK((job.recovery.detect + job.recovery.relaunch.total()).ns() == 369'800'000'000);
  CHECK(job.startup.total().ns() == 309'800'000'000);
  CHECK(job.preemption.total().ns() == 309'800'000'000);
  CHECK(job.startup.load.ns() == 9'800'000'000);  // 980 GB at 100 GB/s
}

TEST_CASE("startup and preemption of one's own stand beside the textbook's recovery") {
  const Scenario scenario = scenario_of(
      read_with(kSharedPool, {{"/workload/llama/recovery", "textbook"},
                              {"/workload/llama/startup", R"({"launch": "30 s", "load": "0 s"})"}}));
  CHECK(scenario.classes[0].startup.total() == seconds(30));
  CHECK(scenario.classes[0].preemption.total() == seconds(30));  // as startup
  CHECK((scenario.classes[0].recovery.relaunch.total()).ns() == 309'800'000'000);
}

TEST_CASE("a load of \"auto\" needs a size and a bandwidth") {
  CHECK(has_issue(read_with(kSmall, {{"/workload/a/recovery", "textbook"}}), "/workload/a/recovery",
                  "loads a checkpoint"));
  CHECK(has_issue(read_with(kSmall, {{"/workload/a/startup", R"({"load": "auto"})"}}),
                  "/workload/a/startup/load", "needs"));
  const JobClass job = job_with({{"/workload/a/checkpoint/size", "1 TB"},
                                 {"/workload/a/checkpoint/bandwidth", "50 GB/s"},
                                 {"/workload/a/startup", R"({"launch": "1 s"})"}});
  CHECK(job.startup.load == seconds(20));
  CHECK(job.checkpoint.pause == seconds(2));  // as given, whatever the size
}

TEST_CASE("an input that is slower than the step makes it wait") {
  const auto wait = [](const char* input) { return job_with({{"/workload/a/input", input}}).step.wait; };
  CHECK(wait(R"({"io": "12 s"})") == seconds(2));
  CHECK(wait(R"({"io": "9 s"})") == Duration::zero());
  CHECK(wait(R"({"io": "9 s", "prefetch": false})") == seconds(9));
  CHECK(job_with({{"/workload/a/input", R"({"io": "12 s"})"}}).input_stall ==
        doctest::Approx(2.0 / 12).epsilon(1e-15).scale(0));
}

TEST_CASE("parts of a step are weights in the order of the table of leaves") {
  const JobClass job = job_with({{"/workload/a/step/parts", R"({"data_comm": "2 s", "tensor_comm": "1 s"})"},
                                 {"/workload/a/step/ideal", "4 s"}});
  CHECK(job.program.weights == Weights{{Leaf::program_tensor_comm, kSecond},
                                       {Leaf::program_data_comm, 2 * kSecond},
                                       {Leaf::program_unattributed, 3 * kSecond},
                                       {Leaf::ideal, 4 * kSecond}});
  CHECK(job.program_goodput == 0.4);
}

TEST_CASE("parts without an ideal leave the rest unmodelled") {
  const JobClass job = job_with({{"/workload/a/step/parts", R"({"tensor_comm": "1 s"})"}});
  CHECK(job.program.weights ==
        Weights{{Leaf::program_tensor_comm, kSecond}, {Leaf::program_unmodelled, 9 * kSecond}});
  CHECK(!job.program_goodput);
  CHECK(job_with({}).program.weights.empty());
}

TEST_CASE("a share P is parts in 10^9, or a time when parts are named") {
  CHECK(job_with({{"/workload/a/program_goodput", "0.123456789"}}).program.weights ==
        Weights{{Leaf::program_unattributed, 876'543'211}, {Leaf::ideal, 123'456'789}});
  CHECK(job_with(
            {{"/workload/a/program_goodput", "25 %"}, {"/workload/a/step/parts", R"({"padding": "7.5 s"})"}})
            .program.weights ==
        Weights{{Leaf::program_padding, 7'500'000'000}, {Leaf::ideal, 2'500'000'000}});
  CHECK(job_with({{"/workload/a/program_goodput", "1"}}).program.weights ==
        Weights{{Leaf::ideal, 1'000'000'000}});
}

TEST_CASE("parts that do not fit into the step are refused") {
  const StudyReading reading = read_with(kSmall, {{"/workload/a/step/parts", R"({"tensor_comm": "11 s"})"}});
  CHECK(contains(only_issue(reading, "/workload/a/step/parts"), "1.00 s too much"));
  CHECK(contains(only_issue(read_with(kSmall, {{"/workload/a/step/parts", R"({"tensor_com": "1 s"})"}}),
                            "/workload/a/step/parts"),
                 "unknown loss \"tensor_com\"; did you mean \"tensor_comm\"?"));
  CHECK(only_issue(read_with(kSmall, {{"/workload/a/step/parts", R"({"unattributed": "1 s"})"}}),
                   "/workload/a/step/parts") != "");
}

TEST_CASE("work in tokens is whole steps, the last one begun counts") {
  const JobClass job =
      job_with({{"/workload/a", R"({"gang": 8, "step": {"time": "1 s", "tokens": 1000}, "tokens": 2500})"}});
  CHECK(job.steps == 3);
  CHECK(has_issue(
      read_with(kSmall, {{"/workload/a", R"({"gang": 8, "step": {"time": "1 s"}, "tokens": 2500})"}}),
      "/workload/a/tokens", "needs \"step\" with \"tokens\""));
}

TEST_CASE("work in ideal device-time is spread over the gang and divided by P") {
  const JobClass job =
      job_with({{"/workload/a", R"({"gang": 8, "program_goodput": 0.5, "device_time": "1000 GPU-h"})"}});
  // 1,000 h / 8 devices / 0.5
  CHECK(job.duration == Distribution{Distribution::Fixed{250.0 * 3600}});
  CHECK(has_issue(read_with(kSmall, {{"/workload/a", R"({"gang": 8, "device_time": "1000 GPU-h"})"}}),
                  "/workload/a/device_time", "needs a known ideal"));
}

TEST_CASE("a gang is a size, a choice, a shape or a part of a device") {
  CHECK(job_with({{"/workload/a/gang", R"({"nodes": 2, "per_node": 3, "remainder": 1})"}}).gang.shape ==
        GangShape{.nodes = 2, .per_node = 3, .remainder = 1});
  CHECK(job_with({{"/workload/a/gang", R"({"milli": 300})"}}).gang.shape == GangShape{.milli = 300});
  CHECK(job_with({{"/workload/a/gang", R"({"choice": {"4": 3, "8": 1}})"}}).gang.sizes ==
        std::vector<std::uint32_t>{4, 8});
  CHECK(has_issue(read_with(kSmall, {{"/workload/a/gang", R"({"choice": {"4.5": 1}})"}}),
                  "/workload/a/gang/choice/4.5", "whole devices"));
  CHECK(has_issue(read_with(kSmall, {{"/workload/a/gang", R"({"nodes": 2})"}}), "/workload/a/gang",
                  "missing key \"per_node\""));
  CHECK(has_issue(read_with(kSmall, {{"/workload/a/gang", R"({"milli": 1001})"}}), "/workload/a/gang/milli",
                  "at most 1,000"));
}

TEST_CASE("the degrees of a layout multiply to the gang") {
  CHECK(read_with(kSmall, {{"/workload/a/layout", R"({"tensor": 4, "data": 2})"}}).issues.empty());
  CHECK(contains(only_issue(read_with(kSmall, {{"/workload/a/layout", R"({"tensor": 4, "data": 4})"}}),
                            "/workload/a/layout"),
                 "product is the gang, 8; found 16"));
}

TEST_CASE("failures of a gang are those of all it spans") {
  // Devices fail at 1/1000 h each and take their node out: a gang of 4 in a node of 8 is hit by all 8.
  const auto young = [](Sets sets) {
    sets.emplace_back("/workload/a/checkpoint/interval", "young");
    return to_seconds(job_with(std::move(sets)).checkpoint.interval).si;
  };
  const auto expected = [](double failures_per_hour) {
    return std::sqrt(2 * 2.0 * 3600 / failures_per_hour);
  };
  CHECK(young({}) == doctest::Approx(expected(8e-3)).epsilon(1e-9).scale(0));
  CHECK(young({{"/workload/a/gang", "4"}}) == doctest::Approx(expected(8e-3)).epsilon(1e-9).scale(0));
  CHECK(young({{"/workload/a/gang", "9"}}) == doctest::Approx(expected(16e-3)).epsilon(1e-9).scale(0));
  CHECK(young({{"/workload/a/gang", "4"}, {"/faults/takes_out", "device"}}) ==
        doctest::Approx(expected(4e-3)).epsilon(1e-9).scale(0));
  CHECK(young({{"/faults/components/gpu/hits", "node"}}) ==
        doctest::Approx(expected(1e-3)).epsilon(1e-9).scale(0));
  CHECK(young({{"/faults/lemons", R"({"share": 0.1, "factor": 11})"}}) ==
        doctest::Approx(expected(16e-3)).epsilon(1e-9).scale(0));
  // Two nodes of a rack: a failure anywhere in it counts.
  CHECK(young({{"/faults/takes_out", "rack"}, {"/fleet/pools/p/nodes_per_rack", "2"}}) ==
        doctest::Approx(expected(16e-3)).epsilon(1e-9).scale(0));
}

TEST_CASE("a write that is not short against the MTBF is warned of, and bounded by it") {
  // 300 s against 100 s: Young's 245 s would exceed the MTBF.
  const StudyReading reading =
      read_with(kSmall, {{"/workload/a/checkpoint", R"({"interval": "young", "pause": "300 s"})"},
                         {"/faults/components/gpu/mttf", "800 s"}});
  CHECK(scenario_of(reading).classes[0].checkpoint.interval == seconds(100));
  CHECK(!reading.notes.empty());
}

TEST_CASE("a checkpoint that costs nothing has no best interval") {
  const StudyReading reading =
      read_with(kSmall, {{"/workload/a/checkpoint", R"({"interval": "young", "pause": "0 s"})"}});
  CHECK(contains(only_issue(reading, "/workload/a/checkpoint/interval"), "costs nothing"));
}

TEST_CASE("failures sooner than a recovery takes are a note, not an issue") {
  const StudyReading reading =
      read_with(kSmall, {{"/faults/components/gpu/mttf", "800 s"},
                         {"/workload/a/recovery", R"({"detect": "60 s", "launch": "60 s"})"}});
  CHECK(reading.issues.empty());
  REQUIRE(reading.notes.size() == 1);
  CHECK(contains(reading.notes[0], "a failure every 100 s is sooner than the 2.00 min"));
}

TEST_CASE("an asynchronous checkpoint stages, flushes and slows") {
  const JobClass job =
      job_with({{"/workload/a/checkpoint", R"({"interval": "40 s", "mode": "async", "pause": "1 s",
      "flush": "15 s", "step_slowdown": "5 %", "interval_from": "commit"})"}});
  CHECK(job.checkpoint.mode == CheckpointMode::asynchronous);
  CHECK(job.checkpoint.pause == seconds(1));
  CHECK(job.checkpoint.flush == seconds(15));
  CHECK(job.checkpoint.step_excess.ns() == 500'000'000);
  CHECK(job.checkpoint.interval_from == IntervalFrom::commit);
  CHECK(job_with({{"/workload/a/checkpoint", R"({"interval": "40 s", "mode": "async", "flush": "15 s",
      "step_slowdown": "2 s"})"}})
            .checkpoint.step_excess == seconds(2));
}

TEST_CASE("evictions: terms, clock and instants") {
  const JobClass job =
      job_with({{"/workload/a/evictions", R"({"every": "1 h", "at": ["20 s", "10 s"], "clock": "productive",
      "save": "30 s", "grace": "1 min", "requeue_delay": "5 s", "requeue": "behind"})"}});
  CHECK(job.evictions.every == seconds(3600));
  CHECK(job.evictions.at == std::vector<SimTime>{SimTime::at_ns(10 * kSecond), SimTime::at_ns(20 * kSecond)});
  CHECK(job.evictions.clock == EvictionClock::productive);
  CHECK(job.evictions.terms.save == seconds(30));
  CHECK(job.evictions.terms.grace == seconds(60));
  CHECK(job.evictions.terms.requeue == RequeueAt::behind);
  CHECK(!job.evictions.terms.lost_work);
}

TEST_CASE("a reservation does no work") {
  CHECK(job_with({{"/workload/a", R"({"kind": "reservation", "gang": 8, "duration": "1 h"})"}}).kind ==
        JobKind::reservation);
  CHECK(has_issue(read_with(kSmall, {{"/workload/a/kind", "reservation"}}), "/workload/a/steps",
                  "means nothing to a reservation"));
}

TEST_CASE("accepted pools are in order of preference; a device type is all its pools") {
  constexpr std::string_view kPools = R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 }, "q": { "device": "y", "devices_per_node": 8, "nodes": 2 },
                          "r": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
    "workload": { "a": { "gang": 8 } }, "window": { "length": "1 h" } })";
  const auto pools = [&](const char* accepts) {
    return scenario_of(read_with(kPools, {{"/workload/a/accepts", accepts}})).classes[0].pools;
  };
  CHECK(scenario_of(read(kPools)).classes[0].pools == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(pools("x") == std::vector<std::uint32_t>{0, 2});
  CHECK(pools(R"(["r", "y", "x"])") == std::vector<std::uint32_t>{2, 1, 0});
}

TEST_CASE("a scheduler out of parts") {
  const Scenario scenario = scenario_of(read_with(kSmall, {{"/scheduler", R"({"order": "las", "strict": false,
    "las_thresholds": ["3250 GPU-s", "10 GPU-h"], "quotas": {"team": 12},
    "preemption": {"placements": "remade", "relaunch": "10 s", "lost_work": "1 min"}})"},
                                                           {"/workload/a/quota", "team"}}));
  CHECK(!scenario.scheduler.strict);
  CHECK(scenario.scheduler.las_thresholds ==
        std::vector<DeviceTime>{Capacity::devices(1) * seconds(3250), Capacity::devices(1) * seconds(36000)});
  CHECK(scenario.scheduler.quotas.at(0).capacity == Capacity::devices(12));
  CHECK(scenario.classes[0].quota == 0u);
  CHECK(scenario.scheduler.preemption == Preemption::remade);
  CHECK(scenario.scheduler.eviction_relaunch == seconds(10));
  CHECK(scenario.scheduler.eviction.lost_work == seconds(60));
  CHECK(scenario_of(read_with(kSmall, {{"/scheduler", R"({"preemption": {}})"}})).scheduler.preemption ==
        Preemption::kept);
  CHECK(has_issue(read_with(kSmall, {{"/scheduler", R"({"las_thresholds": ["2 GPU-h", "1 GPU-h"]})"}}),
                  "/scheduler/las_thresholds/1", "more than the threshold before it"));
}

TEST_CASE("no jobs at all is a scenario") {
  CHECK(scenario_of(read_with(kSmall, {{"/workload", "{}"}})).classes.empty());
}
