// What is slow, and when a gang gives it up: what it means, and what is said where it is wrong.
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

Scenario with_faults(const std::string& key, const std::string& value) {
  return scenario_of(read_with(kSmall, {{"/faults/" + key, value}}));
}
std::string issue_with(const std::string& place, const std::string& value, const std::string& below) {
  return only_issue(read_with(kSmall, {{place, value}}), place + below);
}

}  // namespace

TEST_CASE("a row of slowness: who, why, how often, how long, how much") {
  const SlowRow row =
      with_faults("slow",
                  R"({"hot": {"rate": "1 /w", "length": "2 h", "speed": [0.7, 0.9], "repair": "1 d"}})")
          .pools[0]
          .slow.at(0);
  CHECK(row.name == "hot");
  CHECK(row.hits == FaultScope::device);
  CHECK(row.cause == SlowCause::straggler);
  CHECK(row.rate.si == doctest::Approx(1.0 / 604800).scale(0));
  CHECK(row.length->mean() == 7200);
  CHECK(row.least_speed == 0.7);
  CHECK(row.most_speed == 0.9);
  CHECK(row.repair.mean() == 86400);
  const SlowRow bad =
      with_faults("slow", R"({"bad": {"hits": "node", "share": "5 %", "speed": 0.8}})").pools[0].slow.at(0);
  CHECK(bad.share == 0.05);
  CHECK(!bad.length.has_value());
  CHECK(bad.least_speed == bad.most_speed);
}

TEST_CASE("an episode at an instant") {
  const ScriptedSlowness episode =
      with_faults("episodes",
                  R"([{"at": "10 s", "until": "30 s", "node": 1, "hits": "node", "speed": 0.5,
                       "cause": "noisy_neighbour"}])")
          .slow_script.at(0);
  CHECK(episode.length == Duration::nanoseconds(20'000'000'000));
  CHECK(episode.node == 1);
  CHECK(episode.cause == SlowCause::noisy_neighbour);
  CHECK(episode.speed == 0.5);
}

TEST_CASE("jobs without steps are not slowed, and a note says so, also of episodes at an instant") {
  const auto reading = read(R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 1 } } },
    "faults": { "episodes": [{ "at": "100 s", "node": 0, "hits": "node", "speed": 0.25 }] },
    "workload": { "j": { "gang": 8, "duration": "500 s" } }, "window": { "until": "done" } })");
  REQUIRE(reading.issues.empty());
  REQUIRE(reading.notes.size() == 1);
  CHECK(contains(reading.notes.front(), "jobs of j have no \"step\", and are not slowed"));
}

TEST_CASE("how much of a step is stretched, and when stragglers are swapped") {
  const JobClass job =
      scenario_of(
          read_with(kSmall, {{"/workload/a/step/straggler_share", "0.8"},
                             {"/workload/a/step/neighbour_share", "0.2"},
                             {"/workload/a/stragglers", R"({"swap_after": "30 min", "swap": "at_commit"})"}}))
          .classes[0];
  CHECK(job.step.stretched == std::array<double, 2>{0.8, 0.2});
  CHECK(job.swap->after == Duration::nanoseconds(1'800'000'000'000));
  CHECK(job.swap->at == SwapAt::commit);
}

TEST_CASE("slowness that makes no sense is reported at its place") {
  for (const char* const speed : {"1", "0", "-0.5", "\"fast\"", "[0.9, 0.7]", "[0.5]"}) {
    CAPTURE(speed);
    const std::string row = std::string(R"({"x": {"rate": "1 /w", "speed": )") + speed + "}}";
    CHECK(contains(issue_with("/faults/slow", row, "/x/speed"), "above 0 and below 1"));
  }
  CHECK(contains(issue_with("/faults/slow", R"({"x": {"speed": 0.5}})", "/x"), "found neither"));
  CHECK(contains(issue_with("/faults/slow",
                            R"({"x": {"cause": "noisy_neighbour", "rate": "1 /w", "speed": 0.5}})", "/x"),
                 "\"length\""));
  CHECK(
      contains(issue_with("/faults/episodes", R"([{"at": "9 s", "until": "9 s", "speed": 0.5}])", "/0/until"),
               "after \"at\""));
  CHECK(contains(issue_with("/faults/episodes", R"([{"at": "9 s", "speed": [0.5, 0.6]}])", "/0/speed"),
                 "one speed"));
  const std::string no_commit = only_issue(
      read_with(kSmall, {{"/workload/a/checkpoint/interval", "\"none\""},
                         {"/workload/a/stragglers", R"({"swap_after": "1 s", "swap": "at_commit"})"}}),
      "/workload/a/stragglers/swap");
  CHECK(contains(no_commit, "needs a \"checkpoint\""));
}
