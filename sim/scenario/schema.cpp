#include <nlohmann/json.hpp>

#include "sim/scenario/json_text.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/names.hpp"
#include "sim/scenario/presets.hpp"
#include "sim/workload/trace.hpp"

namespace fleetsim {
namespace {

/// A type that is not an object of our own. The schema checks that a quantity is a number with a unit; which
/// units there are is for the reader.
struct PlainType {
  std::string_view name;
  std::string_view schema;
};

#define FLEETSIM_QUANTITY(example)                                                                               \
  R"({"type": "string", "pattern": "^\\s*[+$]?[0-9.]+([eE][+-]?[0-9]+)?\\s*[A-Za-z/%]", "examples": [")" example \
  R"("]})"

constexpr PlainType kPlainTypes[] = {
    {"text", R"({"type": "string"})"},
    {"flag", R"({"type": "boolean"})"},
    {"number", R"({"type": "number"})"},
    {"tolerance", R"({"type": "number", "minimum": 0})"},
    {"spread", R"({"type": "number", "minimum": 0})"},
    {"positive", R"({"type": "number", "exclusiveMinimum": 0})"},
    {"devices", R"({"type": "number", "minimum": 0})"},
    {"weight", R"({"type": "number", "exclusiveMinimum": 0})"},
    {"factor", R"({"type": "number", "minimum": 1})"},
    {"integer", R"({"type": "integer"})"},
    {"whole", R"({"type": "integer", "minimum": 0})"},
    {"count", R"({"type": "integer", "minimum": 1})"},
    {"replications", R"({"type": "integer", "minimum": 1})"},
    {"per_node", R"({"type": "integer", "minimum": 1, "maximum": 64})"},
    {"milli", R"({"type": "integer", "minimum": 1, "maximum": 1000})"},
    {"duration", FLEETSIM_QUANTITY("30 min")},
    {"duration>0", FLEETSIM_QUANTITY("30 min")},
    {"rate", FLEETSIM_QUANTITY("1 /d")},
    {"bytes", FLEETSIM_QUANTITY("80 GB")},
    {"byte_rate", FLEETSIM_QUANTITY("100 GB/s")},
    {"flop_rate", FLEETSIM_QUANTITY("989 TFLOP/s")},
    {"device_time", FLEETSIM_QUANTITY("1000 GPU-h")},
    {"price", R"({"type": "string", "examples": ["2 USD/GPU-h"]})"},
    {"share", R"({"type": ["number", "string"], "minimum": 0, "maximum": 1, "examples": [0.48, "48 %"]})"},
    {"busy",
     R"({"type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 1, "examples": [0.7, "70 %"]})"},
    {"speed",
     R"({"anyOf": [{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "minItems": 2, "maxItems": 2}]})"},
    {"stall",
     R"({"type": ["number", "string"], "minimum": 0, "exclusiveMaximum": 1, "examples": [0.08, "8 %"]})"},
    {"slowdown", R"({"type": ["number", "string"], "minimum": 0, "maximum": 1, "examples": ["2 s", "5 %"]})"},
    {"mttf", R"({"type": "string", "examples": ["50000 h", "inf"]})"},
    {"interval", R"({"type": "string", "examples": ["30 min", "young", "daly", "auto", "none"]})"},
    {"load", R"({"type": "string", "examples": ["auto", "10 s"]})"},
    {"lost_work", R"({"type": "string", "examples": ["since_last_commit", "15 min"]})"},
    {"evictions", R"({"anyOf": [{"type": "integer", "minimum": 0}, {"const": "unlimited"}]})"},
    {"done", R"({"const": "done"})"},
    {"openb", R"({"const": "openb"})"},
    {"accepts",
     R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]})"},
    {"patch", R"({"type": "object"})"},
    {"values", R"({"type": "array", "minItems": 1})"},
    {"place", R"({"type": "object"})"},
};

#undef FLEETSIM_QUANTITY

