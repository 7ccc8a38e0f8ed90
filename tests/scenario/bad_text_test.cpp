// Texts that are not scenarios at all: one clear message each.
#include <filesystem>
#include <fstream>

#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

/// "place: message" of a text that has to give exactly one issue.
std::string complaint(std::string_view text) {
  const StudyReading reading = read(text);
  REQUIRE(reading.issues.size() == 1);
  CHECK(reading.points.empty());
  return reading.issues[0].pointer + ": " + reading.issues[0].message;
}

}  // namespace

TEST_CASE("text that is not JSON is reported by line and column") {
  CHECK(contains(complaint("{\n  \"a\": 1,\n  \"b\": }"), "line 3: not JSON at column 8"));
  CHECK(contains(complaint("{\"a\": 1,}"), "line 1: not JSON at column 9"));
  CHECK(contains(complaint("{\"a\": 1"), "line 1: not JSON"));
  CHECK(contains(complaint("{\"a\": NaN}"), "line 1: not JSON at column 7"));
  CHECK(contains(complaint("// a remark\n{}"), "line 1: not JSON at column 1"));
  CHECK(contains(complaint("{} {}"), "line 1: not JSON at column 4"));
  CHECK(contains(complaint(std::string_view("{\"a\": \0}", 8)), "line 1: not JSON at column 7"));
}

TEST_CASE("an empty text, another kind of value, or another encoding") {
  CHECK(contains(complaint(""), "the file is empty"));
  CHECK(contains(complaint(" \n\t "), "the file is empty"));
  CHECK(complaint("[]") == ": expected a scenario, an object in JSON; found an empty list");
  CHECK(complaint("12") == ": expected a scenario, an object in JSON; found 12");
  CHECK(contains(complaint("{\n\"name\": \"\xff\"}"), "line 2: not UTF-8 text"));
  CHECK(contains(complaint("\xff\xfe{\0}\0"), "line 1: not UTF-8 text"));
  CHECK(contains(complaint("{\"name\": \"\xc0\xaf\"}"), "not UTF-8 text"));      // overlong
  CHECK(contains(complaint("{\"name\": \"\xed\xa0\x80\"}"), "not UTF-8 text"));  // half a surrogate pair
}

TEST_CASE("keys given twice and numbers beyond a double are refused with their place, and so is all else") {
  std::string text(kSmall);
  text.insert(text.rfind('}'), R"(, "runs": {"seed": 1e400, "replications": -1e999, "batch": 0},
    "scheduler": {"order": "fifi", "strict": true, "strict": true})");
  const StudyReading reading = read(text);
  INFO(listing(reading));
  CHECK(reading.points.empty());
  REQUIRE(reading.issues.size() == 5);
  CHECK(
      has_issue(reading, "/runs/seed", "expected a number of a size that can be computed with; found 1e400"));
  CHECK(has_issue(reading, "/runs/replications", "that can be computed with; found -1e999"));
  CHECK(has_issue(reading, "/runs/batch", "expected a whole number above 0; found 0"));
  CHECK(has_issue(reading, "/scheduler/strict", "this key is there twice; a key may be given once"));
  CHECK(has_issue(reading, "/scheduler/order", "did you mean \"fifo\"?"));
}

TEST_CASE("a number beyond a double in a text that is no JSON further on") {
  const StudyReading reading = read(R"({"a": 1e400, "b": })");
  REQUIRE(reading.issues.size() == 2);
  CHECK(has_issue(reading, "line 1", "not JSON at column"));
  CHECK(has_issue(reading, "/a", "found 1e400"));
}

TEST_CASE("deep nesting is refused, and does not exhaust the stack") {
  CHECK(contains(complaint(std::string(1'000'000, '[')), "nested more than 64 levels deep"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(contains(complaint(objects), "nested more than 64 levels deep"));
}

TEST_CASE("a file that cannot be read") {
  const auto message = [](const std::filesystem::path& file) {
    const StudyReading reading = read_study(file, {});
    REQUIRE(reading.issues.size() == 1);
    CHECK(reading.issues[0].file == file.string());
    return reading.issues[0].message;
  };
  CHECK(message("/no/such/file.json") == "there is no such file");
  CHECK(message(std::filesystem::temp_directory_path()) == "expected a file; found a directory");
  CHECK(message("/dev/zero") == "larger than 64 MiB, which no scenario is");
  CHECK(contains(message("/dev/null"), "the file is empty"));
}

TEST_CASE("a byte order mark is let pass") {
  CHECK(read("\xef\xbb\xbf" + std::string(kSmall)).issues.empty());
}
