#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/limits.hpp"
#include "sim/scenario/names.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kParts = 1'000'000'000;

double own_devices(const JobClass& job) { return static_cast<double>(gang_capacity(job)->milli()) / 1000; }

/// Device-time of a step at the gang's own size over that at another.
double scaling_efficiency(const JobClass& job, std::uint32_t devices, Duration time) {
  return static_cast<double>(job.step.time.ns()) * own_devices(job) /
         (static_cast<double>(time.ns()) * devices);
}

/// The split of a step whose ideal takes the same device-time at every size. So do its other parts, if there
/// is room for them; what the step takes besides is not attributed.
ProgramSplit split_at(const JobClass& job, double efficiency) {
  double all = 0, ideal = 0;
  for (const auto& [leaf, weight] : job.program.weights) {
    all += static_cast<double>(weight);
    if (leaf == Leaf::ideal) ideal = static_cast<double>(weight);
  }
  const double room = (all - ideal * efficiency) / (all - ideal);
  const Leaf rest = ideal > 0 ? Leaf::program_unattributed : Leaf::program_unmodelled;
  ProgramSplit split;
  std::int64_t left = kParts;
  for (const auto& [leaf, weight] : job.program.weights) {
    if (leaf == rest) continue;
    const double grown = leaf == Leaf::ideal ? efficiency : std::min(efficiency, room);
    const std::int64_t parts = std::min<std::int64_t>(
        left, std::llround(static_cast<double>(weight) / all * grown * static_cast<double>(kParts)));
    left -= parts;
    if (parts > 0) split.weights.emplace_back(leaf, parts);
  }
  if (left > 0) split.weights.emplace_back(rest, left);
  std::sort(split.weights.begin(), split.weights.end());
  return split;
}

/// A size and its step time, with the wait and the split that go with it. The class's own split holds where
/// the work is shared evenly, to the nanosecond.
ElasticSize sized(const JobClass& job, std::uint32_t devices, Duration time) {
  ElasticSize size{.devices = devices, .time = time, .wait = wait_of_step(job, time), .program = {}};
  const double efficiency = scaling_efficiency(job, devices, time);
  const bool even = std::abs(efficiency - 1) * static_cast<double>(time.ns()) <= 1;
  if (!job.program.weights.empty() && !even) size.program = split_at(job, efficiency);
  return size;
}

ElasticSize modelled(const JobClass& job, std::uint32_t devices) {
  StepProfile profile = profile_at(job, devices);
  return {.devices = devices,
          .time = profile.time,
          .wait = wait_of_step(job, profile.time),
          .program = {std::move(profile.weights)}};
}

/// Reports a size at which a step would be shorter than its ideal, or that has another step time than its
/// devices have elsewhere.
void check_size(const Reader& in, std::string_view key, const JobClass& job, const ElasticSize& size) {
  if (Capacity::devices(size.devices) == gang_capacity(job) && size.time != job.step.time)
    in.problem(key, "expected, at the gang's own size, the \"time\" of \"step\"");
  const double ideal = job.program_goodput.value_or(0) * scaling_efficiency(job, size.devices, size.time);
  if (ideal > 1)
    in.problem(key,
               "expected at least the ideal time of a step on " + std::to_string(size.devices) + " devices");
}

/// The time of a step where work is shared evenly, to the nearest nanosecond.
Duration shared_evenly(const JobClass& job, std::uint32_t gang, std::uint32_t devices) {
  const Int128 whole = Int128{job.step.time.ns()} * gang;
  return Duration::nanoseconds(
      std::max<std::int64_t>(1, static_cast<std::int64_t>((whole + devices / 2) / devices)));
}

/// The sizes whose step times are given, the gang's own among them.
std::vector<ElasticSize> measured_sizes(const JobClass& job, std::uint32_t gang,
                                        std::vector<ElasticSize> sizes) {
  const auto at =
      std::lower_bound(sizes.begin(), sizes.end(), gang,
                       [](const ElasticSize& each, std::uint32_t own) { return each.devices < own; });
  if (at == sizes.end() || at->devices != gang) sizes.insert(at, sized(job, gang, job.step.time));
  return sizes;
}

/// The time of a step between two sizes whose times are known: steps a second grow linearly with devices. So
/// work that is shared evenly at both is shared evenly between them.
Duration interpolated(const ElasticSize& below, const ElasticSize& above, std::uint32_t devices) {
  const double from = 1 / static_cast<double>(below.time.ns()), to = 1 / static_cast<double>(above.time.ns());
  const double place = static_cast<double>(devices - below.devices) / (above.devices - below.devices);
  return Duration::nanoseconds(std::llround(1 / (from + (to - from) * place)));
}

/// The time of a step at a size that is not listed: interpolated, and said so; or refused, since beyond the
/// list nothing is known.
std::optional<Duration> between_listed(const Reader& entry, const JobClass& job,
                                       std::span<const ElasticSize> sizes, std::uint32_t devices,
                                       const ClassContext& context) {
  const auto above =
      std::upper_bound(sizes.begin(), sizes.end(), devices,
                       [](std::uint32_t size, const ElasticSize& each) { return size < each.devices; });
  if (above == sizes.begin() || above == sizes.end()) {
    entry.expected("devices", "from " + std::to_string(sizes.front().devices) + " to " +
                                  std::to_string(sizes.back().devices) +
                                  " devices, whose step times are given, or a \"step\" beside it");
    return std::nullopt;
  }
  const ElasticSize& below = *(above - 1);
  const Duration time = interpolated(below, *above, devices);
  context.notes.push_back("workload " + job.name + ": a step on " + std::to_string(devices) + " devices, " +
                          format_duration(time) + ", is interpolated between those on " +
                          std::to_string(below.devices) + " and " + std::to_string(above->devices) +
                          ", linear in steps a second");
  return time;
}

