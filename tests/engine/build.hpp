#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/scenario/spec.hpp"

/// Scenarios in a few words. Times are whole seconds unless a name says otherwise.
namespace fleetsim::build {

constexpr Duration seconds(std::int64_t count) { return Duration::nanoseconds(count * 1'000'000'000); }
constexpr SimTime at(std::int64_t second) { return SimTime::zero() + seconds(second); }
constexpr DeviceTime device_seconds(std::int64_t count) { return Capacity::devices(count) * seconds(1); }

inline PoolSpec pool(std::uint32_t nodes, std::uint32_t devices_per_node, std::string name = "pool") {
  PoolSpec spec;
  spec.name = std::move(name);
  spec.device_type = spec.name;
  spec.nodes = nodes;
  spec.devices_per_node = devices_per_node;
  spec.racks.assign(nodes, 0);
  return spec;
}

/// One job of `nodes` whole parts of `per_node` devices that works for `work`, submitted at `submit`.
inline JobClass job(std::string name, std::uint32_t nodes, std::uint32_t per_node, Duration work,
                    SimTime submit = SimTime::zero()) {
  JobClass spec;
  spec.name = std::move(name);
  spec.pools = {0};
  spec.gang.shape = GangShape{.nodes = nodes, .per_node = per_node};
  spec.steps = work.ns();
  spec.arrivals.submit = submit;
  return spec;
}

/// The same with `steps` steps of `step`.
inline JobClass stepping_job(std::string name, std::uint32_t nodes, std::uint32_t per_node,
                             std::int64_t steps, Duration step) {
  JobClass spec = job(std::move(name), nodes, per_node, Duration::zero());
  spec.step.continuous = false;
  spec.step.time = step;
  spec.steps = steps;
  return spec;
}

inline void checkpoint(JobClass& job, Duration interval, Duration pause) {
  job.checkpoint.mode = CheckpointMode::synchronous;
  job.checkpoint.interval = interval;
  job.checkpoint.pause = pause;
}

inline ScriptedFault node_fault(SimTime when, std::uint32_t node, Duration repair) {
  ScriptedFault fault;
  fault.at = when;
  fault.node = node;
  fault.hits = fault.takes_out = FaultScope::node;
  fault.repair = repair;
  return fault;
}

/// A failure that stops the gang on node 0 and takes nothing out of service.
inline ScriptedFault crash(SimTime when, std::uint32_t node = 0) {
  ScriptedFault fault;
  fault.at = when;
  fault.node = node;
  fault.hits = FaultScope::node;
  fault.takes_out = FaultScope::nothing;
  return fault;
}

inline FaultRow crashes(Distribution lifetime) {
  FaultRow row;
  row.name = "crash";
  row.hits = FaultScope::node;
  row.takes_out = FaultScope::nothing;
  row.lifetime = std::move(lifetime);
  return row;
}

inline Distribution exponential(double mean_seconds) {
  return Distribution{Distribution::Exponential{mean_seconds}};
}
inline Distribution fixed(double seconds) { return Distribution{Distribution::Fixed{seconds}}; }

inline Scenario scenario(std::vector<PoolSpec> pools, std::vector<JobClass> jobs,
                         std::optional<Duration> length = std::nullopt) {
  Scenario out;
  out.pools = std::move(pools);
  out.classes = std::move(jobs);
  out.window.length = length;
  return out;
}

inline RunResult run(const Scenario& scenario, std::uint32_t replication = 0) {
  return simulate(scenario, {.replication = replication, .records = nullptr, .jobs = RunOptions::Jobs::each});
}

/// The run, whose records must give its ledger.
inline RunResult run_recorded(const Scenario& scenario) {
  Records records;
  RunResult result =
      simulate(scenario, {.replication = 0, .records = &records, .jobs = RunOptions::Jobs::each});
  const Accounting accounting = account(records);
  CHECK(accounting.problems == std::vector<std::string>{});
  CHECK(accounting.ledger == result.ledger);
  return result;
}

inline DeviceTime leaf(const RunResult& result, Leaf leaf) {
  return result.ledger.total()[static_cast<std::size_t>(leaf)];
}

inline const JobOutcome& outcome(const RunResult& result, const std::string& id) {
  for (const JobOutcome& job : result.jobs)
    if (job.id == id) return job;
  throw std::out_of_range{"no job " + id};
}

}  // namespace fleetsim::build
