#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/workload/trace.hpp"

// Real logs are not part of the project. These tests look for them in the folder that the environment names.
namespace fleetsim {
namespace {

/// nullopt, with a message, when the file is not there.
std::optional<TraceReading> read_trace(std::string_view format, const std::string& name) {
  const char* folder = std::getenv("FLEETSIM_TRACES");
  std::ifstream in;
  if (folder != nullptr) in.open(std::filesystem::path(folder) / name);
  if (!in.is_open()) {
    MESSAGE("skipped: FLEETSIM_TRACES names no folder with " << name);
    return std::nullopt;
  }
  return trace_format(format)->read(in, {});
}

TEST_CASE("real: HPC2N Seth 2002, first 57 days") {
  const auto reading = read_trace("swf", "alea_swf/hpc2n.swf");
  if (!reading) return;
  CHECK(reading->problems.empty());
  CHECK(reading->header_processors == 240U);
  CHECK(reading->jobs.size() == 3170 - 25);
  REQUIRE(reading->recorded_waits);
  CHECK(reading->recorded_waits->mean.si == doctest::Approx(17'285.4232).epsilon(1e-8));
  CHECK(reading->recorded_waits->median.si == doctest::Approx(3'540));
  CHECK(reading->recorded_waits->bounded_slowdown == doctest::Approx(105.8).epsilon(1e-3));
  const bool told = std::any_of(reading->notes.begin(), reading->notes.end(), [](const std::string& note) {
    return note.starts_with("skipped, run time not known: 25 ");
  });
  CHECK(told);
  CHECK(std::all_of(reading->jobs.begin(), reading->jobs.end(),
                    [](const ListedJob& job) { return job.limit; }));
}

TEST_CASE("real: CERIT-SC 2013, extended rows and times from 1970") {
  const auto reading = read_trace("swf", "alea_swf/wagap-2013.swf");
  if (!reading) return;
  CHECK(reading->problems.empty());
  CHECK(reading->jobs.size() == 17900 - 2);  // two rows have run times of minus 43 years
  REQUIRE(reading->recorded_waits);
  CHECK(reading->recorded_waits->mean.si == doctest::Approx(51'031.5389).epsilon(1e-8));
  CHECK(reading->recorded_waits->median.si == doctest::Approx(370));
  CHECK(reading->recorded_waits->bounded_slowdown == doctest::Approx(480.0).epsilon(1e-3));
  CHECK(reading->jobs.front().submit == SimTime::zero());
  constexpr std::int64_t kDay = std::int64_t{86400} * 1'000'000'000;
  CHECK(reading->jobs.back().submit.ns() / kDay == 88);  // in its 89th day
}

TEST_CASE("real: four Philly virtual clusters") {
  struct Cluster {
    const char* file;
    std::size_t jobs;
  };
  for (const Cluster& cluster :
       {Cluster{"muri_philly/trace1.csv", 1494}, Cluster{"muri_philly/trace2.csv", 5755},
        Cluster{"muri_philly/trace3.csv", 992}, Cluster{"muri_philly/trace4.csv", 2638}}) {
    const auto reading = read_trace("muri-csv", cluster.file);
    if (!reading) continue;
    CAPTURE(cluster.file);
    CHECK(reading->problems.empty());
    CHECK(reading->jobs.size() == cluster.jobs);
    for (const ListedJob& job : reading->jobs) {
      CHECK((job.devices >= 1 && job.devices <= 32));
    }
  }
}

}  // namespace
}  // namespace fleetsim
