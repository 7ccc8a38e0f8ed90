#pragma once

#include "models/step/step.hpp"

namespace fleetsim {

/// Time of a collective of the step, on the links that the run has.
Seconds exchange_time(const StepInput& input, Collective collective, Bytes message, RankGroup group);

}  // namespace fleetsim
