#include "sim/study/elastic_forms.hpp"

#include <algorithm>
#include <optional>

#include "models/goodput/elastic.hpp"
#include "sim/scheduler/elastic.hpp"

namespace fleetsim {
namespace {

/// What is free for the job from the start, and later.
struct Growth {
  std::uint32_t devices = 0, later = 0;
  SimTime at = SimTime::zero();
};

std::optional<Growth> growth_of(const PoolSpec& pool) {
  Growth growth;
  std::uint32_t dated = 0;
  for (const DatedNodes& nodes : pool.dated) {
    const bool comes_once = nodes.until == SimTime::never() && (dated == 0 || nodes.from == growth.at);
    if (!comes_once) return std::nullopt;
    growth.at = nodes.from;
    dated += static_cast<std::uint32_t>(nodes.nodes.size());
  }
  growth.later = pool.nodes * pool.devices_per_node;
  growth.devices = growth.later - dated * pool.devices_per_node;
  return growth;
}

/// Whether the job does nothing but step and change its size, from the start of the window on.
bool is_undisturbed(const Scenario& scenario, const JobClass& job_class) {
  if (scenario.classes.size() != 1 || job_class.pools.size() != 1) return false;
  const PoolSpec& pool = scenario.pools[job_class.pools.front()];
  const EvictionSpec& evictions = job_class.evictions;
  return pool.faults.empty() && pool.slow.empty() && pool.drains.empty() && pool.spares == 0 &&
         pool.packed.empty() && scenario.script.empty() && scenario.slow_script.empty() && !evictions.rate &&
         !evictions.every && evictions.at.empty() && !job_class.limit && !job_class.lease && !job_class.end &&
         job_class.own_spares == 0 && !job_class.arrivals.gap && job_class.arrivals.listed.empty() &&
         job_class.arrivals.submit == SimTime::zero() && job_class.startup.total() == Duration::zero() &&
         job_class.startup.slow_steps == 0 && job_class.step.wait == Duration::zero() &&
         job_class.checkpoint.mode == CheckpointMode::none && scenario.window.warm_up == Duration::zero();
}

/// Epochs in a time at the largest size that so many devices hold; nothing where none does.
std::optional<PerSecond> throughput(const JobClass& job_class, std::uint32_t devices) {
  std::optional<PerSecond> epochs;
  for (const ElasticSize& size : job_class.elastic->sizes)
    if (size.devices <= devices)
      epochs = 1.0 / (to_seconds(size.time) * static_cast<double>(*job_class.epoch));
  return epochs;
}

}  // namespace

ClosedForms elastic_forms(const Scenario& scenario, const JobClass& job_class) {
  ClosedForms forms;
  if (!job_class.elastic || !job_class.epoch || !scenario.window.length ||
      !is_undisturbed(scenario, job_class))
    return forms;
  const ElasticSpec& elastic = *job_class.elastic;
  const ElasticPolicy* const policy = find_elastic(elastic.policy);
  const auto growth = growth_of(scenario.pools[job_class.pools.front()]);
  if (policy == nullptr || elastic.sizes.empty() || !growth || !elastic.script.empty() ||
      elastic.grow != GrowAt::now || elastic.resize.state != ResizeState::committed)
    return forms;

  ElasticChoice choice{.window = to_seconds(*scenario.window.length),
                       .wait = to_seconds(growth->at - SimTime::zero()),
                       .pause = to_seconds(elastic.resize.pause.value_or(job_class.reconfiguration.total()))};
  if (choice.wait > choice.window) return forms;
  const std::optional<PerSecond> small = throughput(job_class, growth->devices),
                                 large = throughput(job_class, growth->later);
  const bool is_free_at_once = growth->devices >= elastic.sizes.back().devices;
  std::optional<double> epochs;
  if (policy->start == ElasticPolicy::Start::at_most) {
    if (is_free_at_once) choice.wait = Seconds{0};
    if (growth->later >= elastic.sizes.back().devices) epochs = work_if_waiting(choice, *large);
  } else if (policy->start == ElasticPolicy::Start::with_free && small) {
    const bool grows = policy->grows && *large > *small;
    epochs = grows ? work_if_stepping_up(choice, *small, *large) : work_if_immediate(choice, *small);
  }
  if (!epochs || (job_class.steps &&
                  *epochs * static_cast<double>(*job_class.epoch) > static_cast<double>(*job_class.steps)))
    return forms;
  const std::string job = "jobs." + job_class.name + ".";
  forms[job + "epochs"] = {*epochs, "alone in the fleet"};
  if (policy->grows && small && *large > *small)
    forms[job + "break_even_pause"] = {break_even_pause(choice, *small, *large).si, "alone in the fleet"};
  return forms;
}

}  // namespace fleetsim
