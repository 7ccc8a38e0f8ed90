#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/limits.hpp"
#include "sim/scenario/names.hpp"
#include "sim/scenario/presets.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

std::string format_devices(Capacity capacity) {
  const std::string thousandths = std::to_string(capacity.milli() % 1000 + 1000).substr(1);
  return std::to_string(capacity.milli() / 1000) + (capacity.milli() % 1000 == 0 ? "" : "." + thousandths);
}

std::optional<EvictionBudget> read_budget(const Reader& in, std::string_view key) {
  const std::optional<Reader> given = in.object(key);
  if (!given) return std::nullopt;
  EvictionBudget budget;
  assign(budget.per, given->duration("per", Sign::positive));
  const Json* const evictions = given->find("evictions");
  if (evictions == nullptr) return budget;
  if (*evictions == "unlimited") return std::nullopt;
  if (const auto whole = whole_of(*evictions, {})) {
    budget.evictions = *whole;
  } else {
    given->expected("evictions", "a whole number of 0 or more, or \"unlimited\"");
  }
  return budget;
}

void read_order_preemption(const Reader& scheduler, SchedulerSpec& spec) {
  const Json* value = scheduler.find("preemption");
  if (value == nullptr || *value == "none") return;
  if (!value->is_object()) {
    scheduler.expected("preemption", "\"none\", or an object");
    return;
  }
  if (spec.admission == Admission::partial_hold)
    scheduler.problem("preemption", "goes with admission \"atomic\": a gang that assembles stops nobody");
  const Reader in = *scheduler.object("preemption");
  spec.preemption = Preemption::kept;
  assign(spec.preemption, in.choice("placements", {Preemption::kept, Preemption::remade}));
  assign(spec.preempt_by, in.choice("by", {PreemptBy::order, PreemptBy::priority, PreemptBy::nobody}));
  assign(spec.reclaim, in.flag("reclaim"));
  if (spec.preempt_by != PreemptBy::order) spec.victims = "fewest";
  assign(spec.victims, in.name("victims", "choice of victims", known_victims()));
  assign(spec.min_runtime, in.duration("min_runtime"));
  spec.job_budget = read_budget(in, "job_budget");
  spec.pool_budget = read_budget(in, "pool_budget");
  if (assign(spec.eviction.requeue_backoff, in.number("requeue_backoff")) &&
      spec.eviction.requeue_backoff < 1)
    in.expected("requeue_backoff", "a number of 1 or more");
  if (in.has("requeue_backoff") && !in.has("requeue_delay"))
    in.problem("requeue_backoff", "goes with \"requeue_delay\", which it lengthens");
  for (const std::string_view key :
       in.present({"by", "reclaim", "victims", "min_runtime", "job_budget", "pool_budget"})) {
    if (spec.preemption == Preemption::remade) in.problem(key, "goes with placements \"kept\"");
  }
  read_eviction_terms(in, spec.eviction);
  assign(spec.eviction_relaunch, in.duration("relaunch"));
}

void read_backfill(const Reader& in, SchedulerSpec& spec) {
  assign(spec.backfill, in.choice("backfill", {Backfill::none, Backfill::easy, Backfill::conservative}));
  assign(spec.backfill_depth, in.count("backfill_depth", 1, kMostDevices));
  assign(spec.estimates, in.choice("estimates", {Estimates::limit, Estimates::exact}));
  if (assign(spec.estimate_factor, in.number("estimate_factor")) && !(spec.estimate_factor > 0))
    in.expected("estimate_factor", "a number above 0");
  if (spec.backfill == Backfill::none) {
    for (const std::string_view key : in.present({"backfill_depth", "estimates", "estimate_factor"}))
      in.idle(key, "goes with \"backfill\", of which there is none");
    return;
  }
  if (!spec.strict) in.problem("backfill", "goes with a strict order, from which it is the exception");
  if (spec.admission == Admission::partial_hold) in.problem("backfill", "goes with admission \"atomic\"");
  if (spec.preemption == Preemption::remade)
    in.problem("backfill",
               "goes with placements that are kept: where all are remade there is nothing to pass");
}

void read_thresholds(const Reader& in, SchedulerSpec& spec) {
  const Json* value = in.find("las_thresholds");
  if (value == nullptr) return;
  if (!value->is_array()) {
    in.expected("las_thresholds", "a list of device-times");
    return;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    const std::string pointer = child_pointer(in.pointer_of("las_thresholds"), i);
    const auto time = read_quantity((*value)[i], pointer, parse_device_time, Sign::positive, in.problems());
    if (!time) continue;
    const DeviceTime attained = Capacity::devices(1) * *time;
    if (!spec.las_thresholds.empty() && attained <= spec.las_thresholds.back()) {
      report_expected((*value)[i], pointer, "more than the threshold before it", in.problems());
    }
    spec.las_thresholds.push_back(attained);
  }
}

