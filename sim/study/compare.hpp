#pragma once

#include <span>
#include <vector>

#include "sim/study/reduce.hpp"
#include "sim/study/study.hpp"

namespace fleetsim {

/// Every alternative against the base at the same place of the sweep. `compared` goes with `points`.
std::vector<PairedDifference> differences(std::span<const PointResult> points,
                                          std::span<const std::vector<FigureParts>> compared);

/// The alternatives under which other jobs completed than under the base at the same place of the sweep.
std::vector<UnequalJobs> unequal_jobs(std::span<const PointResult> points);

/// Every point against the best of its alternative over the sweep, or of all alternatives where there is
/// none.
std::vector<Standing> standings(std::span<const PointResult> points,
                                std::span<const std::vector<FigureParts>> compared,
                                const Objective& objective);

/// Where points stand against each other; does not depend on their order.
std::vector<FrontierEntry> frontier(std::span<const PointResult> points);

/// What every point's scenario expects of it.
std::vector<ExpectationOutcome> check_expectations(std::span<const PointResult> points,
                                                   std::span<const std::vector<FigureParts>> compared);

/// One figure less another, over the replications that both have; those share their random numbers.
Estimate difference(const FigureParts& a, const FigureParts& b);

/// The parts of a figure, or nullptr.
const FigureParts* find_parts(std::span<const FigureParts> parts, std::string_view figure);

}  // namespace fleetsim
