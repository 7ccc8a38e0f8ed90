#include "sim/faults/slow_process.hpp"

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>

#include "sim/faults/distinct.hpp"

namespace fleetsim {

SlowProcess::SlowProcess(const SlowRow& row, std::uint32_t pool, std::uint32_t row_index,
                         std::uint32_t entities, std::uint64_t seed, std::uint32_t replication)
    : row_{&row},
      pool_{pool},
      row_index_{row_index},
      entities_{entities},
      seed_{seed},
      replication_{replication} {}

RandomStream SlowProcess::stream(Purpose purpose, std::uint64_t number) const {
  constexpr int kRowBits = 8, kNumberBits = 40;
  const std::uint64_t row = (std::uint64_t{pool_} << kRowBits) | row_index_;
  return RandomStream{StreamKey{seed_, replication_, purpose, (row << kNumberBits) | number}};
}

SlowProcess::Episode SlowProcess::draw(RandomStream& stream, std::uint32_t entity) const {
  Episode episode{SimTime::zero(), entity, 1.0, Duration::max(), Duration::zero()};
  episode.speed = row_->least_speed +
                  (row_->most_speed - row_->least_speed) * boost::random::uniform_01<double>{}(stream);
  if (row_->length) episode.length = row_->length->sample_duration(stream);
  episode.repair = row_->repair.sample_duration(stream);
  return episode;
}

std::vector<SlowProcess::Episode> SlowProcess::at_start() const {
  std::vector<Episode> episodes;
  const auto count = static_cast<std::uint32_t>(std::llround(row_->share * entities_));
  if (count == 0) return episodes;
  RandomStream entities = stream(Purpose::kSlowFromStart, 0);
  const std::vector<bool> slow = draw_distinct(entities, count, entities_);
  for (std::uint32_t entity = 0; entity < entities_; ++entity) {
    if (!slow[entity]) continue;
    RandomStream own = stream(Purpose::kSlowFromStart, std::uint64_t{entity} + 1);
    episodes.push_back(draw(own, entity));
  }
  return episodes;
}

SlowProcess::Episode SlowProcess::next(SimTime from) {
  const double rate = row_->rate.si * entities_;
  if (!(rate > 0)) return {SimTime::never(), 0, 1.0, Duration::zero(), Duration::zero()};
  RandomStream own = stream(Purpose::kSlowEpisode, begun_++);
  boost::random::exponential_distribution<double> gap{rate};
  const SimTime at = from + round_to_duration(Seconds{gap(own)});
  const auto entity = boost::random::uniform_int_distribution<std::uint32_t>{0, entities_ - 1}(own);
  Episode episode = draw(own, entity);
  episode.at = at;
  return episode;
}

}  // namespace fleetsim
