#pragma once

#include <cstdint>
#include <vector>

#include "sim/fleet/pool.hpp"

namespace fleetsim {

/// How many devices of each node of a pool will be free at a later instant: what is free now, with what will
/// have been given back by then, and without what will have been taken. Devices of a node count alike. It
/// costs by what changes, not by the size of the pool.
class Forecast {
 public:
  explicit Forecast(const Pool& pool);

  /// Begins anew with what is free in the pool now.
  void reset(const Pool& pool);
  void give_back(const Placement& parts);
  void take(const Placement& parts);
  /// The pool is about to give these to somebody who will have left by then.
  void lend(const Placement& parts);
  bool fits(const GangShape& shape, bool within_rack) const;

 private:
  void set_free(std::uint32_t node, std::uint32_t count);
  std::uint32_t free(std::uint32_t node) const;
  void change(const Part& part, bool to_free);
  std::uint32_t* rack_counts(std::uint32_t rack);
  std::uint32_t in_rack_with_at_least(std::uint32_t rack, std::uint32_t count) const;

  const Pool* pool_ = nullptr;
  std::uint32_t per_node_;
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> counts_;      ///< nodes by free devices
  std::vector<std::uint32_t> free_;        ///< by node, where it differs from the pool
  std::vector<std::uint64_t> node_epoch_;  ///< of `free_`: stale where it is not `epoch_`
  std::vector<std::uint32_t> by_rack_;     ///< nodes by rack and free devices, where they differ
  std::vector<std::uint64_t> rack_epoch_;
  /// Shared devices that will have more free.
  struct Share {
    std::uint32_t node;
    DeviceMask device;
    std::uint32_t milli;  ///< free
  };
  std::vector<Share> shares_;
};

}  // namespace fleetsim
