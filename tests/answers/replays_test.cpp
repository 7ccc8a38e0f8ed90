#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "sim/engine/simulate.hpp"
#include "sim/workload/trace.hpp"

// A recorded log replayed: starts against the answer of two independent programs.
namespace fleetsim {
namespace {

TEST_CASE("replay: strict first come, first served on HPC2N starts every job when it should") {
  const char* const folder = std::getenv("FLEETSIM_TRACES");
  std::ifstream file;
  if (folder != nullptr) file.open(std::string{folder} + "/alea_swf/hpc2n.swf");
  if (!file.is_open()) {
    MESSAGE("skipped: set FLEETSIM_TRACES to a folder with alea_swf/hpc2n.swf (Parallel Workloads Archive)");
    return;
  }
  TraceReading trace = trace_format("swf")->read(file, TraceOptions{});
  REQUIRE(trace.problems.empty());
  for (ListedJob& job : trace.jobs) job.limit.reset();  // limits were not enforced
  REQUIRE(trace.jobs.size() == 3'145);

  Scenario scenario;
  PoolSpec pool;
  pool.name = "seth";
  pool.device_type = "processor";
  pool.nodes = 240;
  pool.devices_per_node = 1;
  pool.racks.assign(pool.nodes, 0);
  scenario.pools.push_back(pool);
  JobClass job;
  job.name = "jobs";
  job.pools = {0};
  job.arrivals.listed = std::move(trace.jobs);
  scenario.classes.push_back(std::move(job));
  RunOptions options;
  options.jobs = RunOptions::Jobs::each;
  const RunResult result = simulate(scenario, options);

  Duration wait, starts;
  for (const JobOutcome& each : result.jobs) {
    REQUIRE(each.first_start);
    starts = starts + (*each.first_start - SimTime::zero());
    wait = wait + each.queue_wait;
  }
  CHECK(starts == Duration::nanoseconds(9'395'614'681) * 1'000'000'000);
  CHECK(to_seconds(wait).si / 3'145 == doctest::Approx(5'627.883).epsilon(1e-7));
  CHECK(result.classes[0].bounded_slowdown / 3'145 == doctest::Approx(47.4055).epsilon(1e-5));
  const Factors sums = factors(result.ledger.total());
  CHECK(ratio(sums.held, sums.in_service) == doctest::Approx(0.39524).epsilon(1e-4));
}

}  // namespace
}  // namespace fleetsim
