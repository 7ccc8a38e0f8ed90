#include <iostream>

#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/report/errors.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kValidateOptions[] = {kSetOption};
constexpr Usage kValidateUsage = {
    "validate",
    "FILE...",
    1,
    100'000,
    kValidateOptions,
    "Reads scenarios without running them, and says all that is wrong with them."};

}  // namespace

ExitCode validate_command(const Words& words) {
  Arguments arguments = Arguments::parse(kValidateUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const std::optional<std::deque<StudyJob>> jobs = read_studies(arguments);
  if (!jobs) return ExitCode::bad_input;
  std::string text;
  for (const StudyJob& job : *jobs) {
    const std::size_t points = job.reading.points.size();
    text += "OK  " + clean(job.file, Style{}) +
            (points > 1 ? "  " + std::to_string(points) + " points" : "") + "\n";
    for (const std::string& note : job.reading.notes) text += wrap("    note: ", clean(note, Style{}));
  }
  return print(text);
}

}  // namespace fleetsim
