#include "tools/report/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "models/quantity/format.hpp"

namespace fleetsim {
namespace {

constexpr char kEscape = '\x1b';
constexpr char32_t kNotUtf8 = 0xFFFFFFFF;

/// Takes one character off UTF-8 text; a byte that begins none is taken alone.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  char32_t character = length <= 1 ? lead : lead & (0x7Fu >> length);
  bool whole = length > 0 && length <= text.size();
  for (std::size_t i = 1; whole && i < length; ++i) {
    whole = (byte(i) & 0xC0u) == 0x80;
    character = character << 6 | (byte(i) & 0x3Fu);
  }
  text.remove_prefix(whole ? length : 1);
  return whole ? character : kNotUtf8;
}

struct Range {
  char32_t first, last;
};

// The wide and the combining blocks that occur in names; Unicode, East Asian Width (UAX #11).
constexpr Range kWide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                           {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range kInvisible[] = {{0x0300, 0x036F}, {0x200B, 0x200D}, {0xFE00, 0xFE0F}};
// What moves the cursor or turns the direction of writing.
constexpr Range kControls[] = {{0x00, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

template <std::size_t kCount>
bool within(char32_t character, const Range (&ranges)[kCount]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return character >= range.first && character <= range.last; });
}

std::size_t width_of(char32_t character) {
  if (within(character, kInvisible)) return 0;
  return within(character, kWide) ? 2 : 1;
}

/// How many bytes of the text fit into so many columns; at least one character, and all of a coloured text.
std::size_t length_within(std::string_view text, std::size_t columns) {
  if (text.find(kEscape) != text.npos) return text.size();
  std::string_view rest = text;
  std::size_t used = width_of(take_character(rest));
  while (!rest.empty()) {
    std::string_view next = rest;
    used += width_of(take_character(next));
    if (used > columns) break;
    rest = next;
  }
  return text.size() - rest.size();
}

std::string in_colour(std::string_view code, std::string_view text, const Style& style) {
  if (!style.colour) return std::string(text);
  return std::string(1, kEscape) + "[" + std::string(code) + "m" + std::string(text) + kEscape + "[0m";
}

/// Decimals that show one or two significant digits of the half-width; the least if the most would not show
/// any.
int decimals_of(std::optional<double> half_width, int least, int most) {
  if (!half_width || !(*half_width > 0)) return least;
  int decimals = 0;
  for (double scaled = *half_width; scaled < 1; scaled *= 10) {
    if (++decimals > most) return least;
  }
  return std::max(least, decimals);
}

std::string join(const Estimate& estimate, int decimals, const Style& style) {
  std::string text = format_fixed(*estimate.mean, decimals);
  if (estimate.half_width) {
    text.append(" ")
        .append(plus_minus(style))
        .append(" ")
        .append(format_fixed(*estimate.half_width, decimals));
  }
  return text;
}

bool is_shown(const Estimate& estimate) { return estimate.mean && std::isfinite(*estimate.mean); }

Estimate scaled(const Estimate& estimate, double unit) {
  Estimate result = estimate;
  result.mean = *estimate.mean / unit;
  if (estimate.half_width) result.half_width = *estimate.half_width / unit;
  return result;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (text.front() == kEscape) {
      text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
    } else {
      width += width_of(take_character(text));
    }
  }
  return width;
}

std::string clean(std::string_view text, const Style& style) {
  std::string shown;
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t character = take_character(text);
    const bool hidden =
        character == kNotUtf8 || within(character, kControls) || (style.ascii && character > 0x7F);
    shown.append(hidden ? std::string_view("?") : before.substr(0, before.size() - text.size()));
  }
  return shown;
}

