#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/study/study.hpp"

namespace fleetsim {

/// What a reader of the result should know before trusting it, one sentence each. All else of `point` is
/// filled.
std::vector<std::string> warnings_of(const PointResult& point);

std::string text_of(const UnequalJobs& unequal, std::span<const PointResult> points);

}  // namespace fleetsim
