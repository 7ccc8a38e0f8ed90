#include <doctest/doctest.h>

#include <string>

#include "tests/answers/run_text.hpp"

// Backfill, preemption, partial hold and spares where CPU, or the model of a device, binds and not the number
// of free devices.
namespace fleetsim {
namespace {

RunResult run(const std::string& fleet, const std::string& jobs, const std::string& scheduler,
              const std::string& more = "") {
  const std::string text = R"({ "fleet": { "pools": { "p": )" + fleet + R"( } }, "workload": )" + jobs +
                           R"(, "scheduler": )" + scheduler + more + R"(, "window": { "until": "done" } })";
  return run_text(text);
}

const std::string kNode = R"({ "device": "x", "devices_per_node": 8, "nodes": 1, "cpus_per_node": 16 })";

TEST_CASE("EASY keeps CPU for the head: devices are free all the time") {
  // R holds 12 of 16 CPUs until 100. B is expected at 100. S, of 200 s and 4 CPUs, leaves 12 from 100 on:
  // enough for a B of 8, which it then passes; with a B of 13 it would delay it, and comes after it.
  const auto jobs = [](int cpus_of_b) {
    return R"({ "j": { "jobs": [
      { "id": "R", "devices": 2, "cpus": 12, "duration": "100 s" },
      { "id": "B", "devices": 1, "cpus": )" +
           std::to_string(cpus_of_b) + R"(, "duration": "50 s", "submit": "1 s" },
      { "id": "S", "devices": 1, "cpus": 4, "duration": "200 s", "submit": "2 s" },
      { "id": "T", "devices": 1, "cpus": 4, "duration": "97 s", "submit": "3 s" } ] } })";
  };
  const RunResult passes = run(kNode, jobs(8), R"({ "backfill": "easy" })");
  CHECK(start_of(passes, "S") == 2);
  CHECK(start_of(passes, "B") == 100);
  CHECK(start_of(passes, "T") == 100);
  const RunResult waits = run(kNode, jobs(13), R"({ "backfill": "easy" })");
  CHECK(start_of(waits, "T") == 3);  // to 100, when B starts
  CHECK(start_of(waits, "B") == 100);
  CHECK(start_of(waits, "S") == 150);
}

TEST_CASE("EASY: whoever takes other models than the head waits for passes it") {
  // B waits for the four V100s until 100; S would hold four of anything until 302, and finds the T4s.
  const RunResult result = run(
      R"({ "nodes": { "groups": [ { "devices": 4, "device": "V100" }, { "devices": 4, "device": "T4" } ] } })",
      R"({ "j": { "jobs": [
        { "id": "R", "devices": 4, "accepts": "V100", "duration": "100 s" },
        { "id": "B", "devices": 4, "accepts": "V100", "duration": "50 s", "submit": "1 s" },
        { "id": "S", "devices": 4, "duration": "300 s", "submit": "2 s" },
        { "id": "U", "devices": 1, "duration": "300 s", "submit": "3 s" } ] } })",
      R"({ "backfill": "easy", "placement": "best-fit" })");
  CHECK(start_of(result, "S") == 2);
  CHECK(start_of(result, "B") == 100);
  CHECK(start_of(result, "U") == 150);
}

TEST_CASE("EASY looks at parts of cards one by one") {
  // Two cards, 0.6 and 0.6 held until 100 and 200. B wants 0.7 of one: at 100. S wants 0.4 for 300 s: on the
  // card that B waits for it would leave 0.6, on the other it may stay.
  const RunResult result = run(R"({ "device": "x", "devices_per_node": 2, "nodes": 1, "cpus_per_node": 16 })",
                               R"({ "j": { "jobs": [
            { "id": "R1", "milli": 600, "cpus": 1, "duration": "100 s" },
            { "id": "R2", "milli": 600, "cpus": 1, "duration": "200 s" },
            { "id": "B", "milli": 700, "cpus": 1, "duration": "50 s", "submit": "1 s" },
            { "id": "S1", "milli": 400, "cpus": 1, "duration": "300 s", "submit": "2 s" },
            { "id": "S2", "milli": 400, "cpus": 1, "duration": "99 s", "submit": "3 s" } ] } })",
                               R"({ "backfill": "easy", "placement": "best-fit" })");
  // First of equals: S1 would go to the card of R1, and waits; S2, to 102, would be in the way as well.
  CHECK(start_of(result, "B") == 100);
  CHECK(start_of(result, "S1") == 100);  // beside R2
  CHECK(start_of(result, "S2") == 150);
}

