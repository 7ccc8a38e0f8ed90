#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/fleet/pool.hpp"
#include "sim/scheduler/packed_forecast.hpp"

namespace fleetsim {

/// How many devices of each node of a pool will be free at a later instant: what is free now, with what will
/// have been given back by then, and without what will have been taken. Devices of a node count alike, but on
/// packed nodes. It costs by what changes, not by the size of the pool.
class Forecast {
 public:
  explicit Forecast(const Pool& pool);

  /// Begins anew with what is free in the pool now.
  void reset(const Pool& pool);
  void give_back(const Placement& parts, JobId job);
  void take(const Placement& parts, JobId job);
  /// The pool is about to give these to a job that will have left by then.
  void lend(const Placement& parts, JobId job);
  /// Devices that no job holds serve again.
  void give_back(const Part& part);
  /// Whether the gang could be placed then, in one domain of the level.
  bool fits(const GangShape& shape, TopologyLevel level);

 private:
  void set_free(std::uint32_t node, std::uint32_t count);
  std::uint32_t free(std::uint32_t node) const;
  void change(const Part& part, bool to_free);
  bool fits_share(const GangShape& shape) const;

  /// What is free by domain, where it differs from the pool; brought up to date when it is asked for.
  struct Level {
    std::size_t applied = 0;              ///< of the changes
    std::vector<std::uint32_t> counts{};  ///< nodes by domain and free devices
    std::vector<std::uint64_t> epoch{};   ///< of each domain
    std::vector<std::uint32_t> changed{};
  };
  Level& update(const Domains& domains);
  bool fits_near(const GangShape& shape, const Domains& domains);

  const Pool* pool_ = nullptr;
  std::optional<PackedForecast> packed_;
  std::uint32_t per_node_;
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> counts_;      ///< nodes by free devices
  std::vector<std::uint32_t> free_;        ///< by node, where it differs from the pool
  std::vector<std::uint64_t> node_epoch_;  ///< of `free_`: stale where it is not `epoch_`
  struct Change {
    std::uint32_t node, before, after;
  };
  std::vector<Change> changes_;
  std::array<Level, kTopologyLevels> levels_;
  /// The last gang that did not fit at a level: as long as nothing is taken, only what has changed since can
  /// make it fit.
  struct Refused {
    const Domains* domains = nullptr;
    GangShape shape;
    std::size_t changes = 0;
  } refused_;
  /// Shared devices that will have more free.
  struct Share {
    std::uint32_t node;
    DeviceMask device;
    std::uint32_t milli;  ///< free
  };
  std::vector<Share> shares_;
};

}  // namespace fleetsim
