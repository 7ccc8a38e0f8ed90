#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "models/quantity/parse.hpp"

namespace fleetsim {

/// A JSON object of the catalog, read key by key. What is missing or cannot be read throws std::logic_error
/// that names file and key: the files are part of the program.
class CatalogEntry {
 public:
  /// `place` names the object in errors; `object` must outlive the entry.
  CatalogEntry(std::string place, const nlohmann::json& object);

  bool has(std::string_view key) const;

  /// `"key": { "value": 8, "source": ... }`
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::string source(std::string_view key) const;

  /// `"key": { "value": "989 TFLOP/s", "source": ... }`, read by one of the parsers.
  template <class T>
  T quantity(std::string_view key, Parsed<T> (*parse)(std::string_view)) const {
    const Parsed<T> parsed = parse(text(key));
    if (!parsed) fail(key, parsed.problem);
    return *parsed.value;
  }

  /// `"key": "word"`, without a source: a name or a classification of ours.
  std::string plain(std::string_view key) const;

  /// `"key": 8`, without a source of its own: what the source of the value beside it says, too.
  std::int64_t plain_integer(std::string_view key) const;

  /// The object at `key`.
  CatalogEntry at(std::string_view key) const;

  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;

 private:
  const nlohmann::json& member(const nlohmann::json& object, std::string_view key) const;
  const nlohmann::json& value(std::string_view key) const;

  std::string place_;
  const nlohmann::json& object_;
};

}  // namespace fleetsim
