#include "tools/runs/run_row.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace fleetsim {
namespace {

using Json = nlohmann::json;

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool is_absent(const Json& value) {
  if (value.is_null()) return true;
  if (!value.is_string()) return false;
  const std::string text = lower(value.get<std::string>());
  return text.empty() || text == "n/a" || text == "na" || text == "-" || text == "none" || text == "null";
}

constexpr std::size_t kLongestText = 200;  // no name or word is longer; what is, is cut

std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, kLongestText);
}

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

RunRow::RunRow(const Json& row, std::string place) : row_{row}, place_{std::move(place)} {}

const Json* RunRow::find(const char* key) const {
  const auto found = row_.find(key);
  return found == row_.end() || is_absent(*found) ? nullptr : &*found;
}

void RunRow::problem(const std::string& what) { problems_ += (problems_.empty() ? "" : "; ") + what; }

void RunRow::expected(const char* key, const std::string& what) {
  problem("\"" + place_ + key + "\": expected " + what + "; found " + shown(*find(key)));
}

std::optional<std::int64_t> RunRow::whole(const char* key, std::int64_t most) {
  const Json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  const std::optional<double> number = number_of(*found);
  if (number && std::abs(*number) <= static_cast<double>(most) && std::floor(*number) == *number)
    return static_cast<std::int64_t>(*number);
  expected(key, "a whole number of at most " + std::to_string(most));
  return std::nullopt;
}

std::optional<std::int64_t> RunRow::positive(const char* key, std::int64_t most) {
  const std::optional<std::int64_t> number = whole(key, most);
  if (!number || *number >= 1) return number;
  expected(key, "a whole number of at least 1");
  return std::nullopt;
}

std::optional<double> RunRow::above_zero(const char* key) {
  const Json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  const std::optional<double> number = number_of(*found);
  if (number && *number > 0 && std::isfinite(*number)) return number;
  expected(key, "a number above zero");
  return std::nullopt;
}

std::optional<bool> RunRow::flag(const char* key) {
  const Json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  const std::string value = lower(word(key));
  if (value == "yes" || value == "true" || value == "1") return true;
  if (value == "no" || value == "false" || value == "0") return false;
  expected(key, "true or false");
  return std::nullopt;
}

std::string RunRow::text(const char* key) const {
  const Json* const found = find(key);
  if (found == nullptr) return "";
  std::string joined;
  if (found->is_string()) joined = found->get<std::string>();
  if (found->is_array()) {
    for (const Json& each : *found) {
      if (each.is_string()) joined += (joined.empty() ? "" : ",") + each.get<std::string>();
    }
  }
  return joined.substr(0, kLongestText);
}

std::string RunRow::lower_text(const char* key) const { return lower(text(key)); }

std::string RunRow::word(const char* key) const {
  const Json* const found = find(key);
  if (found == nullptr) return "";
  if (found->is_boolean()) return found->get<bool>() ? "yes" : "no";
  const std::string words = text(key);
  return words.empty() ? shown(*found) : words;
}

std::string RunRow::lower_word(const char* key) const { return lower(word(key)); }

std::optional<RunRow> RunRow::only_object(const char* key) {
  const std::optional<RunRow> found = object(key);
  if (!found && find(key) != nullptr) expected(key, "an object");
  return found;
}

void RunRow::only_words(const char* key, std::string_view text, std::string_view marks,
                        std::initializer_list<std::string_view> known, const std::string& what) {
  std::string_view before;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(marks));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const bool is_size = before == "group" &&
                         word.find_first_not_of("0123456789") == std::string_view::npos && word.size() < 9;
    if (!is_size && std::find(known.begin(), known.end(), word) == known.end()) {
      expected(key, what);
      return;
    }
    before = word;
  }
}

void RunRow::take_problems(const RunRow& part) {
  if (!part.problems_.empty()) problem(part.problems_);
}

std::optional<RunRow> RunRow::object(const char* key) const {
  const Json* const found = find(key);
  if (found == nullptr || !found->is_object()) return std::nullopt;
  return RunRow(*found, place_ + key + ".");
}

}  // namespace fleetsim
