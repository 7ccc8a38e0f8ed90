#include <doctest/doctest.h>

#include <sstream>

#include "sim/workload/trace.hpp"

// The inputs follow the field definitions of the Standard Workload Format 2.2 (Parallel Workloads Archive).
namespace fleetsim {
namespace {

TraceReading log_of(const std::string& text, const TraceOptions& options = {}) {
  std::istringstream in(text);
  return trace_format("swf")->read(in, options);
}

Duration seconds(std::int64_t count) { return Duration::nanoseconds(count * 1'000'000'000); }
SimTime at(std::int64_t second) { return SimTime::zero() + seconds(second); }

bool has_note(const TraceReading& reading, const std::string& part) {
  for (const std::string& note : reading.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

/// Processor-seconds asked for.
std::int64_t load(const TraceReading& reading) {
  std::int64_t sum = 0;
  for (const ListedJob& job : reading.jobs) sum += job.devices * (job.duration / seconds(1));
  return sum;
}

TEST_CASE("swf: a job of no length is a job") {
  const TraceReading reading = log_of(
      "1 0 -1 100 8 -1 -1 8 100 -1 1 1 1 1 1 1 -1 -1\n"
      "2 0 -1 0   8 -1 -1 8 60  -1 1 1 1 1 1 1 -1 -1\n"
      "3 0 -1 50  8 -1 -1 8 50  -1 1 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.problems.empty());
  REQUIRE(reading.jobs.size() == 3);
  CHECK(reading.jobs[1].id == "2");
  CHECK(reading.jobs[1].duration == Duration::zero());
  CHECK(reading.jobs[1].limit == seconds(60));
  CHECK(load(reading) == 1200);
}

TEST_CASE("swf: allocated and requested processors stand in for each other") {
  const TraceReading reading = log_of(
      "1 0 -1 60 -1 -1 -1  4 60 -1 1 1 1 1 1 1 -1 -1\n"
      "2 0 -1 60  4 -1 -1 -1 60 -1 1 1 1 1 1 1 -1 -1\n"
      "3 0 -1 60 -1 -1 -1 -1 60 -1 1 1 1 1 1 1 -1 -1\n"
      "4 0 -1 60  2 -1 -1  8 60 -1 1 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 3);
  CHECK(reading.jobs[0].devices == 4);
  CHECK(reading.jobs[1].devices == 4);
  CHECK(reading.jobs[2].devices == 2);
  CHECK(has_note(reading, "number of processors not known: 1 (line 3)"));
}

TEST_CASE("swf: jobs that never ran and jobs of unknown run time are counted apart") {
  const TraceReading reading = log_of(
      "1 0  -1 100 2  -1 -1 2 300 -1 1 1 1 1 1 1 -1 -1\n"
      "2 10 -1 -1  -1 -1 -1 2 300 -1 5 1 1 1 1 1 -1 -1   (cancelled while queued)\n"
      "3 20 30 40  2  -1 -1 2 300 -1 5 1 1 1 1 1 -1 -1   (cancelled after 40 s of running)\n"
      "4 30 -1 -1  2  -1 -1 2 300 -1 0 1 1 1 1 1 -1 -1   (failed, runtime unknown)\n");
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[0].id == "1");
  CHECK(reading.jobs[1].id == "3");
  CHECK(load(reading) == 280);
  CHECK(has_note(reading, "never ran (cancelled while queued): 1 (line 2)"));
  CHECK(has_note(reading, "run time not known: 1 (line 4)"));
}

TEST_CASE("swf: recorded failures and cancellations are left out when asked") {
  TraceOptions options;
  options.recorded_status = true;
  const TraceReading reading = log_of(
      "1 0 -1 100 2 -1 -1 2 300 -1 1 1 1 1 1 1 -1 -1\n"
      "2 0 -1 100 2 -1 -1 2 300 -1 0 1 1 1 1 1 -1 -1\n"
      "3 0 -1 100 2 -1 -1 2 300 -1 5 1 1 1 1 1 -1 -1\n"
      "4 0 -1 100 2 -1 -1 2 300 -1 -1 1 1 1 1 1 -1 -1\n",
      options);
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[1].id == "4");  // nothing is known against it
  CHECK(has_note(reading, "recorded as failed or cancelled: 2 (lines 2 and 3)"));
}

TEST_CASE("swf: rows are sorted by submission, gaps in numbers and dangling dependencies are allowed") {
  const TraceReading reading = log_of(
      "1 0   -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n"
      "3 500 -1 10  4 -1 -1 4 10  -1 1 1 1 1 1 1 -1 -1\n"
      "2 100 -1 50  4 -1 -1 4 50  -1 1 1 1 1 1 1 -1 -1\n"
      "7 600 -1 20  4 -1 -1 4 20  -1 1 1 1 1 1 1 5 -1\n");
  REQUIRE(reading.jobs.size() == 4);
  CHECK(reading.jobs[0].id == "1");
  CHECK(reading.jobs[1].id == "2");
  CHECK(reading.jobs[1].submit == at(100));
  CHECK(reading.jobs[2].id == "3");
  CHECK(reading.jobs[3].id == "7");
  CHECK(has_note(reading, "not in order of submission, sorted: 1 (line 3)"));
  CHECK(has_note(reading, "preceding job that is not in the file, ignored: 1 (line 4)"));
}

TEST_CASE("swf: jobs of one instant keep the order of the file") {
  std::string text;
  for (int i = 100; i > 0; --i) text += std::to_string(i) + " 5 -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n";
  const TraceReading reading = log_of(text + "0 0 -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 101);
  CHECK(reading.jobs[0].id == "0");
  for (std::size_t i = 1; i <= 100; ++i) CHECK(reading.jobs[i].id == std::to_string(101 - i));
}

TEST_CASE("swf: parts of a job are folded into the line of the whole") {
  const TraceReading reading = log_of(
      "7 0  10 300 4 -1 -1 4 400 -1 1 1 1 1 1 1 -1 -1\n"
      "7 0  10 100 4 -1 -1 4 400 -1 2 1 1 1 1 1 -1 -1\n"
      "7 -1 50 200 4 -1 -1 4 400 -1 3 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 1);
  CHECK(reading.jobs[0].submit == at(0));
  CHECK(load(reading) == 1200);
  CHECK(has_note(reading, "left out: 2 (lines 2 and 3)"));
}

TEST_CASE("swf: parts of a job without a line of the whole are added up") {
  const TraceReading reading = log_of(
      "7 5  10 100 4 -1 -1 4 400 -1 2 1 1 1 1 1 -1 -1\n"
      "8 6  -1 9 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
      "7 -1 50 200.5 4 -1 -1 4 400 -1 4 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[0].submit == at(5));
  CHECK(reading.jobs[0].duration == Duration::nanoseconds(300'500'000'000));
  CHECK(has_note(reading, "added to its first: 1 (line 3)"));
}

const char* const kRagged =
    "; UnixStartTime: 0\r\n"
    "  1\t0 -1 12.5 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\r\n"
    "; a remark in the middle\r\n"
    "2 5 -1 30 64 -1 -1 64 60 -1 1 1 1 1 1 1 -1 -1\r\n"
    "3 9 -1 30 4 -1 -1 4\r\n";

TEST_CASE("swf: a ragged file is read as far as it can be") {
  TraceOptions options;
  options.machine_devices = 32;
  const TraceReading reading = log_of(kRagged, options);
  CHECK(reading.problems.empty());
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[0].duration == Duration::nanoseconds(12'500'000'000));
  CHECK(reading.jobs[0].id == "1");
  CHECK(reading.jobs[1].devices == 64);
  CHECK(has_note(reading, "unsatisfiable, needs more than the 32 devices there are: 1 (line 4)"));
  CHECK(has_note(reading, "8 fields where the format has 18: 1 (line 5)"));
}

TEST_CASE("swf: a ragged row is a problem when reading strictly") {
  TraceOptions options;
  options.strict = true;
  const TraceReading reading = log_of(kRagged, options);
  REQUIRE(reading.problems.size() == 1);
  CHECK(reading.problems[0] == "line 5: 8 fields where the format has 18");
}

TEST_CASE("swf: the size of the machine is what the header says, or not known, never a guess") {
  const std::string job = "1 0 -1 1 300 -1 -1 300 1 -1 1 1 1 1 1 1 -1 -1\n";
  CHECK(log_of("; MaxNodes: 120\n; MaxProcs: 240\n" + job).header_processors == 240U);
  CHECK(has_note(log_of("; MaxProcs: 240\n" + job), "more than the 240 devices"));
  CHECK_FALSE(has_note(log_of("; MaxProcs: 300\n" + job), "more than"));
  CHECK(log_of(";MaxNodes:\t128 (no others)\n" + job).header_processors == 128U);
  CHECK_FALSE(log_of("; Note: see MaxProcs: 240\n" + job).header_processors.has_value());
  CHECK_FALSE(log_of("; MaxProcs: 0\n" + job).header_processors.has_value());
  CHECK_FALSE(log_of("; MaxProcs: -1\n" + job).header_processors.has_value());
  CHECK_FALSE(log_of(job).header_processors.has_value());
  CHECK(has_note(log_of(job), "does not say how large the machine is"));
}

TEST_CASE("swf: decimal times are met to the nanosecond") {
  const TraceReading reading = log_of("1 0.1 -1 552.210000001 1 -1 -1 1 1e3 -1 1 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 1);
  CHECK(reading.jobs[0].submit.ns() == 100'000'000);
  CHECK(reading.jobs[0].duration.ns() == 552'210'000'001);
  CHECK(reading.jobs[0].limit == seconds(1000));
}

TEST_CASE("swf: fields after the last are ignored") {
  const TraceReading reading = log_of(
      "0 12 0 56011 64 1 1024 64 86400 68719476736 1 62 1 1 -1 1 1 1 {1241,1241} q_1d 1:ppn=64:x86_64\n");
  REQUIRE(reading.jobs.size() == 1);
  CHECK(reading.jobs[0].id == "0");
  CHECK(reading.jobs[0].devices == 64);
}

TEST_CASE("swf: submit times counted from 1970 are moved to the start of the log") {
  const TraceReading reading = log_of(
      "1 1356996247 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
      "2 1356996147 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 2);
  CHECK(reading.jobs[0].submit == at(0));
  CHECK(reading.jobs[1].submit == at(100));
  CHECK(has_note(reading, "1356996147"));
}

TEST_CASE("swf: only the first jobs by submission are kept when asked") {
  TraceOptions options;
  options.first_jobs = 1;
  const TraceReading reading = log_of(
      "1 9 -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n"
      "2 5 -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n",
      options);
  REQUIRE(reading.jobs.size() == 1);
  CHECK(reading.jobs[0].id == "2");
}

TEST_CASE("swf: numbers that are none are named with their line and field") {
  TraceOptions strict;
  strict.strict = true;
  const auto problem = [&](const std::string& row) {
    const TraceReading reading = log_of("; a log\n" + row + "\n", strict);
    return reading.problems.empty() ? std::string{} : reading.problems.front();
  };
  CHECK(problem("1 0 -1 nan 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1") == "line 2: the run time cannot be \"nan\"");
  CHECK(problem("1 inf -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1") ==
        "line 2: the submit time cannot be \"inf\"");
  CHECK(problem("1 0 -1 1e300 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1") ==
        "line 2: the run time cannot be \"1e300\"");
  CHECK(problem("1 0 -1 1 5000000000 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1").find("allocated") != std::string::npos);
  CHECK(problem("1 0 -1 1 1 -1 -1 2.5 1 -1 1 1 1 1 1 1 -1 -1").find("requested proc") != std::string::npos);
  CHECK(problem("1 0 -1 1 1 -1 -1 1 x -1 1 1 1 1 1 1 -1 -1").find("requested time") != std::string::npos);
  CHECK(problem("1 0 -1 1 1 -1 -1 1 1 -1 ? 1 1 1 1 1 -1 -1").find("status") != std::string::npos);
}

TEST_CASE("swf: a negative time is one that is not known") {
  const TraceReading reading = log_of(
      "1 0 -1 -7 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n"
      "2 0 -1 7 1 -1 -1 1 -9 -1 1 1 1 1 1 1 -1 -1\n"
      "3 -8 -1 7 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n");
  REQUIRE(reading.jobs.size() == 1);
  CHECK(reading.jobs[0].id == "2");
  CHECK_FALSE(reading.jobs[0].limit.has_value());
  CHECK(has_note(reading, "run time not known: 1 (line 1)"));
  CHECK(has_note(reading, "submit time not known: 1 (line 3)"));
}

TEST_CASE("swf: a file without a readable row is a problem") {
  CHECK_FALSE(log_of("").problems.empty());
  CHECK_FALSE(log_of("; only a header\n\n").problems.empty());
  std::string junk;
  for (int i = 0; i < 4096; ++i) junk.push_back(static_cast<char>(i * 7919 % 256));
  const TraceReading reading = log_of(junk);
  CHECK_FALSE(reading.problems.empty());
  for (const std::string& text : reading.problems) {
    for (const char c : text) CHECK((c >= ' ' && c <= '~'));
  }
}

}  // namespace
}  // namespace fleetsim
