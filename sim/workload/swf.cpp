#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "models/quantity/decimal.hpp"
#include "models/quantity/parse.hpp"
#include "sim/workload/trace_parts.hpp"

// Standard Workload Format, version 2.2: Feitelson, Parallel Workloads Archive. One job a line, 18 fields, -1
// for what is not known; comments begin with a semicolon. Fields after the 18th are allowed, as in logs
// extended for other simulators.
namespace fleetsim {
namespace {

constexpr std::size_t kFields = 18;
enum Field : std::size_t {
  kJob = 0,
  kSubmit = 1,
  kWait = 2,
  kRunTime = 3,
  kAllocated = 4,
  kRequested = 7,
  kRequestedTime = 8,
  kStatus = 10,
  kPreceding = 16
};

enum class Status : std::int64_t {
  failed = 0,
  completed = 1,
  part = 2,
  last_part = 3,
  failed_part = 4,
  cancelled = 5
};

constexpr std::uint64_t kSecond = 1'000'000'000;

/// Submit times that all lie later than this after zero are not counted from the start of the log.
constexpr SimTime kTenYears = SimTime::at_ns(std::int64_t{10} * 365 * 86400 * 1'000'000'000);

struct Row {
  std::int64_t line = 0;
  std::string id, preceding;
  std::optional<SimTime> submit;
  std::optional<Duration> wait, run_time, requested_time;
  std::uint32_t allocated = 0, requested = 0;  ///< 0: not known
  std::int64_t status = -1;

  bool has(Status wanted) const { return status == static_cast<std::int64_t>(wanted); }
  bool is_part() const { return has(Status::part) || has(Status::last_part) || has(Status::failed_part); }
};

using Fields = std::array<std::string_view, kFields>;

/// The first 18 fields, and how many there are of those.
std::pair<Fields, std::size_t> split(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  Fields fields;
  std::size_t count = 0;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos && count < kFields;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields[count++] = line.substr(at, end - at);
    at = line.find_first_not_of(kBlanks, end);
  }
  return {fields, count};
}

/// Takes fields of one row, and keeps the first thing that is wrong with them.
class FieldReader {
 public:
  explicit FieldReader(const Fields& fields) : fields_{fields} {}

  /// Nothing when the time is not known.
  std::optional<std::int64_t> nanoseconds(Field field, std::string_view what) {
    const DecimalText number = split_decimal(fields_[field]);
    if (number.digits.empty() || !number.rest.empty()) return wrong(field, what), std::nullopt;
    const std::optional<std::int64_t> ns = nearest_multiple(number, kSecond);
    if (!ns || *ns == std::numeric_limits<std::int64_t>::max()) return wrong(field, what), std::nullopt;
    if (!number.negative || *ns == 0) return ns;
    // -1 is the format's word for unknown; other negative times, which logs have where a clock was wrong, say
    // no more.
    return std::nullopt;
  }

  /// At least -1, which stands for what is not known.
  std::int64_t integer(Field field, std::string_view what) {
    const std::string_view text = fields_[field];
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || value < -1) wrong(field, what);
    return value;
  }

  std::uint32_t processors(Field field, std::string_view what) {
    const std::int64_t value = integer(field, what);
    if (value > std::numeric_limits<std::uint32_t>::max()) wrong(field, what);
    return value > 0 ? static_cast<std::uint32_t>(value) : 0;
  }

  const std::string& problem() const { return problem_; }

 private:
  void wrong(Field field, std::string_view what) {
    if (problem_.empty()) problem_ = std::string(what) + " cannot be " + shown(fields_[field]);
  }

  const Fields& fields_;
  std::string problem_;
};

Parsed<Row> read_row(std::string_view line) {
  const auto [fields, count] = split(line);
  if (count < kFields) {
    return {std::nullopt, std::to_string(count) + " fields where the format has " + std::to_string(kFields)};
  }
  FieldReader in{fields};
  Row row;
  row.id = fields[kJob];
  row.preceding = fields[kPreceding];
  if (const auto ns = in.nanoseconds(kSubmit, "the submit time")) row.submit = SimTime::at_ns(*ns);
  if (const auto ns = in.nanoseconds(kRunTime, "the run time")) row.run_time = Duration::nanoseconds(*ns);
  if (const auto ns = in.nanoseconds(kWait, "the wait")) row.wait = Duration::nanoseconds(*ns);
  if (const auto ns = in.nanoseconds(kRequestedTime, "the requested time"); ns && *ns > 0) {
    row.requested_time = Duration::nanoseconds(*ns);
  }
  row.allocated = in.processors(kAllocated, "the number of allocated processors");
  row.requested = in.processors(kRequested, "the number of requested processors");
  row.status = in.integer(kStatus, "the status");
  if (!in.problem().empty()) return {std::nullopt, in.problem()};
  return {row, {}};
}

/// Learns the size of the machine from a comment such as "; MaxProcs: 240".
class Header {
 public:
  void read(std::string_view comment) {
    read(comment, "MaxProcs:", processors_);
    read(comment, "MaxNodes:", nodes_);
  }
  std::optional<std::uint32_t> processors() const { return processors_ ? processors_ : nodes_; }

