#include "sim/workload/openb.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <map>

#include "sim/workload/csv_rows.hpp"
#include "sim/workload/trace_parts.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kNodeColumns[] = {"sn", "cpu_milli", "memory_mib", "gpu", "model"};
constexpr std::string_view kPodColumns[] = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"};
constexpr std::string_view kMorePodColumns[] = {"gpu_spec",      "qos",           "pod_phase",
                                                "creation_time", "deletion_time", "scheduled_time"};
constexpr std::uint32_t kMostCards = 64;
constexpr std::int64_t kMilliPerCard = 1000;
constexpr std::size_t kMostModels = 64;
constexpr std::int64_t kMostAmount = 1'000'000'000'000;  // milli-cores or MiB of a node; no sum overflows

/// One row of a table: takes cells by column and collects what is wrong with them.
class Cells {
 public:
  Cells(const CsvHeader& header, const CsvRow& row, std::vector<std::string>& problems)
      : header_{header}, row_{row}, problems_{problems} {}

  std::int64_t line() const { return row_.line; }
  std::string_view text(std::string_view column) const { return header_.cell(row_, column); }

  std::int64_t whole(std::string_view column, std::int64_t least, std::int64_t most) {
    const std::string_view cell = text(column);
    std::int64_t value = 0;
    const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (read.ec == std::errc{} && read.ptr == cell.data() + cell.size() && value >= least && value <= most)
      return value;
    problem(column, "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                        "; found " + shown(cell));
    return 0;
  }

  SimTime seconds(std::string_view column) {
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    constexpr std::int64_t kMostSeconds = 4'000'000'000;  // a century and more
    return SimTime::at_ns(whole(column, 0, kMostSeconds) * kNanoseconds);
  }

  /// The set of the models in "A|B"; names without a number get the next one.
  std::uint64_t models(std::string_view column, DeviceModelNames& names) {
    std::uint64_t set = 0;
    std::string_view rest = text(column);
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (name.empty()) continue;
      const auto known = std::find(names.begin(), names.end(), name);
      const auto number = static_cast<std::size_t>(known - names.begin());
      if (number == kMostModels) {
        problem(column, "more than " + std::to_string(kMostModels) + " models; found " + shown(name));
        return 0;
      }
      if (known == names.end()) names.emplace_back(name);
      set |= std::uint64_t{1} << number;
    }
    return set;
  }

  void problem(std::string_view column, const std::string& what) {
    problems_.push_back("line " + std::to_string(row_.line) + ": " + std::string(column) + ": " + what);
  }

 private:
  const CsvHeader& header_;
  const CsvRow& row_;
  std::vector<std::string>& problems_;
};

/// Hands every row after the header to `visit`, as long as the file makes sense.
template <class Visit>
void read_table(std::istream& in, CsvHeader header, std::vector<std::string>& problems, Visit visit) {
  constexpr std::size_t kMostProblems = 50;
  bool has_header = false;
  bool has_columns = false;
  const std::optional<std::string> problem = read_csv_rows(in, [&](const CsvRow& row) {
    if (!has_header) {
      has_header = true;
      header.read(row, problems);
      has_columns = problems.empty();
    } else if (!has_columns || problems.size() >= kMostProblems) {
      return;
    } else if (row.cells.size() != header.width()) {
      problems.push_back("line " + std::to_string(row.line) + ": " + std::to_string(row.cells.size()) +
                         " cells where the header has " + std::to_string(header.width()));
    } else {
      Cells cells{header, row, problems};
      visit(cells, header);
    }
  });
  if (problem) problems.push_back(*problem);
  if (!has_header && !problem) problems.emplace_back("the file is empty: it has no header");
}

void read_times(Cells& cells, OpenbPod& pod) {
  pod.submit = cells.seconds("creation_time");
  const SimTime end = cells.seconds("deletion_time");
  const bool ran = !cells.text("scheduled_time").empty();
  const SimTime start = ran ? cells.seconds("scheduled_time") : pod.submit;
  if (end < start) cells.problem("deletion_time", "before the pod was there");
  (ran ? pod.run : pod.gave_up_after) = end - start;
}

}  // namespace

