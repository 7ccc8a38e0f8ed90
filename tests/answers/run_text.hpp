#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/study/study.hpp"

namespace fleetsim {

inline StudyReading read(const std::string& text) {
  ReadOptions options;
  options.trace_folders = {FLEETSIM_SOURCE_DIR "/tests/scenario"};
  return read_study_text(text, "test.json", options);
}

/// Runs the scenario that the text is; what its records come to is its ledger.
inline RunResult run_text(const std::string& text) {
  const StudyReading study = read(text);
  for (const Issue& issue : study.issues) FAIL_CHECK(issue.pointer << ": " << issue.message);
  REQUIRE(study.points.size() == 1);
  Records records;
  RunResult result = simulate(study.points[0].scenario,
                              {.replication = 0, .records = &records, .jobs = RunOptions::Jobs::each});
  if (result.window_start == result.window_end) return result;
  const Accounting accounting = account(records);
  CHECK(accounting.problems == std::vector<std::string>{});
  CHECK(accounting.ledger == result.ledger);
  return result;
}

inline const JobOutcome& job(const RunResult& result, const std::string& id) {
  for (const JobOutcome& each : result.jobs)
    if (each.id == id) return each;
  throw std::out_of_range{"no job " + id};
}

/// In seconds; -1 if it never started.
inline std::int64_t start_of(const RunResult& result, const std::string& id) {
  const auto start = job(result, id).first_start;
  return start ? start->ns() / 1'000'000'000 : -1;
}

}  // namespace fleetsim
