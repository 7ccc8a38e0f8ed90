#include "sim/scenario/reader.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "models/text/nearest.hpp"

namespace fleetsim {
namespace {

const Json& empty_object() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

std::vector<std::string_view> words_of(std::string_view type) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t bar = type.find('|');
    words.push_back(type.substr(0, bar));
    if (bar == type.npos) return words;
    type.remove_prefix(bar + 1);
  }
}

std::string joined(std::span<const std::string_view> names, std::string_view separator) {
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += separator;
    list += name;
  }
  return list;
}

std::string in_quotes(std::string_view text) { return describe(Json(std::string(text))); }

}  // namespace

std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string_view> known) {
  constexpr std::size_t kShortList = 8;
  std::string message = "unknown " + std::string(what) + " " + in_quotes(name);
  const std::vector<std::string> near = nearest_names(name, known, 1);
  if (!near.empty()) message += "; did you mean " + in_quotes(near.front()) + "?";
  if (!known.empty() && (near.empty() || (known.size() <= kShortList && what != "key"))) {
    message += (near.empty() ? "; known: " : " known: ") + joined(known, ", ");
  }
  return message;
}

void report_expected(const Json& value, const std::string& pointer, std::string_view expected,
                     Problems& problems) {
  problems.push_back({pointer, pointer, "expected " + std::string(expected) + "; found " + describe(value)});
}

void report_not_in(WholeRange range, const Json& value, const std::string& pointer, Problems& problems) {
  std::string expected = "a whole number";
  if (value.is_number() && value.get<double>() > static_cast<double>(range.most)) {
    expected += " of at most " + format_integer(range.most);
  } else if (range.least == 0) {
    expected += " of 0 or more";
  } else if (range.least > 0) {
    expected += " above " + format_integer(range.least - 1);
  }
  report_expected(value, pointer, expected, problems);
}

std::optional<std::int64_t> whole_of(const Json& value, WholeRange range) {
  std::int64_t whole = 0;
  if (value.is_number_unsigned()) {
    if (value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return std::nullopt;
    whole = value.get<std::int64_t>();
  } else if (value.is_number_integer()) {
    whole = value.get<std::int64_t>();
  } else if (value.is_number_float()) {
    constexpr double kExact = 9007199254740992.0;  // 2^53: above, doubles skip whole numbers
    const double number = value.get<double>();
    if (!(std::abs(number) <= kExact) || number != std::floor(number)) return std::nullopt;
    whole = static_cast<std::int64_t>(number);
  } else {
    return std::nullopt;
  }
  if (whole < range.least || whole > range.most) return std::nullopt;
  return whole;
}

template <class Value>
std::optional<Value> read_quantity(const Json& value, const std::string& pointer,
                                   Parsed<Value> (*parse)(std::string_view), Sign sign, Problems& problems) {
  const bool is_text = value.is_string();
  const Parsed<Value> parsed = parse(is_text ? value.get_ref<const std::string&>() : value.dump());
  if (is_text && parsed) {
    if (sign == Sign::positive && *parsed.value == Value{}) {
      report_expected(value, pointer, "more than zero", problems);
      return std::nullopt;
    }
    return *parsed.value;
  }
  std::string message = parsed.problem;
  if (!is_text) {  // what was parsed is not what the user wrote
    message =
        parsed ? "expected a text with a number and a unit" : message.substr(0, message.find("; found"));
    message += "; found " + describe(value);
  }
  problems.push_back({pointer, pointer, std::move(message)});
  return std::nullopt;
}

template std::optional<Duration> read_quantity(const Json&, const std::string&,
                                               Parsed<Duration> (*)(std::string_view), Sign, Problems&);

Parsed<Duration> parse_device_time(std::string_view text) {
  const DecimalText number = split_decimal(text);
  std::string_view unit = number.rest;
  for (const std::string_view device : {"GPU-", "device-"}) {
    if (!unit.starts_with(device) || number.negative) continue;
    const Parsed<Duration> time =
        parse_duration(std::string(number.digits) + " " + std::string(unit.substr(device.size())));
    if (time) return time;
  }
  return {std::nullopt,
          "expected a device-time of at most 2.5 million GPU-h with a unit, such as \"1000 GPU-h\"; found " +
              in_quotes(text)};
}

Reader::Reader(const Json& value, std::string pointer, std::string_view object, Problems& problems)
    : object_{&value}, pointer_{std::move(pointer)}, kind_{object}, problems_{&problems} {
  if (!value.is_object()) {
    report_expected(value, pointer_, "an object", problems);
    object_ = &empty_object();
    return;
  }
  if (kind_.empty()) return;  // keyed by names of the user's
  const std::span<const KeyInfo> rows = keys_of(kind_);
  std::vector<std::string_view> known;
  for (const KeyInfo& row : rows) known.push_back(row.name);
  for (const auto& [key, ignored] : value.items()) {
    if (find_key(kind_, key) == nullptr) {
      problems.push_back({pointer_, pointer_of(key), unknown_name("key", key, known)});
    }
  }
  for (const KeyInfo& row : rows) {
    if (row.fallback == "required" && !value.contains(row.name)) {
      std::string_view about = row.about;
      if (about.starts_with("... ")) about.remove_prefix(4);  // goes on from the key before
      problem("missing key " + in_quotes(row.name) + ": " + std::string(about));
    }
  }
}

const Json* Reader::find(std::string_view key) const {
  const auto found = object_->find(std::string(key));
  return found == object_->end() ? nullptr : &*found;
}

std::vector<std::string_view> Reader::present(std::initializer_list<std::string_view> keys) const {
  std::vector<std::string_view> there;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(there),
               [&](std::string_view key) { return has(key); });
  return there;
}