 private:
  static void read(std::string_view comment, std::string_view key, std::optional<std::uint32_t>& value) {
    const std::size_t at = comment.find(key);
    if (at == std::string_view::npos || comment.find_first_not_of("; \t") != at) return;
    const DecimalText number = split_decimal(comment.substr(at + key.size()));
    if (number.digits.empty() || number.negative) return;
    const std::optional<std::int64_t> size = nearest_multiple(number, 1);
    if (size && *size > 0 && *size <= std::numeric_limits<std::uint32_t>::max()) {
      value = static_cast<std::uint32_t>(*size);
    }
  }

  std::optional<std::uint32_t> processors_, nodes_;
};

/// All rows of the file; what cannot be read goes to the problems or, unless strict, to the notes.
std::vector<Row> read_rows(std::istream& in, const TraceOptions& options, TraceReading& reading) {
  constexpr std::size_t kMostProblems = 50;
  std::vector<Row> rows;
  Header header;
  Lines skipped;
  std::string first_reason;
  std::int64_t line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    const std::size_t begin = line.find_first_not_of(line_number == 1 ? "\xEF\xBB\xBF \t\r" : " \t\r");
    if (begin == std::string::npos) continue;
    const std::string_view text = std::string_view(line).substr(begin);
    if (text.front() == ';') {
      if (rows.empty()) header.read(text);
      continue;
    }
    Parsed<Row> row = read_row(text);
    if (row) {
      row.value->line = line_number;
      rows.push_back(std::move(*row.value));
    } else if (!options.strict) {
      skipped.add(line_number);
      if (first_reason.empty()) first_reason = row.problem;
    } else if (reading.problems.size() < kMostProblems) {
      reading.problems.push_back("line " + std::to_string(line_number) + ": " + row.problem);
    }
  }
  note_lines(reading, "skipped, cannot be read, the first because " + first_reason, skipped);
  if (rows.empty() && reading.problems.empty()) {
    reading.problems.push_back(skipped.count() == 0 ? "the file has no rows"
                                                    : "no row can be read; " + reading.notes.back());
  }
  reading.header_processors = header.processors();
  return rows;
}

/// A job that was swapped out has a line for each part, and usually one for the whole. Keeps the whole; where
/// there are parts only, adds them up.
std::vector<Row> fold_parts(std::vector<Row> rows, TraceReading& reading) {
  std::unordered_set<std::string_view> whole;
  for (const Row& row : rows) {
    if (!row.is_part()) whole.insert(row.id);
  }
  std::unordered_map<std::string_view, std::size_t> first_part;
  std::vector<std::size_t> kept;
  Lines covered, added_up;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    if (!row.is_part()) {
      kept.push_back(i);
    } else if (whole.contains(row.id)) {
      covered.add(row.line);
    } else if (const auto [entry, is_first] = first_part.try_emplace(row.id, i); is_first) {
      kept.push_back(i);
    } else {
      Row& sum = rows[entry->second];
      added_up.add(row.line);
      if (row.run_time) sum.run_time = sum.run_time.value_or(Duration::zero()) + *row.run_time;
      if (!sum.submit) sum.submit = row.submit;
      sum.status = row.status;
    }
  }
  note_lines(reading, "parts of a job whose line has the whole, left out", covered);
  note_lines(reading, "parts of a job without a line of the whole, added to its first", added_up);
  std::vector<Row> folded;
  folded.reserve(kept.size());
  for (const std::size_t i : kept) folded.push_back(std::move(rows[i]));
  return folded;
}

void note_labels(const std::vector<Row>& rows, const std::unordered_set<std::string>& ids,
                 TraceReading& reading) {
  Lines dangling, dependent, repeated;
  std::unordered_set<std::string_view> seen;
  for (const Row& row : rows) {
    if (!seen.insert(row.id).second) repeated.add(row.line);
    if (row.preceding == "-1" || row.preceding == "0") continue;
    (ids.contains(row.preceding) ? dependent : dangling).add(row.line);
  }
  note_lines(reading, "names a preceding job that is not in the file, ignored", dangling);
  note_lines(reading, "names a preceding job; submitted at its recorded time all the same", dependent);
  note_lines(reading, "has a job number that was there before, kept as a job of its own", repeated);
}

