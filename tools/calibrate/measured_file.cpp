#include "tools/calibrate/measured_file.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace fleetsim {
namespace {

/// The fewest digits that read back as the same number.
std::string shortest(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string size_text(Bytes message) {
  constexpr double kUnits[] = {1 << 30, 1 << 20, 1 << 10};
  constexpr const char* kNames[] = {" GiB", " MiB", " KiB"};
  for (std::size_t i = 0; i < 3; ++i)
    if (message.si >= kUnits[i] && std::fmod(message.si, kUnits[i]) == 0)
      return shortest(message.si / kUnits[i]) + kNames[i];
  return shortest(message.si) + " B";
}

/// To a thousandth of a nanosecond, finer than any clock.
std::string time_text(Seconds time) { return shortest(std::round(time.si * 1e12) / 1e6) + " us"; }

}  // namespace

std::string measured_file(const MeasuredNetwork& network, const std::vector<std::string>& sources) {
  using Json = nlohmann::ordered_json;
  std::string text = "{\n  \"about\": " + Json(network.about).dump() +
                     ",\n  \"accelerators\": " + Json(network.accelerators).dump();
  if (network.fabric) text += ",\n  \"fabric\": " + Json(*network.fabric).dump();
  text += ",\n  \"curves\": [";
  for (std::size_t c = 0; c < network.curves.size(); ++c) {
    const MeasuredCurve& curve = network.curves[c];
    text += std::string(c == 0 ? "\n" : ",\n") + "    {\"collective\": \"" +
            std::string(to_string(curve.collective())) + "\", \"ranks\": " + std::to_string(curve.ranks()) +
            ", \"per_domain\": " + std::to_string(curve.per_domain()) +
            ",\n     \"source\": " + Json(sources[c]).dump() + ",\n     \"points\": [";
    for (std::size_t i = 0; i < curve.points().size(); ++i) {
      const TimedSize& point = curve.points()[i];
      text += std::string(i == 0 ? "" : ",") + "\n       [\"" + size_text(point.message) + "\", \"" +
              time_text(point.time) + "\"]";
    }
    text += "]}";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace fleetsim