OpenbReading<OpenbNode> read_openb_nodes(std::istream& in, DeviceModelNames& models) {
  OpenbReading<OpenbNode> reading;
  read_table(in, CsvHeader{kNodeColumns, {}}, reading.problems, [&](Cells& cells, const CsvHeader&) {
    OpenbNode node;
    node.name = cells.text("sn");
    node.cpu_milli = cells.whole("cpu_milli", 0, kMostAmount);
    node.memory_mib = cells.whole("memory_mib", 0, kMostAmount);
    node.cards = static_cast<std::uint32_t>(cells.whole("gpu", 0, kMostCards));
    if (node.cards > 0) {
      node.model = cells.models("model", models);
      if ((node.model & (node.model - 1)) != 0) cells.problem("model", "more than one");
    }
    reading.rows.push_back(std::move(node));
  });
  return reading;
}

OpenbReading<OpenbPod> read_openb_pods(std::istream& in, DeviceModelNames& models) {
  OpenbReading<OpenbPod> reading;
  Lines several_shares;
  read_table(in, CsvHeader{kPodColumns, kMorePodColumns}, reading.problems,
             [&](Cells& cells, const CsvHeader& header) {
               OpenbPod pod;
               pod.name = cells.text("name");
               pod.line = cells.line();
               pod.cpu_milli = cells.whole("cpu_milli", 0, kMostAmount);
               pod.memory_mib = cells.whole("memory_mib", 0, kMostAmount);
               pod.cards = static_cast<std::uint32_t>(cells.whole("num_gpu", 0, kMostCards));
               if (pod.cards > 0) {
                 pod.milli_per_card = static_cast<std::uint32_t>(cells.whole("gpu_milli", 1, kMilliPerCard));
                 pod.models = cells.models("gpu_spec", models);
               }
               if (header.find("creation_time")) read_times(cells, pod);
               if (pod.cards > 1 && pod.milli_per_card < kMilliPerCard) {
                 several_shares.add(cells.line());
               } else {
                 reading.rows.push_back(std::move(pod));
               }
             });
  if (several_shares.count() > 0) {
    reading.notes.push_back("skipped, asks for shares of several cards: " +
                            std::to_string(several_shares.count()) + " (" + several_shares.text() + ")");
  }
  return reading;
}

/// A pod that never ran gives up when it was deleted, and completes nothing where it starts. A list without
/// times is there to be drawn from.
TraceReading read_openb_trace(std::istream& in, const TraceOptions& options) {
  TraceReading reading;
  auto pods = read_openb_pods(in, reading.device_models);
  reading.notes = std::move(pods.notes);
  reading.problems = std::move(pods.problems);
  std::map<HostDemand, std::uint32_t> numbers{{HostDemand{}, 0}};
  std::vector<TracedJob> jobs;
  Lines never_ran;
  for (OpenbPod& pod : pods.rows) {
    TracedJob traced;
    ListedJob& job = traced.job;
    const HostDemand demand{pod.cpu_milli, pod.memory_mib << 20, pod.models};
    const auto [known, is_new] = numbers.try_emplace(demand, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) reading.demands.push_back(demand);
    job.id = std::move(pod.name);
    job.submit = pod.submit;
    job.demand = known->second;
    const bool share = pod.cards == 1 && pod.milli_per_card < kMilliPerCard;
    (share ? job.milli : job.devices) = share ? pod.milli_per_card : pod.cards;
    if (pod.run) job.duration = *pod.run;
    job.patience = pod.gave_up_after;
    job.never_ran = pod.gave_up_after.has_value();
    if (job.never_ran) never_ran.add(pod.line);
    traced.line = pod.line;
    jobs.push_back(std::move(traced));
  }
  note_lines(reading, "never ran: they give up when they were deleted, or are cancelled as they start",
             never_ran);
  deliver(std::move(jobs), options, reading);
  return reading;
}

}  // namespace fleetsim
