#include <doctest/doctest.h>

#include <string>

#include "tests/answers/run_text.hpp"

// Nodes that differ, jobs that share devices and ask for CPU and memory: small cases through scenario files.
namespace fleetsim {
namespace {

bool has_issue(const std::string& text, const std::string& pointer, const std::string& message) {
  for (const Issue& issue : read(text).issues)
    if (issue.pointer == pointer && issue.message.find(message) != std::string::npos) return true;
  return false;
}

TEST_CASE("parts of a device, several devices, either of two models, no device: one job of each") {
  // Two T4s, two V100M16s and eight others. 0.46 of one device, eight whole ones, one V100 of either kind,
  // CPU alone, two whole T4s: all at once, on 11.46 devices.
  const RunResult result = run_text(R"({
    "fleet": { "pools": { "p": { "nodes": { "groups": [
      { "devices": 2, "device": "T4", "cpus": 8, "memory": "32 GiB" },
      { "devices": 2, "device": "V100M16", "cpus": 8, "memory": "32 GiB" },
      { "devices": 8, "device": "G3", "cpus": 8, "memory": "32 GiB" } ] } } } },
    "workload": { "j": { "jobs": [
      { "id": "eight", "devices": 8, "duration": "100 s", "cpus": 1 },
      { "id": "either", "devices": 1, "duration": "100 s", "accepts": ["V100M16", "T4"], "cpus": 1, "submit": "1 s" },
      { "id": "t4s", "devices": 2, "duration": "100 s", "accepts": "T4", "cpus": 1 },
      { "id": "share", "milli": 460, "duration": "100 s", "cpus": 1, "submit": "2 s" },
      { "id": "cpus", "cpus": 4, "duration": "100 s", "submit": "3 s" } ] } },
    "scheduler": { "placement": "worst-fit" },
    "window": { "until": "done" } })");
  CHECK(start_of(result, "eight") == 0);
  CHECK(start_of(result, "t4s") == 0);
  CHECK(start_of(result, "either") == 1);
  CHECK(start_of(result, "share") == 2);
  CHECK(start_of(result, "cpus") == 3);
  CHECK(job(result, "share").capacity == Capacity::milli_devices(460));
  CHECK(job(result, "cpus").capacity == Capacity::zero());
  CHECK(result.classes[0].completed == 5);
  // The share's device holds nobody else whole, and what it leaves is charged as free.
  CHECK(factors(result.ledger.total()).held ==
        Capacity::milli_devices(8000 + 1000 + 2000 + 460) * Duration::nanoseconds(100'000'000'000));
}

TEST_CASE("pods of a list without times ask for what the list says") {
  const RunResult result = run_text(R"({
    "fleet": { "pools": { "p": { "nodes": { "format": "openb", "file": "three_nodes.csv" } } } },
    "workload": { "pods": { "trace": { "format": "openb", "file": "three_pods.csv" } } },
    "window": { "until": "done" } })");
  // p1 asks for 3,600 s of one device from 1,000 s on. p2 never ran, and gives up after 125 s if it still
  // waits: here it does not, and is cancelled as it starts. p3 asks for CPU alone.
  CHECK(start_of(result, "p1") == 1000);
  CHECK(job(result, "p1").held.ns() == 3'600'000'000'000);
  CHECK(start_of(result, "p2") == 2000);
  CHECK(job(result, "p2").state == FinalState::cancelled);
  CHECK(job(result, "p2").held == Duration::zero());
  CHECK(result.classes[0].completed == 2);
  CHECK(start_of(result, "p3") == 3000);
  CHECK(job(result, "p3").capacity == Capacity::zero());
}

TEST_CASE("free devices of two nodes are not added up for a job of one node") {
  // Two nodes of eight, four of each taken until 500 s. J8 wants eight on one node, J1 one device at 1 s.
  for (const bool packed : {false, true}) {
    CAPTURE(packed);
    const RunResult result = run_text(std::string(R"({
      "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2, "cpus_per_node": 16,
                                   "fragmentation": true } } },
      "workload": {
        "busy": { "gang": { "nodes": 2, "per_node": 4 }, "duration": "500 s" },
        "J8": { "gang": 8, "duration": "100 s" )") +
                                      (packed ? R"(, "cpus": 9 )" : "") + R"(},
        "J1": { "gang": 1, "duration": "100 s", "submit": "1 s" } },
      "scheduler": { "strict": false },
      "window": { "warm_up": "2 s", "length": "1 s" } })");
    CHECK(start_of(result, "J8") == -1);
    CHECK(start_of(result, "J1") == 1);
    const FragmentationSums& sums = result.fragmentation[0];
    CHECK(sums.free == Capacity::devices(7) * Duration::nanoseconds(1'000'000'000));
    CHECK(sums.node == sums.free);  // 7 of 7 are of no use to eight on one node
  }
  const RunResult whole = run_text(R"({
      "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
      "workload": {
        "busy": { "gang": { "nodes": 2, "per_node": 4 }, "duration": "500 s" },
        "J8": { "gang": 8, "duration": "100 s" },
        "J1": { "gang": 1, "duration": "100 s", "submit": "1 s" } },
      "scheduler": { "strict": false }, "window": { "until": "done" } })");
  CHECK(start_of(whole, "J8") == 500);
}