double bounded_slowdown(Duration wait, Duration run) {
  constexpr double kLeast = 10;  // seconds
  return std::max((to_seconds(wait) + to_seconds(run)).si / std::max(to_seconds(run).si, kLeast), 1.0);
}

std::optional<RecordedWaits> recorded(std::vector<double> waits, double slowdowns) {
  if (waits.empty()) return std::nullopt;
  const auto jobs = static_cast<double>(waits.size());
  const auto middle = waits.begin() + (std::ssize(waits) - 1) / 2;
  std::nth_element(waits.begin(), middle, waits.end());
  return RecordedWaits{.jobs = waits.size(),
                       .mean = Seconds{std::accumulate(waits.begin(), waits.end(), 0.0) / jobs},
                       .median = Seconds{*middle},
                       .bounded_slowdown = slowdowns / jobs};
}

/// Jobs that did something known, with a count of the others by reason.
std::vector<TracedJob> usable_jobs(const std::vector<Row>& rows, TraceReading& reading) {
  Lines never_ran, no_run_time, no_processors, no_submit, past_limit;
  std::vector<double> waits;  // seconds
  double slowdowns = 0;
  std::vector<TracedJob> jobs;
  for (const Row& row : rows) {
    const std::uint32_t processors = row.allocated != 0 ? row.allocated : row.requested;
    const bool held_nothing = row.run_time == Duration::zero() && row.allocated == 0;
    if (row.has(Status::cancelled) && (!row.run_time || held_nothing)) {
      never_ran.add(row.line);
    } else if (!row.run_time) {
      no_run_time.add(row.line);
    } else if (processors == 0) {
      no_processors.add(row.line);
    } else if (!row.submit) {
      no_submit.add(row.line);
    } else {
      if (row.wait) {
        waits.push_back(to_seconds(*row.wait).si);
        slowdowns += bounded_slowdown(*row.wait, *row.run_time);
      }
      if (row.requested_time && *row.run_time > *row.requested_time) past_limit.add(row.line);
      jobs.push_back({.job = {.id = row.id,
                              .submit = *row.submit,
                              .devices = processors,
                              .duration = *row.run_time,
                              .limit = row.requested_time},
                      .line = row.line,
                      .unsuccessful = row.has(Status::failed) || row.has(Status::failed_part) ||
                                      row.has(Status::cancelled)});
    }
  }
  reading.recorded_waits = recorded(std::move(waits), slowdowns);
  note_lines(reading, "skipped, never ran (cancelled while queued)", never_ran);
  note_lines(reading, "skipped, run time not known", no_run_time);
  note_lines(reading, "skipped, number of processors not known", no_processors);
  note_lines(reading, "skipped, submit time not known", no_submit);
  note_lines(reading, "ran longer than it requested", past_limit);
  return jobs;
}

/// Logs that count time from 1970 are moved so that their first job is submitted at zero.
void move_unix_times(std::vector<TracedJob>& jobs, TraceReading& reading) {
  if (jobs.empty()) return;
  const auto first = std::min_element(jobs.begin(), jobs.end(), [](const TracedJob& a, const TracedJob& b) {
    return a.job.submit < b.job.submit;
  });
  const SimTime start = first->job.submit;
  if (start < kTenYears) return;
  for (TracedJob& traced : jobs) traced.job.submit = SimTime::zero() + (traced.job.submit - start);
  reading.notes.push_back("submit times are counted from the first job, at " +
                          std::to_string(start.ns() / static_cast<std::int64_t>(kSecond)) + " s in the file");
}

}  // namespace

TraceReading read_swf(std::istream& in, const TraceOptions& options) {
  TraceReading reading;
  std::vector<Row> rows = read_rows(in, options, reading);
  std::unordered_set<std::string> ids;
  for (const Row& row : rows) ids.insert(row.id);
  rows = fold_parts(std::move(rows), reading);
  note_labels(rows, ids, reading);
  std::vector<TracedJob> jobs = usable_jobs(rows, reading);
  move_unix_times(jobs, reading);
  if (!options.machine_devices && !reading.header_processors) {
    reading.notes.push_back(
        "the file does not say how large the machine is (MaxProcs, MaxNodes), and nothing else does");
  }
  deliver(std::move(jobs), options, reading);
  return reading;
}

}  // namespace fleetsim
