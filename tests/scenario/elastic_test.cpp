// Elastic gangs: their sizes, what a step takes at each, and what is said where they are wrong.
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

constexpr std::string_view kJob = R"({
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 4 } } },
  "workload": { "a": { "gang": 8, "step": { "time": "12 s" }, "steps": 100, "input_stall": 0.2, "program_goodput": 0.5 } },
  "window": { "until": "done" }
})";

ElasticSpec elastic_of(const std::string& text) {
  return *scenario_of(read_with(kJob, {{"/workload/a/elastic", text}})).classes[0].elastic;
}

std::string issue_of(const std::string& text, const std::string& below = "") {
  return only_issue(read_with(kJob, {{"/workload/a/elastic", text}}), "/workload/a/elastic" + below);
}

}  // namespace

TEST_CASE("sizes between the least and the most share a step's work evenly, and its split") {
  const ElasticSpec spec = elastic_of(R"({"policy": "step-up", "least": 4, "most": 12, "step": 4})");
  REQUIRE(spec.sizes.size() == 3);
  const std::int64_t seconds[] = {24, 12, 8};
  for (std::size_t index = 0; index < 3; ++index) {
    CHECK(spec.sizes[index].devices == 4 * (index + 1));
    CHECK(spec.sizes[index].time.ns() == seconds[index] * kSecond);
    CHECK(spec.sizes[index].wait.ns() == seconds[index] * kSecond / 4);
    CHECK(spec.sizes[index].program.weights.empty());
  }
}

TEST_CASE("step times by size: what scaling loses is lost to the program, unattributed") {
  const ElasticSpec spec = elastic_of(
      R"({"policy": "wait", "step_times": {"32": "3.75 s", "8": "12 s", "16": "8 s"}, "most": 16})");
  REQUIRE(spec.sizes.size() == 2);
  CHECK(spec.sizes[0].program.weights.empty());
  // 96 device-seconds become 128: 48 of them are ideal.
  const std::vector<std::pair<Leaf, std::int64_t>> split{{Leaf::program_unattributed, 625'000'000},
                                                         {Leaf::ideal, 375'000'000}};
  CHECK(spec.sizes[1].program.weights == split);
}

TEST_CASE("an elastic gang that makes no sense is refused with its place") {
  CHECK_FALSE(issue_of(R"({"policy": "step-up"})").empty());
  CHECK_FALSE(issue_of(R"({"policy": "grow"})", "/policy").empty());
  CHECK_FALSE(issue_of(R"({"least": 9, "most": 8})", "/most").empty());
  CHECK_FALSE(issue_of(R"({"step_times": {"8": "13 s"}})", "/step_times").empty());
  CHECK_FALSE(issue_of(R"({"step_times": {"16": "2 s"}})", "/step_times").empty());  // shorter than its ideal
  CHECK_FALSE(issue_of(R"({"grow": "at_commit"})", "/grow").empty());
  CHECK_FALSE(
      issue_of(R"({"policy": "wait", "least": 8, "most": 16, "script": [{"at": "1 h", "devices": 8}]})",
               "/script")
          .empty());
}