std::string clip(std::string_view text, std::size_t width, const Style& style) {
  const std::string whole = clean(text, style);
  if (display_width(whole) <= width) return whole;
  const std::string_view mark = style.ascii ? "~" : "…";
  std::string_view rest = whole;
  std::size_t used = 1;
  while (!rest.empty()) {
    std::string_view next = rest;
    used += width_of(take_character(next));
    if (used > width) break;
    rest = next;
  }
  return whole.substr(0, whole.size() - rest.size()).append(mark);
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text.append(width - used, ' ') : text;
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text.insert(0, width - used, ' ') : text;
}

std::string spread(const std::string& left, const std::string& right, std::size_t width) {
  const std::size_t used = display_width(left) + display_width(right);
  return left + std::string(used < width ? width - used : 1, ' ') + right;
}

std::string wrap(const std::string& head, std::string_view words) {
  const std::size_t indent = display_width(head);
  const std::size_t room = kPageWidth - std::min(indent, kPageWidth - 1);
  std::string text = head;
  std::size_t used = 0;
  while (!words.empty()) {
    std::size_t end = words.find(' ');
    while (end != std::string_view::npos && words.substr(end + 1).starts_with('%'))
      end = words.find(' ', end + 1);
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    while (!word.empty()) {
      const std::string_view piece = word.substr(0, length_within(word, room));
      word.remove_prefix(piece.size());
      const std::size_t width = display_width(piece);
      if (used > 0 && used + 1 + width > room) {
        text.append("\n").append(indent, ' ');
        used = 0;
      }
      if (used > 0) text += ' ';
      text += piece;
      used += (used > 0 ? 1 : 0) + width;
    }
  }
  return text + "\n";
}

std::string heading(std::string_view text, const Style& style) { return in_colour("1", text, style); }

std::string alarm(std::string_view text, const Style& style) { return in_colour("33", text, style); }

std::string bar(double share, std::size_t width, const Style& style) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double columns = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * static_cast<double>(width);
  if (style.ascii)
    return in_colour("36", std::string(static_cast<std::size_t>(std::lround(columns)), '#'), style);
  const auto eighths = static_cast<std::size_t>(std::lround(columns * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kParts[eighths % 8];
  return text.empty() ? text : in_colour("36", text, style);
}

std::string_view plus_minus(const Style& style) { return style.ascii ? "+-" : "±"; }

std::string_view times(const Style& style) { return style.ascii ? "x" : "×"; }

std::string with_interval(const Estimate& estimate, Decimals decimals, const Style& style) {
  if (!is_shown(estimate)) return "no data";
  return join(estimate, decimals_of(estimate.half_width, decimals.least, decimals.most), style);
}

std::string with_interval(const Estimate& estimate, const Style& style) {
  return with_interval(estimate, Decimals{}, style);
}

std::string time_with_interval(const Estimate& estimate, const Style& style) {
  struct Unit {
    double from, seconds;
    std::string_view symbol;
  };
  // The steps at which format_duration changes its unit.
  constexpr Unit kUnits[] = {
      {500 * 3600.0, 86400, "d"}, {2 * 3600.0, 3600, "h"}, {120, 60, "min"}, {1, 1, "s"}, {0, 1e-3, "ms"}};
  if (!is_shown(estimate)) return "no data";
  const double size = std::fabs(*estimate.mean);
  const Unit& unit = size == 0 ? kUnits[3]
                               : *std::find_if(std::begin(kUnits), std::end(kUnits),
                                               [&](const Unit& each) { return size >= each.from; });
  return number_with_interval(scaled(estimate, unit.seconds), style) + " " + std::string(unit.symbol);
}

std::string number_with_interval(const Estimate& estimate, const Style& style) {
  constexpr int kMost = 6;
  if (!is_shown(estimate)) return "no data";
  if (!estimate.half_width) return format_number(*estimate.mean);
  const double size = std::fabs(*estimate.mean);
  const int least = size < 10 ? 2 : size < 100 ? 1 : 0;
  return join(estimate, decimals_of(estimate.half_width, least, kMost), style);
}

}  // namespace fleetsim
