#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "models/quantity/quantity.hpp"
#include "sim/core/statistics.hpp"

/// Plain text for people: columns, bars, numbers with their intervals.
namespace fleetsim {

/// What the reader of a page can see.
struct Style {
  bool ascii = false;   ///< no character above 127
  bool colour = false;  ///< escape sequences of a terminal
};

inline constexpr std::size_t kPageWidth = 100;

/// Columns of a terminal that the text takes; escape sequences take none.
std::size_t display_width(std::string_view text);

/// Text from elsewhere on one line of a page: what controls a terminal, is not UTF-8, or cannot be shown in
/// the style becomes '?'.
std::string clean(std::string_view text, const Style& style);
/// The same, cut to `width` columns with a mark where something is missing.
std::string clip(std::string_view text, std::size_t width, const Style& style);

/// Filled up with blanks to `width` columns.
std::string pad_right(std::string text, std::size_t width);
std::string pad_left(std::string text, std::size_t width);

/// `left`, and `right` at the other end of the line.
std::string spread(const std::string& left, const std::string& right, std::size_t width = kPageWidth);

/// Words on lines of the page's width: the first after `head`, the others below its end. A word that is too
/// long for a line goes on in the next.
std::string wrap(const std::string& head, std::string_view words);

/// A heading, set off on a terminal with colour.
std::string heading(std::string_view text, const Style& style);
/// Text that should be seen first.
std::string alarm(std::string_view text, const Style& style);

/// A horizontal bar of at most `width` columns for a share in [0, 1], to an eighth of a column.
std::string bar(double share, std::size_t width, const Style& style);

std::string_view plus_minus(const Style& style);
std::string_view times(const Style& style);

/// "0.650 ± 0.004", or "no data"; as many decimals as the interval bears, three where there is none.
std::string with_interval(const Estimate& estimate, const Style& style);
struct Decimals {
  int least = 3, most = 6;
};
std::string with_interval(const Estimate& estimate, Decimals decimals, const Style& style);
/// A time: "9.81 ± 0.05 d".
std::string time_with_interval(const Estimate& estimate, const Style& style);
/// A plain number: a count, a price.
std::string number_with_interval(const Estimate& estimate, const Style& style);

}  // namespace fleetsim
