// Alternatives, sweeps, files that extend files, and what the command line adds.
#include <filesystem>
#include <fstream>

#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

/// A folder of files for one test.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_{std::filesystem::temp_directory_path() / ("fleetsim-" + name)} {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

std::string in_object(std::string_view text, const std::string& more) {
  return std::string(text.substr(0, text.rfind('}'))) + ", " + more + "}";
}

std::vector<std::uint32_t> gangs(const StudyReading& reading) {
  INFO(listing(reading));
  CHECK(reading.issues.empty());
  std::vector<std::uint32_t> sizes;
  for (const StudyPoint& point : reading.points)
    sizes.push_back(point.scenario.classes.at(0).gang.sizes.at(0));
  return sizes;
}

std::string message_at(const StudyReading& reading, std::string_view pointer) {
  for (const Issue& issue : reading.issues)
    if (issue.pointer == pointer) return issue.message;
  return "";
}

}  // namespace

TEST_CASE("an alternative is a merge patch: null takes a key away") {
  const StudyReading reading = read(in_object(kSmall, R"("alternatives": {
    "no checkpoint": {"workload": {"a": {"checkpoint": null}}}, "two nodes": {"workload": {"a": {"gang": 16}}}})"));
  REQUIRE(reading.points.size() == 3);
  CHECK(reading.points[0].scenario.classes[0].checkpoint.mode == CheckpointMode::synchronous);
  CHECK(reading.points[1].scenario.classes[0].checkpoint.mode == CheckpointMode::none);
  CHECK(gangs(reading) == std::vector<std::uint32_t>{8, 8, 16});
}

