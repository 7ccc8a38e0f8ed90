#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/random_stream.hpp"
#include "sim/core/time.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// The episodes of one row of slowness of one pool. They come in calendar time and know nothing of jobs or
/// policies. Each has a stream of its own, out of which come the time since the one before, whom it strikes,
/// how much, for how long, and what a repair would take.
class SlowProcess {
 public:
  struct Episode {
    SimTime at;
    std::uint32_t entity;
    double speed;     ///< in (0, 1)
    Duration length;  ///< max: until it is repaired
    Duration repair;
  };

  SlowProcess(const SlowRow& row, std::uint32_t pool, std::uint32_t row_index, std::uint32_t entities,
              std::uint64_t seed, std::uint32_t replication);

  const SlowRow& row() const { return *row_; }
  std::uint32_t pool() const { return pool_; }
  std::uint32_t row_index() const { return row_index_; }

  /// Those that are slow from the start, in the order of the entities.
  std::vector<Episode> at_start() const;
  /// The first episode after `from`, which is the last one or the start; never where the row has no rate.
  Episode next(SimTime from);

 private:
  RandomStream stream(Purpose purpose, std::uint64_t number) const;
  Episode draw(RandomStream& stream, std::uint32_t entity) const;

  const SlowRow* row_;
  std::uint32_t pool_, row_index_, entities_;
  std::uint64_t seed_;
  std::uint32_t replication_;
  std::uint64_t begun_ = 0;
};

}  // namespace fleetsim
