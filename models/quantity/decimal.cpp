#include "models/quantity/decimal.hpp"

#include <charconv>
#include <limits>

namespace fleetsim {
namespace {

using Wide = unsigned __int128;

constexpr int kMostDigits = 23;      // so that digits * 10^15 stays within 128 bits
constexpr int kFarExponent = 10000;  // beyond any exponent that matters, and far from overflow

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// Where the exponent that begins at `at` ends; `at` itself when there is none, as in "2 EB".
std::size_t exponent_end(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  std::size_t begin = at + 1;
  if (begin < text.size() && (text[begin] == '+' || text[begin] == '-')) ++begin;
  const std::size_t end = digits_from(text, begin);
  return end > begin ? end : at;
}

/// The digits as mantissa * 10^exponent. Digits past kMostDigits are below a thousandth of a nanosecond in
/// any result that fits, and halves go up, so they are dropped.
struct Scaled {
  Wide mantissa = 0;
  int exponent = 0;
};

int written_exponent(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc{} && value > -kFarExponent && value < kFarExponent) return value;
  return text.front() == '-' ? -kFarExponent : kFarExponent;
}

Scaled scale(std::string_view digits) {
  const std::size_t e = digits.find_first_of("eE");
  const std::string_view plain = digits.substr(0, e);
  Scaled scaled;
  scaled.exponent = e == std::string_view::npos ? 0 : written_exponent(digits.substr(e));
  int kept = 0;
  bool after_point = false;
  for (const char c : plain) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (kept < kMostDigits) {
      scaled.mantissa = scaled.mantissa * 10 + static_cast<unsigned>(c - '0');
      if (scaled.mantissa != 0) ++kept;
      if (after_point) --scaled.exponent;
    } else if (!after_point) {
      ++scaled.exponent;
    }
  }
  return scaled;
}

}  // namespace

DecimalText split_decimal(std::string_view text) {
  DecimalText cut;
  text = trimmed(text);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    cut.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::size_t end = digits_from(text, 0);
  std::size_t count = end;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction_end = digits_from(text, end + 1);
    count += fraction_end - end - 1;
    end = fraction_end;
  }
  if (count == 0) return {{}, text, cut.negative};
  end = exponent_end(text, end);
  cut.digits = text.substr(0, end);
  cut.rest = trimmed(text.substr(end));
  return cut;
}

std::optional<std::int64_t> nearest_multiple(const DecimalText& number, std::uint64_t unit) {
  constexpr Wide kLimit = std::numeric_limits<std::int64_t>::max();
  const Scaled scaled = scale(number.digits);
  Wide product = scaled.mantissa * unit;
  if (product == 0) return 0;
  for (int e = scaled.exponent; e > 0; --e) {
    if (product > kLimit) return std::nullopt;
    product *= 10;
  }
  // Halves go up, so the digit dropped last decides alone, whatever was dropped before it.
  unsigned last_dropped = 0;
  for (int e = scaled.exponent; e < 0 && (product != 0 || last_dropped != 0); ++e) {
    last_dropped = static_cast<unsigned>(product % 10);
    product /= 10;
  }
  if (last_dropped >= 5) ++product;
  if (product > kLimit) return std::nullopt;
  return static_cast<std::int64_t>(product);
}

bool is_zero(const DecimalText& number) {
  return number.digits.substr(0, number.digits.find_first_of("eE")).find_first_of("123456789") ==
         std::string_view::npos;
}

}  // namespace fleetsim
