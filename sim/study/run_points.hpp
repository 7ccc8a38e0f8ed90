#pragma once

#include <functional>

#include "sim/engine/simulate.hpp"
#include "sim/study/study.hpp"

namespace fleetsim {

/// How one replication comes about; called from several threads at once.
using Simulate = std::function<RunResult(const Scenario&, const RunOptions&)>;

/// `run_study`, with replications out of something else than the engine.
StudyResult run_points(const StudyReading& study, const StudyOptions& options, const Simulate& simulate);

}  // namespace fleetsim
