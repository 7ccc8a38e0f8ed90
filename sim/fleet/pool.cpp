#include "sim/fleet/pool.hpp"

#include <algorithm>
#include <utility>

namespace fleetsim {
namespace {

template <class Function>
void for_each_device(DeviceMask devices, Function&& function) {
  for (; devices != 0; devices &= devices - 1)
    function(static_cast<std::uint32_t>(std::countr_zero(devices)));
}

std::uint32_t popcount(DeviceMask devices) { return static_cast<std::uint32_t>(std::popcount(devices)); }

}  // namespace

Pool::Pool(const Shape& shape)
    : nodes_{shape.nodes},
      nodes_left_{shape.nodes},
      per_node_{shape.devices_per_node},
      spare_nodes_{shape.spares},
      holder_(shape.holders == Shape::Holders::known ? std::size_t{nodes_} * per_node_ : 0, kNobody),
      with_spares_{nodes_},
      by_free_(per_node_ + 1, BitIndex{nodes_}),
      free_counts_(per_node_ + 1),
      draws_{shape.draws} {
  if (shape.packing != nullptr) {
    packed_.emplace(*shape.packing);
    holder_.assign(std::size_t{nodes_} * per_node_, kNobody);
  }
  for (auto& masks : masks_) masks.resize(nodes_);
  const auto add_domains = [&](TopologyLevel level, std::span<const std::uint32_t> of) {
    if (std::any_of(of.begin(), of.end(), [](std::uint32_t domain) { return domain != 0; }))
      domains_.emplace_back(level, of, per_node_);
  };
  add_domains(TopologyLevel::rack, shape.racks);
  add_domains(TopologyLevel::pod, shape.pods);
  add_domains(TopologyLevel::spine, shape.spines);
  std::int64_t devices = 0;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    const bool spare = node + shape.spares >= nodes_;
    const DeviceMask whole = installed(node);
    if (spare) {
      mask(DeviceState::spare, node) = whole;
      with_spares_.insert(node);
    } else if (whole != all_devices(per_node_)) {
      mask(DeviceState::free, node) = whole;
    }
    mask(DeviceState::absent, node) = all_devices(per_node_) & ~whole;
    if (spare) spare_target_ += popcount(whole);
    devices += popcount(whole);
    const std::uint32_t count = spare ? 0 : popcount(whole);
    if (count != 0) by_free_[count].insert(node);
    ++free_counts_[count];
    for (Domains& each : domains_) each.add(node, count, !spare);
    if (!spare) ++usable_nodes_;
  }
  if (packed_) {
    for (std::uint32_t node = nodes_ - spare_nodes_; node < nodes_; ++node) {
      packed_->write_off(node);
      tell_packed(node);
    }
  }
  spare_count_ = spare_target_;
  add(DeviceState::spare, 1000LL * spare_target_);
  add(DeviceState::free, 1000LL * (devices - spare_target_));
}

void Pool::set_free(std::uint32_t node, DeviceMask devices) {
  const std::uint32_t before = popcount(free_devices(node)), after = popcount(devices);
  mask(DeviceState::free, node) = after == per_node_ ? 0 : devices;
  if (before == after) return;
  // Nobody looks for a node without room.
  if (before != 0) by_free_[before].erase(node);
  if (after != 0) by_free_[after].insert(node);
  --free_counts_[before];
  ++free_counts_[after];
  for (Domains& each : domains_) each.change(node, before, after);
}

std::optional<std::uint32_t> Pool::next_partly_free(std::uint32_t count, std::uint32_t from) const {
  std::optional<std::uint32_t> first;
  for (std::uint32_t level = count; level <= per_node_; ++level) {
    if (free_counts_[level] == 0) continue;
    const auto found = by_free_[level].next(from);
    if (found && (!first || *found < *first)) first = found;
  }
  return first;
}

std::uint32_t Pool::nodes_partly_free(std::uint32_t count) const {
  std::uint32_t nodes = 0;
  for (std::uint32_t level = count; level <= per_node_; ++level) nodes += free_counts_[level];
  return nodes;
}

const Domains* Pool::domains(TopologyLevel level) const {
  for (const Domains& each : domains_)
    if (each.level() == level) return &each;
  return nullptr;
}

