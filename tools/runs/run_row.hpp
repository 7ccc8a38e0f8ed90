#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fleetsim {

/// One row of a table of runs, as tables write it: what is missing, null, empty or "n/a" is not there, and
/// numbers may be texts. What is there and is not what it must be is a problem.
class RunRow {
 public:
  explicit RunRow(const nlohmann::json& row, std::string place = {});

  /// A whole number; the bound keeps products of counts within 64 bits.
  std::optional<std::int64_t> whole(const char* key, std::int64_t most = 1'000'000'000);
  std::optional<bool> flag(const char* key);
  /// A text, or the texts of a list with commas between them.
  std::string text(const char* key) const;
  std::string lower_text(const char* key) const;
  /// A number, flag or text as a word; empty where there is none.
  std::string word(const char* key) const;
  std::optional<RunRow> object(const char* key) const;

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
