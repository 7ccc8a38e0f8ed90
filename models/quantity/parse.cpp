#include "models/quantity/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/quantity/decimal.hpp"
#include "models/text/nearest.hpp"

namespace fleetsim {
namespace {

/// One spelling of a unit: a number of it is `number * times / over` in SI. Two exact factors, because
/// 245 / 1000 is the double nearest to 0.245 and 245 * 0.001 need not be.
struct Unit {
  std::string_view name;
  double times;
  double over;
};

/// What one parser accepts and how it speaks of it.
struct Grammar {
  std::string_view what;     ///< "a duration"
  std::string_view example;  ///< "30 min"
  std::span<const Unit> units;
};

constexpr Unit kTimes[] = {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3},  {"s", 1, 1},
                           {"min", 60, 1}, {"h", 3600, 1}, {"d", 86400, 1}, {"w", 604800, 1}};

constexpr double kKi = 1024;
constexpr Unit kSizes[] = {{"B", 1, 1},
                           {"kB", 1e3, 1},
                           {"KB", 1e3, 1},
                           {"MB", 1e6, 1},
                           {"GB", 1e9, 1},
                           {"TB", 1e12, 1},
                           {"PB", 1e15, 1},
                           {"EB", 1e18, 1},
                           {"KiB", kKi, 1},
                           {"MiB", kKi* kKi, 1},
                           {"GiB", kKi* kKi* kKi, 1},
                           {"TiB", kKi* kKi* kKi* kKi, 1},
                           {"PiB", kKi* kKi* kKi* kKi* kKi, 1},
                           {"EiB", kKi* kKi* kKi* kKi* kKi* kKi, 1}};

constexpr Unit kByteRates[] = {{"B/s", 1, 1},
                               {"kB/s", 1e3, 1},
                               {"KB/s", 1e3, 1},
                               {"MB/s", 1e6, 1},
                               {"GB/s", 1e9, 1},
                               {"TB/s", 1e12, 1},
                               {"PB/s", 1e15, 1},
                               {"KiB/s", kKi, 1},
                               {"MiB/s", kKi* kKi, 1},
                               {"GiB/s", kKi* kKi* kKi, 1},
                               {"TiB/s", kKi* kKi* kKi* kKi, 1},
                               {"b/s", 1, 8},
                               {"kb/s", 1e3, 8},
                               {"Mb/s", 1e6, 8},
                               {"Gb/s", 1e9, 8},
                               {"Tb/s", 1e12, 8},
                               {"Mbit/s", 1e6, 8},
                               {"Gbit/s", 1e9, 8},
                               {"Tbit/s", 1e12, 8}};

constexpr Unit kWork[] = {{"FLOP", 1, 1},     {"GFLOP", 1e9, 1},  {"TFLOP", 1e12, 1}, {"PFLOP", 1e15, 1},
                          {"EFLOP", 1e18, 1}, {"ZFLOP", 1e21, 1}, {"YFLOP", 1e24, 1}};

constexpr Unit kFlopRates[] = {
    {"FLOP/s", 1, 1}, {"GFLOP/s", 1e9, 1}, {"TFLOP/s", 1e12, 1}, {"PFLOP/s", 1e15, 1}, {"EFLOP/s", 1e18, 1}};

constexpr Unit kRates[] = {{"/s", 1, 1},     {"/min", 1, 60},   {"/h", 1, 3600},
                           {"/d", 1, 86400}, {"/w", 1, 604800}, {"/week", 1, 604800}};

constexpr Unit kPrices[] = {{"USD/GPU-h", 1, 3600}, {"USD/device-h", 1, 3600}, {"USD/GPU-s", 1, 1}};

constexpr Unit kPowers[] = {{"W", 1, 1}, {"kW", 1e3, 1}, {"MW", 1e6, 1}};

constexpr Unit kShares[] = {{"", 1, 1}, {"%", 1, 100}};

constexpr Grammar kDuration{"a duration", "30 min", kTimes};
constexpr Grammar kSize{"a size", "80 GB", kSizes};
constexpr Grammar kByteRate{"a bandwidth", "100 GB/s", kByteRates};
constexpr Grammar kFlops{"an amount of arithmetic", "15 PFLOP", kWork};
constexpr Grammar kFlopRate{"a rate of arithmetic", "989 TFLOP/s", kFlopRates};
constexpr Grammar kRate{"a rate", "1 /d", kRates};
constexpr Grammar kPrice{"a price", "2 USD/GPU-h", kPrices};
constexpr Grammar kPower{"a power", "700 W", kPowers};
constexpr Grammar kShare{"a share of a whole", "7.5 %\" or \"0.075", kShares};

std::string quoted(std::string_view text) { return std::string("\"").append(text).append("\""); }

std::string expected(const Grammar& grammar, std::string_view condition, std::string_view found) {
  return "expected " + std::string(grammar.what) + std::string(condition) + ", such as " +
         quoted(grammar.example) + "; found " + quoted(found);
}

/// What is wrong with a unit that is not in the table.
std::string unknown_unit(const Grammar& grammar, std::string_view unit, std::string_view text) {
  if (unit.empty()) return expected(grammar, " with a unit", text);
  std::vector<std::string_view> known;
  for (const Unit& row : grammar.units) {
    if (!row.name.empty()) known.push_back(row.name);
  }
  std::string problem = expected(grammar, " with a unit", text);
  const std::vector<std::string> near = nearest_names(unit, known, 1);
  if (!near.empty())
    return problem + ", whose unit is not known (did you mean " + quoted(near.front()) + "?)";
  problem += ", whose unit is not one of";
  for (const std::string_view name : known)
    problem += (name == known.front() ? " " : ", ") + std::string(name);
  return problem;
}

/// Text cut into a number and the row of its unit; `problem` is empty when both are there.
struct Measure {
  DecimalText number;
  Unit unit{};
  std::string problem;
};

Measure read_measure(std::string_view text, const Grammar& grammar) {
  Measure measure;
  measure.number = split_decimal(text);
  if (measure.number.digits.empty()) {
    measure.problem = expected(grammar, " with a number", text);
  } else if (measure.number.negative) {
    measure.problem = expected(grammar, " that is not negative", text);
  } else {
    for (const Unit& row : grammar.units) {
      if (row.name == measure.number.rest) return measure.unit = row, measure;
    }
    measure.problem = unknown_unit(grammar, measure.number.rest, text);
  }
  return measure;
}

/// The number in SI, or nothing when it leaves the range of a double.
std::optional<double> si_value(const Measure& measure) {
  double number = 0;
  const std::string_view digits = measure.number.digits;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const double si = number * measure.unit.times / measure.unit.over;
  if (read.ec != std::errc{} || si > std::numeric_limits<double>::max()) return std::nullopt;
  return si;
}

template <class Q>
Parsed<Q> parse(std::string_view text, const Grammar& grammar) {
  const Measure measure = read_measure(text, grammar);
  if (!measure.problem.empty()) return {std::nullopt, measure.problem};
  const std::optional<double> si = si_value(measure);
  if (!si) return {std::nullopt, expected(grammar, " of a size that can be computed with", text)};
  return {Q{*si}, {}};
}

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) {
  const Measure measure = read_measure(text, kDuration);
  if (!measure.problem.empty()) return {std::nullopt, measure.problem};
  // Every unit of time is a whole number of nanoseconds.
  const auto unit_ns = static_cast<std::uint64_t>(1e9 * measure.unit.times / measure.unit.over);
  const std::optional<std::int64_t> ns = nearest_multiple(measure.number, unit_ns);
  if (!ns || Duration::nanoseconds(*ns).is_unbounded()) {
    return {std::nullopt, expected(kDuration, " of at most 292 years", text)};
  }
  if (*ns == 0 && !is_zero(measure.number)) {
    return {std::nullopt, expected(kDuration, " of at least 1 ns", text)};
  }
  return {Duration::nanoseconds(*ns), {}};
}

