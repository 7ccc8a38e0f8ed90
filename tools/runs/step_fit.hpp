#pragma once

#include <span>

#include "models/step/constants.hpp"
#include "tools/runs/published_run.hpp"

namespace fleetsim {

/// The constants that explain comparable runs best: least Huber loss of the logarithm of predicted over
/// measured time, 4 % wide, each constant pulled towards where it starts, the more the narrower its range.
/// Runs of one configuration share the weight of the square root of their number. Constants that every model
/// shows are fitted on dense runs alone, then the others on the rest, so that the many and noisy runs with
/// experts do not move what dense ones pin down.
StepConstants fit_step_constants(std::span<const PublishedRun* const> runs);

}  // namespace fleetsim
