#include "tools/cli/studies.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "tools/cli/host.hpp"
#include "tools/report/errors.hpp"
#include "tools/report/result_json.hpp"
#include "tools/report/result_tables.hpp"

namespace fleetsim {
namespace {

constexpr std::uint64_t kMostReplications = 10'000'000;
constexpr std::uint64_t kMostThreads = 4096;

/// "/pointer=value", cut at the first "=" that may end a pointer.
std::optional<std::pair<std::string, std::string>> pointer_and_value(Arguments& arguments,
                                                                     std::string_view option,
                                                                     const std::string& text) {
  const std::size_t equals = text.find('=');
  if (text.starts_with('/') && equals != text.npos && equals + 1 < text.size())
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
  arguments.reject("--" + std::string(option) + " expects /pointer=value; found \"" + text + "\"");
  return std::nullopt;
}

std::optional<ReadOptions> read_options(Arguments& arguments) {
  ReadOptions options;
  for (const std::string& text : arguments.values("set")) {
    const auto set = pointer_and_value(arguments, "set", text);
    if (!set) return std::nullopt;
    options.sets.push_back(*set);
  }
  for (const std::string& text : arguments.values("vary")) {
    const auto axis = pointer_and_value(arguments, "vary", text);
    if (!axis) return std::nullopt;
    options.vary.emplace_back(axis->first, split_values(axis->second));
  }
  options.seed = arguments.whole("seed", 0, UINT64_MAX);
  if (const auto number = arguments.whole("replications", 1, kMostReplications))
    options.replications = static_cast<std::uint32_t>(*number);
  arguments.whole("jobs", 1, kMostThreads);
  options.trace_folders = trace_folders();
  if (arguments.exit()) return std::nullopt;
  return options;
}

}  // namespace

Words split_values(std::string_view list) {
  Words values(1);
  int depth = 0;
  bool quoted = false, escaped = false;
  for (const char c : list) {
    if (c == ',' && depth == 0 && !quoted) {
      values.emplace_back();
      continue;
    }
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (!quoted && (c == '{' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ']')) --depth;
    values.back() += c;
  }
  return values;
}

std::optional<std::deque<StudyJob>> read_studies(Arguments& arguments) {
  const std::optional<ReadOptions> options = read_options(arguments);
  if (!options) return std::nullopt;
  std::deque<StudyJob> jobs;
  std::vector<Issue> issues;
  for (const std::string& file : arguments.positional()) {
    StudyJob& job = jobs.emplace_back();
    job.file = file;
    job.reading = read_study(file, *options);
    issues.insert(issues.end(), job.reading.issues.begin(), job.reading.issues.end());
  }
  if (issues.empty()) return jobs;
  std::cerr << errors_page(issues, Style{});
  return std::nullopt;
}

void run(StudyJob& job, const Arguments& arguments, StudyOptions options) {
  Progress progress;
  // Checked when the options were read.
  if (const auto threads = arguments.value("jobs"))
    options.threads = static_cast<std::uint32_t>(std::stoul(*threads));
  options.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
  const auto begin = std::chrono::steady_clock::now();
  job.result = run_study(job.reading, options);
  job.took = Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

PageContext page_context(const StudyJob& job, const Arguments& arguments) {
  return {.file = job.file,
          .took = job.took,
          .notes = job.reading.notes,
          .made_by = provenance(),
          .style = output_style(arguments)};
}

std::vector<NamedFile> result_files(const StudyResult& result, bool each_job) {
  std::vector<NamedFile> files = {{"result.json", result_json(result, provenance())},
                                  {"summary.csv", summary_table(result)}};
  if (each_job) files.push_back({"jobs.csv", jobs_table(result)});
  const bool preempts = std::any_of(result.points.begin(), result.points.end(), [](const PointResult& point) {
    return point.point->scenario.scheduler.preemption != Preemption::none || !point.preemptions.empty();
  });
  const bool samples = std::any_of(result.points.begin(), result.points.end(),
                                   [](const PointResult& point) { return !point.fragmentation.empty(); });
  if (each_job && samples) files.push_back({"fragmentation.csv", fragmentation_table(result)});
  if (each_job && preempts) files.push_back({"preemptions.csv", preemptions_table(result)});
  return files;
}

}  // namespace fleetsim
