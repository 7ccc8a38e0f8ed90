#pragma once

#include <cstdint>

#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// A small valid scenario that mixes every mechanism, determined by its number alone: few devices, and times
/// that are small multiples of one unit, so that events meet at one instant more often than in life.
Scenario random_scenario(std::uint64_t number);

/// The same without what interrupts jobs: nothing fails, drains, or is slow, and nobody is sent away or moved.
/// Every second class does nothing but step.
Scenario random_calm_scenario(std::uint64_t number);

}  // namespace fleetsim