bool is_endless(std::string_view text) {
  std::string word;
  for (const char c : text) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view kWords[] = {"unlimited", "infinite", "infinity", "inf", "none", "never"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

Parsed<Seconds> parse_seconds(std::string_view text) { return parse<Seconds>(text, kDuration); }
Parsed<Bytes> parse_bytes(std::string_view text) { return parse<Bytes>(text, kSize); }
Parsed<ByteRate> parse_byte_rate(std::string_view text) { return parse<ByteRate>(text, kByteRate); }
Parsed<Flops> parse_flops(std::string_view text) { return parse<Flops>(text, kFlops); }
Parsed<FlopRate> parse_flop_rate(std::string_view text) { return parse<FlopRate>(text, kFlopRate); }
Parsed<PerSecond> parse_rate(std::string_view text) { return parse<PerSecond>(text, kRate); }
Parsed<Watts> parse_watts(std::string_view text) { return parse<Watts>(text, kPower); }

Parsed<Price> parse_price(std::string_view text) {
  if (!text.starts_with('$')) return parse<Price>(text, kPrice);
  const DecimalText number = split_decimal(text.substr(1));
  if (number.digits.empty() || number.negative) {
    return {std::nullopt, expected(kPrice, " with a number that is not negative", text)};
  }
  return parse<Price>(std::string(number.digits) + " USD" + std::string(number.rest), kPrice);
}

Parsed<double> parse_percent_or_fraction(std::string_view text) {
  const Parsed<double> share = parse<double>(text, kShare);
  if (share && *share.value > 1) {
    return {std::nullopt, expected(kShare, " between 0 and 1 or 0 % and 100 %", text)};
  }
  return share;
}

}  // namespace fleetsim
