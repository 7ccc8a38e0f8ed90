#pragma once

#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// Device-time of what is installed of a pool from one instant to a later one: nodes with a date count while
/// they are there.
DeviceTime installed(const PoolSpec& pool, SimTime from, SimTime to);

}  // namespace fleetsim
