#pragma once

#include <string>
#include <string_view>

#include "sim/study/figures.hpp"
#include "tools/report/text.hpp"

/// Lines of a block on the page that gives each figure of a class in closed form and as simulated.
namespace fleetsim {

inline constexpr std::size_t kMostBlocks = 4;

/// How an estimate is written.
using FigureText = std::string (*)(const Estimate&, const Style&);

/// The title of a block over its two columns.
std::string block_title(const std::string& title, const Style& style);
std::string block_line(const std::string& label, const std::string& closed, const std::string& simulated);
/// "" where neither is known.
std::string figure_line(const std::string& label, const Figure* figure, FigureText text, const Style& style);

std::string four_decimals(const Estimate& estimate, const Style& style);
/// A share as a percentage, with at least so many digits after the point.
std::string percent(const Estimate& estimate, int least_decimals, const Style& style);
inline std::string percent(const Estimate& estimate, const Style& style) {
  return percent(estimate, 2, style);
}

/// Whether there is such a figure and it is not zero.
bool is_seen(const Figure* figure);

/// "1 failure", "2.5 failures": a mean number with its noun.
std::string mean_count(double mean, std::string_view one, std::string_view more);

}  // namespace fleetsim
