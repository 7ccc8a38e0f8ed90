#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fleetsim {

/// A decimal number at the head of a text, and what follows it.
struct DecimalText {
  std::string_view digits;  ///< the number without its sign, as written; empty when there is none
  std::string_view rest;    ///< what follows, without the spaces around it
  bool negative = false;
};

/// Cuts `[+-] 12.5e3 rest`, spaces around it all allowed. "nan", "inf" and hexadecimals are not numbers.
DecimalText split_decimal(std::string_view text);

/// The whole number nearest to `number * unit`, halves up, worked out in integers; nothing when it exceeds 64
/// bits signed. `number` must have digits, its sign is not looked at, and `unit` is at most 10^15.
std::optional<std::int64_t> nearest_multiple(const DecimalText& number, std::uint64_t unit);

/// Whether every digit of the number is a zero.
bool is_zero(const DecimalText& number);

}  // namespace fleetsim