/// Devices, in thousandths: a guarantee may be a fair share that no job would ask for.
std::optional<Capacity> read_devices(const Reader& in, std::string_view key) {
  const auto devices = in.number(key);
  if (!devices) return std::nullopt;
  if (!(*devices >= 0) || *devices > static_cast<double>(kMostDevices)) {
    in.expected(key, "a number of devices");
    return std::nullopt;
  }
  return Capacity::milli_devices(std::llround(*devices * 1000));
}

/// The index of the name under a key, among those of `specs`.
template <class Spec>
std::optional<std::uint32_t> read_reference(const Reader& in, std::string_view key, std::string_view what,
                                            const std::vector<Spec>& specs) {
  std::vector<std::string_view> names;
  for (const Spec& spec : specs) names.push_back(spec.name);
  const auto name = in.name(key, what, names);
  if (!name) return std::nullopt;
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), *name) - names.begin());
}

void read_cohorts(const Reader& in, SchedulerSpec& spec) {
  const auto cohorts = in.objects("cohorts");
  for (const auto& [name, reader] : cohorts)
    spec.cohorts.push_back({.name = name, .parent = {}, .limit = {}});
  for (std::size_t index = 0; index < cohorts.size(); ++index) {
    const Reader& reader = cohorts[index].second;
    spec.cohorts[index].parent = read_reference(reader, "parent", "cohort", spec.cohorts);
    if (reader.has_limit("limit")) spec.cohorts[index].limit = read_devices(reader, "limit");
  }
  for (std::size_t index = 0; index < cohorts.size(); ++index) {
    std::string path = spec.cohorts[index].name;
    std::size_t steps = 0;
    for (auto at = spec.cohorts[index].parent; at && steps <= cohorts.size(); at = spec.cohorts[*at].parent) {
      ++steps;
      path += " -> " + spec.cohorts[*at].name;
      if (*at != index) continue;
      cohorts[index].second.problem("parent", "the cohort is part of itself: " + path);
      spec.cohorts[index].parent.reset();
      break;
    }
  }
}

void read_queue(const Reader& in, SchedulerSpec& spec, QuotaSpec& quota) {
  quota.guarantee = read_devices(in, "guarantee");
  if (in.has_limit("limit")) assign(quota.capacity, read_devices(in, "limit"));
  quota.cohort = read_reference(in, "cohort", "cohort", spec.cohorts);
  quota.lend = read_devices(in, "lend");
  if (quota.lend && quota.guarantee && *quota.lend > *quota.guarantee)
    in.expected("lend", "at most the guarantee, " + format_devices(*quota.guarantee));
  assign(quota.lend_when_head_blocked, in.flag("lend_when_head_blocked"));
  assign(quota.weight, in.positive_number("weight"));
  if (!in.has("guarantee")) {
    for (const std::string_view key : in.present({"cohort", "lend", "lend_when_head_blocked"}))
      in.problem(key, "goes with \"guarantee\", which is not there");
  }
  if (quota.guarantee && quota.capacity < *quota.guarantee)
    in.problem("limit", "is below the guarantee, which could then never be had");
}

/// A cohort whose queues are guaranteed more than it may hold. Cohorts in a circle have been told of, and
/// have no parents any more.
void check_cohort_limits(const Reader& in, const SchedulerSpec& spec) {
  std::vector<Capacity> guaranteed(spec.cohorts.size());
  for (const QuotaSpec& quota : spec.quotas)
    for (auto cohort = quota.cohort; cohort; cohort = spec.cohorts[*cohort].parent)
      guaranteed[*cohort] += quota.guarantee.value_or(Capacity::zero());
  for (std::size_t index = 0; index < guaranteed.size(); ++index) {
    const CohortSpec& cohort = spec.cohorts[index];
    if (cohort.limit && *cohort.limit < guaranteed[index])
      in.problem("cohorts", "cohort \"" + cohort.name + "\" may hold " + format_devices(*cohort.limit) +
                                " devices, less than the " + format_devices(guaranteed[index]) +
                                " that its queues are guaranteed");
  }
}

void read_quotas(const Reader& in, const Scenario& scenario, SchedulerSpec& spec) {
  const Json* value = in.find("quotas");
  if (value == nullptr) return;
  if (!value->is_object()) {
    in.expected("quotas", "an object of devices, or of queues, by name");
    return;
  }
  Capacity guaranteed;
  for (const auto& [name, entry] : value->items()) {
    const std::string pointer = child_pointer(in.pointer_of("quotas"), name);
    // A quota that is wrong is known by its name all the same.
    spec.quotas.push_back({.name = name, .guarantee = {}, .cohort = {}, .lend = {}});
    QuotaSpec& quota = spec.quotas.back();
    if (entry.is_object()) {
      read_queue(Reader(entry, pointer, "quota", in.problems()), spec, quota);
      guaranteed += quota.guarantee.value_or(Capacity::zero());
      continue;
    }
    constexpr WholeRange kRange{0, kMostDevices};
    const auto count = whole_of(entry, kRange);
    if (!count) report_not_in(kRange, entry, pointer, in.problems());
    quota.capacity = Capacity::devices(count.value_or(0));
  }
  Capacity fleet;
  for (const PoolSpec& pool : scenario.pools)
    fleet += Capacity::devices(std::int64_t{pool.nodes - pool.spares} * pool.devices_per_node);
  check_cohort_limits(in, spec);
  if (guaranteed > fleet)
    in.problem("quotas", "guarantees add up to " + format_devices(guaranteed) + " devices; the fleet has " +
                             format_devices(fleet) + " beside its spares");
}

