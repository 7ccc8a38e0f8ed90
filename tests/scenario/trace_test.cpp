#include <filesystem>
#include <fstream>

#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

constexpr std::string_view kTraced = R"({
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
  "workload": { "a": { "trace": { "format": "csv", "file": "fleetsim-jobs.csv", "about": "a table of two jobs",
                                  "source": "this test" } } },
  "window": { "until": "done" } })";

struct TraceFile {
  explicit TraceFile(std::string_view text)
      : folder{std::filesystem::temp_directory_path() / "fleetsim-traces"} {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "fleetsim-jobs.csv") << text;
    options.trace_folders = {folder};
  }
  ~TraceFile() { std::filesystem::remove_all(folder); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  std::filesystem::path folder;
  ReadOptions options;
};

}  // namespace

TEST_CASE("a trace is read from a folder of traces, and its content is part of the hash") {
  std::string first, second;
  {
    const TraceFile file("id,submit,devices,duration\nj1,0 s,8,1 h\nj2,10 s,4,2 h\n");
    const StudyReading reading = read(kTraced, file.options);
    const Scenario scenario = scenario_of(reading);
    REQUIRE(scenario.classes[0].arrivals.listed.size() == 2);
    CHECK(scenario.classes[0].arrivals.listed[1].id == "j2");
    CHECK(scenario.classes[0].arrivals.listed[1].devices == 4);
    CHECK(!reading.trace_missing);
    first = reading.points[0].hash;
  }
  {
    const TraceFile file("id,submit,devices,duration\nj1,0 s,8,1 h\nj2,10 s,4,3 h\n");
    second = read(kTraced, file.options).points[0].hash;
  }
  CHECK(first != second);
}

TEST_CASE("a trace that is not there is one issue that says what it is and where to get it") {
  const StudyReading reading = read(kTraced);
  CHECK(reading.trace_missing);
  const std::string message = only_issue(reading, "/workload/a/trace/file");
  CHECK(contains(message, "\"fleetsim-jobs.csv\" is not there"));
  CHECK(contains(message, "it is a table of two jobs"));
  CHECK(contains(message, "get it from this test"));
}

TEST_CASE("problems of a trace are issues, an unknown format names the known ones") {
  const TraceFile file("id,submit,devices,duration\nj1,0 s,8,one hour\n");
  ReadOptions options = file.options;
  CHECK(!read(kTraced, options).issues.empty());
  CHECK(!read(kTraced, options).trace_missing);
  options.sets = {{"/workload/a/trace/format", "swff"}};
  CHECK(contains(only_issue(read(kTraced, options), "/workload/a/trace/format"), "did you mean \"swf\"?"));
}

TEST_CASE("a trace without jobs is a class without jobs") {
  const TraceFile file("id,submit,devices,duration\n");
  ReadOptions options = file.options;
  options.sets = {{"/window", R"({"length": "1 h"})"}};
  CHECK(scenario_of(read(kTraced, options)).classes[0].arrivals.count == 0);
  CHECK(contains(only_issue(read(kTraced, file.options), "/window/until"), "expected jobs"));
}

TEST_CASE("jobs of a list come in order of submission, ties as listed") {
  const Scenario scenario = scenario_of(read_with(kTraced, {{"/workload/a", R"({"jobs": [
    {"id": "late", "submit": "5 s", "devices": 1, "duration": "1 s"}, {"devices": 2, "duration": "0 s", "priority": -3},
    {"id": "tie", "devices": 3, "duration": "2 s", "limit": "1 s"}]})"}}));
  const std::vector<ListedJob>& jobs = scenario.classes[0].arrivals.listed;
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].id == "a/2");
  CHECK(jobs[0].priority == -3);
  CHECK(jobs[1].id == "tie");
  CHECK(jobs[1].limit == Duration::nanoseconds(1'000'000'000));
  CHECK(jobs[2].id == "late");
  CHECK(has_issue(read_with(kTraced, {{"/workload/a", R"({"jobs": [{"devices": 0, "duration": "1 s"}]})"}}),
                  "/workload/a/jobs/0/devices", "above 0"));
}