TEST_CASE("19 free devices on eight nodes of which none is free, and a gang of eight: the index is 1") {
  const RunResult result = run_text(R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 8, "fragmentation": true } } },
    "workload": {
      "a": { "gang": { "nodes": 5, "per_node": 6 }, "duration": "500 s" },
      "b": { "gang": { "nodes": 3, "per_node": 5 }, "duration": "500 s" },
      "eight": { "gang": 8, "duration": "100 s" } },
    "window": { "length": "10 s" } })");
  const FragmentationSums& sums = result.fragmentation[0];
  const Duration window = Duration::nanoseconds(10'000'000'000);
  CHECK(sums.free == Capacity::devices(19) * window);
  CHECK(sums.node == sums.free);
  CHECK(sums.rack == sums.free);
  CHECK(sums.device == Capacity::devices(11) * window);  // in one place they would do for one gang
}

TEST_CASE("with nobody queued, what the jobs to come could not use on average is stranded") {
  // Four devices of the first node taken: four and eight are free. Half of the jobs want one device, half
  // three: one strands nothing; three strand 1 of 4 and 2 of 8.
  const RunResult result = run_text(R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2, "fragmentation": true } } },
    "workload": {
      "busy": { "gang": 4, "duration": "500 s", "kind": "reservation" },
      "next": { "arrivals": { "every": "100 s", "count": 2000000 }, "gang": { "choice": { "1": 0.5, "3": 0.5 } }, "duration": "1 s" } },
    "window": { "length": "50 s" } })");
  const double index = result.fragmentation[0].node.to_double() / result.fragmentation[0].free.to_double();
  // The job of four counts as one of 1.5: it uses all of 4 and 8.
  CHECK(index == doctest::Approx((0.25 * 3) / (1 + 0.5) / 12));
}

TEST_CASE("a node without devices takes no job that wants one, and alone refuses it at once") {
  const std::string job =
      R"("workload": { "J": { "gang": 8, "duration": "100 s" } }, "window": { "until": "done" } })";
  const RunResult result = run_text(R"({ "fleet": { "pools": { "p": { "nodes": { "groups": [
      { "devices": 0 }, { "devices": 8 } ] } } } }, )" +
                                    job);
  CHECK(start_of(result, "J") == 0);
  CHECK(result.ended.ns() == 100'000'000'000);
  const RunResult alone =
      run_text(R"({ "fleet": { "pools": { "p": { "nodes": { "groups": [ { "devices": 0 } ] },
      "devices_per_node": 8 } } }, )" +
               job);
  CHECK(alone.classes[0].unsatisfiable == 1);
  CHECK(alone.ended.ns() == 0);
  CHECK(has_issue(R"({ "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 1,
      "peak": "0 FLOP/s" } } }, )" +
                      job,
                  "/fleet/pools/p/peak", "expected"));
}

TEST_CASE("a gang's members each take their CPU and memory: fewer fit than devices would let") {
  // 4 nodes of 8 devices and 10 CPUs. Each job takes 2 nodes x 2 devices, and 6 CPUs of each: one on a node.
  const std::string text = R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 4, "nodes_per_rack": 2,
                                 "cpus_per_node": 10, "memory_per_node": "100 GiB" } } },
    "workload": { "j": { "arrivals": { "every": "1 s", "count": 4 }, "gang": { "nodes": 2, "per_node": 2 },
                         "duration": "100 s", "cpus": 6, "memory": "1 GiB", "topology": { "level": "rack", "rule": "required" } } },
    "scheduler": { "placement": "PLACEMENT" },
    "window": { "until": "done" } })";
  for (const std::string placement : {"first-fit", "best-fit", "worst-fit", "random"}) {
    CAPTURE(placement);
    std::string filled = text;
    filled.replace(filled.find("PLACEMENT"), 9, placement);
    const RunResult result = run_text(filled);
    CHECK(start_of(result, "j#0") == 1);
    CHECK(start_of(result, "j#1") == 2);
    CHECK(start_of(result, "j#2") == 101);
    CHECK(start_of(result, "j#3") == 102);
  }
}

