#include "models/catalog/entry.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace fleetsim {

CatalogEntry::CatalogEntry(std::string place, const nlohmann::json& object)
    : place_{std::move(place)}, object_{object} {}

bool CatalogEntry::has(std::string_view key) const { return object_.contains(std::string(key)); }

void CatalogEntry::fail(std::string_view key, std::string_view problem) const {
  throw std::logic_error("catalog: " + place_ + ": /" + std::string(key) + ": " + std::string(problem));
}

const nlohmann::json& CatalogEntry::member(const nlohmann::json& object, std::string_view key) const {
  const auto found = object.find(std::string(key));
  if (found == object.end()) fail(key, "is missing");
  return *found;
}

const nlohmann::json& CatalogEntry::value(std::string_view key) const {
  const nlohmann::json& sourced = member(object_, key);
  if (!sourced.is_object()) fail(key, "is not a value with its source");
  if (!member(sourced, "source").is_string() || sourced.at("source").get_ref<const std::string&>().empty()) {
    fail(key, "has no source");
  }
  return member(sourced, "value");
}

std::int64_t CatalogEntry::integer(std::string_view key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_number_integer()) fail(key, "is not a whole number");
  return found.get<std::int64_t>();
}

double CatalogEntry::number(std::string_view key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_number()) fail(key, "is not a number");
  return found.get<double>();
}

std::string CatalogEntry::text(std::string_view key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_string()) fail(key, "is not text");
  return found.get<std::string>();
}

std::string CatalogEntry::source(std::string_view key) const {
  return value(key), member(object_, key).at("source").get<std::string>();
}

std::string CatalogEntry::plain(std::string_view key) const {
  const nlohmann::json& found = member(object_, key);
  if (!found.is_string()) fail(key, "is not text");
  return found.get<std::string>();
}

std::int64_t CatalogEntry::plain_integer(std::string_view key) const {
  const nlohmann::json& found = member(object_, key);
  if (!found.is_number_integer()) fail(key, "is not a whole number");
  return found.get<std::int64_t>();
}

CatalogEntry CatalogEntry::at(std::string_view key) const {
  return {place_ + "/" + std::string(key), member(object_, key)};
}

}  // namespace fleetsim
