#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/json_text.hpp"
#include "sim/scenario/read.hpp"

namespace fleetsim {

/// A file of the study: the scenario's own first, then what it extends.
struct SourceFile {
  std::string name;
  std::filesystem::path folder;
  Json document;
};

/// Files of a study, loaded and merged.
struct Sources {
  std::vector<SourceFile> files;
  Json merged;  ///< without `extends`
};

/// Loads a text and what it extends. @returns nothing, and one issue per file, when one cannot be read.
std::optional<Sources> load_sources(std::string_view text, const std::string& name,
                                    std::vector<Issue>& issues);

/// One axis of the sweep grid.
struct Axis {
  std::string pointer;
  std::vector<Json> values;
  bool from_option = false;
};

/// One key set from the command line.
struct Setting {
  std::string option;  ///< "--set", "--seed", "--replications"
  std::string pointer;
  Json value;
};

/// What there is to resolve besides the base.
struct StudyPlan {
  std::vector<Setting> settings;
  std::vector<std::pair<std::string, Json>> alternatives;  ///< the base first: no name, an empty patch
  std::vector<Axis> axes;
};

StudyPlan plan_study(const Sources& sources, const ReadOptions& options, std::vector<Issue>& issues);

/// Puts a value at a JSON pointer, which has to be there or to be a known key of what is there.
/// @returns what is wrong with the pointer, or nothing.
std::optional<std::string> set_at(Json& document, const std::string& pointer, const Json& value);

/// The value at a pointer, or nullptr.
const Json* value_at(const Json& document, std::string_view pointer);

/// Whether `pointer` is `prefix` or below it.
bool is_within(std::string_view pointer, std::string_view prefix);

/// JSON if the text is JSON, otherwise the text.
Json json_or_text(const std::string& text);

}  // namespace fleetsim
