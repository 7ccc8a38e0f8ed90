// The table of keys against the reader and the schema it generates.
#include "sim/scenario/keys.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sim/scenario/json_text.hpp"
#include "tests/scenario/every_key.hpp"
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

/// With the trace that lies beside this file.
StudyReading read_here(std::string_view text) {
  ReadOptions options;
  options.trace_folders = {FLEETSIM_SOURCE_DIR "/tests/scenario"};
  return read(text, options);
}

struct Place {
  std::string pointer;
  std::string_view type;
};

/// All values of a document below a pointer, with the types the table gives them.
void collect(const Json& value, const std::string& pointer, std::vector<Place>& places) {
  const std::string_view type = type_at(pointer);
  if (type.empty()) return;
  if (!pointer.empty()) places.push_back({pointer, type});
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) collect(child, child_pointer(pointer, key), places);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], child_pointer(pointer, i), places);
  }
}

std::vector<Place> places_of(std::string_view text) {
  std::vector<Place> places;
  collect(Json::parse(text), "", places);
  return places;
}

std::string parent(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }

}  // namespace

TEST_CASE("scenarios that use every key are read without an issue") {
  for (const std::string_view text : kEveryKey) scenario_of(read_here(text));
}

TEST_CASE("together they use every key there is") {
  std::set<std::pair<std::string_view, std::string>> used;
  for (const std::string_view text : kEveryKey) {
    for (const Place& place : places_of(text)) {
      std::string_view object = type_at(parent(place.pointer));
      used.emplace(object, place.pointer.substr(place.pointer.rfind('/') + 1));
    }
  }
  for (const KeyInfo& row : scenario_keys()) {
    INFO(row.object << "." << row.name);
    CHECK((used.contains({row.object, std::string(row.name)}) || row.name == "extends"));
  }
}

TEST_CASE("no key is ignored: a value of the wrong kind is an issue there") {
  for (const std::string_view text : kEveryKey) {
    for (const Place& place : places_of(text)) {
      const bool swept = place.pointer == "/workload/train/priority";  // and with that, given elsewhere
      if (swept) continue;
      const Json::json_pointer pointer(place.pointer);
      Json document = Json::parse(text);
      document[pointer] = Json::array({Json::array({Json::array()})});
      const StudyReading reading = read_here(document.dump());
      const bool told = std::any_of(reading.issues.begin(), reading.issues.end(), [&](const Issue& issue) {
        return issue.pointer.starts_with(place.pointer) || issue.pointer.starts_with("/sweep") ||
               issue.pointer.starts_with("/alternatives");
      });
      INFO(place.pointer);
      CHECK(told);
    }
  }
}

TEST_CASE("no misspelt key is let pass: it is an issue that names the key meant") {
  for (const std::string_view text : kEveryKey) {
    for (const Place& place : places_of(text)) {
      const std::string object = parent(place.pointer);
      const std::string key = place.pointer.substr(object.size() + 1);
      if (find_key(type_at(object), key) == nullptr || place.pointer.starts_with("/alternatives")) continue;
      Json document = Json::parse(text);
      Json& there = document[Json::json_pointer(object)];
      there[key + "_"] = there[key];
      const StudyReading reading = read_here(document.dump());
      INFO(place.pointer);
      CHECK(has_issue(reading, object, "unknown key \"" + key + "_\"; did you mean \"" + key));
    }
  }
}

TEST_CASE("every row of the table says what it is and has a type that is defined") {
  const Json schema = Json::parse(scenario_schema());
  std::set<std::string> seen;
  for (const KeyInfo& row : scenario_keys()) {
    INFO(row.object << "." << row.name);
    CHECK(!row.about.empty());
    CHECK(seen.insert(std::string(row.object) + "." + std::string(row.name)).second);
    CHECK(find_key(row.object, row.name) == &row);
  }
  // Every reference of the schema leads somewhere.
  std::string text = schema.dump();
  for (std::size_t at = text.find("#/definitions/"); at != text.npos;
       at = text.find("#/definitions/", at + 1)) {
    const std::size_t begin = at + std::string_view("#/definitions/").size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    INFO(name);
    CHECK(schema["definitions"].contains(name));
  }
}

TEST_CASE("the committed schema is the one the table gives") {
  std::ifstream file(FLEETSIM_SOURCE_DIR "/scenarios/schema.json");
  std::stringstream committed;
  committed << file.rdbuf();
  CHECK(committed.str() == scenario_schema());
}