/// What may stand in place of an object of this kind.
constexpr PlainType kInstead[] = {
    {"distribution", R"({"$ref": "#/definitions/duration"})"},
    {"gang", R"({"$ref": "#/definitions/count"})"},
    {"node_list", R"({"$ref": "#/definitions/count"})"},
    {"quota", R"({"$ref": "#/definitions/count"})"},
    {"recovery", R"({"type": "string", "examples": ["textbook"]})"},
    {"order_preemption", R"({"const": "none"})"},
    {"compared", R"({"type": "number"})"},
};

Json parsed(std::string_view text) { return Json::parse(text); }

Json reference(std::string_view name) { return {{"$ref", "#/definitions/" + std::string(name)}}; }

Json name_list(std::span<const std::string_view> names) {
  Json list = Json::array();
  for (const std::string_view name : names) list.push_back(name);
  return list;
}

Json words(std::string_view type) {
  Json list = Json::array();
  for (std::size_t bar = type.find('|'); bar != type.npos; bar = type.find('|')) {
    list.push_back(type.substr(0, bar));
    type.remove_prefix(bar + 1);
  }
  list.push_back(type);
  return {{"enum", list}};
}

Json schema_of_type(std::string_view type) {
  if (type.starts_with("map ")) {
    return {{"type", "object"}, {"additionalProperties", schema_of_type(type.substr(4))}};
  }
  if (type.starts_with("list ")) return {{"type", "array"}, {"items", schema_of_type(type.substr(5))}};
  if (type.find('|') != type.npos) return words(type);
  return reference(type);
}

Json schema_of_key(const KeyInfo& row) {
  Json schema = schema_of_type(row.type);
  std::string about(row.about);
  if (!row.fallback.empty() && row.fallback != "required")
    about += " (default " + std::string(row.fallback) + ")";
  // Draft 7 has it that nothing beside a reference is read.
  if (schema.contains("$ref")) schema = {{"allOf", Json::array({schema})}};
  schema["description"] = about;
  return schema;
}

Json schema_of_object(std::string_view object) {
  Json properties = Json::object(), required = Json::array();
  for (const KeyInfo& row : keys_of(object)) {
    properties[std::string(row.name)] = schema_of_key(row);
    if (row.fallback == "required") required.push_back(row.name);
  }
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  for (const PlainType& plain : kInstead) {
    if (plain.name == object) return {{"anyOf", Json::array({parsed(plain.schema), schema})}};
  }
  return schema;
}

/// Types whose values are names that other tables hold.
Json named_types() {
  std::vector<std::string_view> formats;
  for (const TraceFormat& format : trace_formats()) formats.push_back(format.name);
  Json parts = Json::object();
  for (const std::string_view name : program_parts()) parts[std::string(name)] = reference("duration");
  return {{"order", {{"enum", name_list(known_orders())}}},
          {"preset", {{"enum", name_list(known_presets())}}},
          {"victims", {{"enum", name_list(known_victims())}}},
          {"elastic_policy", {{"enum", name_list(known_elastic_policies())}}},
          {"step_times",
           {{"type", "object"}, {"additionalProperties", reference("duration")}, {"minProperties", 1}}},
          {"placement", {{"enum", name_list(known_placements())}}},
          {"format", {{"enum", name_list(formats)}}},
          {"parts", {{"type", "object"}, {"properties", parts}, {"additionalProperties", false}}},
          {"components",
           {{"anyOf", Json::array({{{"type", "string"}, {"examples", {"textbook"}}},
                                   schema_of_type("map component")})}}}};
}

}  // namespace

std::string scenario_schema() {
  Json definitions = Json::object();
  for (const PlainType& plain : kPlainTypes) definitions[std::string(plain.name)] = parsed(plain.schema);
  definitions.update(named_types());
  for (const KeyInfo& row : scenario_keys()) {
    const std::string object(row.object);
    if (object != "scenario" && !definitions.contains(object)) definitions[object] = schema_of_object(object);
  }
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "fleetsim scenario"},
                 {"description", "Generated from the table of keys that the reader uses; not to be edited."}};
  schema.update(schema_of_object("scenario"));
  schema["definitions"] = definitions;
  return schema.dump(2) + "\n";
}

}  // namespace fleetsim
