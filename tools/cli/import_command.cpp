#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "models/quantity/format.hpp"
#include "sim/workload/trace.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/records/atomic_file.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kImportOptions[] = {
    {"out", "FILE", "the trace to write, as CSV", true},
    {"strict", "",
     "a row that cannot be read is an error also in a format that would skip it with a note, swf; in the "
     "others "
     "it always is one"},
    {"first", "N", "only so many jobs, in order of submission"},
    {"devices", "N", "size of the machine: jobs that need more are noted"},
};
constexpr Usage kImportUsage = {
    "import",
    "FORMAT FILE",
    2,
    2,
    kImportOptions,
    "Turns the log of a scheduler into a trace, and says on standard error what was skipped, "
    "imputed or odd. `fleetsim list trace-formats` names the formats."};

void say(const std::string& file, const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) std::cerr << clean(file + ": " + remark, Style{}) << "\n";
}

std::string unknown_format(const std::string& name) {
  std::vector<std::string_view> known;
  std::string list;
  for (const TraceFormat& format : trace_formats()) {
    known.push_back(format.name);
    list += (list.empty() ? "" : ", ") + std::string(format.name);
  }
  return "unknown format \"" + name + "\"" + did_you_mean(name, known) + "; known: " + list;
}

TraceOptions trace_options(Arguments& arguments) {
  TraceOptions options;
  options.strict = arguments.has("strict");
  if (const auto first = arguments.whole("first", 1, INT64_MAX))
    options.first_jobs = static_cast<std::int64_t>(*first);
  if (const auto devices = arguments.whole("devices", 1, UINT32_MAX))
    options.machine_devices = static_cast<std::uint32_t>(*devices);
  return options;
}

bool needs_more_than_csv(const ListedJob& job) {
  return job.milli != 0 || job.demand != 0 || job.patience.has_value();
}

}  // namespace

ExitCode import_command(const Words& words) {
  Arguments arguments = Arguments::parse(kImportUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const TraceOptions options = trace_options(arguments);
  const std::optional<std::string> out = arguments.value("out");
  const std::string& name = arguments.positional()[0];
  const std::string& file = arguments.positional()[1];
  const TraceFormat* format = trace_format(name);
  std::string problem = format == nullptr ? unknown_format(name) : "";
  if (!out) problem += (problem.empty() ? "" : "; ") + std::string("expected --out FILE");
  if (!arguments.exit() && !problem.empty()) arguments.reject(problem);
  if (arguments.exit()) return *arguments.exit();

  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    return fail("import", file + ": cannot be read", ExitCode::bad_input);
  const TraceReading reading = format->read(in, options);
  say(file, reading.notes);
  say(file, reading.problems);
  if (!reading.problems.empty()) return ExitCode::bad_input;
  if (std::any_of(reading.jobs.begin(), reading.jobs.end(), needs_more_than_csv))
    return fail("import",
                file +
                    ": its jobs ask for parts of a device, CPU or memory, which the CSV trace has no columns "
                    "for; name the file itself in a scenario",
                ExitCode::bad_input);
  std::ostringstream trace;
  write_csv_trace(trace, reading.jobs);
  std::error_code ignored;  // what keeps the file from being written is said then
  std::filesystem::create_directories(std::filesystem::path(*out).parent_path(), ignored);
  if (const auto unwritten = write_file_atomically(*out, trace.str()))
    return fail("import", *unwritten, ExitCode::bad_input);
  return print(format_integer(static_cast<std::int64_t>(reading.jobs.size())) + " jobs written to " +
               clean(*out, Style{}) + "\n");
}

}  // namespace fleetsim
