#include <algorithm>

#include "models/text/nearest.hpp"
#include "sim/engine/simulate.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/report/why_page.hpp"

namespace fleetsim {
namespace {

constexpr std::uint64_t kMostReplication = 10'000'000;

constexpr OptionRow kWhyOptions[] = {
    {"job", "ID", "the job: its id in a trace, its class if there is one of it, or CLASS#N from 0 on", true},
    {"replication", "N", "which one, from 0 on; 0 unless given"},
    {"alternative", "NAME", "of the scenario, in place of the base"},
    kSeedOption,
    kSetOption,
    {"json", "", "print all of it, to the nanosecond"},
    kAsciiOption,
};

constexpr Usage kWhyUsage = {
    "why",
    "SCENARIO",
    1,
    1,
    kWhyOptions,
    "Tells why a job waited: interval by interval how many were ahead of it, what was "
    "free, and what kept this job; then where it started and what happened to it."};

const StudyPoint* find_point(const StudyReading& reading, const std::string& alternative) {
  const auto found = std::find_if(reading.points.begin(), reading.points.end(),
                                  [&](const StudyPoint& point) { return point.alternative == alternative; });
  return found == reading.points.end() ? nullptr : &*found;
}

/// The names that jobs had, a stream's first and last alone.
std::string unknown_job(const Watch& watch, const Scenario& scenario) {
  std::vector<std::string> known;
  std::string streams;
  for (std::size_t index = 0; index < scenario.classes.size(); ++index) {
    const JobClass& job_class = scenario.classes[index];
    const std::uint64_t arrivals = watch.arrivals[index];
    if (!job_class.arrivals.listed.empty()) {
      for (const ListedJob& job : job_class.arrivals.listed) known.push_back(job.id);
    } else if (!job_class.arrivals.gap) {
      known.push_back(job_class.name);
    } else if (arrivals > 0) {
      const std::string last = job_class.name + "#" + std::to_string(arrivals - 1);
      known.push_back(job_class.name + "#0");
      known.push_back(last);
      streams += "; those of " + job_class.name + " are " + known[known.size() - 2] + " to " + last;
    }
  }
  std::string near;
  for (const std::string& name : nearest_names(watch.id, std::span<const std::string>(known)))
    near += (near.empty() ? "; did you mean " : ", ") + ("\"" + name + "\"");
  constexpr std::size_t kFew = 12;
  if (near.empty() && known.size() <= kFew) {
    for (const std::string& name : known) near += (near.empty() ? "; there are " : ", ") + name;
    return "no job is named \"" + watch.id + "\"" + near + streams;
  }
  return "no job is named \"" + watch.id + "\"" + near + (near.empty() ? "" : "?") + streams;
}

}  // namespace

ExitCode why_command(const Words& words) {
  Arguments arguments = Arguments::parse(kWhyUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const std::optional<std::string> id = arguments.value("job");
  if (!id) {
    arguments.reject("expected --job ID");
    return *arguments.exit();
  }
  const auto replication =
      static_cast<std::uint32_t>(arguments.whole("replication", 0, kMostReplication).value_or(0));
  if (arguments.exit()) return *arguments.exit();
  std::optional<std::deque<StudyJob>> jobs = read_studies(arguments);
  if (!jobs) return ExitCode::bad_input;

  const StudyJob& job = jobs->front();
  const std::string alternative = arguments.value("alternative").value_or("");
  const StudyPoint* const point = find_point(job.reading, alternative);
  if (point == nullptr)
    return fail("why", "the scenario has no alternative \"" + alternative + "\"", ExitCode::bad_input);
  Watch watch;
  watch.id = *id;
  simulate(point->scenario, {.replication = replication, .records = nullptr, .watch = &watch});
  if (!watch.arrived) return fail("why", unknown_job(watch, point->scenario), ExitCode::bad_input);
  const WatchedRun run{*point, replication};
  return print(arguments.has("json") ? why_json(watch, run, provenance())
                                     : why_page(watch, run, page_context(job, arguments)));
}

}  // namespace fleetsim
