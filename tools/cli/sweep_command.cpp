#include <algorithm>
#include <iostream>
#include <sstream>

#include "sim/study/figures.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/report/result_json.hpp"
#include "tools/report/result_tables.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kSweepOptions[] = {
    kVaryOption,
    {"show", "FIGURE,...", "figures to show, instead of the factors"},
    {"highest", "FIGURE", "the point with the highest is the best; mpg unless given"},
    {"lowest", "FIGURE", "the point with the lowest is the best"},
    kOutOption,
    kSeedOption,
    kReplicationsOption,
    kJobsOption,
    kSetOption,
    {"json", "", "print result.json instead of the page"},
    {"csv", "", "print summary.csv instead of the page, of the figures shown if some are given"},
    kAsciiOption};
constexpr Usage kSweepUsage = {
    "sweep",
    "SCENARIO",
    1,
    1,
    kSweepOptions,
    "Runs a scenario at every point of its sweep, with the axes of --vary added or put in place of its own, "
    "and shows the factors of each, which is the best, and how far the others are from it. With --out DIR it "
    "writes result.json and summary.csv."};

constexpr OptionRow kFrontierOptions[] = {kVaryOption, kOutOption, kSeedOption, kReplicationsOption,
                                          kJobsOption, kSetOption, kAsciiOption};
constexpr Usage kFrontierUsage = {
    "frontier",
    "SCENARIO",
    1,
    1,
    kFrontierOptions,
    "Runs a scenario with its alternatives and sweep, and shows which of them no other "
    "beats in time to result, MPG and cost."};

/// What is wrong with the options taken together.
std::optional<std::string> sweep_conflict(const Arguments& arguments) {
  if (arguments.has("highest") && arguments.has("lowest")) return "--highest and --lowest exclude each other";
  if (arguments.has("json") && arguments.has("csv")) return "--json and --csv exclude each other";
  return arguments.has("out") ? folder_problem(*arguments.value("out")) : std::nullopt;
}

Objective objective_of(const Arguments& arguments) {
  if (const auto figure = arguments.value("lowest")) return {*figure, Objective::Best::lowest};
  return {arguments.value("highest").value_or(Objective{}.figure), Objective::Best::highest};
}

std::vector<std::string> figures_to_show(const Arguments& arguments) {
  std::vector<std::string> figures;
  for (const std::string& list : arguments.values("show")) {
    std::istringstream names{list};
    for (std::string name; std::getline(names, name, ',');) figures.push_back(name);
  }
  return figures;
}

/// A figure of the command line that the scenario has not, before it runs for long.
std::optional<std::string> unknown_figure(const Scenario& scenario, const Arguments& arguments) {
  std::vector<std::string> asked = figures_to_show(arguments);
  for (const std::string_view option : {"highest", "lowest"})
    if (const auto figure = arguments.value(option)) asked.push_back(*figure);
  const std::vector<NamedFigure> figures = figures_of(scenario);
  std::vector<std::string_view> known;
  for (const NamedFigure& figure : figures) known.push_back(figure.name);
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return "unknown figure \"" + name + "\"" + did_you_mean(name, known);
  return std::nullopt;
}

using PageOf = std::string (*)(const StudyResult&, const PageContext&);

ExitCode run_points(const Usage& usage, const Words& words, PageOf page) {
  Arguments arguments = Arguments::parse(usage, words);
  if (arguments.exit()) return *arguments.exit();
  if (const auto problem = sweep_conflict(arguments))
    return fail(usage.command, *problem, ExitCode::bad_input);
  std::optional<std::deque<StudyJob>> jobs = read_studies(arguments);
  if (!jobs) return ExitCode::bad_input;
  StudyJob& job = jobs->front();
  if (const auto problem = unknown_figure(job.reading.points.front().scenario, arguments))
    return fail(usage.command, *problem, ExitCode::bad_input);
  run(job, arguments, {.objective = objective_of(arguments)});
  if (const std::optional<std::string> out = arguments.value("out")) {
    if (const auto problem = write_folder(*out, result_files(job.result, false), nullptr))
      return fail(usage.command, *problem, ExitCode::bad_input);
  }
  PageContext context = page_context(job, arguments);
  context.show = figures_to_show(arguments);
  std::cerr << warnings_text(job.result, context);
  if (arguments.has("json")) return print(result_json(job.result, provenance()));
  if (arguments.has("csv")) return print(summary_table(job.result, context.show));
  return print(page(job.result, context));
}

}  // namespace

ExitCode sweep_command(const Words& words) { return run_points(kSweepUsage, words, sweep_page); }

ExitCode frontier_command(const Words& words) { return run_points(kFrontierUsage, words, frontier_page); }

}  // namespace fleetsim
