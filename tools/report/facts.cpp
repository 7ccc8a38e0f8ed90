#include "tools/report/facts.hpp"

#include <algorithm>
#include <iterator>

#include "models/quantity/format.hpp"
#include "sim/scenario/installed.hpp"

namespace fleetsim {

const Scenario& scenario_of(const PointResult& point) { return point.point->scenario; }

std::int64_t node_count(const Scenario& scenario) {
  std::int64_t nodes = 0;
  for (const PoolSpec& pool : scenario.pools) nodes += pool.nodes;
  return nodes;
}

std::int64_t device_count(const Scenario& scenario) {
  std::int64_t devices = 0;
  for (const PoolSpec& pool : scenario.pools) devices += devices_of(pool);
  return devices;
}

std::string point_label(const StudyPoint& point) {
  std::string label = point.alternative.empty() ? "base" : point.alternative;
  for (const auto& [pointer, value] : point.sweep) {
    label += ", " + pointer.substr(pointer.rfind('/') + 1) + " = " + value;
  }
  return point.alternative.empty() && !point.sweep.empty() ? label.substr(std::string_view("base, ").size())
                                                           : label;
}

std::string policy_text(const SchedulerSpec& scheduler) {
  if (scheduler.admission == Admission::partial_hold) {
    std::string text = scheduler.order + ", partial hold";
    if (scheduler.holders) text += " of " + std::to_string(*scheduler.holders) + " gangs at once";
    if (scheduler.hold_timeout) text += ", let go after " + short_duration(*scheduler.hold_timeout);
    return text + (scheduler.quotas.empty() ? "" : ", quotas");
  }
  std::string text = scheduler.order;
  text += scheduler.strict ? ", strict order" : ", jobs may overtake";
  text += ", atomic admission, " + scheduler.placement + " placement";
  if (scheduler.backfill == Backfill::easy) text += ", EASY backfill";
  if (scheduler.backfill == Backfill::conservative) text += ", conservative backfill";
  if (scheduler.backfill_depth) text += " to a depth of " + std::to_string(*scheduler.backfill_depth);
  if (scheduler.preemption == Preemption::kept) {
    text += scheduler.preempt_by == PreemptBy::order      ? ", preemption by order"
            : scheduler.preempt_by == PreemptBy::priority ? ", preemption by priority"
                                                          : "";
    if (scheduler.reclaim) text += ", reclaim";
    const auto budget = [&](const std::optional<EvictionBudget>& of, const char* whose) {
      if (of)
        text += ", at most " + std::to_string(of->evictions) + " evictions " + whose + " in " +
                short_duration(of->per);
    };
    budget(scheduler.job_budget, "of a job");
    budget(scheduler.pool_budget, "in a pool");
  }
  if (scheduler.preemption == Preemption::remade) text += ", preemption by order with placements remade";
  if (!scheduler.quotas.empty()) text += ", quotas";
  return text;
}

namespace {

/// The peak that a modelled step is compared with.
FlopRate peak_of(const StepInput& input) {
  switch (input.number) {
    case Number::kBf16:
      return input.device.peak_bf16;
    case Number::kFp8:
    case Number::kMxfp8:
      return input.device.peak_fp8;
    case Number::kNvfp4:
      return input.device.peak_fp4;
  }
  return input.device.peak_bf16;
}

}  // namespace

std::string ideal_text(const Scenario& scenario) {
  std::string text;
  for (const PoolSpec& pool : scenario.pools) {
    if (!pool.peak) continue;
    const std::string peak = "dense peak of " + pool.device_type + ", " + format_flop_rate(*pool.peak);
    if (text.find(peak) == std::string::npos) text += (text.empty() ? "" : "; ") + peak;
  }
  for (const JobClass& job : scenario.classes) {
    if (!job.step.model || job.step.model->input().number == Number::kBf16) continue;
    text += "; for " + job.name + " that of its number format, " +
            format_flop_rate(peak_of(job.step.model->input()));
  }
  return text.empty() ? "as the scenario gives it" : text;
}

std::string short_duration(Duration time) {
  struct Unit {
    std::int64_t ns;
    std::string_view symbol;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr Unit kUnits[] = {{86'400 * kSecond, "d"},
                             {3'600 * kSecond, "h"},
                             {60 * kSecond, "min"},
                             {kSecond, "s"},
                             {1'000'000, "ms"},
                             {1'000, "us"},
                             {1, "ns"}};
  constexpr std::int64_t kMostWhole = 10'000;
  if (time == Duration::zero()) return "0 s";
  for (const Unit& unit : kUnits) {
    if (time.ns() % unit.ns == 0 && time.ns() / unit.ns < kMostWhole)
      return format_integer(time.ns() / unit.ns) + " " + std::string(unit.symbol);
  }
  return format_duration(time);
}

std::optional<double> mean_of(const PointResult& point, std::string_view figure) {
  const Figure* found = point.find(figure);
  return found == nullptr ? std::nullopt : found->simulated.mean;
}

std::string_view name_of(RunState state) {
  constexpr std::string_view kNames[] = {"completed", "bound", "stalled", "out_of_time"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view name_of(FinalState state) {
  constexpr std::string_view kNames[] = {"completed",     "failed",      "cancelled", "killed_at_limit",
                                         "unsatisfiable", "no_progress", "gave_up"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace fleetsim
