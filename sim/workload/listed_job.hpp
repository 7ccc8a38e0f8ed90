#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/quantity/duration.hpp"
#include "sim/core/device_time.hpp"
#include "sim/core/time.hpp"

namespace fleetsim {

/// What each node of a gang has to give beside devices.
struct HostDemand {
  std::int64_t cpu_milli = 0, memory_bytes = 0;
  std::uint64_t accepts = 0;  ///< device models, one bit each; none named: any
  auto operator<=>(const HostDemand&) const = default;
};

/// Members of a gang that are alike, where the gang has others.
struct MemberKind {
  std::uint32_t count = 1, devices = 0;  ///< of each, on a node of its own
  std::uint32_t demand = 0;              ///< of each, by number
  auto operator<=>(const MemberKind&) const = default;
};
/// Of one gang.
inline constexpr std::size_t kMostMemberKinds = 6;

/// The shape of a gang: `nodes` distinct nodes with `per_node` whole devices each, and `remainder` more on
/// one further node; or, when `milli` is not 0, that part of one device. Without devices it is one node's CPU
/// and memory. Of unlike members it says how many there are, and with `remainder` how many devices they have.
struct GangShape {
  std::uint32_t nodes = 0, per_node = 0, remainder = 0;
  std::uint32_t milli = 0;
  std::uint32_t demand = 0;  ///< of each of its nodes, by number; 0: devices alone
  std::uint32_t unlike = 0;  ///< list of its members, by number; 0: it has no unlike members
  Capacity capacity() const {
    if (milli != 0) return Capacity::milli_devices(milli);
    return Capacity::devices(std::int64_t{nodes} * per_node + remainder);
  }
  /// Each on a node of its own.
  std::int64_t members() const {
    if (milli != 0) return 1;
    return nodes + (unlike == 0 && remainder != 0 ? 1 : 0);
  }
  auto operator<=>(const GangShape&) const = default;
};

/// Devices spread over as few nodes as hold them.
constexpr GangShape spread(std::uint32_t devices, std::uint32_t per_node) {
  if (devices <= per_node) return GangShape{.nodes = 1, .per_node = devices};
  return GangShape{.nodes = devices / per_node, .per_node = per_node, .remainder = devices % per_node};
}

/// One job of a trace, or of a list. Times since the start of the trace.
struct ListedJob {
  std::string id;
  SimTime submit;
  std::uint32_t devices = 0;                     ///< spread over as few nodes as hold them
  Duration duration = Duration::nanoseconds(0);  ///< productive time when the gang is complete
  std::optional<Duration> limit;
  std::optional<std::int64_t> priority{};  ///< absent: its class's
  std::uint32_t milli = 0;                 ///< that part of one device, instead of devices
  std::uint32_t demand = 0;                ///< of each of its nodes, by number; 0: devices alone
  std::optional<Duration> patience{};      ///< gives up when it has not started so long after its submission
  bool never_ran = false;                  ///< where it was recorded: it is cancelled as it starts
};

inline GangShape gang_of(const ListedJob& job, std::uint32_t per_node) {
  GangShape shape = job.milli != 0 ? GangShape{.milli = job.milli} : spread(job.devices, per_node);
  shape.demand = job.demand;
  return shape;
}

}  // namespace fleetsim
