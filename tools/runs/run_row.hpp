#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace fleetsim {

/// One row of a table of runs, as tables write it: what is missing, null, empty or "n/a" is not there, and
/// numbers may be texts. What is there and is not what it must be is a problem.
class RunRow {
 public:
  explicit RunRow(const nlohmann::json& row, std::string place = {});

  /// A whole number; the bound keeps products of counts within 64 bits.
  std::optional<std::int64_t> whole(const char* key, std::int64_t most = 1'000'000'000);
  /// The same, of at least one.
  std::optional<std::int64_t> positive(const char* key, std::int64_t most = 1'000'000'000);
  /// A number above zero.
  std::optional<double> above_zero(const char* key);
  std::optional<bool> flag(const char* key);
  /// A text, or the texts of a list with commas between them.
  std::string text(const char* key) const;
  std::string lower_text(const char* key) const;
  /// A number, flag or text as a word; empty where there is none.
  std::string word(const char* key) const;
  std::string lower_word(const char* key) const;
  std::optional<RunRow> object(const char* key) const;
  /// The same; anything else that is there is a problem.
  std::optional<RunRow> only_object(const char* key);

  /// A problem unless all words of `text`, with any of `marks` between them, are known or plain numbers
  /// behind "group".
  void only_words(const char* key, std::string_view text, std::string_view marks,
                  std::initializer_list<std::string_view> known, const std::string& what);

  void take_problems(const RunRow& part);
  void problem(const std::string& what);
  const std::string& problems() const { return problems_; }

 private:
  const nlohmann::json* find(const char* key) const;
  void expected(const char* key, const std::string& what);

  const nlohmann::json& row_;
  std::string place_;  // before the name of a key, in problems
  std::string problems_;
};

}  // namespace fleetsim
