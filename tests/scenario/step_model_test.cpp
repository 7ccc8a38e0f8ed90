#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>

#include "models/step/constants.hpp"
#include "tests/scenario/texts.hpp"

// Steps whose time comes from the model, and steps that a compiler shortens.
namespace fleetsim {
namespace {

constexpr std::string_view kModelled = R"({
  "fleet": { "pools": { "p": { "node": "dgx-h100", "nodes": 16, "fabric": "ndr400-rail" } } },
  "workload": { "a": { "model": "llama2-70b", "gang": 64, "steps": 100,
    "layout": { "tensor": 8, "recompute": "full" },
    "step": { "model": true, "sequence": 4096, "global_batch": 64 } } },
  "window": { "length": "1 h" }
})";

JobClass first_class(const StudyReading& reading) { return scenario_of(reading).classes.front(); }

std::int64_t weight(const JobClass& job, Leaf leaf) {
  for (const auto& [each, weight] : job.program.weights)
    if (each == leaf) return weight;
  return 0;
}

std::int64_t sum_of_weights(const std::vector<std::pair<Leaf, std::int64_t>>& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& each) { return sum + each.second; });
}

TEST_CASE("a modelled step takes what the model says, and its parts add up to it") {
  const StudyReading reading = read(kModelled);
  const JobClass job = first_class(reading);
  const StepBreakdown step = step_breakdown(job.step.model->input(), step_constants());
  CHECK(to_seconds(job.step.time).si == doctest::Approx(step.total().si).epsilon(1e-9));
  CHECK(sum_of_weights(job.program.weights) == job.step.time.ns());
  CHECK(static_cast<double>(weight(job, Leaf::ideal)) == doctest::Approx(step.ideal.si * 1e9).epsilon(1e-8));
  CHECK(weight(job, Leaf::program_recompute) > 0);
  CHECK(job.step.tokens == 64.0 * 4096);
}

TEST_CASE("a model knows itself what neighbours stretch; what slow members do may be told") {
  const std::string problem = only_issue(read_with(kModelled, {{"/workload/a/step/neighbour_share", "0.2"}}),
                                         "/workload/a/step/neighbour_share");
  CHECK(contains(problem, "excluded by \"model\": true"));
  const JobClass job = first_class(read_with(kModelled, {{"/workload/a/step/straggler_share", "0.8"}}));
  CHECK(job.step.stretched[static_cast<std::size_t>(SlowCause::straggler)] == 0.8);
}

TEST_CASE("parts are rounded where they end, so that they add up to the rounded step") {
  StepBreakdown step{};
  step.tensor_comm = Seconds{0.4e-9};
  step.data_comm = Seconds{0.4e-9};
  step.ideal = Seconds{1.7e-9};
  // Ends at 0.4, 0.8 and 2.5 ns: at 0, 1 and 3 (a half away from zero).
  const StepProfile profile = step_profile(step);
  CHECK(profile.time == Duration::nanoseconds(3));
  const std::vector<std::pair<Leaf, std::int64_t>> expected{{Leaf::program_data_comm, 1}, {Leaf::ideal, 2}};
  CHECK(profile.weights == expected);
}

TEST_CASE("a layout that does not fit says by how much") {
  const StudyReading reading = read_with(kModelled, {{"/workload/a/layout/recompute", "none"},
                                                     {"/workload/a/gang", "8"},
                                                     {"/workload/a/step/global_batch", "8"}});
  // 70e9 parameters over 8 devices: at least 16 bytes each, 138 GB of the 80 there are.
  CHECK(contains(only_issue(reading, "/workload/a/layout"), "has 85.9 GB"));
  CHECK(contains(only_issue(reading, "/workload/a/layout"), "too little"));
}

TEST_CASE("degrees that divide neither devices nor batch nor heads are reported at the layout") {
  const auto issue = [](Sets sets) {
    return only_issue(read_with(kModelled, std::move(sets)), "/workload/a/layout");
  };
  CHECK(contains(issue({{"/workload/a/layout/tensor", "3"}}), "does not divide the number of devices 64"));
  CHECK(contains(issue({{"/workload/a/layout/micro_batch", "3"}}), "does not divide the global batch 64"));
  CHECK(contains(issue({{"/workload/a/layout/pipeline", "8"}, {"/workload/a/layout/interleave", "90"}}),
                 "is more than the 80 layers"));
}

