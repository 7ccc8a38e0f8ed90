#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/study.hpp"
#include "tests/models/near.hpp"

namespace fleetsim {

inline constexpr Duration kHour = Duration::nanoseconds(3'600'000'000'000);
inline constexpr Duration kSecond = Duration::nanoseconds(1'000'000'000);

inline FaultRow row(std::string name, FaultScope hits, double mttf_hours) {
  FaultRow row;
  row.name = std::move(name);
  row.hits = hits;
  row.takes_out = FaultScope::nothing;  // the job recovers in place: nothing but its own losses
  row.lifetime = Distribution{Distribution::Exponential{mttf_hours * 3600}};
  return row;
}

inline PoolSpec pool_of(std::uint32_t nodes) {
  PoolSpec pool;
  pool.name = "train";
  pool.device_type = "h100";
  pool.nodes = nodes;
  pool.devices_per_node = 8;
  pool.racks.assign(nodes, 0);
  return pool;
}

/// The running example of Machine Learning Systems, volume 2, chapter 9: Llama 2 70B on 128 H100s for a week,
/// one eviction a day, alone in its pool.
inline Scenario textbook_job() {
  Scenario scenario;
  scenario.name = "textbook";
  PoolSpec pool = pool_of(16);
  pool.price = Price{2.0 / 3600};
  pool.faults = {row("gpu", FaultScope::device, 50'000), row("pcie", FaultScope::device, 200'000),
                 row("nic", FaultScope::node, 150'000)};
  scenario.pools = {pool};

  JobClass llama;
  llama.name = "llama";
  llama.pools = {0};
  llama.gang.sizes = {128};
  llama.gang.weights = {1};
  llama.input_stall = 0.05 / 0.65;
  // 13 units of stepping time, one of them a wait: the textbook's stall. Small against everything else, so
  // that checkpoints fall where they would without steps.
  llama.step = {.time = Duration::nanoseconds(12'000'000),
                .wait = Duration::nanoseconds(1'000'000),
                .continuous = false,
                .tokens = std::nullopt};
  llama.program_goodput = 0.4800032500361115;
  constexpr std::int64_t kParts = 1'000'000'000;
  llama.program.weights = {{Leaf::program_unattributed, kParts - 480'003'250}, {Leaf::ideal, 480'003'250}};
  llama.checkpoint.mode = CheckpointMode::synchronous;
  llama.checkpoint.rule = CheckpointRule::young;
  llama.checkpoint.interval = Duration::nanoseconds(4'619'384'123'173);  // sqrt(2 x 9.8 s x 302.419 h)
  llama.checkpoint.pause = Duration::nanoseconds(9'800'000'000);
  llama.startup = {
      .launch = 180 * kSecond, .load = Duration::nanoseconds(9'800'000'000), .warmup = 120 * kSecond};
  llama.recovery = {.detect = 60 * kSecond, .relaunch = llama.startup};
  llama.preemption = llama.startup;
  llama.evictions.rate = PerSecond{1.0 / 86'400};
  llama.evictions.terms.lost_work = 900 * kSecond;
  scenario.classes = {llama};
  scenario.window.length = 168 * kHour;
  return scenario;
}

/// Two nodes, a stream of little jobs of three sizes, and failures.
inline Scenario busy_pool() {
  Scenario scenario;
  scenario.name = "busy";
  PoolSpec pool = pool_of(2);
  pool.faults = {row("gpu", FaultScope::device, 200)};
  scenario.pools = {pool};
  JobClass job;
  job.name = "small";
  job.pools = {0};
  job.gang = {.shape = std::nullopt, .sizes = {1, 4, 8}, .weights = {2, 1, 1}};
  job.arrivals.gap = Distribution{Distribution::Exponential{3600}};
  job.duration = Distribution{Distribution::Exponential{3 * 3600.0}};
  job.program.weights = {{Leaf::program_unattributed, 6}, {Leaf::ideal, 4}};
  job.program_goodput = 0.4;
  scenario.classes = {job};
  scenario.window.length = 48 * kHour;
  scenario.runs.replications = 8;
  return scenario;
}

inline StudyReading study_of(std::vector<std::pair<std::string, Scenario>> alternatives) {
  StudyReading study;
  for (auto& [name, scenario] : alternatives)
    study.points.push_back(
        {.alternative = name, .sweep = {}, .scenario = std::move(scenario), .resolved = {}, .hash = {}});
  return study;
}

inline const Figure& figure(const PointResult& point, std::string_view name) {
  const Figure* found = point.find(name);
  REQUIRE_MESSAGE(found != nullptr, std::string{name});
  return *found;
}

inline double simulated(const PointResult& point, std::string_view name) {
  const Figure& found = figure(point, name);
  REQUIRE_MESSAGE(found.simulated.mean.has_value(), std::string{name}, ": ", found.absent);
  return *found.simulated.mean;
}

inline double closed_form(const PointResult& point, std::string_view name) {
  const Figure& found = figure(point, name);
  REQUIRE_MESSAGE(found.closed_form.has_value(), std::string{name});
  return *found.closed_form;
}

}  // namespace fleetsim