void Reader::problem(std::string message) const {
  problems_->push_back({pointer_, pointer_, std::move(message)});
}

void Reader::problem(std::string_view key, std::string message) const {
  problems_->push_back({pointer_of(key), pointer_of(key), std::move(message)});
}

void Reader::idle(std::string_view key, std::string message) const {
  problems_->push_back({pointer_of(key), pointer_of(key), std::move(message), true});
}

void Reader::expected(std::string_view key, std::string_view expected) const {
  report_expected(*find(key), pointer_of(key), expected, *problems_);
}

std::size_t Reader::at_most_one(std::initializer_list<std::string_view> keys) const {
  const std::vector<std::string_view> there = present(keys);
  for (std::size_t i = 1; i < there.size(); ++i) {
    problem(there[i], "excluded by " + in_quotes(there.front()) + " beside it: give one of " +
                          joined(std::vector<std::string_view>(keys), ", "));
  }
  return there.size();
}

std::optional<std::string> Reader::text(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  expected(key, "a text");
  return std::nullopt;
}

std::optional<bool> Reader::flag(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  expected(key, "true or false");
  return std::nullopt;
}

std::optional<double> Reader::number(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  expected(key, "a number");
  return std::nullopt;
}

std::optional<double> Reader::positive_number(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && value->get<double>() > 0) return value->get<double>();
  expected(key, "a number above 0");
  return std::nullopt;
}

std::optional<double> Reader::share(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return quantity(key, parse_percent_or_fraction, Sign::not_negative);
  if (value->is_number() && value->get<double>() >= 0 && value->get<double>() <= 1)
    return value->get<double>();
  expected(key, "a share from 0 to 1");
  return std::nullopt;
}

std::optional<std::int64_t> Reader::whole(std::string_view key, WholeRange range) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> whole = whole_of(*value, range);
  if (!whole) report_not_in(range, *value, pointer_of(key), *problems_);
  return whole;
}

std::optional<std::uint32_t> Reader::count(std::string_view key, std::uint32_t least,
                                           std::uint32_t most) const {
  const std::optional<std::int64_t> number = whole(key, {least, most});
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::optional<std::int64_t> Reader::integer(std::string_view key) const {
  constexpr std::int64_t kLargest = 1'000'000'000'000'000;
  return whole(key, {-kLargest, kLargest});
}

template <class Value>
std::optional<Value> Reader::quantity(std::string_view key, Parsed<Value> (*parse)(std::string_view),
                                      Sign sign) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return read_quantity(*value, pointer_of(key), parse, sign, *problems_);
}

std::optional<Duration> Reader::duration(std::string_view key, Sign sign) const {
  return quantity(key, parse_duration, sign);
}

std::optional<SimTime> Reader::instant(std::string_view key) const {
  const std::optional<Duration> since_start = duration(key);
  if (!since_start) return std::nullopt;
  return SimTime::zero() + *since_start;
}

bool Reader::has_limit(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return false;
  const bool endless =
      value->is_null() || (value->is_string() && is_endless(value->get_ref<const std::string&>()));
  if (endless) expected(key, "a limit; without " + in_quotes(key) + " there is none");
  return !endless;
}

std::optional<PerSecond> Reader::rate(std::string_view key) const {
  return quantity(key, parse_rate, Sign::not_negative);
}

