// What is said when the user is wrong: everything at once, each with its place and a way out.
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

std::string small_issue(const std::string& pointer, const std::string& value) {
  return only_issue(read_with(kSmall, {{pointer, value}}), pointer);
}

bool is_refused(const std::string& pointer, const std::string& value) {
  const StudyReading reading = read_with(kSmall, {{pointer, value}});
  INFO(listing(reading));
  CHECK(reading.points.empty());
  return std::any_of(reading.issues.begin(), reading.issues.end(),
                     [&](const Issue& issue) { return issue.pointer.starts_with(pointer); });
}

}  // namespace

TEST_CASE("ten mistakes are ten issues, in the order of the document") {
  const StudyReading reading = read(R"({
    "fleet": { "pools": {
      "train": { "node": "dgx-h10", "nodes": -4 },
      "small": { "device": "l4", "devices_per_node": 65, "nodes": 2, "spares": 2 } } },
    "workload": { "llama": { "model": "llama2-70b", "gang": 128, "accepts": ["trian"],
      "step": { "time": "0 s" },
      "checkpoint": { "intervall": "young", "interval": 1800, "bandwidth": "100 GB/s" } } },
    "scheduler": { "order": "fifoo" },
    "window": { "length": "7 days" } })");
  const std::vector<Issue> expected = {
      {"test.json", "/fleet/pools/train/node", "unknown node \"dgx-h10\" (did you mean \"dgx-h100\"?)"},
      {"test.json", "/fleet/pools/train/nodes", "expected a whole number above 0; found -4"},
      {"test.json", "/fleet/pools/small/devices_per_node", "expected a whole number of at most 64; found 65"},
      {"test.json", "/fleet/pools/small/spares", "expected fewer than the 2 nodes of the pool; found 2"},
      {"test.json", "/workload/llama/accepts/0",
       "unknown pool or device type \"trian\"; did you mean \"train\"? known: train, small, l4"},
      {"test.json", "/workload/llama/step/time", "expected more than zero; found \"0 s\""},
      {"test.json", "/workload/llama/checkpoint", "unknown key \"intervall\"; did you mean \"interval\"?"},
      {"test.json", "/workload/llama/checkpoint/interval",
       "expected a duration such as \"30 min\", or \"young\", \"daly\", \"auto\" or \"none\"; found 1800"},
      {"test.json", "/scheduler/order",
       "unknown order \"fifoo\"; did you mean \"fifo\"? known: fifo, priority, sjf, srtf, srsf, las, "
       "fair-share"},
      {"test.json", "/window/length",
       "expected a duration with a unit, such as \"30 min\"; found \"7 days\", whose unit is not one of ns, "
       "us, ms, s, "
       "min, h, d, w"},
  };
  REQUIRE(reading.issues.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(reading.issues[i].pointer == expected[i].pointer);
    CHECK(reading.issues[i].message == expected[i].message);
    CHECK(reading.issues[i].file == "test.json");
  }
  CHECK(reading.points.empty());
}

TEST_CASE("a missing key says what it is for") {
  const StudyReading reading = read(R"({"fleet": {"pools": {"p": {"device": "x"}}}, "workload": {"a": {}}})");
  CHECK(has_issue(reading, "", "missing key \"window\""));
  CHECK(has_issue(reading, "/fleet/pools/p", "missing key \"nodes\": number of nodes"));
  CHECK(has_issue(reading, "/fleet/pools/p", "missing key \"devices_per_node\""));
  CHECK(has_issue(reading, "/workload/a", "missing key \"gang\""));
  CHECK(reading.issues.size() == 4);
}

