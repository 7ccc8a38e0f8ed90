#include "sim/workload/trace.hpp"

#include <algorithm>
#include <array>

#include "sim/workload/trace_parts.hpp"

namespace fleetsim {
namespace {

constexpr std::array kFormats{
    TraceFormat{"csv", "a table of id, submit, devices, duration, limit, priority, with units in the cells",
                read_csv_trace},
    TraceFormat{"muri-csv",
                "Philly virtual clusters as published with Muri: whole GPUs, times in milliseconds",
                read_muri_csv},
    TraceFormat{
        "openb",
        "Alibaba's GPU trace of 2023, a list of pods: parts of a device, CPU, memory, models of devices",
        read_openb_trace},
    TraceFormat{
        "swf",
        "Standard Workload Format 2.2; a processor is a device; lines that cannot be read are skipped, "
        "unless strict",
        read_swf, true},
};

void sort_by_submission(std::vector<TracedJob>& jobs, TraceReading& reading) {
  Lines out_of_order;
  SimTime latest;
  for (const TracedJob& traced : jobs) {
    if (traced.job.submit < latest) out_of_order.add(traced.line);
    latest = std::max(latest, traced.job.submit);
  }
  note_lines(reading, "not in order of submission, sorted", out_of_order);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TracedJob& a, const TracedJob& b) { return a.job.submit < b.job.submit; });
}

void note_oversized(const std::vector<TracedJob>& jobs, const TraceOptions& options, TraceReading& reading) {
  const std::optional<std::uint32_t> devices =
      options.machine_devices ? options.machine_devices : reading.header_processors;
  if (!devices) return;
  Lines oversized;
  for (const TracedJob& traced : jobs) {
    if (traced.job.devices > *devices) oversized.add(traced.line);
  }
  note_lines(reading, "unsatisfiable, needs more than the " + std::to_string(*devices) + " devices there are",
             oversized);
}

}  // namespace

std::string Lines::text() const {
  std::string text = count_ == 1 ? "line" : "lines";
  for (std::size_t i = 0; i < told_.size(); ++i) {
    const bool last = i > 0 && i + 1 == told_.size() && count_ == static_cast<std::int64_t>(told_.size());
    text += i == 0 ? " " : last ? " and " : ", ";
    text += std::to_string(told_[i]);
  }
  const std::int64_t untold = count_ - static_cast<std::int64_t>(told_.size());
  if (untold > 0) text += " and " + std::to_string(untold) + " more";
  return text;
}

void note_lines(TraceReading& reading, std::string_view what, const Lines& lines) {
  if (lines.count() == 0) return;
  reading.notes.push_back(std::string(what) + ": " + std::to_string(lines.count()) + " (" + lines.text() +
                          ")");
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kLongest)) out.push_back(c >= ' ' && c <= '~' ? c : '?');
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

void deliver(std::vector<TracedJob> jobs, const TraceOptions& options, TraceReading& reading) {
  if (options.recorded_status) {
    Lines dropped;
    std::erase_if(jobs, [&](const TracedJob& traced) {
      if (traced.unsuccessful) dropped.add(traced.line);
      return traced.unsuccessful;
    });
    note_lines(reading, "left out, recorded as failed or cancelled", dropped);
  }
  sort_by_submission(jobs, reading);
  if (options.first_jobs && *options.first_jobs < static_cast<std::int64_t>(jobs.size())) {
    jobs.resize(static_cast<std::size_t>(std::max(*options.first_jobs, std::int64_t{0})));
  }
  note_oversized(jobs, options, reading);
  reading.jobs.reserve(jobs.size());
  for (TracedJob& traced : jobs) reading.jobs.push_back(std::move(traced.job));
}

std::span<const TraceFormat> trace_formats() { return kFormats; }

const TraceFormat* trace_format(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const TraceFormat& row) { return row.name == name; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace fleetsim
