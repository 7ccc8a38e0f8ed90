#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "sim/study/study.hpp"

// Every scenario of the project, run as a user would run it, gives what it expects of itself.
namespace fleetsim {
namespace {

namespace fs = std::filesystem;

ReadOptions with_traces() {
  ReadOptions options;
  if (const char* const folder = std::getenv("FLEETSIM_TRACES")) options.trace_folders.emplace_back(folder);
  return options;
}

std::vector<fs::path> scenario_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator{FLEETSIM_SOURCE_DIR "/scenarios"})
    if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("scenarios: each closes its ledger with ==, ends completed, and meets what it expects") {
  const std::vector<fs::path> files = scenario_files();
  CHECK(files.size() >= 8);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    CAPTURE(name);
    const StudyReading study = read_study(file, with_traces());
    if (study.trace_missing) {
      MESSAGE("skipped, its trace is absent (set FLEETSIM_TRACES): " << name);
      continue;
    }
    REQUIRE(study.issues.empty());
    const StudyResult result = run_study(study, StudyOptions{});
    for (const PointResult& point : result.points) {
      CHECK(sum(point.ledger.total()) == point.installed_window);
      CHECK(point.run_states[static_cast<std::size_t>(RunState::completed)] == point.replications);
    }
    CHECK(!result.expectations.empty());
    for (const ExpectationOutcome& outcome : result.expectations) {
      const double found = outcome.value.value_or(-1);
      CHECK_MESSAGE(outcome.met, outcome.expectation->of.figure << " of point " << outcome.point
                                                                << ", expected " << outcome.expectation->value
                                                                << ", found " << found);
    }
  }
}

TEST_CASE(
    "scenarios: the best preemption budget is neither none nor unlimited, and moves with the cadence of "
    "commits") {
  ReadOptions half;
  half.replications = 32;
  const StudyReading study =
      read_study(FLEETSIM_SOURCE_DIR "/scenarios/planning/preemption-budget.json", half);
  REQUIRE(study.issues.empty());
  const StudyResult result = run_study(study, StudyOptions{});
  const std::size_t budgets = result.points.size() / 2;
  REQUIRE(result.standings.size() == 2 * budgets);
  const auto last_as_good = [&](std::size_t first) {
    std::size_t last = 0;
    for (std::size_t i = first; i < first + budgets; ++i)
      if (!result.standings[i].is_told_apart()) last = i - first;
    return last;
  };
  for (const std::size_t first : {std::size_t{0}, budgets}) {
    CHECK(result.standings[first].is_told_apart());
    CHECK(result.standings[first + budgets - 1].is_told_apart());
  }
  CHECK(last_as_good(0) < last_as_good(budgets));
}

TEST_CASE(
    "scenarios: Llama 3's interruptions by cause lie inside the Poisson intervals of the published counts") {
  const StudyReading study = read_study(FLEETSIM_SOURCE_DIR "/scenarios/book/llama3-405b.json", {});
  REQUIRE(study.issues.empty());
  const StudyResult result = run_study(study, StudyOptions{});
  const PointResult& base = result.points.front();
  const auto& rows = base.point->scenario.pools[0].faults;
  // Devices, nodes and days of the published run; a row's rate is its count over this exposure.
  constexpr double kDevices = 16'384, kNodes = 2'048, kSeconds = 54 * 86'400.0;
  REQUIRE(rows.size() >= 15);
  double total = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double exposed = rows[row].hits == FaultScope::device ? kDevices : kNodes;
    const double published = exposed * kSeconds / rows[row].lifetime.mean();
    const double seen = static_cast<double>(base.faults[0][row].interruptions);
    const double expected = published * base.replications;
    CAPTURE(rows[row].name);
    CHECK(std::abs(published - std::round(published)) < 1e-6);
    // Four standard deviations: one false alarm in 16,000 rows.
    CHECK(std::abs(seen - expected) < 4 * std::sqrt(expected) + 1e-9);
    total += published;
  }
  CHECK(total == doctest::Approx(419).epsilon(1e-9));
}

}  // namespace
}  // namespace fleetsim
