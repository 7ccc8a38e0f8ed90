#pragma once

#include <span>
#include <vector>

#include "sim/study/reduce.hpp"
#include "sim/study/study.hpp"

namespace fleetsim {

/// Every alternative against the base at the same place of the sweep. `compared` goes with `points`.
std::vector<PairedDifference> differences(std::span<const PointResult> points,
                                          std::span<const std::vector<FigureParts>> compared);

/// Where points stand against each other; does not depend on their order.
std::vector<FrontierEntry> frontier(std::span<const PointResult> points);

/// What every point's scenario expects of it.
std::vector<ExpectationOutcome> check_expectations(std::span<const PointResult> points);

}  // namespace fleetsim
