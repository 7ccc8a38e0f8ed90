#pragma once

#include "sim/scenario/spec.hpp"
#include "sim/study/closed_form.hpp"

namespace fleetsim {

/// What a replica's own times say of it, by figure. Its runtime goodput is known where a life has one length,
/// no warm replica serves, and nothing but failures disturbs it.
ClosedForms service_forms(const Scenario& scenario, const JobClass& job_class);

}  // namespace fleetsim
