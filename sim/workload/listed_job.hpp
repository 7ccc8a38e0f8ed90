#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/quantity/duration.hpp"
#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"

namespace fleetsim {

/// The shape of a gang: `nodes` distinct nodes with `per_node` whole devices each, and `remainder` more on
/// one further node; or, when `milli` is not 0, that part of one device.
struct GangShape {
  std::uint32_t nodes = 0, per_node = 0, remainder = 0;
  std::uint32_t milli = 0;
  Capacity capacity() const {
    if (milli != 0) return Capacity::milli_devices(milli);
    return Capacity::devices(std::int64_t{nodes} * per_node + remainder);
  }
  friend bool operator==(const GangShape&, const GangShape&) = default;
};

/// One job of a trace, or of a list. Times since the start of the trace.
struct ListedJob {
  std::string id;
  SimTime submit;
  std::uint32_t devices = 0;                     ///< spread over as few nodes as hold them
  Duration duration = Duration::nanoseconds(0);  ///< productive time when the gang is complete
  std::optional<Duration> limit;
  std::int64_t priority = 0;
};

}  // namespace fleetsim
