#include "sim/scheduler/plan.hpp"

#include <algorithm>

namespace fleetsim {

Plan::Plan(const Pool& pool, Grain grain, PlannedNodes choice)
    : pool_{&pool},
      grain_{grain},
      choice_{choice},
      width_{grain == Grain::devices ? pool.nodes() : 1},
      least_(width_) {}

void Plan::reset(const Pool& pool, SimTime now) {
  pool_ = &pool;
  times_.assign(1, now);
  free_.resize(width_);
  if (!knows_nodes()) {
    free_[0] = pool.nodes_with(pool.devices_per_node());
    return;
  }
  for (std::uint32_t node = 0; node < pool.nodes(); ++node)
    free_[node] = static_cast<std::uint32_t>(std::popcount(pool.free_devices(node)));
}

void Plan::advance(SimTime now) {
  const auto after = std::upper_bound(times_.begin(), times_.end(), now);
  const auto past = after - times_.begin() - 1;
  times_.erase(times_.begin(), times_.begin() + past);
  free_.erase(free_.begin(), free_.begin() + past * static_cast<std::ptrdiff_t>(width_));
  times_[0] = now;
}

void Plan::insert_row(std::size_t index, SimTime at) {
  const auto before = free_.begin() + static_cast<std::ptrdiff_t>((index - 1) * width_);
  least_.assign(before, before + static_cast<std::ptrdiff_t>(width_));
  times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(index), at);
  free_.insert(free_.begin() + static_cast<std::ptrdiff_t>(index * width_), least_.begin(), least_.end());
}

std::size_t Plan::row_from(SimTime at) {
  const auto found = std::lower_bound(times_.begin(), times_.end(), at);
  const auto index = static_cast<std::size_t>(found - times_.begin());
  if (found == times_.end() || *found != at) insert_row(index, at);
  return index;
}

void Plan::add_overdue_row() {
  if (times_.size() == 1 || times_[1] != times_[0]) insert_row(1, times_.front());
}

void Plan::give_back(const Placement& parts, SimTime at) {
  const bool overdue = at <= times_.front();
  if (overdue) add_overdue_row();
  for (std::size_t index = overdue ? 1 : row_from(at); index < times_.size(); ++index) {
    parts.for_each([&](const Part& part) {
      if (knows_nodes()) {
        row(index)[part.node] += part.count();
      } else if (part.count() == pool_->devices_per_node()) {
        ++row(index)[0];
      }
    });
  }
}

bool Plan::choose_in(const GangShape& shape, const Within& within, PlannedNodes choice,
                     std::vector<Place>& places) const {
  places.clear();
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(width_, std::size_t{within.last} + 1));
  const auto take_from = [&](std::uint32_t members, std::uint32_t devices, std::uint32_t low,
                             std::uint32_t high) {
    const std::size_t others = places.size();
    const auto is_free = [&](std::uint32_t node) {
      return std::none_of(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(others),
                          [node](const Place& place) { return place.node == node; });
    };
    for (std::uint32_t node = within.first; node < end && members > 0; ++node) {
      if (least_[node] < low || least_[node] > high || !within.contains(node) || !is_free(node)) continue;
      places.push_back({node, devices});
      --members;
    }
    return members;
  };
  const auto take = [&](std::uint32_t members, std::uint32_t devices) {
    const std::uint32_t most = pool_->devices_per_node();
    if (choice == PlannedNodes::lowest) return take_from(members, devices, devices, most) == 0;
    for (std::uint32_t step = 0; step + devices <= most && members > 0; ++step) {
      const std::uint32_t room = choice == PlannedNodes::tightest ? devices + step : most - step;
      members = take_from(members, devices, room, room);
    }
    return members == 0;
  };
  return take(shape.nodes, shape.per_node) && (shape.remainder == 0 || take(1, shape.remainder));
}

/// The nodes by choice, in the domain where the gang was found to fit.
void Plan::choose_again(const GangShape& shape, TopologyLevel level, std::vector<Place>& places) const {
  const Domains* const domains = pool_->domains(level);
  const Within within = domains == nullptr ? Within{} : domains->within(domains->of(places.front().node));
  choose_in(shape, within, choice_, places);
}

bool Plan::choose(const GangShape& shape, TopologyLevel level, std::vector<Place>& places) const {
  const Domains* const domains = pool_->domains(level);
  if (domains == nullptr)
    return pool_->is_near(shape, level) && choose_in(shape, {}, PlannedNodes::lowest, places);
  for (std::uint32_t domain = 0; domain < domains->count(); ++domain)
    if (choose_in(shape, domains->within(domain), PlannedNodes::lowest, places)) return true;
  return false;
}

std::optional<Plan::Slot> Plan::earliest(const GangShape& shape, TopologyLevel level, Duration hold,
                                         SimTime from, std::vector<Place>& places) {
  for (std::size_t first = from > times_.front() ? row_from(from) : 0; first < times_.size();) {
    const SimTime end = times_[first] + hold;
    std::size_t index = first;
    bool enough = true;
    // Also a stay of no length has to fit at its instant.
    const auto touches = [&](std::size_t at) { return times_[at] < end || times_[at] == times_[first]; };
    if (!knows_nodes()) {
      for (; enough && index < times_.size() && touches(index); ++index) enough = free_[index] >= shape.nodes;
      if (enough) return Slot{.start = times_[first], .at_once = first == 0};
      first = index;  // no stay can hold this row
      continue;
    }
    for (; enough && index < times_.size() && touches(index); ++index) {
      for (std::size_t node = 0; node < width_; ++node)
        least_[node] = index == first ? row(index)[node] : std::min(least_[node], row(index)[node]);
      enough = choose(shape, level, places);
    }
    if (enough) {
      if (choice_ != PlannedNodes::lowest) choose_again(shape, level, places);
      return Slot{.start = times_[first], .at_once = first == 0};
    }
    ++first;
  }
  return std::nullopt;
}

void Plan::take(const GangShape& shape, const std::vector<Place>& places, const Slot& slot, Duration hold) {
  const bool after_the_overdue = !slot.at_once && slot.start == times_.front();
  const bool overdue_at_once = slot.at_once && hold == Duration::zero();
  if (overdue_at_once) add_overdue_row();
  const std::size_t first = after_the_overdue ? 1 : row_from(slot.start);
  const SimTime end = slot.start + hold;
  const std::size_t last = overdue_at_once ? 1 : end == SimTime::never() ? times_.size() : row_from(end);
  for (std::size_t index = first; index < last; ++index) {
    if (!knows_nodes()) row(index)[0] -= shape.nodes;
    for (const Place& place : places) row(index)[place.node] -= place.devices;
  }
}

}  // namespace fleetsim
