#pragma once

#include <optional>
#include <string>

#include "models/goodput/runtime_loss.hpp"
#include "models/quantity/quantity.hpp"
#include "sim/core/device_time.hpp"
#include "sim/scenario/spec.hpp"
#include "sim/study/equations.hpp"

namespace fleetsim {

/// Whether a job of the class may run at another size than its gang's.
bool changes_size(const JobClass& job_class);

/// The size of every job of the class; nothing when they differ.
std::optional<Capacity> one_gang(const JobClass& job_class);

/// Stepping time, waits included, of the mean job of the class at its gang's size; nothing for a job without
/// an end.
std::optional<Seconds> mean_work(const JobClass& job_class);

/// Equation 4 for a class of jobs: its inputs, and what they come to.
struct ClassTerms {
  RuntimeTerms terms;
  RuntimeLosses losses;
  std::string kind;                ///< "first order", and over which time if not over the window
  std::optional<LongRun> renewal;  ///< where the exact long-run value is known for just this job
};

/// Nothing when an input is missing: the size of the gang, what interrupts it, or how much that costs.
std::optional<ClassTerms> class_terms(const Scenario& scenario, const JobClass& job_class);

}  // namespace fleetsim