TEST_CASE("numbers that make no sense are refused where they stand") {
  CHECK(is_refused("/workload/a/step/time", "NaN"));
  CHECK(is_refused("/workload/a/step/time", "-1 s"));
  CHECK(is_refused("/workload/a/step/time", "0 s"));
  CHECK(is_refused("/workload/a/gang", "0"));
  CHECK(is_refused("/workload/a/gang", "1.5"));
  CHECK(is_refused("/workload/a/gang", "-8"));
  CHECK(is_refused("/workload/a/steps", "0"));
  CHECK(is_refused("/workload/a/submit", "-10 s"));
  CHECK(is_refused("/workload/a/checkpoint/pause", "-5 s"));
  CHECK(is_refused("/workload/a/checkpoint/interval", "0 s"));
  CHECK(is_refused("/workload/a/limit", "0 s"));
  CHECK(is_refused("/workload/a/program_goodput", "1.01"));
  CHECK(is_refused("/workload/a/program_goodput", "-0.1"));
  CHECK(is_refused("/workload/a/input_stall", "1"));
  CHECK(is_refused("/workload/a/max_restarts", "-1"));
  CHECK(is_refused("/faults/components/gpu/mttf", "0 h"));
  CHECK(is_refused("/faults/components/gpu/mttf", "-3 h"));
  CHECK(is_refused("/faults/components/gpu/mttf", "NaN"));
  CHECK(is_refused("/faults/components/gpu/mttf", "\"50000\""));
  CHECK(is_refused("/faults/components/gpu/lemons", R"({"share": 1.5, "factor": 2})"));
  CHECK(is_refused("/faults/components/gpu/lemons", R"({"share": 0.5, "factor": 0.5})"));
  CHECK(is_refused("/fleet/pools/p/nodes", "0"));
  CHECK(is_refused("/fleet/pools/p/nodes", "\"2\""));
  CHECK(is_refused("/fleet/pools/p/devices_per_node", "0"));
  CHECK(is_refused("/fleet/pools/p/price", "-2 USD/GPU-h"));
  CHECK(is_refused("/window/length", "0 s"));
  CHECK(is_refused("/window/warm_up", "-1 s"));
  CHECK(is_refused("/runs/seed", "-1"));
  CHECK(is_refused("/runs/replications", "0"));
}

TEST_CASE("distributions are checked for what they need") {
  const auto duration = [](const std::string& value) { return is_refused("/workload/a/duration", value); };
  CHECK(duration(R"({"weibull": {"mean": "1 h", "shape": 0}})"));
  CHECK(duration(R"({"weibull": {"shape": 0.7}})"));
  CHECK(duration(R"({"weibull": {"mean": "1 h", "scale": "1 h", "shape": 0.7}})"));
  CHECK(duration(R"({"lognormal": {"median": "1 h", "sigma": -1}})"));
  CHECK(duration(R"({"lognormal": {"median": "1 h", "sigma": 1e9}})"));
  CHECK(duration(R"({"uniform": ["2 h", "1 h"]})"));
  CHECK(duration(R"({"uniform": ["2 h"]})"));
  CHECK(duration(R"({"empirical": []})"));
  CHECK(duration(R"({"choice": {"1 h": 0}})"));
  CHECK(duration(R"({"choice": {"1 h": "NaN"}})"));
  CHECK(duration(R"({"choice": {"one hour": 1}})"));
  CHECK(duration(R"({"choice": {}})"));
  CHECK(duration(R"({"exponential": "0 s"})"));
  CHECK(duration(R"({"exponential": "1 h", "choice": {"1 h": 1}})"));
  CHECK(duration(R"({})"));
  CHECK(duration(R"({"expnential": "1 h"})"));
  CHECK(is_refused("/faults/components/gpu", R"({"lifetime": "0 s"})"));
  CHECK(is_refused("/faults/components/gpu", R"({"lifetime": {"empirical": ["0 s", "1 h"]}})"));
}

TEST_CASE("never failing is an infinite mean or a rate of zero") {
  for (const char* row : {R"({"mttf": "inf"})", R"({"rate": "0 /d"})"}) {
    const Scenario scenario = scenario_of(
        read_with(kSmall, {{"/faults/components/gpu", row}, {"/workload/a/checkpoint/interval", "young"}}));
    // The row stays, so that the streams of others do not move, and nobody guards against it.
    REQUIRE(scenario.pools[0].faults.size() == 1);
    CHECK(scenario.classes[0].checkpoint.interval == Duration::max());
  }
}

