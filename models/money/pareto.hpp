#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fleetsim {

/// One choice: what it costs in each respect, less being better. Turn the sign of what should be large.
using Objectives = std::vector<double>;

/// The choices that no other beats: none is at most as much in every respect and less in one. Indices
/// ascending, whatever the order of the choices; equal choices stay or go together. All have as many
/// objectives, none NaN.
std::vector<std::size_t> pareto_set(std::span<const Objectives> choices);

}  // namespace fleetsim