/// The sizes at which the model has a layout that fits.
std::vector<ElasticSize> modelled_sizes(const Reader& in, std::string_view key, const JobClass& job,
                                        std::span<const std::uint32_t> wanted, const ClassContext& context) {
  std::vector<ElasticSize> sizes;
  std::string left_out, why;
  for (const std::uint32_t devices : wanted) {
    const std::vector<std::string> problems = job.step.model->problems(devices);
    if (problems.empty()) {
      sizes.push_back(modelled(job, devices));
      continue;
    }
    left_out += (left_out.empty() ? "" : ", ") + std::to_string(devices);
    if (why.empty()) why = problems.front();
  }
  if (sizes.empty()) in.problem(key, "not a size for the layout: " + why);
  if (!left_out.empty() && !sizes.empty())
    context.notes.push_back("workload " + job.name +
                            ": sizes left out, since the layout has none: " + left_out + " (" + why + ")");
  return sizes;
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
std::vector<ElasticSize> read_sizes(const Reader& in, const JobClass& job, std::uint32_t gang,
                                    const ClassContext& context) {
  const auto least = in.count("least", 1, kMostDevices), most = in.count("most", 1, kMostDevices);
  const std::uint32_t step = in.count("step", 1, kMostDevices).value_or(1);
  if (least && most && *least > *most) in.expected("most", "at least \"least\"");
  std::vector<ElasticSize> sizes;
  if (in.has("step_times") && job.step.model)
    in.problem("step_times", "excluded by \"step\" with \"model\": true, which predicts them");
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
  if (job.step.model) {
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t size = least.value_or(gang); size <= last && wanted.size() < kMostSizes; size += step)
      wanted.push_back(size);
    return modelled_sizes(in, "least", job, wanted, context);
  }
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

void read_elastic(const Reader& in, const ClassContext& context, JobClass& job) {
  const Scenario& scenario = context.scenario;
  const std::optional<Reader> elastic = in.object("elastic");
  if (!elastic) return;
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!gang ||
      (job.gang.shape &&
       (job.gang.shape->milli != 0 || job.gang.shape->remainder != 0 || job.gang.shape->unlike != 0)) ||
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
  spec.sizes = read_sizes(*elastic, job, devices, context);
  for (const ElasticSize& size : spec.sizes)
    check_size(*elastic, elastic->has("step_times") ? "step_times" : "least", job, size);
  assign(spec.grow, elastic->choice("grow", {GrowAt::now, GrowAt::commit}));
  if (spec.grow == GrowAt::commit && job.checkpoint.mode == CheckpointMode::none)
    elastic->problem("grow", "needs \"checkpoint\": without one there is no commit before the end");
  if (const auto resize = elastic->object("resize")) spec.resize = read_terms(*resize);
  std::vector<ElasticSize> measured;
  if (!spec.sizes.empty() && elastic->has("step_times")) measured = measured_sizes(job, devices, spec.sizes);
  for (const Reader& entry : elastic->list("script")) {
    ScriptedResize each;
    assign(each.at, entry.instant("at"));
    const std::uint32_t size = entry.count("devices", 1, kMostDevices).value_or(1);
    const auto known = std::find_if(spec.sizes.begin(), spec.sizes.end(),
                                    [&](const ElasticSize& other) { return other.devices == size; });
    std::optional<Duration> time = entry.duration("step", Sign::positive);
    if (!time && known != spec.sizes.end()) time = known->time;
    if (!time && !measured.empty() && !entry.has("step")) {
      time = size == devices ? job.step.time : between_listed(entry, job, measured, size, context);
      if (!time) continue;
    }
    if (!time) time = shared_evenly(job, devices, size);
    if (job.step.model) {
      const std::uint32_t wanted[] = {size};
      const std::vector<ElasticSize> sizes = modelled_sizes(entry, "devices", job, wanted, context);
      if (entry.has("step"))
        entry.problem("step", "excluded by \"step\" with \"model\": true, which predicts it");
      if (sizes.empty()) continue;
      each.size = sizes.front();
      time = each.size.time;
    } else {
      each.size = sized(job, size, *time);
      check_size(entry, "step", job, each.size);
    }
    const auto other =
        std::find_if(spec.script.begin(), spec.script.end(), [&](const ScriptedResize& before) {
          return before.size.devices == size && before.size.time != time;
        });
    if (other != spec.script.end() || (known != spec.sizes.end() && known->time != time))
      entry.problem("step", "expected one step time for each size");
    each.terms = read_terms(entry);
    spec.script.push_back(each);
  }
  std::stable_sort(spec.script.begin(), spec.script.end(),
                   [](const ScriptedResize& a, const ScriptedResize& b) { return a.at < b.at; });
  if (spec.policy != "fixed") {
    if (spec.sizes.empty()) elastic->problem("needs \"step_times\", or \"least\" and \"most\"");
    if (!spec.script.empty()) elastic->problem("script", "goes with policy \"fixed\"");
    const SchedulerSpec& scheduler = scenario.scheduler;
    if (scheduler.admission == Admission::partial_hold || scheduler.preemption == Preemption::remade)
      elastic->problem("policy", "means nothing under partial hold or placements \"remade\"");
  }
  job.elastic = std::move(spec);
}

}  // namespace fleetsim
