// Parts of a scheduler that do nothing beside the others are refused, as far as the file itself has them.
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

std::string scheduled(std::string_view scheduler, std::string_view more = "") {
  return std::string(kSmall.substr(0, kSmall.rfind('}'))) + ", \"scheduler\": " + std::string(scheduler) +
         std::string(more) + "}";
}

void refuses(std::string_view scheduler, std::string_view part, std::string_view why) {
  const StudyReading reading = read(scheduled(scheduler));
  INFO(scheduler << "\n" << listing(reading));
  REQUIRE(reading.issues.size() == 1);
  CHECK(has_issue(reading, "/scheduler/" + std::string(part), std::string(why)));
}

}  // namespace

TEST_CASE("a part that does nothing is refused where it stands") {
  refuses(R"({"holders": 2})", "holders", "goes with admission \"partial-hold\"");
  refuses(R"({"interleave": true})", "interleave", "goes with admission \"partial-hold\"");
  refuses(R"({"admission": "partial-hold", "strict": false})", "strict", "goes with admission \"atomic\"");
  refuses(R"({"las_thresholds": ["1 GPU-h"]})", "las_thresholds", "goes with order \"las\"");
  refuses(R"({"estimates": "exact"})", "estimates", "goes with \"backfill\"");
  refuses(R"({"order": "fair-share"})", "order", "needs \"quotas\"");
  refuses(R"({"preemption": {"by": "nobody"}})", "preemption/by", "goes with \"reclaim\"");
  refuses(R"({"preemption": {"reclaim": true}})", "preemption/reclaim", "needs \"quotas\" with a guarantee");
  refuses(R"({"preemption": {"grace": "30 s"}})", "preemption/grace", "goes with \"save\"");
}

TEST_CASE("what an alternative leaves idle is not refused: it changes one part and says so") {
  const StudyReading reading = read(scheduled(
      R"({"order": "las", "las_thresholds": ["1 GPU-h"], "backfill": "easy", "estimates": "exact"})",
      R"(, "alternatives": {"plain": {"scheduler": {"order": "fifo", "backfill": "none"}}})"));
  INFO(listing(reading));
  CHECK(reading.points.size() == 2);
}

TEST_CASE("presets may bring idle parts; what does not go with them says whose it is") {
  CHECK(read(scheduled(R"({"preset": "kueue"})")).issues.empty());
  CHECK(read(scheduled(R"({"preset": "kueue", "admission": "partial-hold", "preemption": "none"})"))
            .issues.empty());
  refuses(R"({"preset": "slurm-backfill", "strict": false})", "backfill",
          "it is of preset \"slurm-backfill\"");
}

TEST_CASE("parts of a scheduler go together") {
  const auto is_fine = [](std::string_view scheduler) {
    const StudyReading reading = read(scheduled(scheduler));
    INFO(scheduler << "\n" << listing(reading));
    CHECK(reading.issues.empty());
  };
  is_fine(R"({"admission": "partial-hold", "placement": "compact"})");
  is_fine(R"({"backfill": "conservative", "preemption": {"by": "priority"}})");
  is_fine(R"({"backfill": "conservative", "placement": "fgd"})");
}

TEST_CASE("of those with a smaller priority the fewest are stopped, of those behind in the order the last") {
  const auto victims = [](std::string_view preemption) {
    return read(scheduled("{\"preemption\": " + std::string(preemption) + "}"))
        .points.at(0)
        .scenario.scheduler.victims;
  };
  CHECK(victims(R"({"by": "priority"})") == "fewest");
  CHECK(victims(R"({"by": "priority", "victims": "youngest"})") == "youngest");
  CHECK(victims(R"({"by": "order"})") == "worst");
}

TEST_CASE("quotas that cannot be meant") {
  refuses(R"({"quotas": {"q": {"limit": "unlimited"}}})", "quotas/q/limit",
          "without \"limit\" there is none");
  refuses(R"({"quotas": {"q": {"guarantee": -4, "lend": 5}}})", "quotas/q/guarantee", "a number of devices");
  refuses(R"({"quotas": {"q": {"guarantee": 4, "lend": 5}}})", "quotas/q/lend",
          "expected at most the guarantee, 4; found 5");
  const StudyReading reading = read_with(kSmall, {{"/workload/a/quota", "team"}});
  CHECK(has_issue(reading, "/workload/a/quota",
                  "expected a quota of the scheduler, which has none; found \"team\""));
}
