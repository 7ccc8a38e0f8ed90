#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/program.hpp"

namespace fleetsim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A folder with the tiny scenario in it.
struct Workplace {
  Workplace() { write_file(scenario, kTinyScenario); }

  std::string path(const std::string& name) const { return (folder.path() / name).string(); }

  TemporaryFolder folder;
  std::string scenario = (folder.path() / "tiny.json").string();
};

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("a run prints its page on standard output alone, and ends with 0") {
  const Workplace at;
  const Ended ended = run_program({"run", at.scenario}, "LC_ALL=C.UTF-8");
  CHECK(ended.code == 0);
  CHECK(ended.err.empty());
  CHECK(has(ended.out, "WHERE THE CAPACITY WENT"));
  CHECK(has(ended.out, "█"));
  CHECK(has(ended.out, "ledger closes exactly"));
  CHECK_FALSE(has(ended.out, "\x1b"));
}

TEST_CASE("the contract names the peak of each class's number format as its ideal") {
  const Workplace at;
  write_file(at.scenario, R"({
    "fleet": { "pools": { "a": { "node": "dgx-h100", "nodes": 1 } } },
    "workload": { "train": { "model": "llama3-8b", "gang": 8, "steps": 3,
      "layout": { "sharding": "full", "recompute": "full" },
      "step": { "model": true, "sequence": 8192, "global_batch": 8, "precision": "fp8" } } },
    "window": { "until": "done" } })");
  const Ended ended = run_program({"run", at.scenario, "--ascii"});
  CHECK(ended.code == 0);
  std::string line = ended.out.substr(ended.out.find("CONTRACT"));
  for (char& c : line) c = c == '\n' ? ' ' : c;
  while (line.find("  ") != std::string::npos) line.replace(line.find("  "), 2, " ");
  CHECK(has(line, "dense peak of h100-sxm, 989 TFLOP/s; for train that of its number format, 1.98 PFLOP/s"));
}