TEST_CASE("a horizon beyond 64 bits of nanoseconds is refused, ten years are not") {
  CHECK(scenario_of(read_with(kSmall, {{"/window/length", "3652 d"}})).window.length->ns() ==
        315'532'800'000'000'000);
  CHECK(contains(small_issue("/window/length", "109575 d"), "at most 292 years"));
  const StudyReading sum =
      read_with(kSmall, {{"/window/length", "73050 d"}});  // with as much again to run on
  CHECK(contains(only_issue(sum, "/window"), "less than 292 years"));
}

TEST_CASE("\"done\" needs jobs that end") {
  constexpr std::string_view kDone = R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
    "workload": { "a": { "gang": 8, "duration": "1 h" } }, "window": { "until": "done" } })";
  CHECK(!scenario_of(read(kDone)).window.length);
  CHECK(contains(only_issue(read_with(kDone, {{"/workload/a", R"({"gang": 8})"}}), "/window/until"),
                 "never comes for workload \"a\": its work has no end"));
  CHECK(contains(
      only_issue(read_with(kDone, {{"/workload/a/arrivals", R"({"poisson": "1 /h"})"}}), "/window/until"),
      "its arrivals have no \"count\""));
  CHECK(read_with(kDone, {{"/workload/a/arrivals", R"({"poisson": "1 /h", "count": 9})"}}).issues.empty());
  CHECK(contains(only_issue(read_with(kDone, {{"/workload", "{}"}}), "/window/until"), "expected jobs"));
  CHECK(contains(only_issue(read_with(kDone, {{"/window/until", "dnoe"}}), "/window/until"),
                 "expected \"done\""));
}

TEST_CASE("work that ends after the last instant there is, is refused where a run waits for it") {
  constexpr std::string_view kRunDone = R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
    "workload": { "a": { "gang": 8, "step": { "time": "1 s" }, "steps": 9000000000 } },
    "window": { "until": "done" } })";
  CHECK(read(kRunDone).issues.empty());
  const Sets longer = {{"/workload/a/steps", "1000000000000"}};
  CHECK(contains(only_issue(read_with(kRunDone, longer), "/workload/a/steps"), "more than 292 years"));
  CHECK(!read_with(kRunDone, {{"/workload/a/submit", "20000 w"}}).issues.empty());
  Sets ended = longer;
  ended.push_back({"/workload/a/limit", "1 h"});
  CHECK(read_with(kRunDone, ended).issues.empty());
  Sets counted = longer;
  counted.push_back({"/window", R"({"length": "1 h"})"});
  CHECK(read_with(kRunDone, counted).issues.empty());
  CHECK(contains(only_issue(read_with(kRunDone, {{"/workload/a", R"({"jobs": [{"id": "late", "devices": 1,
                 "submit": "10000 w", "duration": "10000 w"}]})"}}),
                            "/workload/a"),
                 "job late ends more than 292 years"));
}