/// Parts that are there and do nothing beside the others. Those of a preset are not asked for.
void check_idle_parts(const Reader& own, const SchedulerSpec& spec) {
  const auto idle = [](const Reader& in, std::initializer_list<std::string_view> keys, bool is_idle,
                       const std::string& why) {
    for (const std::string_view key : in.present(keys))
      if (is_idle) in.idle(key, why);
  };
  const bool atomic = spec.admission == Admission::atomic;
  idle(own, {"holders", "hold_timeout", "interleave"}, atomic, "goes with admission \"partial-hold\"");
  idle(own, {"strict"}, !atomic,
       "goes with admission \"atomic\": under partial hold every gang takes what is free");
  idle(own, {"las_thresholds"}, spec.order != "las", "goes with order \"las\"");
  idle(own, {"fair_share_half_life"}, spec.order != "fair-share", "goes with order \"fair-share\"");
  idle(own, {"order"}, spec.order == "fair-share" && spec.quotas.empty(),
       "\"fair-share\" needs \"quotas\", whose jobs it ranks");
  const bool guarantees = std::any_of(spec.quotas.begin(), spec.quotas.end(),
                                      [](const QuotaSpec& quota) { return quota.guarantee.has_value(); });
  if (const Json* const preemption = own.find("preemption");
      preemption != nullptr && preemption->is_object()) {
    const Reader in{*preemption, own.pointer_of("preemption"), "", own.problems()};
    idle(in, {"reclaim"}, spec.reclaim && !guarantees, "needs \"quotas\" with a guarantee, to take it back");
    idle(in, {"by"}, spec.preempt_by == PreemptBy::nobody && !spec.reclaim,
         "\"nobody\" goes with \"reclaim\": otherwise nobody is ever stopped");
  }
}

/// Says of problems with a part that stands in a preset alone, where it is from.
void name_preset(const Json& own, const std::string& preset, const std::string& pointer, Problems& problems,
                 std::size_t from) {
  for (std::size_t i = from; i < problems.size(); ++i) {
    std::string part = problems[i].pointer;
    if (part.size() <= pointer.size() + 1) continue;
    part = part.substr(pointer.size() + 1);
    if (!own.contains(part.substr(0, part.find('/'))))
      problems[i].message += "; it is of preset \"" + preset + "\"";
  }
}

}  // namespace

void read_scheduler(const Reader& root, Scenario& scenario) {
  if (!root.has("scheduler")) return;
  // What the scenario says goes before what a preset says.
  const Json& own = *root.find("scheduler");
  Json merged = own;
  const Json named = merged.is_object() ? merged.value("preset", Json{}) : Json{};
  for (const Preset& preset : presets()) {
    if (named != preset.name) continue;
    Json parts = Json::parse(preset.parts);
    parts.merge_patch(merged);
    merged = std::move(parts);
  }
  const std::size_t before = root.problems().size();
  const Reader scheduler{merged, root.pointer_of("scheduler"), "scheduler", root.problems()};
  const Reader* const in = &scheduler;
  in->name("preset", "preset", known_presets());
  SchedulerSpec& spec = scenario.scheduler;
  assign(spec.order, in->name("order", "order", known_orders()));
  assign(spec.strict, in->flag("strict"));
  assign(spec.admission, in->choice("admission", {Admission::atomic, Admission::partial_hold}));
  assign(spec.holders, in->count("holders", 1, kMostDevices));
  assign(spec.hold_timeout, in->duration("hold_timeout", Sign::positive));
  assign(spec.interleave, in->flag("interleave"));
  assign(spec.placement, in->name("placement", "placement", known_placements()));
  read_order_preemption(*in, spec);
  read_backfill(*in, spec);
  read_thresholds(*in, spec);
  read_cohorts(*in, spec);
  read_quotas(*in, scenario, spec);
  assign(spec.fair_share_half_life, in->duration("fair_share_half_life", Sign::positive));
  if (own.is_object()) check_idle_parts({own, root.pointer_of("scheduler"), "", root.problems()}, spec);
  if (named.is_string())
    name_preset(own, named.get<std::string>(), root.pointer_of("scheduler"), root.problems(), before);
}

}  // namespace fleetsim