const Nesting& Pool::nesting(std::size_t level) const {
  while (nestings_.size() <= level)
    nestings_.emplace_back(domains_[nestings_.size() + 1], domains_[nestings_.size()]);
  return nestings_[level];
}

void Pool::expect(const GangShape& shape, TopologyLevel level) {
  for (Domains& each : domains_) {
    if (each.level() != level || shape.milli != 0) continue;
    if (shape.nodes != 0 && shape.per_node <= per_node_) each.index(shape.per_node);
    if (shape.remainder != 0 && shape.remainder <= per_node_) each.index(shape.remainder);
  }
}

bool Pool::fits_devices(const GangShape& shape, TopologyLevel level) const {
  if (shape.milli != 0) return find_share(shape.milli).has_value();
  if (!is_near(shape, level)) return false;
  if (const Domains* const domains = this->domains(level)) return domains->next_with_room(shape).has_value();
  return can_hold(shape, [&](std::uint32_t count) { return nodes_with_at_least(count); });
}

std::uint32_t Pool::most_nodes(TopologyLevel level) const {
  if (level == TopologyLevel::node) return std::min(usable_nodes_, 1U);
  const Domains* const domains = this->domains(level);
  return domains == nullptr ? usable_nodes_ : domains->most_usable();
}

bool Pool::could_ever_fit(const GangShape& shape, TopologyLevel level) const {
  if (packed_) return is_near(shape, level) && packed_->could_ever_fit(shape, domains(level));
  if (shape.per_node > per_node_ || shape.remainder > per_node_) return false;
  const std::uint32_t nodes = most_nodes(level);
  return can_hold(shape, [&](std::uint32_t) { return nodes; });
}

std::vector<Pool::Share>::const_iterator Pool::first_share(std::uint32_t node, std::uint32_t device) const {
  return std::lower_bound(shares_.begin(), shares_.end(), std::pair{node, device},
                          [](const Share& share, const auto& key) {
                            return std::pair{share.node, share.device} < key;
                          });
}

std::uint32_t Pool::share_free(std::uint32_t node, std::uint32_t device) const {
  std::uint32_t left = 1000;
  for (auto share = first_share(node, device);
       share != shares_.end() && share->node == node && share->device == device; ++share)
    left -= share->milli;
  return left;
}

bool Pool::holds_devices(std::uint32_t node, JobId job) const {
  const auto first = holder_.begin() + std::ptrdiff_t{node} * per_node_;
  return std::find(first, first + per_node_, job.value) != first + per_node_;
}

/// What is free of each device of the node.
void Pool::tell_packed(std::uint32_t node) {
  std::array<std::uint16_t, kMaxDevicesPerNode> free{};
  const DeviceMask all = installed(node);
  for_each_device(free_devices(node), [&](std::uint32_t device) { free[device] = 1000; });
  std::optional<std::uint32_t> last;
  for (auto share = first_share(node, 0); share != shares_.end() && share->node == node; ++share) {
    if (share_rest(node, share->device) != DeviceState::free) continue;
    if (last != share->device) free[share->device] = 1000;
    free[share->device] = static_cast<std::uint16_t>(free[share->device] - share->milli);
    last = share->device;
  }
  // A node of which all is spare gives the queue no CPU and memory either.
  const DeviceMask out = devices_in(DeviceState::failed, node) | devices_in(DeviceState::spare, node);
  const bool is_out = is_withdrawn(node) || (all != 0 && out == all);
  packed_->set_cards(node, std::span{free}.first(popcount(all)), !is_out);
}

void Pool::tell_packed(std::span<const Part> parts) {
  for (const Part& part : parts) tell_packed(part.node);
}

void Pool::hold_packed(std::span<const Part> parts, JobId job) {
  for (const Part& part : parts)
    if (!holds_devices(part.node, job)) packed_->hold(part, job);
}

void Pool::let_go_packed(std::span<const Part> parts, JobId job) {
  for (const Part& part : parts)
    if (part.milli != 0 || !holds_devices(part.node, job)) packed_->let_go(part, job);
  tell_packed(parts);
}

