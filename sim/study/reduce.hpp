#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/figures.hpp"
#include "sim/study/study.hpp"

namespace fleetsim {

/// A point, reduced, with what its differences from another are made of.
struct Reduction {
  PointResult result;
  std::vector<FigureParts> compared;
};

/// Sums the replications of a point in their order, at least one, and forms its figures. Differences of
/// `more` are asked for, beside those that are reported.
Reduction reduce(const StudyPoint& point, std::span<const RunResult> runs,
                 std::span<const std::string> more = {});

/// Whether a figure is one whose differences between alternatives are reported.
bool is_compared(std::string_view figure);

/// A point as a person would name it: its alternative and its place in the sweep.
std::string describe(const StudyPoint& point);

}  // namespace fleetsim
