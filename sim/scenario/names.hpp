#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace fleetsim {

/// The orders in which queued jobs are served, who is stopped for others, and the ways to choose nodes, that
/// a scenario may name.
std::span<const std::string_view> known_orders();
std::span<const std::string_view> known_victims();
std::span<const std::string_view> known_placements();
std::span<const std::string_view> known_elastic_policies();

/// The losses that `step.parts` may name: leaves below the program boundary, without "program.".
std::vector<std::string_view> program_parts();

}  // namespace fleetsim