std::optional<Bytes> Reader::bytes(std::string_view key) const {
  return quantity(key, parse_bytes, Sign::positive);
}

std::optional<ByteRate> Reader::byte_rate(std::string_view key) const {
  return quantity(key, parse_byte_rate, Sign::positive);
}

std::optional<FlopRate> Reader::flop_rate(std::string_view key) const {
  return quantity(key, parse_flop_rate, Sign::positive);
}

std::optional<Price> Reader::price(std::string_view key) const {
  return quantity(key, parse_price, Sign::not_negative);
}

std::optional<Duration> Reader::device_time(std::string_view key) const {
  return quantity(key, parse_device_time, Sign::positive);
}

std::optional<std::vector<Duration>> Reader::durations(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) {
    expected(key, "a list of durations");
    return std::nullopt;
  }
  std::vector<Duration> times;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const auto time = read_quantity((*value)[i], child_pointer(pointer_of(key), i), parse_duration,
                                    Sign::not_negative, *problems_);
    if (time) times.push_back(*time);
  }
  if (times.size() != value->size()) return std::nullopt;
  return times;
}

std::optional<std::vector<WeightedName>> Reader::weights(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object() || value->empty()) {
    expected(key, "an object of values, each with its weight");
    return std::nullopt;
  }
  std::vector<WeightedName> weights;
  for (const auto& [name, weight] : value->items()) {
    // Sums of weights, and of values times weights, are to stay within what doubles hold well.
    constexpr double kLargest = 1e15;
    const double number = weight.is_number() ? weight.get<double>() : 0;
    if (number >= 1 / kLargest && number <= kLargest) {
      weights.push_back({name, number});
    } else {
      report_expected(weight, child_pointer(pointer_of(key), name), "a weight above 0, from 1e-15 to 1e15",
                      *problems_);
    }
  }
  if (weights.size() != value->size()) return std::nullopt;
  return weights;
}

std::optional<Distribution> Reader::distribution(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return read_distribution(*value, pointer_of(key), *problems_);
}

std::optional<std::size_t> Reader::word(std::string_view key, std::size_t count) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::vector<std::string_view> words = words_of(find_key(kind_, key)->type);
  if (value->is_string()) {
    const std::string& chosen = value->get_ref<const std::string&>();
    const auto found = std::find(words.begin(), words.end(), chosen);
    const auto index = static_cast<std::size_t>(found - words.begin());
    if (index < count) return index;
    const bool says_what = key.size() > 2;  // unlike "by" and "as"
    problem(key, unknown_name(says_what ? key : "value", chosen, words));
  } else {
    expected(key, "one of " + joined(words, ", "));
  }
  return std::nullopt;
}

std::optional<std::string> Reader::name(std::string_view key, std::string_view what,
                                        std::span<const std::string_view> known) const {
  const std::optional<std::string> chosen = text(key);
  if (!chosen) return std::nullopt;
  if (std::find(known.begin(), known.end(), *chosen) != known.end()) return chosen;
  problem(key, unknown_name(what, *chosen, known));
  return std::nullopt;
}

std::optional<Reader> Reader::object(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return object(key, find_key(kind_, key)->type);
}

Reader Reader::object(std::string_view key, std::string_view kind) const {
  return Reader(*find(key), pointer_of(key), kind, *problems_);
}

std::vector<std::pair<std::string, Reader>> Reader::objects(std::string_view key) const {
  std::vector<std::pair<std::string, Reader>> readers;
  const Json* value = find(key);
  if (value == nullptr) return readers;
  if (!value->is_object()) {
    expected(key, "an object, keyed by name");
    return readers;
  }
  std::string_view type = find_key(kind_, key)->type;
  type = type == "components" ? "component" : type.substr(type.find(' ') + 1);
  for (const auto& [name, entry] : value->items()) {
    readers.emplace_back(name, Reader(entry, child_pointer(pointer_of(key), name), type, *problems_));
  }
  return readers;
}

std::vector<Reader> Reader::list(std::string_view key) const {
  std::vector<Reader> readers;
  const Json* value = find(key);
  if (value == nullptr) return readers;
  if (!value->is_array()) {
    expected(key, "a list");
    return readers;
  }
  const std::string_view type = find_key(kind_, key)->type;
  for (std::size_t i = 0; i < value->size(); ++i) {
    readers.emplace_back((*value)[i], child_pointer(pointer_of(key), i), type.substr(type.find(' ') + 1),
                         *problems_);
  }
  return readers;
}

}  // namespace fleetsim
