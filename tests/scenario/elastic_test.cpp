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

TEST_CASE(
    "a size between two step times is interpolated in steps a second, with a note; beyond them it is "
    "refused") {
  // 4.0, 2.2 and 1.3 s on 8, 16 and 32 devices: on 24, 1 / ((1/2.2 + 1/1.3) / 2) = 1.634285714 s.
  const auto script = [](int devices) {
    return R"({"step_times": {"8": "12 s", "16": "6.6 s", "32": "3.9 s"}, "script": [{"at": "1 h", "devices": )" +
           std::to_string(devices) + "}]}";
  };
  const StudyReading reading =
      read_with(kJob, {{"/workload/a/program_goodput", "0.1"}, {"/workload/a/elastic", script(24)}});
  const Scenario scenario = scenario_of(reading);
  CHECK(scenario.classes[0].elastic->script.at(0).size.time.ns() == 4'902'857'143);
  REQUIRE(reading.notes.size() == 1);
  CHECK(contains(reading.notes[0], "is interpolated between those on 16 and 32"));
  for (const int devices : {4, 64})
    CHECK(contains(issue_of(script(devices), "/script/0/devices"), "expected from 8 to 32 devices"));
  CHECK(elastic_of(script(8)).script.at(0).size.time.ns() == 12 * kSecond);
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
