#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "models/catalog/catalog.hpp"
#include "models/catalog/entry.hpp"
#include "models/text/nearest.hpp"

namespace fleetsim {

/// How an error speaks of an entry of this kind: "accelerator".
std::string_view one_of(CatalogKind kind);

/// What nothing known by that name comes to: the problem, and the known names like it.
template <class T>
Found<T> not_found(CatalogKind kind, std::string_view name) {
  Found<T> found;
  found.nearest = nearest_names(name, names(kind));
  found.problem = "unknown " + std::string(one_of(kind)) + " \"" + std::string(name) + "\"";
  if (!found.nearest.empty()) found.problem += " (did you mean \"" + found.nearest.front() + "\"?)";
  return found;
}

/// Finds the file, reads it with `read`, or says what is like the name.
template <class T, class Read>
Found<T> find_entry(CatalogKind kind, std::string_view name, Read read) {
  const std::optional<std::string_view> text = catalog_text(kind, name);
  if (!text) return not_found<T>(kind, name);
  const nlohmann::json object = nlohmann::json::parse(*text);
  const std::string place = std::string(to_string(kind)) + "/" + std::string(name) + ".json";
  Found<T> found;
  found.entry = read(CatalogEntry(place, object), object);
  return found;
}

}  // namespace fleetsim