TEST_CASE("chunks that differ by a layer are a layout once it is said to be uneven") {
  const Sets sets{{"/workload/a/gang", "128"},
                  {"/workload/a/step/global_batch", "64"},
                  {"/workload/a/layout/pipeline", "4"},
                  {"/workload/a/layout/interleave", "3"}};
  CHECK(contains(only_issue(read_with(kModelled, sets), "/workload/a/layout"), "not said to be uneven"));
  Sets uneven = sets;
  uneven.push_back({"/workload/a/layout/uneven", "true"});
  const StudyReading reading = read_with(kModelled, uneven);
  CHECK(first_class(reading).step.model->input().layout.uneven);
}

TEST_CASE("what a layout hardly means to is a warning of the scenario") {
  CHECK(read(kModelled).notes.empty());
  const StudyReading reading =
      read_with(kModelled, {{"/workload/a/layout/pipeline", "8"}, {"/workload/a/step/global_batch", "4"}});
  REQUIRE(reading.issues.empty());
  REQUIRE(reading.notes.size() == 1);
  CHECK(contains(reading.notes.front(), "workload a: 4 microbatches do not fill 8 pipeline stages"));
}

constexpr std::string_view kRecommender = R"({
  "fleet": { "pools": { "p": { "node": "dgx-h100", "nodes": 2, "fabric": "ndr400-rail" } } },
  "workload": { "a": { "model": "dlrm-dcnv2", "gang": 16, "steps": 100,
    "step": { "model": true, "global_batch": 65536 },
    "checkpoint": { "interval": "1 h", "bandwidth": "10 GB/s" } } },
  "window": { "length": "1 h" }
})";

TEST_CASE("a recommender's step is modelled: its exchange of rows, its samples, its checkpoint") {
  const JobClass job = first_class(read(kRecommender));
  const StepBreakdown step = step_breakdown(job.step.model->input(), step_constants());
  CHECK(to_seconds(job.step.time).si == doctest::Approx(step.total().si).epsilon(1e-6));
  CHECK(sum_of_weights(job.program.weights) == job.step.time.ns());
  CHECK(weight(job, Leaf::program_expert_comm) > 0);
  CHECK(job.step.tokens == 65536.0);
  // 204 million rows of 516 bytes, and 14 bytes for each weight of the layers.
  CHECK(to_seconds(job.checkpoint.pause).si == doctest::Approx(204184588.0 * 516 / 10e9).epsilon(0.01));
}

TEST_CASE("what only transformers have is refused for a recommender") {
  const auto issue = [](Sets sets, std::string_view pointer) {
    return only_issue(read_with(kRecommender, std::move(sets)), pointer);
  };
  CHECK(contains(issue({{"/workload/a/layout", R"({"tensor": 2})"}}, "/workload/a/layout"), "transformers"));
  CHECK(
      contains(issue({{"/workload/a/step/sequence", "8"}}, "/workload/a/step/sequence"), "is a recommender"));
  CHECK(contains(issue({{"/workload/a/step/global_batch", "100"}}, "/workload/a/step/model"),
                 "16 does not divide the global batch 100"));
  CHECK(contains(issue({{"/fleet/pools/p/nodes", "1"}, {"/workload/a/gang", "1"}}, "/workload/a/step/model"),
                 "too little"));
}

TEST_CASE("what a modelled step predicts is not to be given, and what it needs is asked for") {
  const auto issue = [](Sets sets, std::string_view pointer) {
    return only_issue(read_with(kModelled, std::move(sets)), pointer);
  };
  CHECK(contains(issue({{"/workload/a/step/time", "1 s"}}, "/workload/a/step/time"), "excluded by"));
  CHECK(contains(issue({{"/workload/a/program_goodput", "0.5"}}, "/workload/a/program_goodput"),
                 "excluded by"));
  CHECK(contains(issue({{"/workload/a/layout/data", "4"}}, "/workload/a/layout/data"), "found 32"));
  CHECK(contains(issue({{"/workload/a/step/precision", "nvfp4"}}, "/workload/a/step/precision"),
                 "h100-sxm has no matrix products in nvfp4"));
  CHECK(contains(only_issue(read_with(kSmall, {{"/workload/a/step/global_batch", "4"}}),
                            "/workload/a/step/global_batch"),
                 "goes with \"model\""));
  CHECK(
      contains(only_issue(read_with(kSmall, {{"/workload/a/step", R"({"tokens": 5})"}}), "/workload/a/step"),
               "missing key \"time\""));
}

