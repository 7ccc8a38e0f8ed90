#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/ledger/records.hpp"

/// Records as three tables in a folder, which together hold all of them. Times in nanoseconds since the start
/// of the run, capacities in milli-devices; jobs are referred to by their number, pools and classes by name,
/// which therefore differ from each other.
///
/// scheduler.csv: `window`, `pool`, `class` and `job` rows that declare, then `allocation` and `free` rows.
/// timeline.csv: rows of the kinds leaf, stretch, commit and discard.  steps.csv: weights of the leaves of a
/// job, at every size of its gang or at one (`milli`).
namespace fleetsim {

/// Writes the tables, each as a whole or not at all; makes the folder. Returns what went wrong, if anything.
std::optional<std::string> write_records(const std::filesystem::path& folder, const Records& records);

struct RecordsReading {
  Records records;
  std::vector<std::string>
      problems;  ///< with file, line and column; when there are any, `records` is not usable
};

RecordsReading read_records(const std::filesystem::path& folder);

}  // namespace fleetsim
