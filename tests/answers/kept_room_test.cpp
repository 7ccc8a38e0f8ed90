#include <doctest/doctest.h>

#include <string>

#include "tests/answers/run_text.hpp"

// Room that is made for somebody is kept for it, whoever stands first in the order.
namespace fleetsim {
namespace {

std::string queue_text(const std::string& pool, const std::string& jobs, const std::string& scheduler) {
  return R"({ "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 1, )" + pool +
         R"( } } }, "workload": { )" + jobs + R"( }, "scheduler": { )" + scheduler +
         R"( }, "window": { "until": "done" } })";
}

TEST_CASE("whoever was stopped and stands first in the order does not take the room again") {
  // `long` saves for 20 s, and `new`, which has nothing to save while it launches, leaves at once.
  for (const std::string launch : {"60 s", "0 s"}) {
    CAPTURE(launch);
    const RunResult result =
        run_text(queue_text(R"("nodes": 2)",
                            R"("long": { "gang": 1, "duration": "100 s", "submit": "0 s" },
           "new": { "gang": 1, "duration": "100 s", "submit": "1 s", "startup": { "launch": ")" +
                                launch + R"(" } },
           "urgent": { "gang": 2, "duration": "10 s", "submit": "10 s", "priority": 1 })",
                            R"("preemption": { "by": "priority", "save": "20 s" })"));
    CHECK(start_of(result, "urgent") == 30);
    CHECK(job(result, "long").evictions == 1);
    CHECK(job(result, "new").evictions == 1);
  }
}

TEST_CASE("a queue takes back what it is guaranteed once, while nodes are torn down or jobs save") {
  for (const std::string terms :
       {R"("reclaim": true)", R"("reclaim": true, "save": "20 s", "grace": "30 s")"})
    for (const std::string pool : {R"("nodes": 3, "teardown": "5 s")", R"("nodes": 3)"}) {
      CAPTURE(terms);
      CAPTURE(pool);
      const RunResult result =
          run_text(queue_text(pool,
                              R"("lent": { "gang": 1, "duration": "100 s", "submit": "0 s", "quota": "b" },
             "owner": { "gang": 3, "duration": "10 s", "submit": "2 s", "quota": "a" })",
                              R"("preemption": { )" + terms + R"( }, "cohorts": { "all": {} },
             "quotas": { "a": { "guarantee": 3, "cohort": "all" }, "b": { "guarantee": 0, "cohort": "all" } })"));
      CHECK(job(result, "lent").evictions == 1);
      const bool saves = terms.find("save") != std::string::npos;
      const bool tears_down = pool.find("teardown") != std::string::npos;
      CHECK(start_of(result, "owner") == 2 + (saves ? 20 : 0) + (tears_down ? 5 : 0));
    }
}

TEST_CASE("what has been torn down is free for backfill and for who preempts") {
  for (const std::string scheduler :
       {R"("backfill": "none")", R"("backfill": "easy")", R"("backfill": "conservative")",
        R"("preemption": { "by": "priority" })", R"("preset": "kueue")", R"("preset": "volcano")",
        R"("preset": "kai")"}) {
    CAPTURE(scheduler);
    const RunResult result =
        run_text(queue_text(R"("nodes": 1, "teardown": "10 s")",
                            R"("first": { "gang": 1, "duration": "100 s", "submit": "0 s", "limit": "60 s" },
           "second": { "gang": 1, "duration": "20 s", "submit": "1 s" })",
                            scheduler));
    CHECK(start_of(result, "second") == 70);
  }
}

TEST_CASE("conservative backfill places parts of nodes as the placement says") {
  // 3 of 8 devices are taken on node 0, 6 on node 1: 2 more go to the tighter, and 5 then still find node 0.
  const auto start_of_last = [](const std::string& scheduler) {
    const RunResult result = run_text(
        R"({ "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
             "workload": { "j": { "jobs": [
               { "id": "a", "submit": "0 s", "devices": 3, "duration": "1000 s" },
               { "id": "b", "submit": "1 s", "devices": 6, "duration": "1000 s" },
               { "id": "c", "submit": "2 s", "devices": 2, "duration": "1000 s" },
               { "id": "d", "submit": "3 s", "devices": 5, "duration": "10 s" } ] } },
             "scheduler": { )" +
        scheduler + R"( }, "window": { "until": "done" } })");
    return start_of(result, "d");
  };
  for (const std::string backfill : {"none", "easy", "conservative"}) {
    CAPTURE(backfill);
    CHECK(start_of_last(R"("placement": "best-fit", "backfill": ")" + backfill + "\"") == 3);
    CHECK(start_of_last(R"("placement": "first-fit", "backfill": ")" + backfill + "\"") == 1000);
    CHECK(start_of_last(R"("placement": "worst-fit", "backfill": ")" + backfill + "\"") == 1000);
  }
  CHECK(start_of_last(R"("preset": "slurm-backfill")") == 3);
}

}  // namespace
}  // namespace fleetsim
