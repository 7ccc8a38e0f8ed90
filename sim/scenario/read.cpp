#include "sim/scenario/read.hpp"

#include <algorithm>

#include "sim/scenario/locate.hpp"
#include "sim/scenario/resolve.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostPoints = 100'000;

/// Advances indices into the values of the axes, the last fastest; false after the last place of the grid.
bool next_place(const std::vector<Axis>& axes, std::vector<std::size_t>& indices) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (++indices[i] < axes[i].values.size()) return true;
    indices[i] = 0;
  }
  return false;
}

std::size_t count_points(const StudyPlan& plan) {
  std::size_t count = plan.alternatives.size();
  for (const Axis& axis : plan.axes) count = std::min(count * axis.values.size(), kMostPoints + 1);
  return count;
}

/// The document of one point, as a scenario without a study around it.
Json document_of(const Json& base, const StudyPlan& plan, const PointPlan& point, Locator& locator) {
  Json document = base;
  document.merge_patch(plan.alternatives[point.alternative].second);
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    const Axis& axis = plan.axes[i];
    if (const auto wrong = set_at(document, axis.pointer, axis.values[point.values[i]])) {
      locator.add(axis.from_option ? Issue{"--vary", axis.pointer, *wrong}
                                   : locator.issue_at(child_pointer("/sweep", axis.pointer), *wrong));
    }
  }
  document.erase("alternatives");
  document.erase("sweep");
  return document;
}

Scenario read_scenario(const Json& document, const StudyNames& study, Traces& traces,
                       std::vector<std::string>& notes, Problems& problems) {
  Scenario scenario;
  const Reader root(document, "", "scenario", problems);
  assign(scenario.name, root.text("name"));
  assign(scenario.about, root.text("about"));
  assign(scenario.contract_gate, root.text("gate"));
  root.text("$schema");
  read_fleet(root, scenario, traces);
  read_scheduler(root, scenario);
  read_workload(root, scenario, traces, notes);
  read_window(root, scenario);
  read_packing(root, scenario);
  read_runs(root, scenario);
  read_figures(root, study, scenario);
  return scenario;
}

/// The place of a figure with the axes that it does not name: they stand at the values that the file itself
/// has. Nothing where it has none.
std::optional<FigureOfPoint> complete(FigureOfPoint place, const Json& base, const StudyPlan& plan) {
  Json own = base;
  for (const auto& [name, patch] : plan.alternatives)
    if (name == place.alternative) own.merge_patch(patch);
  std::vector<std::pair<std::string, std::string>> at;
  for (const Axis& axis : plan.axes) {
    const auto named = std::find_if(place.at.begin(), place.at.end(),
                                    [&](const auto& each) { return each.first == axis.pointer; });
    const Json* const value = value_at(own, axis.pointer);
    if (named == place.at.end() && value == nullptr) return std::nullopt;
    at.emplace_back(axis.pointer, named == place.at.end() ? axis_text(*value) : named->second);
  }
  place.at = std::move(at);
  return place;
}

/// Leaves the expectations that are of this point.
void keep_own(std::vector<Expectation>& expect, const StudyPoint& point, const Json& base,
              const StudyPlan& plan) {
  std::erase_if(expect, [&](Expectation& each) {
    const auto of = complete(each.of, base, plan);
    const auto other = each.other.figure.empty() ? FigureOfPoint{} : complete(each.other, base, plan);
    if (!of || !other) return true;
    each.of = *of;
    each.other = *other;
    return of->alternative != point.alternative || of->at != point.sweep;
  });
}

/// Says what the point is; the rest of it is filled by the caller.
StudyPoint describe_point(const StudyPlan& plan, const PointPlan& point, const Traces& traces) {
  StudyPoint described;
  described.alternative = plan.alternatives[point.alternative].first;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    const Json& value = plan.axes[i].values[point.values[i]];
    described.sweep.emplace_back(plan.axes[i].pointer, axis_text(value));
  }
  Json document = point.document;
  document.erase("expect");  // a check of the study, not part of what is simulated
  described.resolved = document.dump();
  std::uint64_t hash = hash_bytes(described.resolved);
  for (const std::uint64_t content : traces.contents()) hash = hash_bytes(hash_text(content), hash);
  described.hash = hash_text(hash);
  return described;
}

