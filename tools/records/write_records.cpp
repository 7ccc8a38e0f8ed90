#include <system_error>

#include "tools/records/atomic_file.hpp"
#include "tools/records/columns.hpp"
#include "tools/records/csv.hpp"
#include "tools/records/records_csv.hpp"

namespace fleetsim {
namespace {

void write_header(CsvWriter& out, std::span<const std::string_view> columns) {
  for (const std::string_view column : columns) out.cell(column);
  out.end_row();
}

void skip(CsvWriter& out, int cells) {
  for (int i = 0; i < cells; ++i) out.empty();
}

void write_declarations(CsvWriter& out, const Records& records) {
  out.cell("window");
  skip(out, 6);
  out.cell(records.window_start.ns()).empty().cell(records.window_end.ns());
  skip(out, 5);
  out.end_row();
  for (const std::string& pool : records.pools) {
    out.cell("pool");
    skip(out, 4);
    out.cell(pool);
    skip(out, 9);
    out.end_row();
  }
  for (const std::string& job_class : records.classes) {
    out.cell("class").empty().empty().cell(job_class);
    skip(out, 11);
    out.end_row();
  }
  for (std::size_t i = 0; i < records.jobs.size(); ++i) {
    const RecordedJob& job = records.jobs[i];
    out.cell("job").cell(static_cast<std::int64_t>(i)).cell(job.id).cell(records.classes.at(job.job_class));
    out.empty().empty().cell(job.submit.ns());
    skip(out, 8);
    out.end_row();
  }
}

/// A leaf that matters, or differs from what an empty cell means.
void write_leaf(CsvWriter& out, Leaf leaf, bool matters, Leaf if_empty) {
  out.cell(matters || leaf != if_empty ? leaf_info(leaf).name : std::string_view{});
}

std::string scheduler_table(const Records& records) {
  CsvWriter out;
  write_header(out, kSchedulerColumns);
  write_declarations(out, records);
  for (const AllocationRow& row : records.allocations) {
    out.cell("allocation")
        .cell(row.job)
        .empty()
        .empty()
        .cell(row.attempt)
        .cell(records.pools.at(row.pool))
        .empty();
    out.cell(row.from.ns());
    row.gang_complete ? out.cell(row.gang_complete->ns()) : out.empty();
    out.cell(row.to.ns()).cell(row.capacity.milli()).cell(row.spare.milli());
    write_leaf(out, row.incomplete, false, AllocationRow{}.incomplete);
    out.empty().cell(row.reason);
    out.end_row();
  }
  for (const PoolRow& row : records.pool_rows) {
    out.cell("free");
    skip(out, 4);
    out.cell(records.pools.at(row.pool)).empty().cell(row.from.ns()).empty().cell(row.to.ns());
    out.cell(row.capacity.milli()).empty().cell(leaf_info(row.leaf).name).cell(row.queue_depth).empty();
    out.end_row();
  }
  return out.text();
}

std::string timeline_table(const Records& records) {
  CsvWriter out;
  write_header(out, kTimelineColumns);
  const TimelineRow empty;
  for (const TimelineRow& row : records.timeline) {
    const bool has_leaf = row.kind == TimelineKind::leaf || row.kind == TimelineKind::discard;
    out.cell(row.job).cell(row.attempt).cell(kTimelineKinds[static_cast<std::size_t>(row.kind)]);
    out.cell(row.from.ns()).cell(row.to.ns());
    write_leaf(out, row.leaf, has_leaf, empty.leaf);
    out.cell(row.capacity.milli()).cell(row.steps);
    out.cell(row.step.ns()).cell(row.wait.ns()).cell(row.pause.ns()).cell(row.excess.ns());
    write_leaf(out, row.excess_leaf, row.excess != Duration::zero(), empty.excess_leaf);
    out.cell(row.straggler.ns()).cell(row.neighbour.ns()).cell(row.placement.ns()).cell(row.warm_up.ns());
    write_leaf(out, row.warm_up_leaf, row.warm_up != Duration::zero(), empty.warm_up_leaf);
    out.end_row();
  }
  return out.text();
}

std::string steps_table(const Records& records) {
  CsvWriter out;
  write_header(out, kStepsColumns);
  for (const StepRow& row : records.steps) {
    out.cell(row.job).cell(leaf_info(row.leaf).name).cell(row.weight);
    row.capacity == Capacity::zero() ? out.empty() : out.cell(row.capacity.milli());
    out.end_row();
  }
  return out.text();
}

}  // namespace

std::optional<std::string> write_records(const std::filesystem::path& folder, const Records& records) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return "cannot make the folder " + folder.string() + ": " + error.message();
  struct TableFile {
    const char* name;
    std::string (*table)(const Records&);
  };
  for (const TableFile& file :
       {TableFile{"scheduler.csv", scheduler_table}, TableFile{"timeline.csv", timeline_table},
        TableFile{"steps.csv", steps_table}}) {
    if (auto problem = write_file_atomically(folder / file.name, file.table(records))) return problem;
  }
  return std::nullopt;
}

}  // namespace fleetsim
