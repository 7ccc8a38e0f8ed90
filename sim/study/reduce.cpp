#include "sim/study/reduce.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/scenario/installed.hpp"
#include "sim/study/warnings.hpp"

namespace fleetsim {
namespace {

void add(ClassOutcome& sums, const ClassOutcome& more) {
  sums.submitted += more.submitted;
  sums.started += more.started;
  sums.completed += more.completed;
  sums.failed += more.failed;
  sums.cancelled += more.cancelled;
  sums.killed_at_limit += more.killed_at_limit;
  sums.unsatisfiable += more.unsatisfiable;
  sums.no_progress += more.no_progress;
  sums.gave_up += more.gave_up;
  sums.completed_set += more.completed_set;
  sums.unfinished += more.unfinished;
  sums.time_to_result += more.time_to_result;
  sums.queue_wait += more.queue_wait;
  sums.requeue_wait += more.requeue_wait;
  sums.held += more.held;
  sums.member_wait += more.member_wait;
  sums.bounded_slowdown += more.bounded_slowdown;
  sums.longest_wait = std::max(sums.longest_wait, more.longest_wait);
  sums.starved += more.starved;
  sums.failures += more.failures;
  sums.evictions += more.evictions;
  sums.drains += more.drains;
  sums.commits += more.commits;
  sums.resizes += more.resizes;
  sums.resize_pauses += more.resize_pauses;
  if (!sums.refusal) sums.refusal = more.refusal;
  sums.swaps += more.swaps;
  sums.ready += more.ready;
  sums.ready_wait += more.ready_wait;
  sums.from_warm += more.from_warm;
}

void add(std::vector<std::vector<FaultOutcome>>& sums, const std::vector<std::vector<FaultOutcome>>& more) {
  for (std::size_t pool = 0; pool < more.size(); ++pool) {
    for (std::size_t row = 0; row < more[pool].size(); ++row) {
      sums[pool][row].failures += more[pool][row].failures;
      sums[pool][row].interruptions += more[pool][row].interruptions;
    }
  }
}

/// Everything of a point that is not a figure.
PointResult sum_runs(const StudyPoint& point, std::span<const RunResult> runs) {
  const RunResult& first = runs.front();
  PointResult result{.point = &point,
                     .replications = static_cast<std::uint32_t>(runs.size()),
                     .ledger = Ledger{first.ledger.pools(), first.ledger.classes()},
                     .classes = std::vector<ClassOutcome>(first.classes.size()),
                     .faults = first.faults,
                     .run_states = std::vector<std::int64_t>(kRunStates),
                     .jobs = first.jobs,
                     .fragmentation = first.fragmentation_samples,
                     .preemptions = first.preemptions.rows,
                     .events = 0};
  for (auto& rows : result.faults) std::fill(rows.begin(), rows.end(), FaultOutcome{});
  for (const RunResult& run : runs) {
    result.ledger.merge(run.ledger);
    for (const PoolSpec& pool : point.scenario.pools)
      result.installed_window += installed(pool, run.window_start, run.window_end);
    result.window_time += Capacity::milli_devices(1) * (run.window_end - run.window_start);
    for (std::size_t i = 0; i < run.classes.size(); ++i) add(result.classes[i], run.classes[i]);
    add(result.faults, run.faults);
    ++result.run_states[static_cast<std::size_t>(run.state)];
    if (result.holders.empty()) result.holders = run.holders;
    result.events += run.events;
  }
  return result;
}

}  // namespace

const Figure* PointResult::find(std::string_view figure) const {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const Figure& each) { return each.name == figure; });
  return found == figures.end() ? nullptr : &*found;
}

bool is_compared(std::string_view figure) {
  constexpr std::array<std::string_view, 6> kCompared{
      "mpg",     "scheduling_goodput", "runtime_goodput", "program_goodput", "cost_per_useful_device_hour",
      "makespan"};
  if (std::find(kCompared.begin(), kCompared.end(), figure) != kCompared.end()) return true;
  if (figure.starts_with("pools.")) return figure.ends_with(".allocated_at_end");
  if (figure.starts_with("services."))
    return figure.ends_with(".runtime_goodput") || figure.ends_with(".time_to_ready");
  return figure.starts_with("jobs.") && (figure.ends_with(".time_to_result") ||
                                         figure.ends_with(".runtime_goodput") || figure.ends_with(".epochs"));
}

std::string describe(const StudyPoint& point) {
  std::string text = point.alternative.empty() ? "the base" : "alternative \"" + point.alternative + "\"";
  for (const auto& [pointer, value] : point.sweep) text += ", " + pointer + " = " + value;
  return text;
}

Reduction reduce(const StudyPoint& point, std::span<const RunResult> runs,
                 std::span<const std::string> more) {
  Reduction reduction{.result = sum_runs(point, runs), .compared = {}};
  const ClosedForms forms = closed_forms(point.scenario);
  const std::vector<RunSums> sums(runs.begin(), runs.end());
  for (const NamedFigure& named : figures_of(point.scenario)) {
    std::optional<Figure> figure = evaluate(named, sums, forms);
    if (!figure) continue;
    const bool is_asked_for =
        is_compared(named.name) || std::find(more.begin(), more.end(), named.name) != more.end();
    if (is_asked_for && figure->simulated.mean) reduction.compared.push_back(parts_of(named, sums));
    reduction.result.figures.push_back(*std::move(figure));
  }
  reduction.result.warnings = warnings_of(reduction.result);
  return reduction;
}

}  // namespace fleetsim