std::vector<std::filesystem::path> folders_of(const Sources& sources, const ReadOptions& options) {
  std::vector<std::filesystem::path> folders;
  const auto add = [&](const std::filesystem::path& folder) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  };
  for (const SourceFile& file : sources.files) add(file.folder);
  for (const std::filesystem::path& folder : options.trace_folders) add(folder);
  return folders;
}

/// Reads every point of the plan into `reading`; all issues go to the locator.
void read_points(const Sources& sources, const StudyPlan& plan, const ReadOptions& options, Locator& locator,
                 StudyReading& reading) {
  Json base = sources.merged;
  for (const Setting& setting : plan.settings) {
    if (const auto wrong = set_at(base, setting.pointer, setting.value)) {
      locator.add({setting.option, setting.pointer, *wrong});
    }
  }
  StudyNames names{.alternatives = {}, .sweep = sources.merged.value("sweep", Json::object())};
  for (const auto& [name, patch] : plan.alternatives) {
    if (!name.empty()) names.alternatives.push_back(name);
  }
  if (!names.sweep.is_object()) names.sweep = Json::object();
  Traces traces(folders_of(sources, options));
  for (std::size_t alternative = 0; alternative < plan.alternatives.size(); ++alternative) {
    PointPlan point{alternative, std::vector<std::size_t>(plan.axes.size(), 0), {}};
    do {
      point.document = document_of(base, plan, point, locator);
      traces.start_point();
      Problems problems;
      Scenario scenario = read_scenario(point.document, names, traces, reading.notes, problems);
      locator.add(problems, point);
      if (!locator.empty()) continue;
      reading.points.push_back(describe_point(plan, point, traces));
      keep_own(scenario.expect, reading.points.back(), base, plan);
      if (scenario.name.empty())
        scenario.name = std::filesystem::path(sources.files.front().name).stem().string();
      reading.points.back().scenario = std::move(scenario);
    } while (next_place(plan.axes, point.values));
  }
  reading.trace_missing = traces.missing();
}

void keep_first_of_each(std::vector<std::string>& lines) {
  std::vector<std::string> kept;
  for (std::string& line : lines) {
    if (std::find(kept.begin(), kept.end(), line) == kept.end()) kept.push_back(std::move(line));
  }
  lines = std::move(kept);
}

}  // namespace

StudyReading read_study_text(std::string_view text, const std::string& name, const ReadOptions& options) {
  StudyReading reading;
  const std::optional<Sources> sources = load_sources(text, name, reading.issues);
  if (!sources) return reading;
  std::vector<Issue> plan_issues;
  const StudyPlan plan = plan_study(*sources, options, plan_issues);
  Locator locator(*sources, plan);
  for (const Issue& issue : reading.issues) locator.add(issue);
  for (const Issue& issue : plan_issues) {
    locator.add(issue.file.starts_with("--") ? issue : locator.issue_at(issue.pointer, issue.message));
  }
  const std::size_t points = count_points(plan);
  if (points > kMostPoints) {
    locator.add(locator.issue_at("/sweep",
                                 "expected at most 100,000 points, over alternatives and axes; found more"));
  } else {
    read_points(*sources, plan, options, locator, reading);
  }
  const std::vector<Issue> of_text = std::move(reading.issues);
  reading.issues = locator.sorted();
  // What was no value at all is not also a wrong one.
  std::erase_if(reading.issues, [&](const Issue& issue) {
    return std::any_of(of_text.begin(), of_text.end(), [&](const Issue& known) {
      return known.file == issue.file && known.pointer == issue.pointer && known.message != issue.message;
    });
  });
  if (!reading.issues.empty()) reading.points.clear();
  keep_first_of_each(reading.notes);
  return reading;
}

StudyReading read_study(const std::filesystem::path& file, const ReadOptions& options) {
  std::string problem;
  const std::optional<std::string> text = read_text_file(file, problem);
  if (text) return read_study_text(*text, file.string(), options);
  StudyReading reading;
  reading.issues.push_back({file.string(), "", problem});
  return reading;
}

}  // namespace fleetsim
