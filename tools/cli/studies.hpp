#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/study.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/report/folder.hpp"
#include "tools/report/page.hpp"

namespace fleetsim {

// Options that several commands share.
inline constexpr OptionRow kSetOption = {"set", "/POINTER=VALUE",
                                         "put a value in place of the scenario's; repeatable"};
inline constexpr OptionRow kSeedOption = {"seed", "N", "seed of all random streams"};
inline constexpr OptionRow kReplicationsOption = {"replications", "N", "independent runs, at most"};
inline constexpr OptionRow kJobsOption = {"jobs", "N", "threads; the result does not depend on it"};
inline constexpr OptionRow kAsciiOption = {"ascii", "", "no characters beyond ASCII"};
inline constexpr OptionRow kOutOption = {"out", "DIR", "write files into this folder, all or none"};
inline constexpr OptionRow kVaryOption = {"vary", "/POINTER=A,B,...", "an axis of the sweep; repeatable"};

/// A scenario as read and, later, as run.
struct StudyJob {
  std::string file;
  StudyReading reading;
  StudyResult result;
  Seconds took{};  ///< of the host
};

/// Reads the scenarios on the command line. All that is wrong with any of them goes to standard error, and
/// nothing comes back. Results point into the readings, so that jobs stay where they are.
std::optional<std::deque<StudyJob>> read_studies(Arguments& arguments);

/// Runs one, with progress shown and as many threads as the command line says.
void run(StudyJob& job, const Arguments& arguments, StudyOptions options);

PageContext page_context(const StudyJob& job, const Arguments& arguments);

/// result.json, summary.csv and, if each job was asked for, jobs.csv.
std::vector<NamedFile> result_files(const StudyResult& result, bool each_job);

/// Splits at the commas that are outside of quotes and brackets.
Words split_values(std::string_view list);

}  // namespace fleetsim
