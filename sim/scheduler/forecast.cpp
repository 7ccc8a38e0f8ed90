#include "sim/scheduler/forecast.hpp"

#include <algorithm>
#include <numeric>

namespace fleetsim {

Forecast::Forecast(const Pool& pool)
    : per_node_{pool.devices_per_node()},
      counts_(per_node_ + 1),
      free_(pool.nodes()),
      node_epoch_(pool.nodes()) {
  if (pool.packed() != nullptr) packed_.emplace(*pool.packed());
}

void Forecast::reset(const Pool& pool) {
  pool_ = &pool;
  if (packed_) return packed_->reset(*pool.packed());
  ++epoch_;
  shares_.clear();
  changes_.clear();
  for (Level& level : levels_) level.applied = 0;
  refused_.domains = nullptr;
  for (std::uint32_t count = 0; count <= per_node_; ++count) counts_[count] = pool.nodes_with(count);
}

std::uint32_t Forecast::free(std::uint32_t node) const {
  return node_epoch_[node] == epoch_ ? free_[node]
                                     : static_cast<std::uint32_t>(std::popcount(pool_->free_devices(node)));
}

void Forecast::set_free(std::uint32_t node, std::uint32_t count) {
  const std::uint32_t before = free(node);
  node_epoch_[node] = epoch_;
  free_[node] = count;
  --counts_[before];
  ++counts_[count];
  if (!pool_->is_divided()) return;
  changes_.push_back({node, before, count});
  if (count < before) refused_.domains = nullptr;
}

void Forecast::change(const Part& part, bool to_free) {
  std::uint32_t devices = part.count();
  if (part.milli != 0) {
    // A shared device counts as free when all of it is.
    auto share = std::find_if(shares_.begin(), shares_.end(), [&](const Share& each) {
      return each.node == part.node && each.device == part.devices;
    });
    if (share == shares_.end()) {
      const bool whole = (part.devices & pool_->free_devices(part.node)) != 0;
      const auto device = static_cast<std::uint32_t>(std::countr_zero(part.devices));
      shares_.push_back({part.node, part.devices, whole ? 1000 : pool_->share_free(part.node, device)});
      share = std::prev(shares_.end());
    }
    const bool was_whole = share->milli == 1000;
    share->milli = to_free ? share->milli + part.milli : share->milli - part.milli;
    devices = was_whole != (share->milli == 1000) ? 1 : 0;
  }
  if (devices != 0) set_free(part.node, to_free ? free(part.node) + devices : free(part.node) - devices);
}

void Forecast::give_back(const Placement& parts, JobId job) {
  parts.for_each([&](const Part& part) { packed_ ? packed_->give_back(part, job) : change(part, true); });
}

void Forecast::take(const Placement& parts, JobId job) {
  parts.for_each([&](const Part& part) { packed_ ? packed_->take(part, job) : change(part, false); });
}

void Forecast::lend(const Placement& parts, JobId job) {
  take(parts, job);
  give_back(parts, job);
}

void Forecast::give_back(const Part& part) {
  if (!packed_) return change(part, true);
  packed_->give_back(part);
  // Of the cards that jobs share on a node that was withdrawn, what nobody holds.
  if (!pool_->is_withdrawn(part.node)) return;
  pool_->for_each_resting_share(part.node, [&](const Part& share) { packed_->give_back(share); });
}

Forecast::Level& Forecast::update(const Domains& domains) {
  Level& level = levels_[static_cast<std::size_t>(domains.level())];
  const std::size_t width = per_node_ + 1;
  level.counts.resize(domains.count() * width);
  level.epoch.resize(domains.count());
  if (level.applied == 0) level.changed.clear();
  for (; level.applied < changes_.size(); ++level.applied) {
    const Change& change = changes_[level.applied];
    const std::uint32_t domain = domains.of(change.node);
    std::uint32_t* const counts = &level.counts[domain * width];
    if (level.epoch[domain] != epoch_) {
      level.epoch[domain] = epoch_;
      level.changed.push_back(domain);
      for (std::uint32_t count = 0; count < width; ++count) counts[count] = domains.nodes_with(count, domain);
    }
    --counts[change.before];
    ++counts[change.after];
  }
  return level;
}

bool Forecast::fits_near(const GangShape& shape, const Domains& domains) {
  const bool only_new = refused_.domains == &domains && refused_.shape == shape;
  const std::size_t seen = refused_.changes;
  const Level& level = update(domains);
  const auto has_room = [&](std::uint32_t domain) {
    const std::uint32_t* const counts = &level.counts[std::size_t{domain} * (per_node_ + 1)];
    return can_hold(shape, [&](std::uint32_t least) {
      return std::accumulate(counts + std::min(least, per_node_ + 1), counts + per_node_ + 1, 0U);
    });
  };
  bool fits = false;
  if (only_new) {
    for (std::size_t index = seen; index < changes_.size() && !fits; ++index)
      fits = has_room(domains.of(changes_[index].node));
  } else {
    fits = std::any_of(level.changed.begin(), level.changed.end(), has_room);
    for (auto domain = domains.next_with_room(shape); domain && !fits;
         domain = domains.next_with_room(shape, *domain + 1))
      fits = level.epoch[*domain] != epoch_;
  }
  refused_ = {.domains = fits ? nullptr : &domains, .shape = shape, .changes = changes_.size()};
  return fits;
}

/// Whether a device that jobs share will have room.
bool Forecast::fits_share(const GangShape& shape) const {
  const auto has_room = [&](const Share& share) { return share.milli >= shape.milli; };
  if (std::any_of(shares_.begin(), shares_.end(), has_room)) return true;
  const auto unchanged = [&](const Pool::Share& share) {
    return std::none_of(shares_.begin(), shares_.end(), [&](const Share& each) {
      return each.node == share.node && each.device == DeviceMask{1} << share.device;
    });
  };
  const auto shares = pool_->shares();
  return std::any_of(shares.begin(), shares.end(), [&](const Pool::Share& share) {
    return unchanged(share) && pool_->share_free(share.node, share.device) >= shape.milli;
  });
}

bool Forecast::fits(const GangShape& shape, TopologyLevel level) {
  if (packed_) return Pool::is_near(shape, level) && packed_->fits(shape, pool_->domains(level));
  if (shape.milli != 0 && fits_share(shape)) return true;
  if (!pool_->is_near(shape, level)) return false;
  const Domains* const domains = pool_->domains(level);
  if (domains != nullptr && shape.milli == 0) return fits_near(shape, *domains);
  return can_hold(shape, [&](std::uint32_t count) {
    return std::accumulate(counts_.begin() + std::min(count, per_node_ + 1), counts_.end(), 0U);
  });
}

}  // namespace fleetsim
