#include <map>
#include <set>

#include "models/quantity/format.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/calibrate.hpp"
#include "tools/cli/host.hpp"
#include "tools/report/table.hpp"
#include "tools/runs/errors.hpp"
#include "tools/runs/step_fit.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kCalibrateStepOptions[] = {
    {"leave-out", "WHAT", "family or source: also fit without each in turn, and predict it"}};
constexpr Usage kCalibrateStepUsage = {
    "calibrate step",
    "FILE",
    1,
    1,
    kCalibrateStepOptions,
    "Fits the constants of the step model to published runs, and shows how far it is off, on "
    "what it was fitted to and on what it was not."};

using Runs = std::vector<const PublishedRun*>;

TableRow error_row(std::string name, const ErrorSummary& s) {
  return {std::move(name), format_integer(static_cast<std::int64_t>(s.rows)), format_percent(s.median),
          format_percent(s.p90), format_percent(s.bias)};
}

std::string error_table(std::string_view title, const std::vector<TableRow>& rows) {
  return text_table({{title, Align::left},
                     {"runs", Align::right},
                     {"median", Align::right},
                     {"90 % within", Align::right},
                     {"bias", Align::right}},
                    rows, Style{});
}

std::string constants_table(const StepConstants& fitted) {
  std::vector<TableRow> rows;
  for (const ConstantRow& row : step_calibration().rows) {
    rows.push_back({std::string(row.name), format_number(row.start), format_number(fitted.*row.member),
                    format_number(step_constants().*row.member)});
  }
  return text_table({{"constant", Align::left},
                     {"start", Align::right},
                     {"fitted", Align::right},
                     {"catalog", Align::right}},
                    rows, Style{});
}

/// The kinds of runs that targets are set for.
std::string group_of(const PublishedRun& run) {
  if (run.input->model.experts > 1) return "with experts";
  for (const std::string_view device : {"H100", "A100"}) {
    if (run.device.find(device) != std::string::npos) return std::string(device) + " dense";
  }
  return "other dense";
}

std::string by_group(const Runs& runs, const std::map<const PublishedRun*, double>& errors) {
  std::map<std::string, std::vector<double>> groups;
  std::vector<double> all;
  for (const PublishedRun* run : runs) {
    groups[group_of(*run)].push_back(errors.at(run));
    all.push_back(errors.at(run));
  }
  std::vector<TableRow> rows;
  for (const auto& [name, each] : groups) rows.push_back(error_row(name, summarize(each)));
  rows.push_back(error_row("all", summarize(all)));
  return error_table("runs", rows);
}

using Errors = std::map<const PublishedRun*, double>;

/// How much of the figures rests on software that was inferred from times, such as these runs' own.
std::string inferred_text(const Runs& runs, const Errors& errors, const Errors& as_stated) {
  std::map<std::string, std::vector<const PublishedRun*>> families;
  std::size_t count = 0;
  for (const PublishedRun* run : runs) {
    if (!run->stated) continue;
    families[run->family].push_back(run);
    ++count;
  }
  if (count == 0) return "\nNo run rests on software that was inferred.\n";
  std::vector<TableRow> rows;
  const auto errors_of = [](const std::vector<const PublishedRun*>& some, const Errors& from) {
    std::vector<double> found;
    for (const PublishedRun* run : some) found.push_back(from.at(run));
    return summarize(found);
  };
  for (const auto& [family, some] : families) {
    const ErrorSummary with = errors_of(some, errors), without = errors_of(some, as_stated);
    rows.push_back({clean(family, Style{}), format_integer(static_cast<std::int64_t>(some.size())),
                    format_percent(with.median), format_percent(with.p90), format_percent(without.median),
                    format_percent(without.p90)});
  }
  return "\n" +
         wrap("", format_integer(static_cast<std::int64_t>(count)) + " of " +
                      format_integer(static_cast<std::int64_t>(runs.size())) +
                      " runs rest in part on software that was inferred from times like theirs, and "
                      "not published. Those runs with it, and without (constants as they are):") +
         text_table({{"family", Align::left},
                     {"runs", Align::right},
                     {"median", Align::right},
                     {"90 % within", Align::right},
                     {"without: median", Align::right},
                     {"90 % within", Align::right}},
                    rows, Style{}) +
         "\nAll runs without inferred software:\n" + by_group(runs, as_stated);
}

std::string left_out(const Runs& runs, std::string_view what) {
  const auto key = [&](const PublishedRun& run) { return what == "family" ? run.family : run.source; };
  std::set<std::string> keys;
  for (const PublishedRun* run : runs) keys.insert(key(*run));
  Errors errors, as_stated;
  std::vector<TableRow> rows;
  for (const std::string& out : keys) {
    Runs rest;
    for (const PublishedRun* run : runs) {
      if (key(*run) != out) rest.push_back(run);
    }
    const StepConstants constants = fit_step_constants(rest);
    std::vector<double> here;
    for (const PublishedRun* run : runs) {
      if (key(*run) != out) continue;
      here.push_back(errors[run] = relative_error(*run, constants));
      as_stated[run] = error_as_stated(*run, constants);
    }
    rows.push_back(error_row(clean(out, Style{}), summarize(here)));
  }
  return "\nLeft out in turn, and predicted by a fit to the rest:\n" +
         error_table(what == "family" ? "family" : "source", rows) + "\n" + by_group(runs, errors) +
         inferred_text(runs, errors, as_stated);
}

}  // namespace

ExitCode calibrate_step(const Words& words) {
  Arguments arguments = Arguments::parse(kCalibrateStepUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const std::string& path = arguments.positional().front();
  const std::string what = arguments.value("leave-out").value_or("");
  if (!what.empty() && what != "family" && what != "source") {
    arguments.reject("--leave-out: expected family or source; found \"" + what + "\"");
    return ExitCode::bad_input;
  }
  const std::optional<std::string> text = file_text(path);
  if (!text) return fail(kCalibrateStepUsage.command, path + ": cannot be read", ExitCode::bad_input);
  const RunTable table = read_run_text(*text);
  if (!table.problem.empty())
    return fail(kCalibrateStepUsage.command, path + ": " + table.problem, ExitCode::bad_input);
  Runs runs;
  for (const PublishedRun& run : table.runs) {
    if (comparable(run)) runs.push_back(&run);
  }
  if (runs.empty())
    return fail(kCalibrateStepUsage.command, path + ": no run to fit to", ExitCode::bad_input);
  const StepConstants fitted = fit_step_constants(runs);
  std::map<const PublishedRun*, double> errors;
  for (const PublishedRun* run : runs) errors[run] = relative_error(*run, fitted);
  std::string page = constants_table(fitted) + "\nFitted to these runs:\n" + by_group(runs, errors);
  if (!what.empty()) page += left_out(runs, what);
  return print(page);
}

}  // namespace fleetsim
