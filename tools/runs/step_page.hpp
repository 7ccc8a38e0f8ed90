#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/step/evidence.hpp"
#include "models/step/search.hpp"
#include "tools/report/text.hpp"

namespace fleetsim {

/// What a step was asked for by name, and how well its device is known.
struct StepNames {
  std::string model;
  std::string node;
  std::string device;
  std::string fabric;
  std::vector<RateEvidence> rates{};
  std::string own_products{};  ///< what the user's products are; empty: the catalog's
};

/// A step and what it is predicted to take.
struct StepCase {
  StepInput input;
  StepBreakdown step;
};

/// The steps of one size, or why there is none.
struct SizedSteps {
  std::int64_t devices = 1;
  std::int64_t batch = 1;
  std::vector<StepCase> cases{};
  std::string problem{};
};

/// Several layouts or sizes, and how many layouts were looked at.
struct StepTable {
  std::vector<SizedSteps> sizes;
  std::size_t tried = 0;
  std::size_t fitting = 0;
};

/// One step, part by part, with what it assumes.
std::string step_page(const StepCase& one, const StepNames& names, const Style& style);

/// One step of a recommender.
std::string recommender_page(const StepCase& one, const StepNames& names, const Style& style);

/// A line for each layout or size.
std::string steps_page(const StepTable& table, const StepNames& names, const Style& style);

std::string steps_json(const StepTable& table, const StepNames& names);

}  // namespace fleetsim