bool Pool::is_free(const Part& part) const {
  const bool whole = (part.devices & ~free_devices(part.node)) == 0;
  if (part.milli == 0 || whole) return whole;
  const auto device = static_cast<std::uint32_t>(std::countr_zero(part.devices));
  if (share_rest(part.node, device) != DeviceState::free) return false;
  const std::uint32_t left = share_free(part.node, device);
  return left < 1000 && left >= part.milli;  // a device that nobody shares is held, or out
}

std::optional<Part> Pool::find_share(std::uint32_t milli) const {
  for (const Share& share : shares_) {
    if (share_free(share.node, share.device) >= milli &&
        share_rest(share.node, share.device) == DeviceState::free)
      return Part{.node = share.node,
                  .milli = static_cast<std::uint16_t>(milli),
                  .devices = DeviceMask{1} << share.device};
  }
  const auto node = next_with_at_least(1, 0);
  if (!node) return std::nullopt;
  return Part{.node = *node,
              .milli = static_cast<std::uint16_t>(milli),
              .devices = free_devices(*node) & (~free_devices(*node) + 1)};
}

void Pool::take_spare(const Part& part, JobId job) {
  if (packed_ && !holds_devices(part.node, job)) packed_->hold(part, job);
  move(part.node, part.devices, DeviceState::spare, DeviceState::held);
  set_holder(part, job.value);
}

void Pool::move(std::uint32_t node, DeviceMask devices, DeviceState from, DeviceState to) {
  const std::uint32_t count = popcount(devices);
  to = resting(node, to);
  const bool of_spares = from == DeviceState::spare || to == DeviceState::spare;
  if (of_spares && is_partly_spare(node)) --partly_spare_;
  if (from == DeviceState::free) {
    set_free(node, free_devices(node) & ~devices);
  } else if (from != DeviceState::held) {
    mask(from, node) &= ~devices;
  }
  if (to == DeviceState::free) {
    set_free(node, free_devices(node) | devices);
  } else if (to != DeviceState::held) {
    mask(to, node) |= devices;
  }
  if (from == DeviceState::spare) {
    spare_count_ -= count;
    if (devices_in(DeviceState::spare, node) == 0) with_spares_.erase(node);
  }
  if (to == DeviceState::spare) {
    spare_count_ += count;
    with_spares_.insert(node);
  }
  if (of_spares && is_partly_spare(node)) ++partly_spare_;
  add(from, -1000LL * count);
  add(to, 1000LL * count);
  if (packed_) tell_packed(node);
}

void Pool::gather_parts() {
  const auto spares = [&](std::uint32_t node) { return popcount(devices_in(DeviceState::spare, node)); };
  const auto may_change = [&](std::uint32_t node) { return is_partly_spare(node) && !is_withdrawn(node); };
  const auto are_alike = [&](std::uint32_t a, std::uint32_t b) {
    return !packed_ || packed_->spec(a) == packed_->spec(b);
  };
  struct Pair {
    std::uint32_t to, from;
  };
  for (;;) {
    std::optional<Pair> best;
    for (auto to = with_spares_.next(0); to; to = with_spares_.next(*to + 1)) {
      if (!may_change(*to) || free_devices(*to) == 0) continue;
      if (best && spares(*to) <= spares(best->to)) continue;
      std::optional<std::uint32_t> least;
      for (auto from = with_spares_.next(0); from; from = with_spares_.next(*from + 1)) {
        if (*from == *to || !may_change(*from) || !are_alike(*to, *from)) continue;
        if (spares(*from) <= spares(least.value_or(*to))) least = from;
      }
      if (least) best = Pair{*to, *least};
    }
    if (!best) return;
    const std::uint32_t count = std::min(popcount(free_devices(best->to)), spares(best->from));
    move(best->to, lowest_bits(free_devices(best->to), count), DeviceState::free, DeviceState::spare);
    move(best->from, lowest_bits(devices_in(DeviceState::spare, best->from), count), DeviceState::spare,
         DeviceState::free);
  }
}

void Pool::break_share(std::uint32_t node, std::uint32_t device) {
  if (is_broken(node, device)) return;
  const std::int64_t left = share_free(node, device);
  add(rest(node), -left);
  broken_.resize(nodes_);
  broken_[node] |= DeviceMask{1} << device;
  add(DeviceState::failed, left);
  if (packed_) tell_packed(node);
}