TEST_CASE("a locale that is not UTF-8, or --ascii, gives plain ASCII") {
  const Workplace at;
  for (const auto& [words, environment] :
       {std::pair{std::vector<std::string>{"run", at.scenario}, "LC_ALL=C"},
        std::pair{std::vector<std::string>{"run", at.scenario, "--ascii"}, "LC_ALL=C.UTF-8"}}) {
    const Ended ended = run_program(words, environment);
    CHECK(std::all_of(ended.out.begin(), ended.out.end(),
                      [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    CHECK(has(ended.out, "####"));
  }
}

TEST_CASE("the files of a run are the same bytes at any number of threads") {
  const Workplace at;
  for (const std::string jobs : {"1", "2"})
    REQUIRE(run_program({"run", at.scenario, "--out", at.path(jobs), "--records", "--jobs", jobs}).code == 0);
  CHECK(files_in(at.path("1")) == 6);
  for (const char* name :
       {"result.json", "summary.csv", "jobs.csv", "scheduler.csv", "timeline.csv", "steps.csv"}) {
    CAPTURE(name);
    const std::string one = read_file(fs::path(at.path("1")) / name);
    CHECK_FALSE(one.empty());
    CHECK(one == read_file(fs::path(at.path("2")) / name));
  }
}

TEST_CASE("--json prints what --out writes") {
  const Workplace at;
  const Ended ended = run_program({"run", at.scenario, "--json", "--out", at.path("out")});
  CHECK(ended.code == 0);
  CHECK(ended.out == read_file(fs::path(at.path("out")) / "result.json"));
  CHECK(Json::parse(ended.out).at("contract").at("seed") == 3);
}

TEST_CASE("records of a run give the ledger of the run, leaf by leaf") {
  const Workplace at;
  REQUIRE(
      run_program({"run", at.scenario, "--replications", "1", "--out", at.path("out"), "--records"}).code ==
      0);
  const Ended ended = run_program({"account", at.path("out"), "--json"});
  REQUIRE(ended.code == 0);
  const Json ledger = Json::parse(ended.out).at("ledger");
  CHECK(ledger == Json::parse(read_file(fs::path(at.path("out")) / "result.json")).at("ledger"));
  CHECK(ledger.at("runtime.rework") != "0");
  CHECK(has(run_program({"account", at.path("out")}).out, "the ledger closes exactly"));
}

TEST_CASE("a folder holds the tables of its last run alone, and files that no run of ours was beside stay") {
  const Workplace at;
  const fs::path out = at.path("again/and/again");
  fs::create_directories(out);
  write_file(out / "steps.csv", "somebody's own");
  REQUIRE(run_program({"run", at.scenario, "--out", out.string()}).code == 0);
  CHECK(read_file(out / "steps.csv") == "somebody's own");
  REQUIRE(run_program({"run", at.scenario, "--out", out.string(), "--records"}).code == 0);
  CHECK(fs::exists(out / "scheduler.csv"));
  REQUIRE(run_program({"run", at.scenario, "--out", out.string()}).code == 0);
  CHECK_FALSE(fs::exists(out / "scheduler.csv"));
  CHECK_FALSE(fs::exists(out / "steps.csv"));
  CHECK(fs::exists(out / "jobs.csv"));
}

TEST_CASE("records of a pool that grows give its ledger, and account says when they grow") {
  const Workplace at;
  write_file(at.path("growing.json"), R"({
    "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 3,
               "installed": [{ "nodes": [2], "from": "1000.5 s" }] } } },
    "workload": { "j": { "gang": 8, "steps": 10, "step": { "time": "10 s" } } }, "window": { "length": "3001 s" } })");
  const Ended ran = run_program({"run", at.path("growing.json"), "--out", at.path("grown"), "--records"});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  const Ended ended = run_program({"account", at.path("grown")});
  CHECK(ended.code == 0);
  CHECK(has(ended.out, "pool p: 16 devices on record until"));
  CHECK(has(ended.out, "then 24 devices"));
  CHECK(Json::parse(run_program({"account", at.path("grown"), "--json"}).out).at("ledger") ==
        Json::parse(read_file(fs::path(at.path("grown")) / "result.json")).at("ledger"));
}

TEST_CASE("records that are malformed end with 2, and those that contradict each other with 1") {
  const Workplace at;
  const fs::path out = at.path("out");
  REQUIRE(run_program({"run", at.scenario, "--replications", "1", "--out", out.string(), "--records"}).code ==
          0);
  const std::string timeline = read_file(out / "timeline.csv");
  write_file(out / "timeline.csv", timeline + "what is this\n");
  const Ended malformed = run_program({"account", out.string()});
  CHECK(malformed.code == 2);
  CHECK(malformed.out.empty());
  CHECK(has(malformed.err, "timeline.csv:"));
  // Without its rows of steps, most of what jobs held is not accounted for.
  std::istringstream rows(timeline);
  std::string without;
  for (std::string row; std::getline(rows, row);) {
    if (!has(row, ",stretch,")) without += row + "\n";
  }
  write_file(out / "timeline.csv", without);
  CHECK(run_program({"account", out.string()}).code == 1);
  CHECK(run_program({"account", at.path("nowhere")}).code == 2);
}

TEST_CASE("all that is wrong with a scenario is said at once, and nothing else happens") {
  const Workplace at;
  const std::string bad = at.path("bad.json");
  write_file(bad, R"({"fleet": {"pools": {"p": {"device": "x", "devices_per_node": 8, "nodes": -4}}},
                      "scheduler": {"order": "fifoo"}, "window": {"length": "1 h"}})");
  const Ended ended = run_program({"run", at.scenario, bad, "--out", at.path("out")});
  CHECK(ended.code == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err.starts_with(bad + ": 2 problems\n  /fleet/pools/p/nodes  "));
  CHECK(has(ended.err, "\n  /scheduler/order      unknown order \"fifoo\""));
  CHECK_FALSE(fs::exists(at.path("out")));
  const Ended validated = run_program({"validate", at.scenario, bad});
  CHECK(validated.code == 2);
  CHECK(validated.err == ended.err);
  CHECK(run_program({"validate", at.scenario}).out == "OK  " + at.scenario + "\n");
}

