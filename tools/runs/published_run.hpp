#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/step/step.hpp"

namespace fleetsim {

/// One row of a table of published training runs: what ran where, and the time a step took.
struct PublishedRun {
  std::string id;
  std::string family;
  std::string source;
  std::string device;
  std::string configuration;       ///< what runs of the same model, layout and device have in common
  std::optional<StepInput> input;  ///< nothing when the row is not understood
  std::optional<Software> stated;  ///< the software without what is only inferred, where that differs
  std::string unsupported;         ///< ... and why
  std::string infeasible;          ///< what keeps its layout from being one
  std::optional<Seconds> measured;
};

/// The runs of a table, or what is wrong with it.
struct RunTable {
  std::vector<PublishedRun> runs;
  std::string problem;
};

/// Reads `{ "rows": [...] }`, or the rows alone. Of rows that say so, those that are not to be used, are
/// incomplete or are no pre-training are left out. A row that is not understood becomes a run without input.
RunTable read_run_table(const nlohmann::json& table);
RunTable read_run_text(std::string_view text);

}  // namespace fleetsim