DeviceMask Pool::rest_in(std::uint32_t node, DeviceState state) {
  const DeviceState before = rest(node);
  if (state == before) return 0;
  if (rests_.empty()) rests_.resize(nodes_, DeviceState::free);
  rests_[node] = state;
  if (before == DeviceState::free) ++withdrawn_;
  if (state == DeviceState::free) --withdrawn_;
  DeviceMask moved = 0;
  const DeviceMask all = installed(node);
  const auto take = [&](DeviceState from) {
    const DeviceMask devices = devices_in(from, node) & all;
    if (devices == 0) return;
    move(node, devices, from, state);
    moved |= devices;
  };
  take(before);
  if (before == DeviceState::free) {
    take(DeviceState::spare);
    take(DeviceState::transition);
  }
  if (state == DeviceState::absent) take(DeviceState::failed);
  // Of a shared device, the part that nobody holds.
  for (std::size_t index = 0; index < shares_.size(); ++index) {
    const Share& share = shares_[index];
    const bool first =
        index == 0 || shares_[index - 1].node != node || shares_[index - 1].device != share.device;
    if (share.node != node || !first) continue;
    const std::int64_t left = share_free(node, share.device);
    add(is_broken(node, share.device) ? DeviceState::failed : before, -left);
    if (state == DeviceState::absent && !broken_.empty()) broken_[node] &= ~(DeviceMask{1} << share.device);
    add(share_rest(node, share.device), left);
  }
  if (packed_) tell_packed(node);
  return moved;
}

void Pool::set_holder(const Part& part, std::uint32_t holder) {
  if (holder_.empty()) return;
  std::uint32_t* const holders = &holder_[std::size_t{part.node} * per_node_];
  if (part.devices == all_devices(per_node_)) {
    std::fill_n(holders, per_node_, holder);
  } else {
    for_each_device(part.devices, [&](std::uint32_t device) { holders[device] = holder; });
  }
}

void Pool::take_share(const Part& part, JobId job) {
  const auto device = static_cast<std::uint32_t>(std::countr_zero(part.devices));
  set_free(part.node, free_devices(part.node) & ~part.devices);
  const auto place = std::upper_bound(shares_.begin(), shares_.end(), std::pair{part.node, device},
                                      [](const auto& key, const Share& share) {
                                        return key < std::pair{share.node, share.device};
                                      });
  shares_.insert(place, Share{part.node, device, part.milli, job});
  add(DeviceState::free, -std::int64_t{part.milli});
  add(DeviceState::held, part.milli);
}

void Pool::take_nodes(std::span<const NodeWord> words, JobId job) {
  BitIndex& whole = by_free_[per_node_];
  std::uint32_t count = 0;
  for (const auto& [word, nodes] : words) {
    whole.erase_word(word, nodes);
    count += popcount(nodes);
  }
  count_nodes(count, per_node_, 0);
  if (is_divided() || !holder_.empty()) know_nodes(words, per_node_, 0, job.value);
}

void Pool::give_back_nodes(std::span<const NodeWord> words) {
  BitIndex& whole = by_free_[per_node_];
  std::uint32_t count = 0;
  for (const auto& [word, nodes] : words) {
    whole.insert_word(word, nodes);
    count += popcount(nodes);
  }
  count_nodes(count, 0, per_node_);
  if (is_divided() || !holder_.empty()) know_nodes(words, 0, per_node_, kNobody);
}

/// So many nodes have `after` free devices instead of `before`, and the others are held, or were.
void Pool::count_nodes(std::uint32_t nodes, std::uint32_t before, std::uint32_t after) {
  free_counts_[before] -= nodes;
  free_counts_[after] += nodes;
  const std::int64_t freed = 1000 * nodes * (std::int64_t{after} - before);
  add(DeviceState::free, freed);
  add(DeviceState::held, -freed);
}

