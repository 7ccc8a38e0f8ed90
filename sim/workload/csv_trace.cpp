#include <charconv>
#include <istream>
#include <ostream>
#include <unordered_set>

#include "models/quantity/decimal.hpp"
#include "models/quantity/parse.hpp"
#include "sim/workload/csv_rows.hpp"
#include "sim/workload/trace_parts.hpp"

// Tables with a header: our own format `csv` and the one of Muri. A cell that cannot be read is a problem.
namespace fleetsim {
namespace {

constexpr std::string_view kRequired[] = {"id", "submit", "devices", "duration"};
constexpr std::string_view kOptional[] = {"limit", "priority"};

constexpr std::string_view kMuriRequired[] = {"job_id", "num_gpu", "submit_time", "duration", "priority"};
constexpr std::string_view kMuriUnused[] = {"iterations",      "model_name",     "batch_size",
                                            "interval",        "iteration_time", "resource_time_0",
                                            "resource_time_1", "resource_time_2"};

/// One row of a table: takes cells by column and collects what is wrong with them.
class RowReader {
 public:
  RowReader(const CsvHeader& header, const CsvRow& row, std::vector<std::string>& problems)
      : header_{header}, row_{row}, problems_{problems} {}

  std::string_view text(std::string_view column) const { return header_.cell(row_, column); }

  Duration duration(std::string_view column) {
    const Parsed<Duration> read = parse_duration(text(column));
    if (!read) problem(column, read.problem);
    return read.value.value_or(Duration::zero());
  }

  Duration limit(std::string_view column) {
    if (!is_endless(text(column))) return duration(column);
    problem(column, "expected a duration, or nothing where there is no limit; found " + shown(text(column)));
    return Duration::zero();
  }

  Duration milliseconds(std::string_view column) {
    constexpr std::uint64_t kNanoseconds = 1'000'000;
    const DecimalText number = split_decimal(text(column));
    if (!number.digits.empty() && number.rest.empty() && !number.negative) {
      const std::optional<std::int64_t> ns = nearest_multiple(number, kNanoseconds);
      if (ns && !Duration::nanoseconds(*ns).is_unbounded()) return Duration::nanoseconds(*ns);
    }
    problem(column, "expected a number of milliseconds; found " + shown(text(column)));
    return Duration::zero();
  }

  std::uint32_t devices(std::string_view column) {
    const std::optional<std::uint32_t> read = whole<std::uint32_t>(column);
    if (read.value_or(0) == 0) {
      problem(column, "expected a whole number of devices, at least 1; found " + shown(text(column)));
    }
    return read.value_or(0);
  }

  std::int64_t priority(std::string_view column) {
    const std::optional<std::int64_t> read = whole<std::int64_t>(column);
    if (!read) problem(column, "expected a whole number; found " + shown(text(column)));
    return read.value_or(0);
  }

 private:
  template <class Integer>
  std::optional<Integer> whole(std::string_view column) const {
    const std::string_view cell = text(column);
    Integer value = 0;
    const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (read.ec != std::errc{} || read.ptr != cell.data() + cell.size()) return std::nullopt;
    return value;
  }

  void problem(std::string_view column, const std::string& what) {
    problems_.push_back("line " + std::to_string(row_.line) + ": " + std::string(column) + ": " + what);
  }

  const CsvHeader& header_;
  const CsvRow& row_;
  std::vector<std::string>& problems_;
};

ListedJob own_job(RowReader& in) {
  ListedJob job;
  job.id = in.text("id");
  job.submit = SimTime::zero() + in.duration("submit");
  job.devices = in.devices("devices");
  job.duration = in.duration("duration");
  if (!in.text("limit").empty()) job.limit = in.limit("limit");
  if (!in.text("priority").empty()) job.priority = in.priority("priority");
  return job;
}

ListedJob muri_job(RowReader& in) {
  ListedJob job;
  job.id = in.text("job_id");
  job.submit = SimTime::zero() + in.milliseconds("submit_time");
  job.devices = in.devices("num_gpu");
  job.duration = in.milliseconds("duration");
  job.priority = in.priority("priority");
  return job;
}

void note_unused(const CsvHeader& header, TraceReading& reading) {
  for (const std::string& column : header.unused()) {
    reading.notes.push_back("column " + shown(column) + " is not used");
  }
}

void note_repeated_ids(const std::vector<TracedJob>& jobs, TraceReading& reading) {
  std::unordered_set<std::string_view> seen;
  Lines repeated;
  for (const TracedJob& traced : jobs)
    if (!seen.insert(traced.job.id).second) repeated.add(traced.line);
  note_lines(reading, "has an id that was there before, kept as a job of its own", repeated);
}

TraceReading read_table(std::istream& in, const TraceOptions& options, CsvHeader header,
                        ListedJob (*read_job)(RowReader&)) {
  TraceReading reading;
  std::vector<TracedJob> jobs;
  bool has_header = false;
  bool has_columns = false;
  std::size_t not_read = 0;
  constexpr std::size_t kMostProblems = 50;
  const std::optional<std::string> problem = read_csv_rows(in, [&](const CsvRow& row) {
    if (!has_header) {
      has_header = true;
      header.read(row, reading.problems);
      has_columns = reading.problems.empty();
      note_unused(header, reading);
    } else if (!has_columns) {
      return;
    } else if (reading.problems.size() >= kMostProblems) {
      ++not_read;
    } else if (row.cells.size() != header.width()) {
      reading.problems.push_back("line " + std::to_string(row.line) + ": " +
                                 std::to_string(row.cells.size()) + " cells where the header has " +
                                 std::to_string(header.width()));
    } else {
      RowReader cells{header, row, reading.problems};
      jobs.push_back({.job = read_job(cells), .line = row.line});
    }
  });
  if (problem) reading.problems.push_back(*problem);
  if (!has_header && !problem) reading.problems.push_back("the file is empty: it has no header");
  if (not_read > 0) reading.problems.push_back(std::to_string(not_read) + " more rows were not looked at");
  note_repeated_ids(jobs, reading);
  deliver(std::move(jobs), options, reading);
  return reading;
}

/// Seconds with as many decimals as it takes.
std::string exact_seconds(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::string text = std::to_string(ns / kSecond);
  if (ns % kSecond != 0) {
    const std::string fraction = std::to_string(kSecond + ns % kSecond).substr(1);
    text.append(".").append(fraction, 0, fraction.find_last_not_of('0') + 1);
  }
  return text + " s";
}

}  // namespace

TraceReading read_csv_trace(std::istream& in, const TraceOptions& options) {
  return read_table(in, options, CsvHeader{kRequired, kOptional}, own_job);
}

TraceReading read_muri_csv(std::istream& in, const TraceOptions& options) {
  return read_table(in, options, CsvHeader{kMuriRequired, kMuriUnused}, muri_job);
}

void write_csv_trace(std::ostream& out, const std::vector<ListedJob>& jobs) {
  out << "id,submit,devices,duration,limit,priority\n";
  for (const ListedJob& job : jobs) {
    out << csv_cell(job.id) << ',' << exact_seconds(job.submit.ns()) << ',' << std::to_string(job.devices)
        << ',' << exact_seconds(job.duration.ns()) << ',' << (job.limit ? exact_seconds(job.limit->ns()) : "")
        << ',' << (job.priority ? std::to_string(*job.priority) : "") << '\n';
  }
}

}  // namespace fleetsim
