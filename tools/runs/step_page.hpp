#pragma once

#include <string>
#include <vector>

#include "models/step/search.hpp"
#include "tools/report/text.hpp"

namespace fleetsim {

/// A step and what it is predicted to take.
struct StepCase {
  StepInput input;
  StepBreakdown step;
};

/// One step, part by part, with what it assumes.
std::string step_page(const StepCase& one, const Style& style);

/// Several layouts or sizes, a line each.
std::string steps_page(const std::vector<StepCase>& cases, const LayoutSearch& search, const Style& style);

std::string steps_json(const std::vector<StepCase>& cases);

}  // namespace fleetsim
