#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/catalog/catalog.hpp"
#include "models/quantity/format.hpp"
#include "sim/scenario/class_sections.hpp"

namespace fleetsim {
namespace {

/// Time to read a checkpoint back, where its size and bandwidth are known.
std::optional<Duration> load_time(const CheckpointSpec& checkpoint) {
  if (!checkpoint.size || !checkpoint.bandwidth) return std::nullopt;
  return round_to_duration(*checkpoint.size / *checkpoint.bandwidth);
}

void read_load(const Reader& in, const CheckpointSpec& checkpoint, LaunchSpec& spec) {
  const Json* value = in.find("load");
  const std::optional<Duration> known = load_time(checkpoint);
  if (value != nullptr && *value != "auto") {
    assign(spec.load, in.duration("load"));
  } else if (known) {
    spec.load = *known;
  } else if (value != nullptr) {
    in.problem("load", "\"auto\" needs \"checkpoint\" with \"bandwidth\", and its \"size\" or a \"model\"");
  }
}

Duration build_time(const JobClass& job) {
  return job.step.compile ? job.step.compile->build : Duration::zero();
}

/// The phases of a launch, out of `startup`, `recovery`, `preemption` or `reconfiguration`.
LaunchSpec read_phases(const Reader& in, const JobClass& job) {
  LaunchSpec spec{.compile = build_time(job)};
  assign(spec.fetch, in.duration("fetch"));
  assign(spec.launch, in.duration("launch"));
  read_load(in, job.checkpoint, spec);
  assign(spec.compile, in.duration("compile"));
  assign(spec.warmup, in.duration("warmup"));
  if (const auto slow = in.object("slow_steps")) {
    assign(spec.slow_steps, slow->whole("count", {0, 1'000'000'000}));
    assign(spec.slow_excess, slow->duration("excess"));
    if (job.step.continuous)
      in.problem("slow_steps", "needs \"step\": without steps there is nothing to slow");
  }
  return spec;
}

/// What the named budget says; nothing when there is none of that name.
std::optional<RecoverySpec> budget(const Reader& in, const std::string& name, const JobClass& job) {
  const Found<RecoveryBudget> known = recovery_budget(name);
  if (!known) {
    in.problem("recovery", known.problem);
    return std::nullopt;
  }
  RecoverySpec spec;
  spec.relaunch.compile = build_time(job);
  spec.detect = round_to_duration(known.entry->detect);
  spec.relaunch.launch = round_to_duration(known.entry->restart);
  spec.relaunch.warmup = round_to_duration(known.entry->warmup);
  const std::optional<Duration> load = load_time(job.checkpoint);
  if (load) spec.relaunch.load = *load;
  if (!load) {
    in.problem("recovery", describe(Json(name)) +
                               " loads a checkpoint: it needs \"checkpoint\" with \"bandwidth\", and its "
                               "\"size\" or a \"model\"");
  }
  return spec;
}

}  // namespace

void read_launches(const Reader& in, JobClass& job) {
  job.startup.compile = job.recovery.relaunch.compile = build_time(job);
  const Json* recovery = in.find("recovery");
  if (recovery != nullptr && recovery->is_string()) {
    if (const auto named = budget(in, recovery->get<std::string>(), job)) {
      job.recovery = *named;
      job.startup = named->relaunch;  // the same phases, without a failure to detect
    }
  } else if (recovery != nullptr && recovery->is_object()) {
    const Reader phases = in.object("recovery", "recovery");
    assign(job.recovery.detect, phases.duration("detect"));
    assign(job.recovery.replace, phases.duration("replace"));
    job.recovery.relaunch = read_phases(phases, job);
  } else if (recovery != nullptr) {
    in.expected("recovery", "\"textbook\", or an object of phases");
  }
  if (const auto startup = in.object("startup")) job.startup = read_phases(*startup, job);
  // A replica that has failed is loaded as at first.
  if (job.kind == JobKind::service && recovery == nullptr) job.recovery.relaunch = job.startup;
  job.preemption = job.startup;
  if (const auto preemption = in.object("preemption")) job.preemption = read_phases(*preemption, job);
  job.reconfiguration = job.preemption;
  if (const auto drained = in.object("reconfiguration")) job.reconfiguration = read_phases(*drained, job);
}

void read_eviction_terms(const Reader& in, EvictionTerms& terms) {
  const Json* lost = in.find("lost_work");
  if (lost != nullptr && *lost != "since_last_commit") {
    const bool is_text = lost->is_string();
    if (is_text && split_decimal(lost->get_ref<const std::string&>()).digits.empty()) {
      in.expected("lost_work", "\"since_last_commit\", or a duration such as \"15 min\"");
    } else {
      assign(terms.lost_work, in.duration("lost_work"));
    }
  }
  assign(terms.save, in.duration("save"));
  assign(terms.grace, in.duration("grace"));
  if (in.has("grace") && !in.has("save")) in.idle("grace", "goes with \"save\", which is to fit in it");
  assign(terms.requeue_delay, in.duration("requeue_delay"));
  assign(terms.requeue, in.choice("requeue", {RequeueAt::submit, RequeueAt::behind}));
}

void read_evictions(const Reader& in, JobClass& job) {
  const std::optional<Reader> evictions = in.object("evictions");
  if (!evictions) return;
  EvictionSpec& spec = job.evictions;
  evictions->at_most_one({"rate", "every"});
  assign(spec.rate, evictions->rate("rate"));
  if (spec.rate && !(spec.rate->si > 0)) spec.rate.reset();  // none ever come
  assign(spec.every, evictions->duration("every", Sign::positive));
  if (const auto instants = evictions->durations("at")) {
    for (const Duration since_start : *instants) spec.at.push_back(SimTime::zero() + since_start);
    std::sort(spec.at.begin(), spec.at.end());
  }
  assign(spec.clock,
         evictions->choice("clock", {EvictionClock::held, EvictionClock::productive, EvictionClock::wall}));
  read_eviction_terms(*evictions, spec.terms);
}

}  // namespace fleetsim
