#pragma once

#include <span>
#include <string_view>

namespace fleetsim {

/// A part of a scheduler that has no table of its own: what a scenario says to have it, what it does, where
/// it is from, and what it costs.
struct SchedulerPart {
  std::string_view key;  ///< of the scenario
  std::string_view name, about, source, cost;
};

std::span<const SchedulerPart> scheduler_parts();

}  // namespace fleetsim
