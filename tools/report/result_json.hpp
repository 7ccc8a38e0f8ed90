#pragma once

#include <string>

#include "sim/study/study.hpp"
#include "tools/report/facts.hpp"

namespace fleetsim {

/// The version of the layout of result.json; raised when something in it moves or changes its meaning.
inline constexpr int kResultSchema = 1;

/// Everything a study found, in strict JSON: what has no value is null, with a reason. Holds nothing of the
/// host, so that the same scenario and seed give the same bytes.
std::string result_json(const StudyResult& study, const Provenance& made_by);

}  // namespace fleetsim
