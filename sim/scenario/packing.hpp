#pragma once

#include <string_view>
#include <vector>

#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// Whether a placement is for packed nodes alone, and so for jobs of at most one node.
bool is_for_packing(std::string_view placement);

/// A shape of gangs, and how many jobs of the window have it, on average.
struct ExpectedGang {
  GangShape shape;
  double jobs = 0;
};
/// Those of a class on nodes of so many devices, each once.
std::vector<ExpectedGang> expected_gangs(const JobClass& job_class, std::uint32_t per_node,
                                         const WindowSpec& window);

/// The number of a demand, which gets one if it has none.
std::uint32_t demand_number(const HostDemand& demand, Scenario& scenario);

/// Packs the pools that need it: gives each node what it has, and derives typical tasks from the workload.
/// Pools, scheduler, workload and window are complete.
void prepare_packing(Scenario& scenario);

}  // namespace fleetsim
