#include <filesystem>
#include <iostream>
#include <set>

#include "sim/engine/simulate.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/report/result_json.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kRunOptions[] = {
    kOutOption,
    {"check", "", "compare with what the scenario expects; exit 1 where it is missed"},
    kSeedOption,
    kReplicationsOption,
    kJobsOption,
    kSetOption,
    {"records", "", "with --out: the evidence of replication 0 of the base, for `account`"},
    {"json", "", "print result.json instead of the page"},
    kAsciiOption,
};

constexpr Usage kRunUsage = {
    "run",
    "SCENARIO...",
    1,
    10'000,
    kRunOptions,
    "Runs scenarios and shows where the capacity went. With --out DIR it writes result.json, "
    "summary.csv and jobs.csv; for several scenarios into a folder each, named after the file."};

std::filesystem::path folder_of(const StudyJob& job, const Arguments& arguments) {
  const std::filesystem::path out = *arguments.value("out");
  return arguments.positional().size() == 1 ? out : out / std::filesystem::path(job.file).stem();
}

/// What is wrong with the options taken together.
std::optional<std::string> conflict(const Arguments& arguments) {
  if (arguments.has("records") && !arguments.has("out")) return "--records needs --out DIR";
  if (arguments.has("json") && arguments.positional().size() > 1) return "--json takes one scenario";
  if (!arguments.has("out")) return std::nullopt;
  std::set<std::filesystem::path> stems;
  for (const std::string& file : arguments.positional()) {
    const std::filesystem::path stem = std::filesystem::path(file).stem();
    if (!stems.insert(stem).second) return "two scenarios would write into the folder " + stem.string();
  }
  return folder_problem(*arguments.value("out"));
}

std::optional<std::string> write_results(const StudyJob& job, const Arguments& arguments) {
  const std::filesystem::path folder = folder_of(job, arguments);
  const std::vector<NamedFile> files = result_files(job.result, true);
  if (!arguments.has("records")) return write_folder(folder, files, nullptr);
  Records records;
  simulate(job.reading.points.front().scenario, {.replication = 0, .records = &records});
  return write_folder(folder, files, &records);
}

bool all_met(const StudyResult& result) {
  for (const ExpectationOutcome& outcome : result.expectations) {
    if (!outcome.met) return false;
  }
  return true;
}

}  // namespace

ExitCode run_command(const Words& words) {
  Arguments arguments = Arguments::parse(kRunUsage, words);
  if (arguments.exit()) return *arguments.exit();
  if (const auto problem = conflict(arguments)) return fail("run", *problem, ExitCode::bad_input);
  std::optional<std::deque<StudyJob>> jobs = read_studies(arguments);
  if (!jobs) return ExitCode::bad_input;

  const bool as_json = arguments.has("json");
  bool met = true, is_first = true;
  for (StudyJob& job : *jobs) {
    run(job, arguments, {.each_job = arguments.has("out")});
    if (arguments.has("out")) {
      if (const auto problem = write_results(job, arguments))
        return fail("run", *problem, ExitCode::bad_input);
    }
    std::string text = is_first ? "" : "\n";
    is_first = false;
    text +=
        as_json ? result_json(job.result, provenance()) : run_page(job.result, page_context(job, arguments));
    if (arguments.has("check")) {
      met = met && all_met(job.result);
      const std::string table = expectations_table(job.result, output_style(arguments));
      if (as_json) {
        std::cerr << table;
      } else {
        text += "\n" + table;
      }
    }
    if (const ExitCode code = print(text); code != ExitCode::done) return code;
  }
  return met ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace fleetsim
