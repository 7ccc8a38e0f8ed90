#pragma once

#include <string>
#include <vector>

#include "sim/study/study.hpp"

namespace fleetsim {

/// What a reader of the result should know before trusting it, one sentence each. All else of `point` is
/// filled.
std::vector<std::string> warnings_of(const PointResult& point);

}  // namespace fleetsim
