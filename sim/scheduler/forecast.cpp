#include "sim/scheduler/forecast.hpp"

#include <algorithm>

namespace fleetsim {

Forecast::Forecast(const Pool& pool)
    : per_node_{pool.devices_per_node()},
      counts_(per_node_ + 1),
      free_(pool.nodes()),
      node_epoch_(pool.nodes()),
      by_rack_(pool.racks() > 1 ? std::size_t{pool.racks()} * (per_node_ + 1) : 0),
      rack_epoch_(pool.racks()) {}

void Forecast::reset(const Pool& pool) {
  pool_ = &pool;
  ++epoch_;
  shares_.clear();
  for (std::uint32_t count = 0; count <= per_node_; ++count) counts_[count] = pool.nodes_with(count);
}

std::uint32_t Forecast::free(std::uint32_t node) const {
  return node_epoch_[node] == epoch_ ? free_[node]
                                     : static_cast<std::uint32_t>(std::popcount(pool_->free_devices(node)));
}

std::uint32_t* Forecast::rack_counts(std::uint32_t rack) {
  std::uint32_t* const counts = &by_rack_[std::size_t{rack} * (per_node_ + 1)];
  if (rack_epoch_[rack] != epoch_) {
    rack_epoch_[rack] = epoch_;
    for (std::uint32_t count = 0; count <= per_node_; ++count) counts[count] = pool_->nodes_with(count, rack);
  }
  return counts;
}

void Forecast::set_free(std::uint32_t node, std::uint32_t count) {
  const std::uint32_t before = free(node);
  node_epoch_[node] = epoch_;
  free_[node] = count;
  --counts_[before];
  ++counts_[count];
  if (by_rack_.empty()) return;
  std::uint32_t* const in_rack = rack_counts(pool_->rack_of(node));
  --in_rack[before];
  ++in_rack[count];
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

void Forecast::give_back(const Placement& parts) {
  for (const Part& part : parts) change(part, true);
}

void Forecast::take(const Placement& parts) {
  for (const Part& part : parts) change(part, false);
}

void Forecast::lend(const Placement& parts) {
  take(parts);
  give_back(parts);
}

std::uint32_t Forecast::in_rack_with_at_least(std::uint32_t rack, std::uint32_t count) const {
  if (rack_epoch_[rack] != epoch_) return pool_->nodes_with_at_least(count, rack);
  const std::uint32_t* const counts = &by_rack_[std::size_t{rack} * (per_node_ + 1)];
  std::uint32_t nodes = 0;
  for (std::uint32_t level = count; level <= per_node_; ++level) nodes += counts[level];
  return nodes;
}

bool Forecast::fits(const GangShape& shape, bool within_rack) const {
  if (shape.milli != 0) {
    const auto has_room = [&](const Share& share) { return share.milli >= shape.milli; };
    if (std::any_of(shares_.begin(), shares_.end(), has_room)) return true;
    const auto unchanged = [&](const Pool::Share& share) {
      return std::none_of(shares_.begin(), shares_.end(), [&](const Share& each) {
        return each.node == share.node && each.device == DeviceMask{1} << share.device;
      });
    };
    for (const Pool::Share& share : pool_->shares())
      if (unchanged(share) && pool_->share_free(share.node, share.device) >= shape.milli) return true;
  }
  if (within_rack && !by_rack_.empty()) {
    for (std::uint32_t rack = 0; rack < rack_epoch_.size(); ++rack)
      if (can_hold(shape, [&](std::uint32_t count) { return in_rack_with_at_least(rack, count); }))
        return true;
    return false;
  }
  return can_hold(shape, [&](std::uint32_t count) {
    std::uint32_t nodes = 0;
    for (std::uint32_t level = count; level <= per_node_; ++level) nodes += counts_[level];
    return nodes;
  });
}

}  // namespace fleetsim
