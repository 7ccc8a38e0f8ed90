#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/scheduler/placement.hpp"

namespace fleetsim {

/// When the devices of a pool will be free: rows of free devices, each from its instant to the next row's,
/// the last one for ever. What somebody overdue holds is not free yet, and may be any moment now: a second
/// row of the present instant has it. Devices of a node count alike. Where every gang takes whole nodes a row
/// is one number, and a question costs by the rows; otherwise it is one number a node, and costs by rows x
/// nodes.
class Plan {
 public:
  enum class Grain : std::uint8_t { whole_nodes, devices };
  Plan(const Pool& pool, Grain grain, PlannedNodes choice);
  Grain grain() const { return grain_; }

  /// Begins anew: what is free now stays free.
  void reset(const Pool& pool, SimTime now);
  /// What ends at or before `now` is forgotten.
  void advance(SimTime now);
  void give_back(const Placement& parts, SimTime at);  ///< overdue if not after now

  struct Place {
    std::uint32_t node, devices;
  };
  struct Slot {
    SimTime start = SimTime::never();
    bool at_once = false;  ///< otherwise somebody has to leave before, be it now
  };
  /// Finds the earliest start of a stay of `hold` on one set of nodes that have room all the time, by choice
  /// (whole members, then the remainder); `places` gets them, where rows know nodes. Nothing if there never
  /// is room. All nodes are of one domain of the level, and the stay does not begin before `from`.
  std::optional<Slot> earliest(const GangShape& shape, TopologyLevel level, Duration hold, SimTime from,
                               std::vector<Place>& places);
  void take(const GangShape& shape, const std::vector<Place>& places, const Slot& slot, Duration hold);

 private:
  bool knows_nodes() const { return grain_ == Grain::devices; }
  std::uint32_t* row(std::size_t index) { return &free_[index * width_]; }
  void insert_row(std::size_t index, SimTime at);  ///< as the one before
  void add_overdue_row();
  std::size_t row_from(SimTime at);  ///< the row that begins at `at`, cut out of the one before if need be
  bool choose(const GangShape& shape, TopologyLevel level, std::vector<Place>& places) const;
  bool choose_in(const GangShape& shape, const Within& within, PlannedNodes choice,
                 std::vector<Place>& places) const;
  void choose_again(const GangShape& shape, TopologyLevel level, std::vector<Place>& places) const;

  const Pool* pool_;
  Grain grain_;
  PlannedNodes choice_;
  std::size_t width_;  ///< numbers of a row
  std::vector<SimTime> times_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> least_;  ///< scratch: least free of each node over a stay
};

}  // namespace fleetsim
