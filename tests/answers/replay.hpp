#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// A log on a flat pool of processors, where a job that overruns its limit goes on.
inline Scenario replay_of(std::uint32_t processors, std::vector<ListedJob> jobs) {
  Scenario scenario;
  PoolSpec pool;
  pool.name = "machine";
  pool.device_type = "processor";
  pool.nodes = processors;
  pool.devices_per_node = 1;
  pool.racks.assign(pool.nodes, 0);
  scenario.pools.push_back(pool);
  JobClass job;
  job.name = "jobs";
  job.pools = {0};
  job.enforce_limits = false;
  job.arrivals.listed = std::move(jobs);
  scenario.classes.push_back(std::move(job));
  return scenario;
}

}  // namespace fleetsim
