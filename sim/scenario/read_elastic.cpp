#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/limits.hpp"
#include "sim/scenario/names.hpp"

namespace fleetsim {
namespace {

/// A size and its step time, with the wait that goes with it.
ElasticSize sized(const JobClass& job, std::uint32_t devices, Duration time) {
  return {.devices = devices, .time = time, .wait = wait_of_step(job, time)};
}

/// The time of a step where work is shared evenly, to the nearest nanosecond.
Duration shared_evenly(const JobClass& job, std::uint32_t gang, std::uint32_t devices) {
  const Int128 whole = Int128{job.step.time.ns()} * gang;
  return Duration::nanoseconds(
      std::max<std::int64_t>(1, static_cast<std::int64_t>((whole + devices / 2) / devices)));
}

std::vector<ElasticSize> listed_sizes(const Reader& in, const JobClass& job) {
  std::vector<ElasticSize> sizes;
  const Json& listed = *in.find("step_times");
  if (!listed.is_object() || listed.empty()) {
    in.expected("step_times", "an object of step times by size");
    return sizes;
  }
  const Reader times(listed, in.pointer_of("step_times"), "", in.problems());
  for (const auto& [name, ignored] : listed.items()) {
    const auto size = devices_of(name);
    const auto time = times.duration(name, Sign::positive);
    if (!size)
      in.problems().push_back({times.pointer_of(name), times.pointer_of(name),
                               "expected a size in whole devices, above 0; found \"" + name + "\""});
    if (size && time) sizes.push_back(sized(job, *size, *time));
  }
  std::sort(sizes.begin(), sizes.end(),
            [](const ElasticSize& a, const ElasticSize& b) { return a.devices < b.devices; });
  return sizes;
}

/// The sizes between `least` and `most`: those listed, or all `step` apart.
std::vector<ElasticSize> read_sizes(const Reader& in, const JobClass& job, std::uint32_t gang) {
  const auto least = in.count("least", 1, kMostDevices), most = in.count("most", 1, kMostDevices);
  const std::uint32_t step = in.count("step", 1, kMostDevices).value_or(1);
  if (least && most && *least > *most) in.expected("most", "at least \"least\"");
  std::vector<ElasticSize> sizes;
  if (in.has("step_times")) {
    if (in.has("step")) in.problem("step", "excluded by \"step_times\", which lists the sizes");
    sizes = listed_sizes(in, job);
    std::erase_if(sizes, [&](const ElasticSize& each) {
      return each.devices < least.value_or(1) || each.devices > most.value_or(kMostDevices);
    });
    if (sizes.empty()) in.problem("step_times", "expected a size between \"least\" and \"most\"");
    return sizes;
  }
  if (!least && !most) return sizes;
  const std::uint32_t last = most.value_or(gang);
  for (std::uint32_t size = least.value_or(gang); size <= last && sizes.size() < kMostSizes; size += step)
    sizes.push_back(sized(job, size, shared_evenly(job, gang, size)));
  if (sizes.size() == kMostSizes) in.problem("step", "expected fewer than 4096 sizes");
  return sizes;
}

ResizeTerms read_terms(const Reader& in) {
  ResizeTerms terms;
  terms.pause = in.duration("pause");
  assign(terms.state, in.choice("state", {ResizeState::committed, ResizeState::discarded}));
  return terms;
}

}  // namespace

void read_elastic(const Reader& in, const Scenario& scenario, JobClass& job) {
  const std::optional<Reader> elastic = in.object("elastic");
  if (!elastic) return;
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!gang || (job.gang.shape && (job.gang.shape->milli != 0 || job.gang.shape->remainder != 0)) ||
      !in.present({"jobs", "trace"}).empty()) {
    elastic->problem("needs a gang of one size, in whole devices");
    return;
  }
  if (job.step.continuous || job.kind == JobKind::reservation) {
    elastic->problem("needs \"step\": work without steps has no time by size");
    return;
  }
  const auto devices = static_cast<std::uint32_t>(gang->milli() / 1000);
  ElasticSpec spec;
  assign(spec.policy, elastic->name("policy", "elastic policy", known_elastic_policies()));
  spec.sizes = read_sizes(*elastic, job, devices);
  if (const auto resize = elastic->object("resize")) spec.resize = read_terms(*resize);
  for (const Reader& entry : elastic->list("script")) {
    ScriptedResize each;
    assign(each.at, entry.instant("at"));
    const std::uint32_t size = entry.count("devices", 1, kMostDevices).value_or(1);
    const auto known = std::find_if(spec.sizes.begin(), spec.sizes.end(),
                                    [&](const ElasticSize& other) { return other.devices == size; });
    const Duration time =
        entry.duration("step", Sign::positive)
            .value_or(known != spec.sizes.end() ? known->time : shared_evenly(job, devices, size));
    each.size = sized(job, size, time);
    each.terms = read_terms(entry);
    spec.script.push_back(each);
  }
  std::stable_sort(spec.script.begin(), spec.script.end(),
                   [](const ScriptedResize& a, const ScriptedResize& b) { return a.at < b.at; });
  if (spec.policy != "fixed") {
    if (spec.sizes.empty()) elastic->problem("needs \"step_times\", or \"least\" and \"most\"");
    if (!spec.script.empty()) elastic->problem("script", "goes with policy \"fixed\"");
    const SchedulerSpec& scheduler = scenario.scheduler;
    if (scheduler.admission == Admission::partial_hold || scheduler.preemption == Preemption::remade ||
        scheduler.backfill == Backfill::conservative)
      elastic->problem("policy",
                       "means nothing under partial hold, conservative backfill or placements \"remade\"");
  }
  job.elastic = std::move(spec);
}

}  // namespace fleetsim
