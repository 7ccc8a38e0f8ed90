#pragma once

#include "models/step/step.hpp"

namespace fleetsim {

/// Time of a collective of the step, on the links that the run has.
Seconds exchange_time(const StepInput& input, Collective collective, Bytes message, RankGroup group);

/// Activations of a microbatch that a rank sends to the next pipeline stage, in BF16. Where the sequence is
/// split over the tensor ranks each sends its own rows, else each sends all of them, as Megatron Core does.
Bytes stage_message(const StepInput& input);

/// Ranks of a tensor group in the NVLink domain where it has the fewest. Groups lie one after the other; one
/// that does not divide a domain straddles two, but of a rack of 72 the last 8 may stay unused.
std::int64_t near_tensor(const StepInput& input);

}  // namespace fleetsim