TEST_CASE("a folder that cannot be written is refused before the run, and nothing is left behind") {
  const Workplace at;
  write_file(at.path("file"), "not a folder");
  const std::size_t before = files_in(at.folder.path());
  const Ended ended = run_program({"run", at.scenario, "--out", at.path("file") + "/deep/out"});
  CHECK(ended.code == 2);
  CHECK(ended.out.empty());
  CHECK(has(ended.err, "is not a folder"));
  CHECK(files_in(at.folder.path()) == before);
}

TEST_CASE("files are written all or none") {
  const Workplace at;
  const fs::path out = at.path("out");
  fs::create_directories(out / "summary.csv");  // a folder where a file is to be
  const Ended ended = run_program({"run", at.scenario, "--out", out.string()});
  CHECK(ended.code == 2);
  CHECK(has(ended.err, "summary.csv"));
  CHECK(files_in(out) == 1);
}

TEST_CASE("output that cannot be written is not success") {
  const Workplace at;
  const std::string command = "'" FLEETSIM_PROGRAM "' run '" + at.scenario + "' >/dev/full 2>/dev/null";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 2);
}

TEST_CASE("--check ends with 1 when an expectation is missed, and shows which") {
  const Workplace at;
  const auto with = [&](const std::string& value) {
    const std::string file = at.path("expects.json");
    write_file(
        file,
        R"({"extends": "tiny.json", "expect": [{"figure": "jobs.a.program_goodput", "basis": "closed_form",
                         "value": )" +
            value + R"(, "within": 1e-9, "source": "the scenario itself"}]})");
    return run_program({"run", file, "--check"});
  };
  const Ended met = with("0.5"), missed = with("0.6");
  CHECK(met.code == 0);
  CHECK(has(met.out, "  met\n"));
  CHECK(missed.code == 1);
  CHECK(has(missed.out, "  MISSED\n"));
}

TEST_CASE("a scenario without jobs is a result without data, not an error") {
  const Workplace at;
  const std::string file = at.path("empty.json");
  write_file(file, R"({"fleet": {"pools": {"p": {"device": "x", "devices_per_node": 8, "nodes": 4}}},
                       "window": {"length": "1 h"}})");
  const Ended page = run_program({"run", file});
  CHECK(page.code == 0);
  CHECK(has(page.out, "no data"));
  CHECK_FALSE(has(page.out, "nan"));
  const Json figures = Json::parse(run_program({"run", file, "--json"}).out).at("figures");
  CHECK(figures.at("runtime_goodput").at("mean").is_null());
  CHECK(figures.at("runtime_goodput").contains("reason"));
  CHECK(figures.at("scheduling_goodput").at("mean") == 0.0);
}

TEST_CASE("--set, --seed and --vary reach the scenario") {
  const Workplace at;
  const Json json = Json::parse(
      run_program({"run", at.scenario, "--json", "--seed", "9", "--set", "/fleet/pools/p/nodes=5"}).out);
  CHECK(json.at("contract").at("seed") == 9);
  CHECK(json.at("contract").at("devices") == 40);
  const Ended swept =
      run_program({"sweep", at.scenario, "--vary", "/fleet/pools/p/nodes=3,4,5", "--out", at.path("out")});
  CHECK(swept.code == 0);
  CHECK(has(swept.out, "\n  5 "));
  CHECK(read_file(fs::path(at.path("out")) / "summary.csv")
            .starts_with("point,alternative,/fleet/pools/p/nodes,"));
  CHECK(has(run_program({"frontier", at.scenario, "--vary", "/fleet/pools/p/nodes=3,4"}).out, "*"));
}

}  // namespace
}  // namespace fleetsim
