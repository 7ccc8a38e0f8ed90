#include "tools/records/records_csv.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/ledger/record_builder.hpp"
#include "tests/ledger/temporary_folder.hpp"

namespace fleetsim {
namespace {

/// Records with every kind of row, awkward names and every field off its default somewhere.
Records everything() {
  RecordBuilder make(-5, 100);
  make.records.pools = {"a,b", "say \"hi\"", "=SUM(1)"};
  make.records.classes = {"line1\nline2", ""};
  make.records.jobs = {
      {"", 1, at(-3)}, {"same", 0, at(2)}, {"same", 0, at(2)}, {std::string(300, 'x'), 0, at(4)}};
  make.allocation(0, 90, 2, {.complete = 3, .spare = 1}).allocation(90, 95, 2, {.never_complete = true});
  make.records.allocations.back().incomplete = Leaf::scheduling_transition;
  make.on(2, 1).allocation(0, 7, 1);
  make.records.allocations.back().reason = "evicted, \"twice\"";
  make.pool(0, 100, 3, Leaf::scheduling_fragmentation);
  make.records.pool_rows.back().queue_depth = 12;
  make.on(0, 0).leaf(3, 10, 2, Leaf::runtime_preemption);
  make.stretch(
      10, 60, 2,
      {.step = 24, .wait = 5, .pause = 4, .excess = 3, .straggler = 2, .neighbour = 4, .warm_up = 8});
  make.records.timeline.back().steps = 17;
  make.records.timeline.back().excess_leaf = Leaf::program_straggler;
  make.records.timeline.back().warm_up_leaf = Leaf::runtime_recovery;
  make.commit(60).stretch(60, 90, 2, {.step = 30}).discard(90, Leaf::runtime_rework);
  make.records.steps = {
      {0, Leaf::ideal, 333'000'000}, {0, Leaf::program_unattributed, INT64_MAX}, {3, Leaf::ideal, 0}};
  return make.records;
}

/// The problems after one piece of one table has been replaced, a line each.
std::string problems_with(const std::string& file, const std::string& piece, const std::string& other) {
  const TemporaryFolder folder;
  REQUIRE_FALSE(write_records(folder.path(), everything()).has_value());
  std::string text = read_file(folder.path() / file);
  const std::size_t place = text.find(piece);
  REQUIRE(place != std::string::npos);
  text.replace(place, piece.size(), other);
  std::ofstream(folder.path() / file, std::ios::binary) << text;
  std::string lines;
  for (std::string problem : read_records(folder.path()).problems) {
    const std::size_t prefix = problem.find(folder.path().string());
    if (prefix != std::string::npos) problem.erase(prefix, folder.path().string().size() + 1);
    lines += problem + "\n";
  }
  return lines;
}

TEST_CASE("records: what is written reads back exactly") {
  const TemporaryFolder folder;
  const Records records = everything();
  REQUIRE_FALSE(write_records(folder.path() / "new" / "folder", records).has_value());
  const RecordsReading reading = read_records(folder.path() / "new" / "folder");
  for (const std::string& problem : reading.problems) MESSAGE(problem);
  CHECK(reading.problems.empty());
  CHECK(reading.records == records);
}

TEST_CASE("records: nothing at all reads back as nothing") {
  const TemporaryFolder folder;
  REQUIRE_FALSE(write_records(folder.path(), Records{}).has_value());
  const RecordsReading reading = read_records(folder.path());
  CHECK(reading.problems.empty());
  CHECK(reading.records == Records{});
}

TEST_CASE("records: rows have as many cells as the header, and one line where no name has a line break") {
  const TemporaryFolder folder;
  Records records = everything();
  records.classes = {"plain", "other"};
  REQUIRE_FALSE(write_records(folder.path(), records).has_value());
  const std::string text = read_file(folder.path() / "timeline.csv");
  CHECK(text.find("0,1,commit,60000000000,60000000000,,0,0,0,0,0,0,,0,0,0,0,\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 6);
}

TEST_CASE("records: a hundred thousand rows read back exactly") {
  Records records = everything();
  const TimelineRow row = records.timeline[1];
  records.timeline.assign(100'000, row);
  const TemporaryFolder folder;
  REQUIRE_FALSE(write_records(folder.path(), records).has_value());
  CHECK(read_records(folder.path()).records == records);
}

TEST_CASE("records: a cell that cannot be read is named with its file, line and column") {
  CHECK(problems_with("timeline.csv", "0,1,leaf,3000000000,", "0,1,leaf,3 s,") ==
        "timeline.csv:2: column from_ns: expected a whole number; found \"3 s\"\n");
  CHECK(problems_with("timeline.csv", "runtime.rework", "runtime.reworked") ==
        "timeline.csv:6: column leaf: expected the name of a leaf; found \"runtime.reworked\"\n");
  CHECK(problems_with("timeline.csv", "commit", "comit") ==
        "timeline.csv:4: column kind: expected leaf, stretch, commit or discard; found \"comit\"\n");
  CHECK(problems_with("timeline.csv", "0,1,commit", "9,1,commit") ==
        "timeline.csv:4: column job: expected the number of a job in scheduler.csv; found \"9\"\n");
  CHECK(problems_with("steps.csv", "333000000", "-1") ==
        "steps.csv:2: column weight: expected a whole number that is not negative; found \"-1\"\n");
  CHECK(problems_with("steps.csv", "333000000", "99999999999999999999")
            .starts_with("steps.csv:2: column weight"));
  CHECK(problems_with("steps.csv", "333000000", "1,2") == "steps.csv:2: 5 cells where the header has 4\n");
  // Lines 3 to 5 declare pools, 6 to 8 two classes, 9 to 15 jobs: the first class has a line break in its
  // name.
  CHECK(
      problems_with("scheduler.csv", "allocation,2", "allocation,4") ==
      "scheduler.csv:18: column job: expected the number of a job that a row above declares; found \"4\"\n");
  CHECK(problems_with("scheduler.csv", "\njob,2,", "\njob,3,") ==
        "scheduler.csv:12: column job: expected 2, since jobs are numbered from 0; found \"3\"\n");
  CHECK(problems_with("scheduler.csv", "free,,,,,\"say", "free,,,,,\"cry") ==
        "scheduler.csv:19: column pool: expected a name that a row above declares; found \"cry \"hi\"\"\n");
}

TEST_CASE("records: tables that are cut, missing or something else") {
  CHECK(problems_with("steps.csv", "job,leaf,weight", "job,leaf,wait")
            .starts_with("steps.csv: line 1: no column \"weight\""));
  CHECK(problems_with("scheduler.csv", "window", "pool").ends_with("scheduler.csv: no window row\n"));
  CHECK_FALSE(problems_with("scheduler.csv", "\"say \"\"hi\"\"\"", "\"say").empty());
  const TemporaryFolder folder;
  CHECK(read_records(folder.path()).problems.size() == 3);
  REQUIRE_FALSE(write_records(folder.path(), everything()).has_value());
  std::filesystem::resize_file(folder.path() / "steps.csv", 0);
  REQUIRE(read_records(folder.path()).problems.size() == 1);
  CHECK(read_records(folder.path()).problems.front().ends_with("steps.csv: is empty"));
}

TEST_CASE("records: the ledger is the same from the tables as from the records") {
  RecordBuilder make(0, 100);
  make.allocation(0, 100, 2).stretch(0, 100, 2, {.step = 90, .wait = 10}).commit(100);
  make.records.steps = {{0, Leaf::ideal, 1}, {0, Leaf::program_dispatch, 2}};
  const TemporaryFolder folder;
  REQUIRE_FALSE(write_records(folder.path(), make.records).has_value());
  const Accounting accounting = account(read_records(folder.path()).records);
  CHECK(accounting.problems.empty());
  CHECK(accounting.ledger == account(make.records).ledger);
  CHECK(sum(accounting.ledger.total()) == device_seconds(200));
}

}  // namespace
}  // namespace fleetsim