TEST_CASE("EASY: a drained node's CPU is not free before it is back") {
  // Node 1 is drained from 10 to 300. B wants two nodes' CPU and waits for it; S fits before, T does not.
  const RunResult result = run(
      R"({ "device": "x", "devices_per_node": 8, "nodes": 2, "cpus_per_node": 16,
           "drains": [ { "at": "10 s", "until": "300 s", "nodes": [1], "mode": "when_released" } ] })",
      R"({ "j": { "jobs": [
        { "id": "R", "devices": 8, "cpus": 4, "duration": "50 s" },
        { "id": "B", "devices": 16, "cpus": 16, "duration": "50 s", "submit": "20 s" },
        { "id": "T", "devices": 1, "cpus": 1, "duration": "251 s", "submit": "50 s" },
        { "id": "S", "devices": 1, "cpus": 1, "duration": "250 s", "submit": "50 s" } ] } })",
      R"({ "backfill": "easy" })");
  CHECK(start_of(result, "S") == 50);
  CHECK(start_of(result, "B") == 300);
  CHECK(start_of(result, "T") == 350);
}

const std::string kTwoLow = R"({
  "low": { "priority": 0, "jobs": [
    { "id": "L1", "devices": 1, "cpus": 10, "duration": "100 s" },
    { "id": "L2", "devices": 1, "cpus": 6, "duration": "100 s", "submit": "1 s" } ] },
  "high": { "priority": 5, "jobs": [
    { "id": "P", "devices": 1, "cpus": 8, "duration": "20 s", "submit": "10 s" },
    { "id": "Q", "devices": 1, "cpus": 8, "duration": "20 s", "submit": "40 s" } ] } })";

TEST_CASE("preemption makes room in CPU, and stops nobody who does not help") {
  // P needs 8 CPUs. L2, the youngest, has 6 and would not be enough; L1 alone is, so that L2 is spared. L1
  // comes back at 30 for the rest, and at 40 Q stops it again.
  const RunResult result =
      run(kNode, kTwoLow, R"({ "preemption": { "by": "priority", "victims": "youngest" } })");
  CHECK(start_of(result, "P") == 10);
  CHECK(start_of(result, "Q") == 40);
  CHECK(job(result, "L1").evictions == 2);
  CHECK(job(result, "L2").evictions == 0);
  CHECK(result.preemptions.count == 2);
}

TEST_CASE("budgets of preemption are hard where CPU is made room for") {
  const RunResult result = run(kNode, kTwoLow,
                               R"({ "preemption": { "by": "priority", "victims": "youngest",
                                    "pool_budget": { "evictions": 1, "per": "1 h" } } })");
  // The second may not: L2 ends at 101, and leaves 6 beside L1's 10 of 16. L1 lost its 10 s and ends at 130.
  CHECK(start_of(result, "P") == 10);
  CHECK(start_of(result, "Q") == 130);
  CHECK(result.preemptions.count == 1);
}

