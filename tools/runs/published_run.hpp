#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
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
  std::string unsupported;         ///< ... and why
  std::string infeasible;          ///< what keeps its layout from being one
  std::optional<Seconds> measured;
};

std::vector<PublishedRun> read_published_runs(const nlohmann::json& table);

}  // namespace fleetsim
