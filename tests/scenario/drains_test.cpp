// Drains, and nodes with a date: what they mean, and what is said where they are wrong.
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

constexpr std::string_view kFour = R"({
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 4, "nodes_per_rack": 2 } } },
  "workload": { "a": { "gang": 8, "duration": "1 h", "startup": { "launch": "7 s" } } },
  "window": { "length": "9 d" }
})";

Scenario pool_with(const std::string& key, const std::string& value) {
  return scenario_of(read_with(kFour, {{"/fleet/pools/p/" + key, value}}));
}
DrainSpec drain_of(const std::string& text) {
  return pool_with("drains", "[" + text + "]").pools[0].drains.at(0);
}

/// The message about one wrong drain, or entry of `installed`, at the key below it.
std::string issue_of(const std::string& key, const std::string& text, const std::string& below) {
  const std::string place = "/fleet/pools/p/" + key;
  return only_issue(read_with(kFour, {{place, text}}), place + below);
}

using Nodes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a drain: when, for how long, which nodes, and what becomes of those who run there") {
  const DrainSpec all = drain_of(R"({"at": "1 d"})");
  CHECK(all.at == SimTime::at_ns(86'400 * kSecond));
  CHECK(all.length == Duration::max());
  CHECK(!all.every.has_value());
  CHECK(all.nodes == Nodes{0, 1, 2, 3});
  CHECK(all.mode == DrainMode::now);
  const DrainSpec some =
      drain_of(R"({"at": "10 s", "until": "60 s", "every": "7 d", "last": 3, "mode": "at_commit"})");
  CHECK(some.length == Duration::nanoseconds(50 * kSecond));
  CHECK(some.every == Duration::nanoseconds(7 * 86'400 * kSecond));
  CHECK(some.nodes == Nodes{1, 2, 3});
  CHECK(some.mode == DrainMode::at_commit);
  CHECK(drain_of(R"({"at": "1 s", "for": "9 s", "nodes": [3, 0, 3]})").nodes == Nodes{0, 3});
  CHECK(drain_of(R"({"at": "1 s", "for": "9 s", "rack": 1})").nodes == Nodes{2, 3});
  CHECK(drain_of(R"({"at": "1 s", "mode": "when_released"})").mode == DrainMode::when_released);
}

TEST_CASE("nodes with a date") {
  const std::string text = R"([{"from": "2 s", "last": 1}, {"from": "1 s", "until": "9 s", "nodes": [0]}])";
  const PoolSpec pool = pool_with("installed", text).pools[0];
  REQUIRE(pool.dated.size() == 2);
  CHECK(pool.dated[0].nodes == Nodes{3});
  CHECK(pool.dated[0].from == SimTime::at_ns(2 * kSecond));
  CHECK(pool.dated[0].until == SimTime::never());
  CHECK(pool.dated[1].until == SimTime::at_ns(9 * kSecond));
}

TEST_CASE("after a drain a job relaunches as after an eviction, or as it says") {
  const JobClass plain = scenario_of(read(kFour)).classes[0];
  CHECK(plain.reconfiguration.launch == Duration::nanoseconds(7 * kSecond));
  const JobClass evicted =
      scenario_of(read_with(kFour, {{"/workload/a/preemption", R"({"launch": "8 s"})"}})).classes[0];
  CHECK(evicted.reconfiguration.launch == Duration::nanoseconds(8 * kSecond));
  const JobClass own =
      scenario_of(read_with(kFour, {{"/workload/a/reconfiguration", R"({"launch": "9 s"})"}})).classes[0];
  CHECK(own.reconfiguration.launch == Duration::nanoseconds(9 * kSecond));
  CHECK(own.preemption.launch == Duration::nanoseconds(7 * kSecond));
}

TEST_CASE("wrong drains are told") {
  CHECK(issue_of("drains", R"([{"at": "9 s", "until": "9 s"}])", "/0/until") ==
        "expected an instant after \"at\"; found \"9 s\"");
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "for": "9 s", "every": "9 s"}])", "/0/every"),
                 "more than the time for which the nodes are out of service"));
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "every": "9 s"}])", "/0/every"), "needs \"for\""));
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "nodes": [4]}])", "/0/nodes/0"), "at most 3"));
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "nodes": []}])", "/0/nodes"), "at least one"));
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "last": 5}])", "/0/last"), "at most 4"));
  CHECK(issue_of("drains", R"([{"at": "1 s", "rack": 2}])", "/0/rack") ==
        "expected a rack of the pool; found 2");
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "rack": 1, "last": 1}])", "/0/rack"), "\"last\""));
  CHECK(contains(issue_of("drains", R"([{"for": "1 s"}])", "/0"), "missing key \"at\""));
  CHECK(contains(issue_of("drains", R"([{"at": "1 s", "mode": "later"}])", "/0/mode"), "when_released"));
}

TEST_CASE("wrong dates are told") {
  CHECK(contains(issue_of("installed", R"([{"last": 1}])", "/0"), "\"from\" or \"until\""));
  CHECK(
      contains(issue_of("installed", R"([{"from": "2 s", "until": "2 s"}])", "/0/until"), "after \"from\""));
  CHECK(contains(issue_of("installed", R"([{"until": "0 s"}])", "/0/until"), "after the start"));
  CHECK(contains(issue_of("installed", R"([{"from": "1 s", "last": 2}, {"until": "9 s", "rack": 1}])", "/1"),
                 "node 2 has a date already"));
}
