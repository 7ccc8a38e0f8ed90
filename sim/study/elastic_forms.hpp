#pragma once

#include "sim/scenario/spec.hpp"
#include "sim/study/closed_form.hpp"

namespace fleetsim {

/// Epochs that an elastic job gets done by the end of the window, and the pause at which growing gains
/// nothing; of a job that is alone in a pool which grows once at most, where nothing breaks.
ClosedForms elastic_forms(const Scenario& scenario, const JobClass& job_class);

}  // namespace fleetsim
