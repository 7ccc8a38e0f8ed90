#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/random_stream.hpp"
#include "sim/core/time.hpp"
#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// The failures of one row of one pool. They come in calendar time and know nothing of jobs or policies.
///
/// Memoryless rows are one superposed stream: the next failure of any entity, and which one it is; that a
/// struck entity is out of service makes the strike void, which is exact for a memoryless life. Other rows
/// age entity by entity.
class FaultProcess {
 public:
  struct Strike {
    SimTime at;
    std::uint32_t entity;
    Duration repair;
  };

  FaultProcess(const FaultRow& row, std::uint32_t pool, std::uint32_t row_index, std::uint32_t entities,
               std::uint64_t seed, std::uint32_t replication);

  const FaultRow& row() const { return *row_; }
  std::uint32_t pool() const { return pool_; }
  std::uint32_t row_index() const { return row_index_; }
  std::uint32_t entities() const { return entities_; }
  bool memoryless() const { return memoryless_; }

  /// Memoryless rows: the next strike after `from`.
  Strike next(SimTime from);

  /// Rows that age: the life of an entity that is new at `from`; its next strike.
  Strike renew(std::uint32_t entity, SimTime from);

 private:
  bool is_lemon(std::uint32_t entity) const;

  const FaultRow* row_;
  std::uint32_t pool_, row_index_, entities_;
  std::uint64_t seed_;
  std::uint32_t replication_;
  bool memoryless_;
  double total_rate_ = 0.0;  ///< per second
  double lemon_probability_ = 0.0;
  RandomStream strikes_, victims_, repairs_;
  std::vector<std::uint32_t> lemons_, sound_;  ///< entities; `sound_` is empty when there are no lemons
  std::vector<bool> lemon_;
  std::vector<std::uint32_t> lives_;  ///< lives drawn so far, by entity, for rows that age
};

}  // namespace fleetsim
