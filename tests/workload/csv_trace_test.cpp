#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include "sim/workload/trace.hpp"

namespace fleetsim {
namespace {

TraceReading read(std::string_view format, const std::string& text) {
  std::istringstream in(text);
  return trace_format(format)->read(in, {});
}

std::string only_problem(const TraceReading& reading) {
  return reading.problems.size() == 1 ? reading.problems.front()
                                      : std::to_string(reading.problems.size()) + " problems";
}

bool same(const ListedJob& a, const ListedJob& b) {
  return a.id == b.id && a.submit == b.submit && a.devices == b.devices && a.duration == b.duration &&
         a.limit == b.limit && a.priority == b.priority;
}

TEST_CASE("csv: columns are found by name, limit and priority may be missing") {
  const TraceReading reading =
      read("csv", "duration,id,devices,submit\n90 min,b,8,1.5 s\n\"12 s\",\"a, first\",1,0 s\n");
  REQUIRE(reading.problems.empty());
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[0].id == "a, first");
  CHECK(reading.jobs[1].submit.ns() == 1'500'000'000);
  CHECK(reading.jobs[1].duration.ns() == 5'400'000'000'000);
  CHECK(reading.jobs[1].devices == 8);
  CHECK_FALSE(reading.jobs[1].limit.has_value());
  CHECK(!reading.jobs[1].priority);
}

TEST_CASE("csv: ids that come twice are noted, and an unlimited limit is an empty cell") {
  const TraceReading reading =
      read("csv", "id,submit,devices,duration,limit\na,0 s,1,1 s,\nb,0 s,1,1 s,\na,1 s,1,1 s,2 s\n");
  REQUIRE(reading.notes.size() == 1);
  CHECK(reading.notes[0].find("kept as a job of its own: 1 (line 4)") != std::string::npos);
  CHECK(reading.jobs.size() == 3);
  CHECK(only_problem(read("csv", "id,submit,devices,duration,limit\na,0 s,1,1 s,UNLIMITED\n")) ==
        "line 2: limit: expected a duration, or nothing where there is no limit; found \"UNLIMITED\"");
}

TEST_CASE("csv: what is written reads back exactly") {
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() - 1;
  const auto ns = [](std::int64_t count) { return Duration::nanoseconds(count); };
  const std::vector<ListedJob> jobs = {
      {"a,b", SimTime::at_ns(0), 1, ns(1), ns(0), -3},
      {"say \"hi\"", SimTime::at_ns(0), 4294967295U, ns(0), std::nullopt, 0},
      {"line1\nline2", SimTime::at_ns(1), 7, ns(12'500'000'000), std::nullopt, 0},
      {"=SUM(1)", SimTime::at_ns(1), 7, ns(kLongest), ns(kLongest), 0},
      {"", SimTime::at_ns(2), 7, ns(999'999'999), std::nullopt, std::numeric_limits<std::int64_t>::min()},
      {" \xE6\xBC\xA2 ", SimTime::at_ns(kLongest), 7, ns(1'000'000'010), std::nullopt, 0}};
  std::ostringstream out;
  write_csv_trace(out, jobs);
  const TraceReading reading = read("csv", out.str());
  CHECK(reading.problems.empty());
  CHECK(reading.notes.empty());
  REQUIRE(reading.jobs.size() == jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CAPTURE(i);
    CHECK(same(reading.jobs[i], jobs[i]));
  }
}

TEST_CASE("csv: a missing column is named, with those that are known") {
  const std::string problem = only_problem(read("csv", "id,submitted,devices,duration\na,0 s,1,1 s\n"));
  CHECK(problem.find("no column \"submit\"") != std::string::npos);
  CHECK(problem.find("required: id, submit, devices, duration") != std::string::npos);
  CHECK(problem.find("optional: limit, priority") != std::string::npos);
  CHECK(read("csv", "id,id,submit,devices,duration\n").problems.front().find("twice") != std::string::npos);
  const TraceReading unused = read("csv", "id,submit,devices,duration,limits\n");
  CHECK(unused.problems.empty());
  CHECK(unused.notes == std::vector<std::string>{"column \"limits\" is not used"});
}

TEST_CASE("csv: every cell that cannot be read is named with its line and column") {
  const TraceReading reading = read("csv",
                                    "id,submit,devices,duration,limit,priority\n"
                                    "a,0 s,1,1 s,,\n"
                                    "b,-1 s,0,5,nan s,high\n"
                                    "c,1e300 s,1.5,1 s,1 s,1\n"
                                    "d,0 s,4294967296,1 s,1 s,99999999999999999999\n"
                                    "e,0 s,1\n");
  std::vector<std::string> starts;
  for (const std::string& problem : reading.problems)
    starts.push_back(problem.substr(0, problem.find(": ", 8)));
  CHECK(starts == std::vector<std::string>{"line 3: submit", "line 3: devices", "line 3: duration",
                                           "line 3: limit", "line 3: priority", "line 4: submit",
                                           "line 4: devices", "line 5: devices", "line 5: priority",
                                           "line 6: 3 cells where the header has 6"});
}

TEST_CASE("csv: empty files and junk are problems") {
  CHECK(only_problem(read("csv", "")) == "the file is empty: it has no header");
  std::string junk;
  for (int i = 0; i < 4096; ++i) junk.push_back(static_cast<char>(i * 7919 % 256));
  CHECK_FALSE(read("csv", junk).problems.empty());
  CHECK_FALSE(read("muri-csv", junk).problems.empty());
  std::string many = "id,submit,devices,duration\n";
  for (int i = 0; i < 1000; ++i) many += "a,b,c,d\n";
  CHECK(read("csv", many).problems.size() < 60);
}

TEST_CASE("muri-csv: times are milliseconds") {
  const TraceReading reading =
      read("muri-csv",
           "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
           "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\r\n"
           "1,8,201694000,8787693,dqn,128,4472936000,201694000,509,435,8,0.5,0\r\n"
           "0,1,0,5853661,dqn,128,2868294001,46122000,490,446,8,0,1\r\n");
  REQUIRE(reading.problems.empty());
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[0].id == "0");
  CHECK(reading.jobs[0].duration.ns() == 2'868'294'001'000'000);
  CHECK(reading.jobs[0].priority == 1);
  CHECK(reading.jobs[1].submit.ns() == 201'694'000'000'000);
  CHECK(reading.jobs[1].devices == 8);
  CHECK_FALSE(reading.jobs[1].limit.has_value());
  CHECK(reading.notes.size() == 1);  // the order; every column of the format is known
}

TEST_CASE("muri-csv: negative, fractional and endless times") {
  const std::string header = "job_id,num_gpu,submit_time,duration,priority\n";
  CHECK(read("muri-csv", header + "0,1,-1,5,0\n").problems.size() == 1);
  CHECK(read("muri-csv", header + "0,1,NaN,5,0\n").problems.size() == 1);
  CHECK(read("muri-csv", header + "0,1,0,1e18,0\n").problems.size() == 1);
  CHECK(read("muri-csv", header + "0,1,0,5 s,0\n").problems.size() == 1);
  CHECK(read("muri-csv", header + "0,1,0,0.5,0\n").jobs.front().duration.ns() == 500'000);
}

TEST_CASE("traces: formats are found by name") {
  CHECK(trace_format("slurm") == nullptr);
  for (const TraceFormat& format : trace_formats()) {
    CHECK(trace_format(format.name) == &format);
    CHECK_FALSE(format.about.empty());
  }
}

}  // namespace
}  // namespace fleetsim