/// What is known of each node beside: the counts of its domains, and the holder of its devices.
void Pool::know_nodes(std::span<const NodeWord> words, std::uint32_t before, std::uint32_t after,
                      std::uint32_t holder) {
  for (Domains& each : domains_) each.change(words, before, after);
  if (holder_.empty()) return;
  for (const auto& [word, nodes] : words) {
    for (std::uint64_t left = nodes; left != 0; left &= left - 1) {
      const std::uint32_t node = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      std::fill_n(&holder_[std::size_t{node} * per_node_], per_node_, holder);
    }
  }
}

void Pool::take_devices(std::span<const Part> parts, JobId job) {
  std::int64_t taken = 0;
  for (const Part& part : parts) {
    if (part.milli != 0) {
      take_share(part, job);
      continue;
    }
    set_free(part.node, free_devices(part.node) & ~part.devices);
    set_holder(part, job.value);
    taken += part.count();
  }
  add(DeviceState::free, -1000 * taken);
  add(DeviceState::held, 1000 * taken);
}

void Pool::first_whole_nodes(std::uint32_t count, std::uint32_t from, Placement& out) const {
  if (count == 0) return;
  const BitIndex& index = by_free_[per_node_];
  const DeviceMask whole = all_devices(per_node_);
  const std::uint32_t first = *index.next(from);
  std::uint64_t not_before = ~std::uint64_t{0} << (first % 64);
  for (std::uint32_t word = first / 64;; ++word) {
    std::uint64_t nodes = index.word(word) & std::exchange(not_before, ~std::uint64_t{0});
    if (nodes == 0) {
      word = *index.next(word * 64) / 64;
      nodes = index.word(word);
    }
    const std::uint32_t here = popcount(nodes);
    if (here >= count) return out.add_nodes({word, lowest_bits(nodes, count)}, whole);
    out.add_nodes({word, nodes}, whole);
    count -= here;
  }
}

void Pool::give_back_share(const Part& part, JobId job, DeviceState to) {
  const auto device = static_cast<std::uint32_t>(std::countr_zero(part.devices));
  const auto share = std::find_if(first_share(part.node, device), shares_.cend(),
                                  [&](const Share& each) { return each.job == job; });
  if (to == DeviceState::transition && share_rest(part.node, device) == DeviceState::free) {
    shares_[static_cast<std::size_t>(share - shares_.cbegin())].job = JobId{kNobody};
    add(DeviceState::held, -std::int64_t{part.milli});
    add(DeviceState::transition, part.milli);
    return;
  }
  free_share(share, DeviceState::held);
}

std::vector<Pool::Share>::const_iterator Pool::torn_down(const Part& share) const {
  const auto device = static_cast<std::uint32_t>(std::countr_zero(share.devices));
  return std::find_if(shares_.begin(), shares_.end(), [&](const Share& each) {
    return each.node == share.node && each.device == device && each.milli == share.milli && !each.is_held();
  });
}

void Pool::end_teardown(const Part& share) {
  free_share(torn_down(share), DeviceState::transition);
  if (packed_) tell_packed(share.node);
}

void Pool::free_share(std::vector<Share>::const_iterator share, DeviceState from) {
  const auto [node, device, milli, job] = *share;
  const DeviceMask mask = DeviceMask{1} << device;
  shares_.erase(share);
  const DeviceState to = share_rest(node, device);
  add(from, -std::int64_t{milli});
  add(to, milli);
  if (share_free(node, device) != 1000) return;
  if (!broken_.empty()) broken_[node] &= ~mask;
  if (to == DeviceState::free) {
    set_free(node, free_devices(node) | mask);
  } else {
    this->mask(to, node) |= mask;
  }
}

void Pool::give_back_devices(std::span<const Part> parts, JobId job, DeviceState to) {
  std::int64_t given = 0;
  for (const Part& part : parts) {
    if (part.milli != 0) {
      give_back_share(part, job, to);
      continue;
    }
    set_holder(part, kNobody);
    if (to != DeviceState::free || withdrawn_ > 0) {
      move(part.node, part.devices, DeviceState::held, to);
    } else {
      set_free(part.node, free_devices(part.node) | part.devices);
      given += part.count();
    }
  }
  add(DeviceState::held, -1000 * given);
  add(DeviceState::free, 1000 * given);
}

}  // namespace fleetsim
