#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "sim/workload/csv_rows.hpp"
#include "tools/records/columns.hpp"
#include "tools/records/records_csv.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostProblems = 100;

/// One table while it is read: cells by the place of their column among the columns expected.
template <std::size_t kColumns>
class Table {
 public:
  Table(std::filesystem::path path, const std::string_view (&columns)[kColumns],
        std::vector<std::string>& problems)
      : path_{std::move(path)}, columns_{columns}, problems_{problems} {}

  template <class ReadRow>
  void read(ReadRow read_row) {
    std::ifstream in(path_, std::ios::binary);
    std::error_code ignored;
    if (!in || std::filesystem::is_directory(path_, ignored)) return add(path_.string() + ": cannot be read");
    CsvHeader header{columns_, {}};
    const std::optional<std::string> problem = read_csv_rows(in, [&](const CsvRow& row) {
      row_ = row;
      if (std::exchange(is_first_, false)) {
        find_columns(header);
      } else if (!has_columns_) {
        return;
      } else if (row.cells.size() != header.width()) {
        add(where() + std::to_string(row.cells.size()) + " cells where the header has " +
            std::to_string(header.width()));
      } else {
        read_row();
      }
    });
    if (problem) add(path_.string() + ": " + *problem);
    if (is_first_ && !problem) add(path_.string() + ": is empty");
  }

  std::string_view text(std::string_view column) const { return row_.cells[places_[index(column)]]; }

  std::int64_t integer(std::string_view column, std::int64_t least = 0) {
    const std::string_view cell = text(column);
    std::int64_t value = 0;
    const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (read.ec != std::errc{} || read.ptr != cell.data() + cell.size() || value < least) {
      wrong(column, least == 0 ? "a whole number that is not negative" : "a whole number");
      return least;
    }
    return value;
  }
  std::uint32_t small(std::string_view column) {
    const std::int64_t value = integer(column);
    if (value > UINT32_MAX) wrong(column, "a number below 2^32");
    return static_cast<std::uint32_t>(value);
  }
  SimTime time(std::string_view column) { return SimTime::at_ns(integer(column, INT64_MIN)); }
  Duration duration(std::string_view column) { return Duration::nanoseconds(integer(column)); }
  Capacity capacity(std::string_view column) { return Capacity::milli_devices(integer(column)); }

  Leaf leaf(std::string_view column) {
    const std::optional<Leaf> found = leaf_by_name(text(column));
    if (!found) wrong(column, "the name of a leaf");
    return found.value_or(Leaf::ideal);
  }

  Leaf leaf(std::string_view column, Leaf if_empty) { return text(column).empty() ? if_empty : leaf(column); }

  void wrong(std::string_view column, std::string_view expected) {
    add(where() + "column " + std::string(column) + ": expected " + std::string(expected) + "; found \"" +
        std::string(text(column).substr(0, kShown)) + "\"");
  }
  bool has_columns() const { return has_columns_; }
  std::string where() const { return path_.string() + ":" + std::to_string(row_.line) + ": "; }
  void add(std::string problem) {
    if (problems_.size() < kMostProblems) {
      problems_.push_back(std::move(problem));
    } else if (problems_.size() == kMostProblems) {
      problems_.push_back("and more problems, not listed");
    }
  }

 private:
  static constexpr std::size_t kShown = 60;

  std::size_t index(std::string_view column) const {
    std::size_t i = 0;
    while (columns_[i].data() != column.data() && columns_[i] != column) ++i;
    return i;
  }

  void find_columns(CsvHeader& header) {
    std::vector<std::string> problems;
    header.read(row_, problems);
    for (const std::string& problem : problems) add(path_.string() + ": " + problem);
    has_columns_ = problems.empty();
    for (std::size_t i = 0; has_columns_ && i < kColumns; ++i) places_[i] = *header.find(columns_[i]);
  }

  std::filesystem::path path_;
  const std::string_view (&columns_)[kColumns];
  std::vector<std::string>& problems_;
  CsvRow row_;
  std::array<std::size_t, kColumns> places_{};
  bool is_first_ = true;
  bool has_columns_ = false;
};

/// The names that rows refer to, with their places.
class Names {
 public:
  bool add(std::string_view name) {
    return places_.try_emplace(std::string(name), static_cast<std::uint32_t>(places_.size())).second;
  }
  std::optional<std::uint32_t> find(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string, std::uint32_t, std::less<>> places_;
};

class SchedulerReader {
 public:
  SchedulerReader(const std::filesystem::path& folder, RecordsReading& reading)
      : records_{reading.records}, in_{folder / "scheduler.csv", kSchedulerColumns, reading.problems} {}

  void read() {
    in_.read([&] { read_row(); });
    if (in_.has_columns() && !has_window_) in_.add("scheduler.csv: no window row");
  }

 private:
  void read_row() {
    const std::string_view kind = in_.text("row");
    if (kind == "allocation") return read_allocation();
    if (kind == "free") return read_free();
    if (kind == "job") return read_job();
    if (kind == "pool") return declare(records_.pools, pools_, "pool");
    if (kind == "class") return declare(records_.classes, classes_, "class");
    if (kind != "window") return in_.wrong("row", "window, pool, class, job, allocation or free");
    if (std::exchange(has_window_, true)) in_.add(in_.where() + "a second window");
    records_.window_start = in_.time("from_ns");
    records_.window_end = in_.time("to_ns");
  }

