#include "sim/packing/policy.hpp"

namespace fleetsim {

// All nodes alike: the list order decides.
int score_first_fit(const Candidate&) { return 0; }

}  // namespace fleetsim
