#include "sim/study/warnings.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

PointResult empty_result(const StudyPoint& point) {
  return {.point = &point,
          .replications = 4,
          .ledger = Ledger{1, 1},
          .classes = std::vector<ClassOutcome>(1),
          .run_states = {4, 0, 0, 0}};
}

bool warns(const PointResult& result, std::string_view of) {
  const auto warnings = warnings_of(result);
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& each) { return each.find(of) != std::string::npos; });
}

}  // namespace

TEST_CASE("a window shorter than the mean time between failures is warned of") {
  StudyPoint point;
  point.scenario = textbook_job();
  PointResult result = empty_result(point);
  Figure mtbf;
  mtbf.name = "jobs.llama.mtbf";
  mtbf.closed_form = 302.4 * 3600;
  result.figures = {mtbf};
  CHECK(warns(result, "the window of 168 h is shorter than the mean time between failures of llama, 302 h"));
  point.scenario.window.length = 400 * kHour;
  CHECK(!warns(result, "shorter"));
}

TEST_CASE("a queue that cannot keep up is warned of") {
  StudyPoint point;
  point.scenario = busy_pool();
  // A job an hour, of 3.5 devices on average, for 3 h: 10.5 of 16 devices.
  CHECK(!warns(empty_result(point), "unstable"));
  point.scenario.classes[0].arrivals.gap = Distribution{Distribution::Exponential{2000}};  // 18.9
  CHECK(warns(empty_result(point), "unstable"));
  point.scenario.classes[0].arrivals.count = 10;
  CHECK(!warns(empty_result(point), "unstable"));
}

TEST_CASE("jobs that need exactly what there is are warned of where they come by chance") {
  StudyPoint point;
  point.scenario = busy_pool();
  JobClass& job = point.scenario.classes[0];
  job.gang = GangSpec{};
  job.gang.sizes = {16};
  job.gang.weights = {1};
  job.duration = Distribution{Distribution::Fixed{500}};
  job.arrivals.gap = Distribution{Distribution::Fixed{500}};
  job.arrivals.count.reset();
  CHECK(!warns(empty_result(point), "unstable"));
  job.duration = Distribution{Distribution::Exponential{500}};
  CHECK(warns(empty_result(point), "unstable"));
}

TEST_CASE("a list of jobs that asks for more than there is is warned of") {
  // Ten jobs of all eight devices and 133 s, one every 100 s: 10.64 devices of eight.
  StudyPoint point;
  PoolSpec pool;
  pool.name = "p";
  pool.nodes = 1;
  pool.devices_per_node = 8;
  pool.racks = {0};
  point.scenario.pools = {pool};
  JobClass jobs;
  jobs.name = "j";
  jobs.pools = {0};
  for (int k = 0; k < 10; ++k)
    jobs.arrivals.listed.push_back({.id = "j" + std::to_string(k),
                                    .submit = SimTime::zero() + Duration::nanoseconds(100'000'000'000) * k,
                                    .devices = 8,
                                    .duration = Duration::nanoseconds(133'000'000'000),
                                    .limit = {}});
  point.scenario.classes = {jobs};
  CHECK(warns(empty_result(point),
              "the queue is unstable: jobs arrive that need 10.6 devices on average, of 8"));
  for (ListedJob& job : point.scenario.classes[0].arrivals.listed)
    job.duration = Duration::nanoseconds(99'000'000'000);
  CHECK(!warns(empty_result(point), "unstable"));
}

TEST_CASE("a job without an end leaves less for the queue") {
  StudyPoint point;
  point.scenario = busy_pool();
  JobClass endless = textbook_job().classes[0];
  endless.gang.sizes = {8};
  point.scenario.classes.push_back(endless);
  PointResult result = empty_result(point);
  result.classes.resize(2);
  CHECK(warns(result, "unstable"));
}

TEST_CASE("stalled runs, hopeless jobs and unresolved time are warned of") {
  StudyPoint point;
  point.scenario = textbook_job();
  PointResult result = empty_result(point);
  result.run_states = {2, 0, 1, 1};
  result.holders = {"llama-0", "llama-1"};
  result.classes[0].unsatisfiable = 2;
  result.classes[0].refusal =
      Refusal{.limit = RefusalLimit::nodes, .pool = 0, .level = TopologyLevel::rack, .wanted = 4, .most = 2};
  result.classes[0].no_progress = 1;
  result.ledger.add(PoolId{0}, ClassId{0}, Leaf::runtime_unresolved, DeviceTime::milli_device_ns(1));
  result.ledger.add(PoolId{0}, ClassId{0}, Leaf::ideal, DeviceTime::milli_device_ns(3));
  CHECK(warns(result, "1 of 4 runs stalled"));
  CHECK(warns(result, "1 of 4 runs are not done by the last instant"));
  CHECK(warns(result, "llama-0, llama-1"));
  CHECK(warns(result, "2 jobs of llama could never start: it needs 4 nodes in one rack; a rack of "));
  CHECK(warns(result, "1 jobs of llama made no progress"));
  CHECK(warns(result, "25.00 % of held time is unresolved"));
}

TEST_CASE("a figure that does not exist is warned of wherever it is used") {
  StudyPoint point;
  point.scenario = textbook_job();
  point.scenario.runs.until_figure = "mgp";
  point.scenario.assume = {{.figure = "scheduling_godput", .value = 0.5}};
  const PointResult result = empty_result(point);
  CHECK(warns(result, "no figure \"mgp\""));
  CHECK(warns(result, "no figure \"scheduling_godput\""));
}

}  // namespace fleetsim
