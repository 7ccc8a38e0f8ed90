#include "sim/faults/fault_process.hpp"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <variant>

#include "sim/faults/distinct.hpp"

namespace fleetsim {
namespace {

std::uint64_t row_key(std::uint32_t pool, std::uint32_t row) { return (std::uint64_t{pool} << 32) | row; }

}  // namespace

FaultProcess::FaultProcess(const FaultRow& row, std::uint32_t pool, std::uint32_t row_index,
                           std::uint32_t entities, std::uint64_t seed, std::uint32_t replication)
    : row_{&row},
      pool_{pool},
      row_index_{row_index},
      entities_{entities},
      seed_{seed},
      replication_{replication},
      memoryless_{row.lifetime.is_memoryless()},
      strikes_{StreamKey{seed, replication, Purpose::kComponentFailure, row_key(pool, row_index)}},
      victims_{StreamKey{seed, replication, Purpose::kFailureVictim, row_key(pool, row_index)}},
      repairs_{StreamKey{seed, replication, Purpose::kRepair, row_key(pool, row_index)}} {
  const auto lemons = static_cast<std::uint32_t>(std::llround(row.lemon_share * entities));
  if (lemons > 0) {
    RandomStream stream{StreamKey{seed, replication, Purpose::kLemon, row_key(pool, row_index)}};
    lemon_ = draw_distinct(stream, lemons, entities);
    for (std::uint32_t entity = 0; entity < entities; ++entity)
      (lemon_[entity] ? lemons_ : sound_).push_back(entity);
  }
  if (memoryless_) {
    const double weighted = lemons * row.lemon_factor + (entities - lemons);
    total_rate_ = weighted / row.lifetime.mean();
    lemon_probability_ = lemons * row.lemon_factor / weighted;
  } else {
    lives_.resize(entities);
  }
}

bool FaultProcess::is_lemon(std::uint32_t entity) const { return !lemon_.empty() && lemon_[entity]; }

FaultProcess::Strike FaultProcess::next(SimTime from) {
  boost::random::exponential_distribution<double> gap{total_rate_};
  const SimTime at = from + round_to_duration(Seconds{gap(strikes_)});
  const auto pick = [&](std::uint32_t count) {
    return boost::random::uniform_int_distribution<std::uint32_t>{0, count - 1}(victims_);
  };
  std::uint32_t entity = 0;
  if (lemons_.empty()) {
    entity = pick(entities_);
  } else {
    const bool lemon = boost::random::uniform_01<double>{}(victims_) < lemon_probability_;
    const std::vector<std::uint32_t>& kind = lemon ? lemons_ : sound_;
    entity = kind[pick(static_cast<std::uint32_t>(kind.size()))];
  }
  return Strike{at, entity, row_->repair.sample_duration(repairs_)};
}

FaultProcess::Strike FaultProcess::renew(std::uint32_t entity, SimTime from) {
  // A stream for every life, so that no entity's draws depend on when another one failed.
  constexpr int kLifeBits = 20, kEntityBits = 28;
  const std::uint64_t life = lives_[entity]++;
  const std::uint64_t key = (std::uint64_t{pool_ * 256 + row_index_} << (kLifeBits + kEntityBits)) ^
                            (std::uint64_t{entity} << kLifeBits) ^ life;
  RandomStream lives{StreamKey{seed_, replication_, Purpose::kComponentFailure, ~key}};
  RandomStream repairs{StreamKey{seed_, replication_, Purpose::kRepair, ~key}};
  const double lasts = row_->lifetime.sample(lives) / (is_lemon(entity) ? row_->lemon_factor : 1.0);
  return Strike{from + round_to_duration(Seconds{lasts}), entity, row_->repair.sample_duration(repairs)};
}

}  // namespace fleetsim
