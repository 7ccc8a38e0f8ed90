#include "models/catalog/measured_network.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "models/catalog/catalog.hpp"
#include "models/text/nearest.hpp"

namespace fleetsim {
namespace {

using nlohmann::json;

/// What is wrong, and where.
struct Bad {
  std::string problem;
};

[[noreturn]] void fail(const std::string& pointer, const std::string& problem) {
  throw Bad{(pointer.empty() ? "/" : pointer) + ": " + problem};
}

void no_other_keys(const json& object, const std::string& pointer, std::span<const std::string_view> known) {
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    const std::vector<std::string> near = nearest_names(item.key(), known, 1);
    fail(pointer, "unknown key \"" + item.key() + "\"" +
                      (near.empty() ? "" : "; did you mean \"" + near.front() + "\"?"));
  }
}

const json& member(const json& object, const std::string& pointer, const char* key) {
  if (!object.is_object()) fail(pointer, "expected an object; found " + object.dump());
  const auto found = object.find(key);
  if (found == object.end()) fail(pointer + "/" + key, "is missing");
  return *found;
}

std::string text_at(const json& object, const std::string& pointer, const char* key) {
  const json& found = member(object, pointer, key);
  if (!found.is_string()) fail(pointer + "/" + key, "expected text; found " + found.dump());
  return found.get<std::string>();
}

std::int64_t count_at(const json& object, const std::string& pointer, const char* key) {
  const json& found = member(object, pointer, key);
  if (!found.is_number_integer() || found.get<std::int64_t>() < 1)
    fail(pointer + "/" + key, "expected a whole number of at least 1; found " + found.dump());
  return found.get<std::int64_t>();
}

template <class T>
T quantity_at(const json& text, const std::string& pointer, Parsed<T> (*parse)(std::string_view)) {
  if (!text.is_string())
    fail(pointer, "expected text with a unit, such as \"1 MiB\" or \"45.9 us\"; found " + text.dump());
  const Parsed<T> parsed = parse(text.get_ref<const std::string&>());
  if (!parsed) fail(pointer, parsed.problem);
  if (!(parsed.value->si > 0)) fail(pointer, "expected more than zero; found " + text.dump());
  return *parsed.value;
}

std::vector<TimedSize> points_at(const json& curve, const std::string& pointer) {
  const json& rows = member(curve, pointer, "points");
  if (!rows.is_array() || rows.empty()) fail(pointer + "/points", "expected a list of [size, time]");
  std::vector<TimedSize> points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string at = pointer + "/points/" + std::to_string(i);
    if (!rows[i].is_array() || rows[i].size() != 2)
      fail(at, "expected [size, time], such as [\"1 MiB\", \"45.9 us\"]; found " + rows[i].dump());
    points.push_back(
        {quantity_at(rows[i][0], at + "/0", parse_bytes), quantity_at(rows[i][1], at + "/1", parse_seconds)});
    if (i > 0 && !(points[i - 1].message < points[i].message)) fail(at + "/0", "sizes must rise");
  }
  return points;
}

MeasuredCurve curve_at(const json& curve, const std::string& pointer) {
  constexpr std::array<std::string_view, 5> kKeys{"collective", "ranks", "per_domain", "source", "points"};
  const std::string name = text_at(curve, pointer, "collective");
  const std::optional<Collective> collective = collective_by_name(name);
  if (!collective)
    fail(pointer + "/collective",
         "expected all-reduce, all-gather, reduce-scatter, all-to-all or send-recv; found \"" + name + "\"");
  const std::int64_t ranks = count_at(curve, pointer, "ranks");
  const std::int64_t per_domain = count_at(curve, pointer, "per_domain");
  if (ranks < 2) fail(pointer + "/ranks", "expected at least 2");
  if (ranks % per_domain != 0) fail(pointer + "/per_domain", "expected a divisor of the ranks");
  if (text_at(curve, pointer, "source").empty()) fail(pointer + "/source", "expected where it is from");
  no_other_keys(curve, pointer, kKeys);
  return {*collective, ranks, per_domain, points_at(curve, pointer)};
}

MeasuredNetwork read(const json& object) {
  constexpr std::array<std::string_view, 4> kKeys{"about", "accelerators", "fabric", "curves"};
  MeasuredNetwork network{.name = {}, .about = text_at(object, "", "about")};
  no_other_keys(object, "", kKeys);
  const json& accelerators = member(object, "", "accelerators");
  if (!accelerators.is_array()) fail("/accelerators", "expected a list of names");
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    if (!accelerators[i].is_string())
      fail("/accelerators/" + std::to_string(i), "expected text; found " + accelerators[i].dump());
    network.accelerators.push_back(accelerators[i].get<std::string>());
  }
  if (object.contains("fabric")) network.fabric = text_at(object, "", "fabric");
  const json& curves = member(object, "", "curves");
  if (!curves.is_array() || curves.empty()) fail("/curves", "expected a list of sweeps");
  for (std::size_t i = 0; i < curves.size(); ++i)
    network.curves.push_back(curve_at(curves[i], "/curves/" + std::to_string(i)));
  return network;
}

}  // namespace

Parsed<MeasuredNetwork> read_measured_network(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) return {std::nullopt, "expected JSON"};
  try {
    return {read(object), {}};
  } catch (const Bad& bad) {
    return {std::nullopt, bad.problem};
  }
}

std::vector<MeasuredNetwork> measured_networks() {
  std::vector<MeasuredNetwork> all;
  for (const std::string& name : names(CatalogKind::kCollectives)) {
    Parsed<MeasuredNetwork> read =
        read_measured_network(catalog_text(CatalogKind::kCollectives, name).value());
    if (!read) throw std::logic_error("catalog: collectives/" + name + ".json: " + read.problem);
    read.value->name = name;
    all.push_back(*std::move(read.value));
  }
  return all;
}

}  // namespace fleetsim
