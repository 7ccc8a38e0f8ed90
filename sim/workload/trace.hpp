#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/quantity/quantity.hpp"
#include "sim/workload/listed_job.hpp"

namespace fleetsim {

struct TraceOptions {
  bool strict = false;  ///< a row that cannot be read is a problem, where a format would skip it with a note
  std::optional<std::uint32_t> machine_devices;  ///< jobs that need more are noted; they stay in the list
  std::optional<std::int64_t> first_jobs;        ///< only so many, in order of submission
  bool recorded_status = false;  ///< keeps only jobs that the log does not call failed or cancelled
};

/// What a log says of its own queue, over the jobs that are used and whose waits it knows. Another
/// scheduler's answer, on another machine perhaps.
struct RecordedWaits {
  std::size_t jobs = 0;
  Seconds mean{0}, median{0};
  double bounded_slowdown = 0;  ///< mean of wait + run over a run of at least 10 s
};

/// What a trace file holds.
struct TraceReading {
  std::vector<ListedJob> jobs;     ///< by submission; jobs of one instant in the order of the file
  std::vector<std::string> notes;  ///< what was skipped, imputed or odd, with counts and line numbers
  std::vector<std::string>
      problems;  ///< what is wrong with the file; when there are any, `jobs` is not usable
  std::vector<HostDemand> demands{HostDemand{}};  ///< that its jobs name by number
  std::vector<std::string> device_models;         ///< by their bit in the demands
  std::optional<RecordedWaits> recorded_waits{};
  std::optional<std::uint32_t> header_processors;  ///< the size of the machine, where the file states it
};

struct TraceFormat {
  std::string_view name;
  std::string_view about;
  TraceReading (*read)(std::istream&, const TraceOptions&);
  bool skips_rows = false;  ///< that cannot be read, with a note, unless the options are strict
};

/// All formats that can be read.
std::span<const TraceFormat> trace_formats();
/// The format of this name, or nullptr.
const TraceFormat* trace_format(std::string_view name);

/// Writes the format `csv`, which reads back as the same jobs to the nanosecond. Times are not negative.
void write_csv_trace(std::ostream& out, const std::vector<ListedJob>& jobs);

}  // namespace fleetsim
