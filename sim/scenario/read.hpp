#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// One thing wrong with what the user wrote.
struct Issue {
  std::string file;     ///< as the user named it, or the option ("--set") that brought the value
  std::string pointer;  ///< JSON pointer into that file, or "line 12" where the text is not JSON
  std::string message;  ///< "expected ...; found ...", with the nearest known name
  friend bool operator==(const Issue&, const Issue&) = default;
};

/// What the command line adds to a scenario file.
struct ReadOptions {
  /// JSON pointer and value: JSON if it is JSON, otherwise text. Applied to the base, before alternatives and
  /// sweeps; setting a swept key takes its axis out of the sweep.
  std::vector<std::pair<std::string, std::string>> sets;
  /// Axes added to the sweep, or put in place of one over the same key.
  std::vector<std::pair<std::string, std::vector<std::string>>> vary;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> replications;
  /// Where trace files are looked for when they are not beside the scenario.
  std::vector<std::filesystem::path> trace_folders;
};

/// One scenario of a study: the base, or an alternative, at one place of the sweep grid.
struct StudyPoint {
  std::string alternative;                                 ///< "" is the base
  std::vector<std::pair<std::string, std::string>> sweep;  ///< JSON pointer and value, one per axis
  Scenario scenario;
  std::string resolved;  ///< this point alone as a scenario file, in JSON without blanks
  std::string hash;      ///< 16 hexadecimal digits over `resolved` and the content of its traces
};

struct StudyReading {
  std::vector<StudyPoint> points;  ///< base first, alternatives in the order of the file; each over the grid
  std::vector<Issue> issues;       ///< in the order of the document; `points` is for use if there are none
  std::vector<std::string> notes;  ///< what is allowed but worth a warning
  bool trace_missing = false;      ///< a trace file was not found: the scenario may be right all the same
};

/// Reads a scenario file and what it extends, and resolves every point of its study. All problems are
/// reported at once. Never throws on account of what the user wrote, and prints nothing.
StudyReading read_study(const std::filesystem::path& file, const ReadOptions& options);

/// The same for a text; `name` stands for the file, and paths inside are relative to its folder.
StudyReading read_study_text(std::string_view text, const std::string& name, const ReadOptions& options);

}  // namespace fleetsim
