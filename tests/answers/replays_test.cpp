#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "sim/engine/simulate.hpp"
#include "sim/workload/trace.hpp"
#include "tests/answers/replay.hpp"

// Recorded and synthetic logs replayed on a flat pool, limits not enforced: sums of start times against the
// answers of two independent programs (conservative: of one), to the second.
namespace fleetsim {
namespace {

struct Answer {
  const char* file;
  std::uint32_t processors;
  Backfill backfill;
  Estimates estimates;
  std::int64_t starts;  ///< sum of start times, seconds
  double wait;          ///< mean, seconds
  double bounded_slowdown, utilization;
};

constexpr const char* kHpc2n = "alea_swf/hpc2n.swf";
constexpr const char* kLublin = "rlscheduler_lublin/lublin_256.swf";

constexpr Answer kAnswers[] = {
    {kHpc2n, 240, Backfill::none, Estimates::limit, 9'395'614'681, 5'627.883, 47.4055, 0.39524},
    {kHpc2n, 240, Backfill::easy, Estimates::limit, 9'389'081'057, 3'550.419, 17.0904, 0.39730},
    {kHpc2n, 240, Backfill::easy, Estimates::exact, 9'388'806'879, 3'463.240, 16.0048, 0.39730},
    {kHpc2n, 240, Backfill::conservative, Estimates::limit, 9'389'477'034, 3'676.326, 17.4401, 0.39730},
    {kLublin, 256, Backfill::none, Estimates::exact, 63'665'995'253, 2'388'443.760, 66'502.4755, 0.65491},
    {kLublin, 256, Backfill::easy, Estimates::exact, 40'753'117'597, 97'155.995, 590.0538, 0.93634},
    {kLublin, 256, Backfill::conservative, Estimates::exact, 41'097'232'741, 131'567.509, 489.2013, 0.93647},
};

Scenario replay(const Answer& answer, std::vector<ListedJob> jobs) {
  Scenario scenario = replay_of(answer.processors, std::move(jobs));
  scenario.scheduler.backfill = answer.backfill;
  scenario.scheduler.estimates = answer.estimates;
  return scenario;
}

void check(const Answer& answer) {
  CAPTURE(answer.file);
  CAPTURE(static_cast<int>(answer.backfill));
  CAPTURE(static_cast<int>(answer.estimates));
  const char* const folder = std::getenv("FLEETSIM_TRACES");
  std::ifstream file;
  if (folder != nullptr) file.open(std::string{folder} + "/" + answer.file);
  if (!file.is_open()) {
    MESSAGE("skipped: set FLEETSIM_TRACES to a folder with ", answer.file);
    return;
  }
  TraceReading trace = trace_format("swf")->read(file, TraceOptions{});
  REQUIRE(trace.problems.empty());
  RunOptions options;
  options.jobs = RunOptions::Jobs::each;
  const RunResult result = simulate(replay(answer, std::move(trace.jobs)), options);

  // Whole seconds: the sum of start times is beyond what nanoseconds hold.
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t wait = 0, starts = 0;
  for (const JobOutcome& each : result.jobs) {
    REQUIRE(each.first_start);
    starts += each.first_start->ns() / kSecond;
    wait += each.queue_wait.ns() / kSecond;
  }
  const auto jobs = static_cast<double>(result.jobs.size());
  CHECK(starts == answer.starts);
  CHECK(static_cast<double>(wait) / jobs == doctest::Approx(answer.wait).epsilon(1e-7));
  CHECK(result.classes[0].bounded_slowdown / jobs == doctest::Approx(answer.bounded_slowdown).epsilon(1e-5));
  const DeviceTime offered =
      Capacity::devices(answer.processors) * (*result.makespan - result.jobs.front().submit);
  CHECK(ratio(factors(result.ledger.total()).held, offered) ==
        doctest::Approx(answer.utilization).epsilon(1e-4));
}

TEST_CASE("replay: first come first served, EASY and conservative start every job when they should") {
  for (const Answer& answer : kAnswers) check(answer);
}

}  // namespace
}  // namespace fleetsim