TEST_CASE("a member that failed is replaced by a spare of a model that the gang accepts") {
  // The spares are the last nodes: a T4 and a V100. Nobody starts there, not even for CPU alone.
  const auto with_last = [](const std::string& last) {
    return run(R"({ "spares": 2, "nodes": { "groups": [
                      { "devices": 4, "device": "V100", "cpus": 8, "count": 2 },
                      { "devices": 4, "device": "T4", "cpus": 8 },
                      { "devices": 4, "device": ")" +
                   last + R"(", "cpus": 8 } ] } })",
               R"({ "j": { "jobs": [
                 { "id": "G", "devices": 8, "accepts": "V100", "cpus": 8, "duration": "100 s" },
                 { "id": "C", "cpus": 1, "duration": "10 s", "submit": "1 s" } ] } })",
               "{}", R"(, "faults": { "incidents": [ { "at": "40 s", "pool": "p", "node": 1, "hits": "node",
                                                       "takes_out": "node", "repair": "1 h" } ] })");
  };
  const auto seconds = [](std::int64_t count) { return Duration::nanoseconds(count * 1'000'000'000); };
  // At 40 the V100 stands in, and the work begins again: done at 140.
  const RunResult replaced = with_last("V100");
  CHECK(start_of(replaced, "G") == 0);
  CHECK(job(replaced, "G").held == seconds(140));
  CHECK(start_of(replaced, "C") == 140);
  // Of T4s none can: the gang waits for the repair at 3,640. C, too, since the other node's CPU stays held.
  const RunResult waits = with_last("T4");
  CHECK(job(waits, "G").end == SimTime::zero() + seconds(3740));
  CHECK(start_of(waits, "C") == 3740);
}

TEST_CASE("partial hold takes unlike nodes one by one, and only those that help") {
  // G wants two nodes of four V100s. One is free at once and kept; the other at 100. S could use the one that
  // is kept, and waits; the T4s are nothing to G.
  const RunResult result = run(
      R"({ "nodes": { "groups": [ { "devices": 4, "device": "V100", "cpus": 8, "count": 2 },
                                  { "devices": 4, "device": "T4", "cpus": 8 } ] } })",
      R"({ "j": { "jobs": [
        { "id": "R", "devices": 4, "accepts": "V100", "cpus": 8, "duration": "100 s" },
        { "id": "G", "devices": 8, "accepts": "V100", "cpus": 8, "duration": "50 s", "submit": "1 s" },
        { "id": "S", "devices": 1, "accepts": "V100", "cpus": 1, "duration": "10 s", "submit": "2 s" },
        { "id": "T", "devices": 1, "cpus": 1, "duration": "10 s", "submit": "3 s" },
        { "id": "C", "cpus": 2, "duration": "10 s", "submit": "4 s" } ] } })",
      R"({ "admission": "partial-hold" })");
  CHECK(start_of(result, "G") == 100);
  CHECK(start_of(result, "S") == 150);
  CHECK(start_of(result, "T") == 3);
  CHECK(start_of(result, "C") == 4);
  // Four V100s, 99 s.
  CHECK(result.ledger.total()[static_cast<std::size_t>(Leaf::scheduling_partial_gang)] ==
        Capacity::devices(4) * Duration::nanoseconds(99'000'000'000));
}

TEST_CASE("a gang of unlike members starts in either order of its members") {
  // Five devices are free on one node, three on the other: X needs three of one node, Y five.
  for (const char* members :
       {R"([ { "devices": 3 }, { "devices": 5 } ])", R"([ { "devices": 5 }, { "devices": 3 } ])"}) {
    CAPTURE(members);
    for (const char* policy : {"first-fit", "best-fit", "worst-fit", "random"}) {
      CAPTURE(policy);
      const RunResult result =
          run(R"({ "nodes": { "groups": [ { "devices": 5 }, { "devices": 3 } ] } })",
              std::string(R"({ "G": { "gang": { "members": )") + members + R"( }, "duration": "100 s" } })",
              std::string(R"({ "placement": ")") + policy + R"(" })");
      CHECK(start_of(result, "G") == 0);
      CHECK(job(result, "G").held == Duration::nanoseconds(100'000'000'000));
      CHECK(job(result, "G").capacity == Capacity::devices(8));
    }
  }
}

TEST_CASE("unlike members start together, and EASY keeps a place for all of them") {
  // The GPU nodes are free at once, the CPU node at 600: both parts of G start then. S, on a GPU node until
  // 601, would delay G and comes after it; T is gone by then.
  const std::string fleet = R"({ "nodes": { "groups": [ { "devices": 0, "cpus": 32 },
                                                        { "devices": 8, "cpus": 64, "count": 4 } ] } })";
  const std::string jobs = R"({
    "R": { "jobs": [ { "id": "R", "cpus": 32, "duration": "600 s" } ] },
    "G": { "gang": { "members": [ { "cpus": 32 }, { "count": 4, "devices": 8, "cpus": 64 } ] },
           "submit": "1 s", "duration": "100 s" },
    "late": { "jobs": [ { "id": "S", "devices": 1, "cpus": 1, "duration": "599 s", "submit": "2 s" },
                        { "id": "T", "devices": 1, "cpus": 1, "duration": "597 s", "submit": "3 s" } ] } })";
  const RunResult easy = run(fleet, jobs, R"({ "backfill": "easy" })");
  CHECK(start_of(easy, "G") == 600);
  CHECK(start_of(easy, "S") == 700);
  CHECK(start_of(easy, "T") == 3);
}

TEST_CASE("a gang of unlike members that loses one stops as a whole, and starts again on other nodes") {
  // Node 1 fails at 40. The gang is queued again, and node 2 has room for the member that was on node 1.
  const RunResult result = run(
      R"({ "nodes": { "groups": [ { "devices": 5 }, { "devices": 3, "count": 2 } ] } })",
      R"({ "G": { "gang": { "members": [ { "devices": 3 }, { "devices": 5 } ] }, "duration": "100 s" } })",
      "{}",
      R"(, "faults": { "incidents": [ { "at": "40 s", "pool": "p", "node": 1, "hits": "node",
                                        "takes_out": "node", "repair": "1 h" } ] })");
  CHECK(job(result, "G").end == SimTime::zero() + Duration::nanoseconds(140'000'000'000));
}

TEST_CASE("unlike members that no pool can hold are refused, with what is too small") {
  const RunResult result =
      run(R"({ "nodes": { "groups": [ { "devices": 5 }, { "devices": 3 } ] } })",
          R"({ "wide": { "gang": { "members": [ { "devices": 3 }, { "devices": 6 } ] }, "duration": "100 s" },
           "many": { "gang": { "members": [ { "devices": 3, "count": 2 }, { "devices": 1 } ] }, "duration": "1 s" },
           "large": { "gang": { "members": [ { "devices": 5, "count": 2 } ] }, "duration": "1 s" } })",
          "{}");
  REQUIRE(result.classes[0].refusal);
  CHECK(result.classes[0].refusal->limit == RefusalLimit::devices_of_node);
  CHECK(result.classes[0].refusal->wanted == 6);
  REQUIRE(result.classes[1].refusal);
  CHECK(result.classes[1].refusal->limit == RefusalLimit::nodes);
  CHECK(result.classes[1].refusal->wanted == 3);
  REQUIRE(result.classes[2].refusal);
  CHECK(result.classes[2].refusal->limit == RefusalLimit::nodes_with_room);
}

}  // namespace
}  // namespace fleetsim
