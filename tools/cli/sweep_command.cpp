#include <sstream>

#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kSweepOptions[] = {
    kVaryOption,         {"show", "FIGURE,...", "figures to show, instead of the factors"},
    kOutOption,          kSeedOption,
    kReplicationsOption, kJobsOption,
    kSetOption,          kAsciiOption};
constexpr Usage kSweepUsage = {
    "sweep",
    "SCENARIO",
    1,
    1,
    kSweepOptions,
    "Runs a scenario at every point of its sweep, with the axes of --vary added or put in place of its own, "
    "and "
    "shows the factors of each. With --out DIR it writes result.json and summary.csv."};

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

using PageOf = std::string (*)(const StudyResult&, const PageContext&);

ExitCode run_points(const Usage& usage, const Words& words, PageOf page) {
  Arguments arguments = Arguments::parse(usage, words);
  if (arguments.exit()) return *arguments.exit();
  const std::optional<std::string> out = arguments.value("out");
  if (out) {
    if (const auto problem = folder_problem(*out)) return fail(usage.command, *problem, ExitCode::bad_input);
  }
  std::optional<std::deque<StudyJob>> jobs = read_studies(arguments);
  if (!jobs) return ExitCode::bad_input;
  StudyJob& job = jobs->front();
  run(job, arguments, false);
  if (out) {
    if (const auto problem = write_folder(*out, result_files(job.result, false), nullptr))
      return fail(usage.command, *problem, ExitCode::bad_input);
  }
  PageContext context = page_context(job, arguments);
  for (const std::string& list : arguments.values("show")) {
    std::istringstream names{list};
    for (std::string name; std::getline(names, name, ',');) context.show.push_back(name);
  }
  const PointResult& base = job.result.points.front();
  for (const std::string& name : context.show) {
    if (base.find(name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Figure& figure : base.figures) known.push_back(figure.name);
    return fail(usage.command, "unknown figure \"" + name + "\"" + did_you_mean(name, known),
                ExitCode::bad_input);
  }
  return print(page(job.result, context));
}

}  // namespace

ExitCode sweep_command(const Words& words) { return run_points(kSweepUsage, words, sweep_page); }

ExitCode frontier_command(const Words& words) { return run_points(kFrontierUsage, words, frontier_page); }

}  // namespace fleetsim
