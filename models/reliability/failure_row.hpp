#pragma once

#include <cstdint>
#include <string>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// What a kind of failure strikes: one of these breaks at a time, each at its own constant rate.
enum class Hits : std::uint8_t { kDevice, kNode, kRack };

/// What has to be repaired or replaced afterwards.
enum class TakesOut : std::uint8_t {
  kNothing,  ///< the job is interrupted, the hardware goes on
  kDevice,
  kNode,
};

/// One kind of failure.
struct FailureRow {
  std::string name{};
  Hits hits = Hits::kDevice;
  TakesOut takes_out = TakesOut::kNothing;
  PerSecond rate{};  ///< per device, node or rack, as `hits` says
  std::string source{};
};

}  // namespace fleetsim