TEST_CASE("one mistake is one message: what goes with a key that is wrong is not wrong for it") {
  only_issue(read_with(kSmall, {{"/scheduler", R"({"cohorts": {"c": {}}, "quotas":
             {"q": {"guarantee": "four", "cohort": "c"}}})"}}),
             "/scheduler/quotas/q/guarantee");
  only_issue(read_with(kSmall, {{"/workload/a/checkpoint", R"({"interval": "40 s", "size": "1 TB",
             "bandwidth": "50"})"}}),
             "/workload/a/checkpoint/bandwidth");
}

TEST_CASE("an unlimited limit is told how to be written") {
  for (const char* word : {"UNLIMITED", "inf", "infinite"}) {
    const std::string issue =
        only_issue(read_with(kSmall, {{"/workload/a/limit", word}}), "/workload/a/limit");
    CHECK(contains(issue, "expected a limit; without \"limit\" there is none; found \"" + std::string(word)));
  }
}

TEST_CASE("keys that exclude each other are reported on the later one") {
  CHECK(contains(only_issue(read_with(kSmall, {{"/workload/a/duration", "1 h"}}), "/workload/a/duration"),
                 "excluded by \"steps\""));
  CHECK(
      contains(only_issue(read_with(kSmall, {{"/fleet/pools/p/node", "dgx-h100"}}), "/fleet/pools/p/device"),
               "excluded by \"node\""));
  CHECK(contains(
      only_issue(read_with(kSmall, {{"/faults/components/gpu/rate", "1 /d"}}), "/faults/components/gpu/rate"),
      "excluded by \"mttf\""));
  CHECK(contains(only_issue(read_with(kSmall, {{"/window/until", "done"}}), "/window/until"),
                 "excluded by \"length\""));
}

TEST_CASE("a gang larger than its pools is no mistake of the file") {
  CHECK(scenario_of(read_with(kSmall, {{"/workload/a/gang", "1024"}})).classes[0].gang.sizes.front() == 1024);
}

TEST_CASE("work faster than peak arithmetic is refused") {
  const StudyReading reading = read_with(kSharedPool, {{"/workload/llama/step/time", "100 ms"}});
  CHECK(contains(only_issue(reading, "/workload/llama/step/time"),
                 "118 ms that the model's arithmetic takes at peak"));
}

TEST_CASE("names that are not there are answered with those that are") {
  CHECK(contains(small_issue("/workload/a/quota", "blue"),
                 "expected a quota of the scheduler, which has none; found \"blue\""));
  CHECK(contains(
      only_issue(read_with(kSmall, {{"/workload/a/quota", "teem"}, {"/scheduler/quotas", R"({"team": 8})"}}),
                 "/workload/a/quota"),
      "did you mean \"team\"?"));
  CHECK(contains(small_issue("/workload/a/model", "llama2-70"), "llama2-70b"));
  CHECK(has_issue(read_with(kSmall, {{"/assume", R"({"pools.q.mpg": 0.5})"}}), "/assume/pools.q.mpg",
                  "unknown pool \"q\""));
}

TEST_CASE("an asynchronous checkpoint needs to become durable") {
  const StudyReading reading = read_with(kSmall, {{"/workload/a/checkpoint/mode", "async"}});
  CHECK(contains(only_issue(reading, "/workload/a/checkpoint"), "expected \"flush\""));
  CHECK(read_with(kSmall, {{"/workload/a/checkpoint/mode", "async"}, {"/workload/a/checkpoint/flush", "5 s"}})
            .issues.empty());
  CHECK(contains(only_issue(read_with(kSmall, {{"/workload/a/checkpoint/flush", "5 s"}}),
                            "/workload/a/checkpoint/flush"),
                 "goes with \"mode\": \"async\""));
}

TEST_CASE("an incident outside the fleet is refused") {
  const auto issue = [](const std::string& incident) {
    return read_with(kSmall, {{"/faults/incidents", "[" + incident + "]"}});
  };
  CHECK(scenario_of(issue(R"({"at": "10 s", "node": 1, "device": 7})")).script.size() == 1);
  CHECK(has_issue(issue(R"({"at": "10 s", "node": 2})"), "/faults/incidents/0/node", "at most 1; found 2"));
  CHECK(
      has_issue(issue(R"({"at": "10 s", "device": 8})"), "/faults/incidents/0/device", "at most 7; found 8"));
  CHECK(has_issue(issue(R"({"at": "10 s", "pool": "q"})"), "/faults/incidents/0/pool", "unknown pool \"q\""));
  CHECK(has_issue(issue(R"({"at": "10 s", "hits": "rack", "takes_out": "device"})"),
                  "/faults/incidents/0/takes_out", "at least what \"hits\" says"));
}

TEST_CASE("parts of a scheduler that would do nothing beside each other are refused") {
  const auto issue = [](const std::string& scheduler, const std::string& key) {
    return only_issue(read_with(kSmall, {{"/scheduler", scheduler}}), "/scheduler/" + key);
  };
  CHECK(issue(R"({"admission": "partial-hold", "preemption": {"by": "priority"}})", "preemption") ==
        "goes with admission \"atomic\": a gang that assembles stops nobody");
  CHECK(issue(R"({"backfill_depth": 3})", "backfill_depth") ==
        "goes with \"backfill\", of which there is none");
  CHECK(issue(R"({"fair_share_half_life": "1 d"})", "fair_share_half_life") ==
        "goes with order \"fair-share\"");
}

TEST_CASE("a cohort that may hold less than its queues are guaranteed is refused, also through a parent") {
  const auto with = [](const std::string& limit) {
    return read_with(kSmall, {{"/scheduler",
                               R"({"cohorts": {"all": {"limit": )" + limit + R"(}, "part": {"parent": "all"}},
             "quotas": {"q": {"guarantee": 3, "cohort": "part"}, "r": {"guarantee": 2, "cohort": "all"}}})"}});
  };
  CHECK(contains(only_issue(with("4"), "/scheduler/cohorts"),
                 "cohort \"all\" may hold 4 devices, less than the 5 that its queues are guaranteed"));
  CHECK(with("5").issues.empty());
}