  void declare(std::vector<std::string>& list, Names& names, std::string_view column) {
    list.emplace_back(in_.text(column));
    if (!names.add(list.back())) in_.wrong(column, "another name in every row that declares one");
  }

  std::uint32_t known(const Names& names, std::string_view column) {
    const std::optional<std::uint32_t> place = names.find(in_.text(column));
    if (!place) in_.wrong(column, "a name that a row above declares");
    return place.value_or(0);
  }

  void read_job() {
    if (in_.integer("job") != static_cast<std::int64_t>(records_.jobs.size())) {
      in_.wrong("job", std::to_string(records_.jobs.size()) + ", since jobs are numbered from 0");
    }
    records_.jobs.push_back({.id = std::string(in_.text("id")),
                             .job_class = known(classes_, "class"),
                             .submit = in_.time("submit_ns")});
  }

  void read_allocation() {
    AllocationRow row;
    row.job = in_.small("job");
    row.attempt = in_.small("attempt");
    row.pool = known(pools_, "pool");
    row.from = in_.time("from_ns");
    row.to = in_.time("to_ns");
    if (!in_.text("gang_complete_ns").empty()) row.gang_complete = in_.time("gang_complete_ns");
    row.capacity = in_.capacity("milli");
    row.spare = in_.capacity("spare_milli");
    row.incomplete = in_.leaf("leaf", row.incomplete);
    row.reason = in_.text("reason");
    if (row.job >= records_.jobs.size()) in_.wrong("job", "the number of a job that a row above declares");
    records_.allocations.push_back(std::move(row));
  }

  void read_free() {
    PoolRow row;
    row.pool = known(pools_, "pool");
    row.from = in_.time("from_ns");
    row.to = in_.time("to_ns");
    row.leaf = in_.leaf("leaf");
    row.capacity = in_.capacity("milli");
    row.queue_depth = in_.integer("queue_depth");
    records_.pool_rows.push_back(row);
  }

  Records& records_;
  Table<std::size(kSchedulerColumns)> in_;
  Names pools_, classes_;
  bool has_window_ = false;
};

template <std::size_t kColumns>
std::uint32_t read_job_number(Table<kColumns>& in, const Records& records) {
  const std::uint32_t job = in.small("job");
  if (job >= records.jobs.size()) in.wrong("job", "the number of a job in scheduler.csv");
  return job;
}

std::optional<TimelineKind> read_kind(Table<std::size(kTimelineColumns)>& in) {
  for (std::size_t i = 0; i < std::size(kTimelineKinds); ++i) {
    if (in.text("kind") == kTimelineKinds[i]) return static_cast<TimelineKind>(i);
  }
  in.wrong("kind", "leaf, stretch, commit or discard");
  return std::nullopt;
}

void read_timeline(const std::filesystem::path& folder, RecordsReading& reading) {
  Table in{folder / "timeline.csv", kTimelineColumns, reading.problems};
  in.read([&] {
    const std::optional<TimelineKind> kind = read_kind(in);
    if (!kind) return;
    TimelineRow row;
    row.kind = *kind;
    row.job = read_job_number(in, reading.records);
    row.attempt = in.small("attempt");
    row.from = in.time("from_ns");
    row.to = in.time("to_ns");
    const bool has_leaf = row.kind == TimelineKind::leaf || row.kind == TimelineKind::discard;
    row.leaf = has_leaf ? in.leaf("leaf") : in.leaf("leaf", row.leaf);
    row.capacity = in.capacity("milli");
    row.steps = in.integer("steps");
    row.step = in.duration("step_ns");
    row.wait = in.duration("wait_ns");
    row.pause = in.duration("pause_ns");
    row.excess = in.duration("excess_ns");
    row.excess_leaf = in.leaf("excess_leaf", row.excess_leaf);
    row.straggler = in.duration("straggler_ns");
    row.neighbour = in.duration("neighbour_ns");
    row.placement = in.duration("placement_ns");
    row.warm_up = in.duration("warm_up_ns");
    row.warm_up_leaf = in.leaf("warm_up_leaf", row.warm_up_leaf);
    reading.records.timeline.push_back(row);
  });
}

void read_steps(const std::filesystem::path& folder, RecordsReading& reading) {
  Table in{folder / "steps.csv", kStepsColumns, reading.problems};
  in.read([&] {
    StepRow row;
    row.job = read_job_number(in, reading.records);
    row.leaf = in.leaf("leaf");
    row.weight = in.integer("weight");
    if (!in.text("milli").empty()) row.capacity = in.capacity("milli");
    reading.records.steps.push_back(row);
  });
}

}  // namespace

RecordsReading read_records(const std::filesystem::path& folder) {
  RecordsReading reading;
  SchedulerReader{folder, reading}.read();
  read_timeline(folder, reading);
  read_steps(folder, reading);
  return reading;
}

}  // namespace fleetsim