TEST_CASE("the grid has every combination, the last axis fastest, for each alternative") {
  const StudyReading reading = read(in_object(kSmall, R"("alternatives": {"b": {"runs": {"seed": 2}}},
    "sweep": {"/workload/a/gang": [1, 2], "/window/length": ["1 h", "2 h", "3 h"]})"));
  CHECK(gangs(reading) == std::vector<std::uint32_t>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  CHECK(reading.points[4].sweep == Sets{{"/workload/a/gang", "2"}, {"/window/length", "2 h"}});
  CHECK(reading.points[10].alternative == "b");
  CHECK(reading.points[10].scenario.runs.seed == 2);
  CHECK(reading.points[10].scenario.window.length == Duration::nanoseconds(7'200'000'000'000));
}

TEST_CASE("a mistake in the base is told once, one in a patch where the patch is") {
  const StudyReading reading = read(in_object(kSmall, R"("scheduler": {"order": "fifoo"},
    "alternatives": {"b": {"scheduler": {"placement": "firstfit"}}, "c": {"runs": {"sed": 1}}},
    "sweep": {"/workload/a/gang": [1, 0, 2]})"));
  REQUIRE(reading.issues.size() == 4);
  CHECK(reading.issues[0].pointer == "/scheduler/order");
  CHECK(reading.issues[1].pointer == "/alternatives/b/scheduler/placement");
  CHECK(reading.issues[2].pointer == "/alternatives/c/runs");
  CHECK(reading.issues[2].message == "unknown key \"sed\"; did you mean \"seed\"?");
  CHECK(reading.issues[3].pointer == "/sweep/~1workload~1a~1gang/1");
}

TEST_CASE("a mistake that a patch makes elsewhere names the patch") {
  const StudyReading reading =
      read(in_object(kSmall, R"("alternatives": {"small": {"fleet": {"pools": {"p": {"nodes": 1}}}}},
    "faults": {"incidents": [{"at": "1 s", "node": 1}]})"));
  // `faults` twice: the later is read.
  CHECK(contains(message_at(reading, "/faults"), "twice"));
  CHECK(message_at(reading, "/faults/incidents/0/node") ==
        "expected a whole number of at most 0; found 1 (in alternative \"small\")");
  const StudyReading once =
      read_with(in_object(kSmall, R"("alternatives": {"small": {"fleet": {"pools": {"p": {"nodes": 1}}}}})"),
                {{"/fleet/pools/p/spares", "1"}});
  CHECK(only_issue(once, "/fleet/pools/p/spares") ==
        "expected fewer than the 1 nodes of the pool; found 1 (in alternative \"small\")");
}

TEST_CASE("an axis over what is not there names the nearest key") {
  const auto swept = [](const std::string& pointer) {
    return read(in_object(kSmall, "\"sweep\": {\"" + pointer + "\": [1, 2]}"));
  };
  CHECK(contains(only_issue(swept("/workload/b/gang"), "/sweep/~1workload~1b~1gang"), "names no key"));
  CHECK(contains(only_issue(swept("/workload/a/gan"), "/sweep/~1workload~1a~1gan"),
                 "did you mean \"/workload/a/gang\"?"));
  CHECK(contains(only_issue(swept("/windw/length"), "/sweep/~1windw~1length"),
                 "did you mean \"/window/length\"?"));
  CHECK(contains(only_issue(swept("workload"), "/sweep/workload"), "expected a JSON pointer"));
  // A known key of an object that is there may be left to its default in the file.
  CHECK(read(in_object(kSmall,
                       R"("sweep": {"/workload/a/priority": [1, 2], "/scheduler/order": ["fifo", "sjf"]})"))
            .points.size() == 4);
  CHECK(contains(only_issue(read(in_object(kSmall, R"("sweep": {"/runs/seed": []})")), "/sweep/~1runs~1seed"),
                 "at least one value"));
  CHECK(contains(only_issue(read(in_object(kSmall, R"("sweep": [])")), "/sweep"),
                 "expected an object of values by JSON pointer"));
}

TEST_CASE("--set takes JSON or bare text, fixes an axis, and is named when it is wrong") {
  CHECK(scenario_of(read_with(kSmall, {{"/window/length", "5 h"}})).window.length ==
        Duration::nanoseconds(18'000'000'000'000));
  CHECK(scenario_of(read_with(kSmall, {{"/workload/a/gang", R"({"nodes": 2, "per_node": 4})"}}))
            .classes[0]
            .gang.shape == GangShape{.nodes = 2, .per_node = 4});
  const std::string swept = in_object(kSmall, R"("sweep": {"/workload/a/gang": [1, 2]})");
  CHECK(gangs(read_with(swept, {{"/workload/a/gang", "4"}})) == std::vector<std::uint32_t>{4});
  const StudyReading wrong = read_with(kSmall, {{"/workload/a/gang", "many"}, {"/workload/a/gagn", "4"}});
  REQUIRE(wrong.issues.size() == 2);
  CHECK(wrong.issues[0].file == "--set");
  CHECK(wrong.issues[1].file == "--set");
  CHECK(has_issue(wrong, "/workload/a/gang", "found \"many\""));
  CHECK(has_issue(wrong, "/workload/a/gagn", "did you mean \"/workload/a/gang\"?"));
}

TEST_CASE("what makes the study cannot be set within it, nor what is not text") {
  CHECK(contains(only_issue(read_with(kSmall, {{"/sweep", "{}"}}), "/sweep"), "cannot be varied"));
  CHECK(contains(only_issue(read_with(kSmall, {{"/alternatives/b", "{}"}}), "/alternatives/b"),
                 "cannot be varied"));
  CHECK(read_with(kSharedPool, {{"/sweep", "null"}, {"/alternatives/atomic admission", "null"}})
            .points.size() == 2);
  CHECK(read_with(kSharedPool, {{"/sweep/~1workload~1llama~1evictions~1rate", "null"}}).points.size() == 3);
  CHECK(read_with(kSharedPool, {{"/sweep/~x/y", "null"}}).points.size() == 12);
  CHECK(contains(only_issue(read_with(kSmall, {{"/name", "\xff"}}), "/name"), "UTF-8"));
  CHECK(contains(only_issue(read_with(kSmall, {{"", "1"}}), ""), "expected a JSON pointer"));
  ReadOptions options;
  options.vary = {{"/name", {"\xff"}}};
  CHECK(contains(only_issue(read(kSmall, options), "/name"), "UTF-8"));
}

TEST_CASE("--vary adds an axis, or replaces the one over the same key") {
  ReadOptions options;
  options.vary = {{"/workload/a/gang", {"3", "4"}}};
  CHECK(gangs(read(kSmall, options)) == std::vector<std::uint32_t>{3, 4});
  const std::string swept = in_object(kSmall, R"("sweep": {"/workload/a/gang": [1, 2]})");
  CHECK(gangs(read(swept, options)) == std::vector<std::uint32_t>{3, 4});
  options.vary = {{"/workload/a/gang", {"3", "x"}}};
  const StudyReading wrong = read(kSmall, options);
  CHECK(contains(only_issue(wrong, "/workload/a/gang"), "found \"x\""));
  CHECK(wrong.issues[0].file == "--vary");
}

TEST_CASE("--seed and --replications override the file") {
  ReadOptions options;
  options.seed = 18446744073709551615u;
  options.replications = 7;
  const Scenario scenario = scenario_of(read(kSmall, options));
  CHECK(scenario.runs.seed == 18446744073709551615u);
  CHECK(scenario.runs.replications == 7);
  options.replications = 0;
  const StudyReading wrong = read(kSmall, options);
  CHECK(contains(only_issue(wrong, "/runs/replications"), "above 0"));
  CHECK(wrong.issues[0].file == "--replications");
}

TEST_CASE("a grid too large to want is refused before it is built") {
  std::string values = "[1";
  for (int i = 2; i <= 1000; ++i) values += "," + std::to_string(i);
  values += "]";
  std::string sweep = "\"sweep\": {\"/workload/a/gang\": ";
  sweep += values;
  sweep += ", \"/runs/seed\": ";
  sweep += values;
  const StudyReading reading = read(in_object(kSmall, sweep + "}"));
  CHECK(contains(only_issue(reading, "/sweep"), "at most 100,000 points"));
}

TEST_CASE("a file may extend another, and a third, relative to itself") {
  const Folder folder("extends");
  folder.write("base.json", kSmall);
  folder.write("sub/middle.json", R"({"extends": "../base.json", "workload": {"a": {"gang": 4}}})");
  const auto top =
      folder.write("top.json", R"({"extends": "sub/middle.json", "name": "top", "faults": null})");
  const Scenario scenario = scenario_of(read_study(top, {}));
  CHECK(scenario.name == "top");
  CHECK(scenario.classes[0].gang.sizes == std::vector<std::uint32_t>{4});
  CHECK(scenario.pools[0].faults.empty());
  CHECK(scenario_of(read_study(folder.write("bare.json", kSmall), {})).name ==
        "bare");  // named after its file
}

TEST_CASE("an issue names the file that has the mistake") {
  const Folder folder("origin");
  const auto base = folder.write("base.json", in_object(kSmall, R"("scheduler": {"order": "fifoo"})"));
  const auto top = folder.write("top.json", R"({"extends": "base.json", "workload": {"a": {"gang": 0}}})");
  const StudyReading reading = read_study(top, {});
  REQUIRE(reading.issues.size() == 2);
  CHECK(reading.issues[0].file == top.string());
  CHECK(reading.issues[0].pointer == "/workload/a/gang");
  CHECK(std::filesystem::path(reading.issues[1].file) == base);
  CHECK(reading.issues[1].pointer == "/scheduler/order");
}

TEST_CASE("files that extend each other in a circle are refused") {
  const Folder folder("circle");
  folder.write("b.json", R"({"extends": "./sub/../a.json"})");
  const auto a = folder.write("a.json", R"({"extends": "b.json"})");
  const StudyReading reading = read_study(a, {});
  CHECK(contains(only_issue(reading, "/extends"), "in a circle"));
  CHECK(
      contains(only_issue(read_study(folder.write("c.json", R"({"extends": "none.json"})"), {}), "/extends"),
               "no such file"));
  CHECK(contains(only_issue(read_study(folder.write("d.json", R"({"extends": 3})"), {}), "/extends"),
                 "name of a file"));
}

TEST_CASE("what is resolved is a scenario of its own with the same meaning") {
  const StudyReading reading = read(kSharedPool);
  for (const StudyPoint& point : reading.points) {
    const StudyReading again = read(point.resolved);
    INFO(listing(again));
    REQUIRE(again.points.size() == 1);
    CHECK(again.points[0].resolved == point.resolved);
    CHECK(again.points[0].hash == point.hash);
  }
}

TEST_CASE("the hash tells points apart and nothing else") {
  const StudyReading reading = read(kSharedPool);
  std::vector<std::string> hashes;
  for (const StudyPoint& point : reading.points) hashes.push_back(point.hash);
  CHECK(hashes.front().size() == 16);
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::unique(hashes.begin(), hashes.end()) == hashes.end());
  std::string spaced(kSmall);
  spaced += "\n\n";
  CHECK(read(spaced).points[0].hash == read(kSmall).points[0].hash);
}
