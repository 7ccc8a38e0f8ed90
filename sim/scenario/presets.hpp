#pragma once

#include <span>
#include <string_view>

namespace fleetsim {

/// Parts of a scheduler under a name that its users know; whatever else a scenario says of them goes before.
struct Preset {
  std::string_view name, about, source;
  std::string_view parts;  ///< as the "scheduler" of a scenario
};

std::span<const Preset> presets();
std::span<const std::string_view> known_presets();

}  // namespace fleetsim