TEST_CASE("sizes of an elastic gang take what the model says of their data ranks") {
  const StudyReading reading = read_with(
      kModelled, {{"/workload/a/elastic", R"({"policy": "step-up", "least": 32, "most": 96, "step": 32})"}});
  const JobClass job = first_class(reading);
  // 96 devices are 12 data ranks, which do not divide 64 sequences.
  REQUIRE(job.elastic->sizes.size() == 2);
  for (const ElasticSize& size : job.elastic->sizes) {
    StepInput input = job.step.model->input();
    input.layout.devices = size.devices;
    const Seconds alone = step_breakdown(input, step_constants()).total();
    CHECK(to_seconds(size.time).si == doctest::Approx(alone.si).epsilon(1e-9));
    CHECK(sum_of_weights(size.program.weights) == size.time.ns());
  }
  CHECK(job.elastic->sizes.back().time == job.step.time);
  CHECK(job.elastic->sizes.front().time > job.step.time);
}

TEST_CASE("without overlap all exchange is in the open; fusion shortens what is bound by memory") {
  const StudyReading plain = read(kModelled);
  const StudyReading serial = read_with(kModelled, {{"/workload/a/step/software", R"({"overlap": false})"}});
  CHECK(contains(only_issue(read_with(kModelled, {{"/workload/a/step/software", R"({"release": 5})"}}),
                            "/workload/a/step/software/release"),
                 "expected a year such as 2025.5; found 5"));
  const StudyReading unfused = read_with(kModelled, {{"/workload/a/step/software", R"({"fused": false})"}});
  const JobClass a = first_class(plain), b = first_class(serial), c = first_class(unfused);
  // The constant of overlap is the share that is exposed.
  CHECK(static_cast<double>(weight(a, Leaf::program_tensor_comm)) ==
        doctest::Approx(step_constants().tensor_exposed *
                        static_cast<double>(weight(b, Leaf::program_tensor_comm)))
            .epsilon(1e-6));
  CHECK(std::abs(weight(b, Leaf::program_gemm_below_peak) - weight(a, Leaf::program_gemm_below_peak)) <= 1);
  CHECK(weight(c, Leaf::program_memory_bound) > weight(a, Leaf::program_memory_bound));
  CHECK(std::abs(weight(c, Leaf::ideal) - weight(a, Leaf::ideal)) <= 1);
}

/// A decode step at 120 tokens a second, half of it in matrix kernels.
constexpr std::string_view kCompiled = R"({
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 1, "nodes": 128 } } },
  "workload": { "a": { "gang": 1, "steps": 100,
    "step": { "time": "8333333 ns", "tokens": 1, "parts": { "memory_bound": "2916667 ns", "dispatch": "1250000 ns" },
              "compile": { "build": "15 min", "keeps": { "memory_bound": 0.3, "dispatch": 0.2 } } } } },
  "window": { "length": "1 h" }
})";

TEST_CASE("a compiled step is 0.635 of before, and repays 15 minutes of build after 296,000 tokens") {
  const StudyReading reading = read(kCompiled);
  const JobClass job = first_class(reading);
  // 8,333,333 - 0.7 x 2,916,667 - 0.8 x 1,250,000
  CHECK(job.step.time == Duration::nanoseconds(5'291'666));
  CHECK(static_cast<double>(job.step.time.ns()) / 8'333'333 == doctest::Approx(0.635).epsilon(1e-6));
  CHECK(sum_of_weights(job.program.weights) == job.step.time.ns());
  CHECK(job.startup.compile == Duration::nanoseconds(900'000'000'000));
  CHECK(job.preemption.compile == job.startup.compile);
  CHECK(job.recovery.relaunch.compile == job.startup.compile);
  const double saved = 8'333'333 - static_cast<double>(job.step.time.ns());
  const double tokens = static_cast<double>(job.startup.compile.ns()) / saved;
  CHECK(tokens == doctest::Approx(295'890.4).epsilon(1e-5));
  CHECK(tokens * to_seconds(job.step.time).si / 60 == doctest::Approx(26.0959).epsilon(1e-5));
  CHECK(tokens * to_seconds(job.step.time).si / 128 == doctest::Approx(12.2324).epsilon(1e-5));
}

TEST_CASE("a compiler shortens only parts that the step has") {
  CHECK(
      contains(only_issue(read_with(kCompiled, {{"/workload/a/step/compile/keeps", R"({"recompute": 0.5})"}}),
                          "/workload/a/step/compile/keeps/recompute"),
               "the step has no such part"));
}

TEST_CASE("links are shared where node and fabric are known") {
  CHECK(read_with(kModelled, {{"/fleet/pools/p/contention", "true"}}).issues.empty());
  CHECK(contains(
      only_issue(read_with(kSmall, {{"/fleet/pools/p/contention", "true"}}), "/fleet/pools/p/contention"),
      "needs a \"node\""));
}

}  // namespace
}  // namespace fleetsim
