#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fleetsim {

/// One key of a scenario file. The reader, the JSON Schema and the pages of `explain` know keys from these
/// rows alone.
struct KeyInfo {
  std::string_view object;  ///< the kind of object it belongs to: "pool", "checkpoint", ...
  std::string_view name;
  /// A named type ("duration"), an object kind ("checkpoint"), "map T" for an object keyed by the user's
  /// names, "list T", or words to choose from, "sync|async".
  std::string_view type;
  std::string_view fallback;  ///< what holds when it is absent: "required", a value, or "" for nothing
  std::string_view about;
};

/// All keys, those of one object together, objects from the outermost in.
std::span<const KeyInfo> scenario_keys();

/// The keys of one kind of object; empty when there is no such kind.
std::span<const KeyInfo> keys_of(std::string_view object);

/// The row of a key, or nullptr.
const KeyInfo* find_key(std::string_view object, std::string_view key);

/// What stands at a place of a scenario: the type of a value, as in KeyInfo::type. Empty where no key is
/// known.
std::string_view type_at(std::string_view pointer);

/// The JSON Schema (draft 7) of a scenario file, as text. Editors complete and check with it.
std::string scenario_schema();

}  // namespace fleetsim
