#pragma once

#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// Devices of a node, and of all nodes of a pool, whenever they are there.
std::uint32_t devices_of_node(const PoolSpec& pool, std::uint32_t node);
std::int64_t devices_of(const PoolSpec& pool);

/// Device-time of what is installed of a pool from one instant to a later one: nodes with a date count while
/// they are there.
DeviceTime installed(const PoolSpec& pool, SimTime from, SimTime to);

}  // namespace fleetsim
