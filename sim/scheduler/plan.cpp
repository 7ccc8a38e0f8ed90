#include "sim/scheduler/plan.hpp"

#include <algorithm>
#include <bit>

namespace fleetsim {

Plan::Plan(const Pool& pool, Grain grain, MemberChoice choice)
    : pool_{&pool},
      grain_{grain},
      choice_{choice == MemberChoice::tightest || choice == MemberChoice::roomiest ? choice
                                                                                   : MemberChoice::lowest},
      rows_{grain == Grain::devices ? pool.nodes() : 1},
      least_(rows_.width()) {
  if (grain == Grain::cards) packed_.emplace(*pool.packed());
}

void Plan::reset(const Pool& pool, SimTime now) {
  pool_ = &pool;
  if (packed_) return packed_->reset(*pool.packed(), now);
  rows_.reset(now);
  std::uint32_t* const free = rows_[0];
  if (!knows_nodes()) {
    free[0] = pool.nodes_with(pool.devices_per_node());
    return;
  }
  for (std::uint32_t node = 0; node < pool.nodes(); ++node)
    free[node] = static_cast<std::uint32_t>(std::popcount(pool.free_devices(node)));
}

void Plan::give_back(const Placement& parts, JobId job, SimTime at) {
  packed_ ? packed_->give_back(parts, job, at) : add(parts, at);
}

void Plan::serve_again(const Part& part, SimTime at) {
  packed_ ? packed_->serve_again(*pool_, part, at) : add(Placement{part}, at);
}

void Plan::add(const Placement& parts, SimTime at) {
  for (std::size_t index = rows_.from(at); index < rows_.size(); ++index) {
    parts.for_each([&](const Part& part) {
      if (knows_nodes()) {
        rows_[index][part.node] += part.count();
      } else if (part.count() == pool_->devices_per_node()) {
        ++rows_[index][0];
      }
    });
  }
}

bool Plan::choose_in(const GangShape& shape, const Within& within, MemberChoice choice,
                     Placement& places) const {
  places.clear();
  const auto end =
      static_cast<std::uint32_t>(std::min<std::size_t>(least_.size(), std::size_t{within.last} + 1));
  const auto take_from = [&](std::uint32_t members, std::uint32_t devices, std::uint32_t low,
                             std::uint32_t high) {
    const std::size_t others = places.size();
    const auto is_free = [&](std::uint32_t node) {
      return std::none_of(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(others),
                          [node](const Part& place) { return place.node == node; });
    };
    for (std::uint32_t node = within.first; node < end && members > 0; ++node) {
      if (least_[node] < low || least_[node] > high || !within.contains(node) || !is_free(node)) continue;
      places.push_back({.node = node, .devices = all_devices(devices)});
      --members;
    }
    return members;
  };
  const auto take = [&](std::uint32_t members, std::uint32_t devices) {
    const std::uint32_t most = pool_->devices_per_node();
    if (choice == MemberChoice::lowest) return take_from(members, devices, devices, most) == 0;
    for (std::uint32_t step = 0; step + devices <= most && members > 0; ++step) {
      const std::uint32_t room = choice == MemberChoice::tightest ? devices + step : most - step;
      members = take_from(members, devices, room, room);
    }
    return members == 0;
  };
  return take(shape.nodes, shape.per_node) && (shape.remainder == 0 || take(1, shape.remainder));
}

/// The nodes by choice, in the domain where the gang was found to fit.
void Plan::choose_again(const GangShape& shape, TopologyLevel level, Placement& places) const {
  const Domains* const domains = pool_->domains(level);
  const Within within = domains == nullptr ? Within{} : domains->within(domains->of(places.front().node));
  choose_in(shape, within, choice_, places);
}

bool Plan::choose(const GangShape& shape, TopologyLevel level, Placement& places) const {
  const Domains* const domains = pool_->domains(level);
  if (domains == nullptr)
    return pool_->is_near(shape, level) && choose_in(shape, {}, MemberChoice::lowest, places);
  for (std::uint32_t domain = 0; domain < domains->count(); ++domain)
    if (choose_in(shape, domains->within(domain), MemberChoice::lowest, places)) return true;
  return false;
}

std::optional<Plan::Slot> Plan::earliest(const GangShape& shape, TopologyLevel level, Duration hold,
                                         SimTime from, Placement& places) {
  if (packed_) {
    if (!Pool::is_near(shape, level)) return std::nullopt;
    return packed_->earliest(shape, pool_->domains(level), hold, from, places);
  }
  if (!knows_nodes()) {
    const auto is_enough = [&](std::size_t, std::size_t index) { return rows_[index][0] >= shape.nodes; };
    return rows_.earliest(hold, from, is_enough, [](std::size_t, std::size_t index) {
      return index;  // no stay can hold the row before
    });
  }
  const auto is_enough = [&](std::size_t first, std::size_t index) {
    const std::uint32_t* const row = rows_[index];
    for (std::size_t node = 0; node < least_.size(); ++node)
      least_[node] = index == first ? row[node] : std::min(least_[node], row[node]);
    return choose(shape, level, places);
  };
  const auto slot =
      rows_.earliest(hold, from, is_enough, [](std::size_t first, std::size_t) { return first + 1; });
  if (slot && choice_ != MemberChoice::lowest) choose_again(shape, level, places);
  return slot;
}

void Plan::take(const GangShape& shape, const Placement& places, const Slot& slot, Duration hold) {
  if (packed_) return packed_->take(shape, places, slot, hold);
  const auto [first, last] = rows_.of(slot, hold);
  for (std::size_t index = first; index < last; ++index) {
    if (!knows_nodes()) rows_[index][0] -= shape.nodes;
    for (const Part& place : places) rows_[index][place.node] -= place.count();
  }
}

void Plan::keep(const GangShape& shape, const Placement& places, const Slot& slot) {
  if (packed_) return packed_->keep(shape, places, slot);
  const auto keep = [](std::uint32_t& free, std::uint32_t wanted) { free -= std::min(free, wanted); };
  const std::size_t first = rows_.first_of(slot);
  for (std::size_t index = 0; index < first; ++index) {
    if (!knows_nodes()) keep(rows_[index][0], shape.nodes);
    for (const Part& place : places) keep(rows_[index][place.node], place.count());
  }
}

}  // namespace fleetsim
