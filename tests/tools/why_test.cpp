#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/program.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::json;

/// `b` waits for room behind `a`, `c` behind `b`, and a stream comes later.
constexpr std::string_view kQueue = R"({
  "name": "Queue",
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 1, "nodes": 4 } } },
  "workload": {
    "alpha": { "gang": { "nodes": 3, "per_node": 1 }, "duration": "50 s" },
    "beta": { "submit": "10 s", "gang": { "nodes": 2, "per_node": 1 }, "duration": "20 s" },
    "gamma": { "submit": "20 s", "gang": { "nodes": 1, "per_node": 1 }, "duration": "10 s" },
    "stream": { "submit": "90 s", "arrivals": { "every": "100 s", "count": 3 }, "gang": 1, "duration": "10 s" } },
  "window": { "until": "done" },
  "alternatives": { "overtake": { "scheduler": { "strict": false } } }
})";

struct QueueFile {
  QueueFile() { write_file(scenario, kQueue); }
  TemporaryFolder folder;
  std::string scenario = (folder.path() / "queue.json").string();
};

TEST_CASE("why tells what kept a job, where it started, and how it ended") {
  const QueueFile at;
  const Ended ended = run_program({"why", at.scenario, "--job", "gamma"}, "LC_ALL=C.UTF-8");
  CHECK(ended.code == 0);
  CHECK(ended.err.empty());
  CHECK(has(ended.out, "WHY gamma WAITED"));
  CHECK(
      has(ended.out, "00:00:20  00:00:50  30.0 s      1     1   order: it would fit, but may not pass beta"));
  CHECK(has(ended.out, "starts on node 2 of p"));
  CHECK(has(ended.out, "completed at 00:01:00; in the queue for 30.0 s"));
  for (std::size_t begin = 0; begin < ended.out.size();) {
    const std::size_t end = ended.out.find('\n', begin);
    CHECK(end - begin <= 100);
    begin = end + 1;
  }
  const Ended overtakes = run_program({"why", at.scenario, "--job", "gamma", "--alternative", "overtake"});
  CHECK(has(overtakes.out, "it never waited in the queue"));
}

TEST_CASE("why tells at which size an elastic job ran, interval by interval") {
  const TemporaryFolder folder;
  const std::string scenario = (folder.path() / "elastic.json").string();
  write_file(scenario, R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 2, "nodes": 4, "installed": [ { "from": "1 min", "last": 2 } ] } } },
    "workload": {
      "early": { "gang": 2, "duration": "30 s" },
      "e": { "submit": "10 s", "gang": 4, "step": { "time": "1 s" }, "steps": 100,
        "elastic": { "policy": "step-up", "least": 2, "most": 8, "step": 2, "resize": { "pause": "1 s" } } } },
    "window": { "until": "done" } })");
  const std::string page = run_program({"why", scenario, "--job", "e"}, "LC_ALL=C.UTF-8").out;
  CHECK(has(page, "2 to 8 GPUs, elastic: step-up | class e"));
  CHECK(has(page, "20.0 s                starts at 2 GPUs on node 1 of p"));
  CHECK(has(page, "30.0 s                grows to 4 GPUs on nodes 0-1 of p"));
  CHECK(has(page, "grows to 8 GPUs on nodes 0-3 of p"));
  const Json told = Json::parse(run_program({"why", scenario, "--job", "e", "--json"}).out);
  REQUIRE(told["spans"].size() == 3);
  CHECK(told["spans"][1]["milli_devices"] == 4000);
}

TEST_CASE("why --json is exact") {
  const QueueFile at;
  const Json told = Json::parse(run_program({"why", at.scenario, "--job", "beta", "--json"}).out);
  CHECK(told["job"] == "beta");
  CHECK(told["state"] == "completed");
  CHECK(told["end_ns"] == "70000000000");
  REQUIRE(told["spans"].size() == 2);
  CHECK(told["spans"][0]["state"] == "no_room");
  CHECK(told["spans"][0]["from_ns"] == "10000000000");
  CHECK(told["spans"][0]["to_ns"] == "50000000000");
  CHECK(told["spans"][0]["ahead"] == Json{0, 0});
  CHECK(told["spans"][0]["free_milli_devices"] == Json{1000, 1000});
  CHECK(told["spans"][1]["nodes"][1]["node"] == 1);
}

TEST_CASE("why says that other jobs have the same id") {
  const TemporaryFolder folder;
  const std::string scenario = (folder.path() / "twice.json").string();
  write_file(scenario, R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 1, "nodes": 1 } } },
    "workload": { "j": { "jobs": [ { "id": "5001", "submit": "0 s", "devices": 1, "duration": "5 s" },
                                   { "id": "5001", "submit": "1 s", "devices": 1, "duration": "5 s" } ] } },
    "window": { "until": "done" } })");
  CHECK(has(run_program({"why", scenario, "--job", "5001"}).out,
            "2 jobs have this id: this is the one that was submitted first"));
}

TEST_CASE("why: a job that does not come is bad input, with the names most like it") {
  const QueueFile at;
  const Ended typo = run_program({"why", at.scenario, "--job", "gama"});
  CHECK(typo.code == 2);
  CHECK(typo.out.empty());
  CHECK(has(typo.err, "no job is named \"gama\"; did you mean \"gamma\"?"));
  const Ended stream = run_program({"why", at.scenario, "--job", "stream#7"});
  CHECK(stream.code == 2);
  CHECK(has(stream.err, "stream#0 to stream#2"));
  CHECK(run_program({"why", at.scenario}).code == 2);
  CHECK(run_program({"why", at.scenario, "--job", "beta", "--alternative", "none"}).code == 2);
  CHECK(run_program({"why", at.scenario, "--job", "stream#2"}).code == 0);
}

TEST_CASE("a page has a section on scheduling where somebody waited, and none where nobody did") {
  const QueueFile at;
  const Ended ended = run_program({"run", at.scenario, "--ascii"});
  REQUIRE(ended.code == 0);
  CHECK(has(ended.out, "SCHEDULING, jobs"));
  CHECK(has(ended.out, "order or a reservation kept it"));
  CHECK(has(ended.out, "longest wait, started or not: 40.0 s"));
  CHECK(has(ended.out, "gang of             1        2-3"));
  const Ended alone = run_program({"run", at.scenario, "--ascii", "--set", "/workload/alpha/duration=5 s",
                                   "--set", "/workload/beta/duration=5 s"});
  REQUIRE(alone.code == 0);
  CHECK_FALSE(has(alone.out, "SCHEDULING"));
}

}  // namespace
}  // namespace fleetsim