TEST_CASE("who has not started when its patience ends gives up, after the pass of that instant") {
  const RunResult result = run_text(R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 1, "nodes": 1 } } },
    "workload": { "j": { "patience": "0 s", "jobs": [
      { "id": "first", "devices": 1, "duration": "10 s" },
      { "id": "dropped", "devices": 1, "duration": "10 s", "submit": "5 s" },
      { "id": "in time", "devices": 1, "duration": "10 s", "submit": "8 s", "patience": "2 s" },
      { "id": "late", "devices": 1, "duration": "10 s", "submit": "9 s", "patience": "10 s" } ] } },
    "window": { "until": "done" } })");
  CHECK(start_of(result, "first") == 0);
  CHECK(job(result, "dropped").state == FinalState::gave_up);
  CHECK(job(result, "dropped").end->ns() == 5'000'000'000);
  CHECK(start_of(result, "in time") == 10);
  CHECK(job(result, "late").state == FinalState::gave_up);
  CHECK(job(result, "late").end->ns() == 19'000'000'000);
  CHECK(result.classes[0].gave_up == 2);
  CHECK(result.classes[0].completed == 2);
}

TEST_CASE("a job behind one that gives up starts when it goes") {
  const RunResult result = run_text(R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 2, "nodes": 1 } } },
    "workload": { "j": { "jobs": [
      { "id": "busy", "devices": 1, "duration": "100 s" },
      { "id": "wide", "devices": 2, "duration": "1 s", "submit": "1 s", "patience": "20 s" },
      { "id": "behind", "devices": 1, "duration": "1 s", "submit": "2 s", "patience": "30 s" } ] } },
    "window": { "until": "done" } })");
  CHECK(job(result, "wide").state == FinalState::gave_up);
  CHECK(start_of(result, "behind") == 21);
}

TEST_CASE(
    "jobs drawn up to a multiple of the devices differ between replications, and not between placements") {
  const std::string text = R"({
    "fleet": { "pools": { "p": { "nodes": { "format": "openb", "file": "three_nodes.csv", "order": "shuffled" } } } },
    "workload": { "pods": { "kind": "reservation", "patience": "0 s",
                            "trace": { "format": "openb", "file": "three_pods.csv", "arrivals_up_to": 1.5 } } },
    "scheduler": { "placement": "PLACEMENT" },
    "window": { "length": "1 h" } })";
  std::vector<std::vector<std::string>> arrivals;
  for (const std::string placement : {"fgd", "random"}) {
    for (const std::uint32_t replication : {0U, 1U}) {
      std::string filled = text;
      filled.replace(filled.find("PLACEMENT"), 9, placement);
      const StudyReading study = read(filled);
      REQUIRE(study.points.size() == 1);
      const RunResult result =
          simulate(study.points[0].scenario,
                   {.replication = replication, .records = nullptr, .jobs = RunOptions::Jobs::each});
      std::vector<std::string>& ids = arrivals.emplace_back();
      std::int64_t asked = 0;
      for (const JobOutcome& each : result.jobs) {
        ids.push_back(each.id);
        asked += each.capacity.milli();
      }
      CHECK(asked <= 9000);  // one and a half times six devices
      CHECK(asked > 9000 - 1000);
      CHECK(result.pool_ends[0].installed == Capacity::devices(6));
      CHECK(result.pool_ends[0].held <= Capacity::devices(6));
      CHECK(result.classes[0].unfinished + result.classes[0].gave_up == result.classes[0].submitted);
    }
  }
  CHECK(arrivals[0] == arrivals[2]);
  CHECK(arrivals[1] == arrivals[3]);
  CHECK(arrivals[0] != arrivals[1]);
}

TEST_CASE("what does not go together is said once, where it stands") {
  const std::string pools = R"("fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 4,
                            "cpus_per_node": 8 } } }, "window": { "length": "1 h" } })";
  const auto with = [&](const std::string& scheduler, const std::string& job) {
    return R"({ "scheduler": )" + scheduler + R"(, "workload": { "j": )" + job + "}, " + pools;
  };
  const std::string asks = R"({ "gang": 1, "duration": "1 h", "cpus": 1 })";
  CHECK(has_issue(with(R"({ "placement": "fgd" })", R"({ "gang": 9, "duration": "1 h" })"), "/workload/j",
                  "expected jobs of at most one node, since placement \"fgd\" is for such"));
  CHECK(has_issue(with(R"({ "placement": "compact" })", asks), "/scheduler/placement",
                  "looks at devices alone"));
  CHECK(has_issue(with("{}", R"({ "gang": 1, "duration": "1 h", "memory": "1 GB" })"), "/workload/j",
                  "give it \"memory_per_node\""));
  for (const char* scheduler :
       {"{}", R"({ "backfill": "easy" })", R"({ "backfill": "conservative" })",
        R"({ "admission": "partial-hold" })", R"({ "preemption": { "by": "priority" } })"})
    CHECK(read(with(scheduler, asks)).issues.empty());
  CHECK(read(with(R"({ "placement": "fgd" })", asks)).issues.empty());
  CHECK(has_issue(R"({ "fleet": { "pools": { "p": { "nodes": { "groups": [ { "devices": 8 } ] },
      "devices_per_node": 4 } } }, "window": { "length": "1 h" } })",
                  "/fleet/pools/p/devices_per_node", "at least the 8 devices of the widest node"));
}

}  // namespace
}  // namespace fleetsim
