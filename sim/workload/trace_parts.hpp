#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/trace.hpp"

/// What the readers of traces share.
namespace fleetsim {

/// A job, where the file has it, and whether the log says that it failed or was cancelled.
struct TracedJob {
  ListedJob job;
  std::int64_t line = 0;
  bool unsuccessful = false;
};

/// Lines of a file that have something in common.
class Lines {
 public:
  void add(std::int64_t line) {
    if (++count_ <= kTold) told_.push_back(line);
  }
  std::int64_t count() const { return count_; }
  /// "line 3", or "lines 3, 4, 7, 9, 12 and 20 more".
  std::string text() const;

 private:
  static constexpr std::int64_t kTold = 5;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> told_;
};

/// Appends "WHAT: COUNT (lines)" when there are any lines.
void note_lines(TraceReading& reading, std::string_view what, const Lines& lines);

/// A piece of a file fit for a message: short, printable, in quotes.
std::string shown(std::string_view text);

/// Puts the jobs into the reading: sorted by submission, reduced as the options ask, oddities noted.
void deliver(std::vector<TracedJob> jobs, const TraceOptions& options, TraceReading& reading);

TraceReading read_swf(std::istream& in, const TraceOptions& options);
TraceReading read_muri_csv(std::istream& in, const TraceOptions& options);
TraceReading read_openb_trace(std::istream& in, const TraceOptions& options);
TraceReading read_csv_trace(std::istream& in, const TraceOptions& options);

}  // namespace fleetsim
