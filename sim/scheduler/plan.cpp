#include "sim/scheduler/plan.hpp"

#include <algorithm>

namespace fleetsim {

Plan::Plan(const Pool& pool, Grain grain)
    : pool_{&pool}, grain_{grain}, width_{grain == Grain::devices ? pool.nodes() : 1}, least_(width_) {}

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

bool Plan::choose_in(const GangShape& shape, const Within& within, std::vector<Place>& places) const {
  places.clear();
  const auto usable = [&](std::uint32_t node) { return within.contains(node); };
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(width_, std::size_t{within.last} + 1));
  for (std::uint32_t node = within.first; node < end && places.size() < shape.nodes; ++node)
    if (least_[node] >= shape.per_node && usable(node)) places.push_back({node, shape.per_node});
  if (places.size() < shape.nodes) return false;
  if (shape.remainder == 0) return true;
  auto member = places.begin();
  const auto members = places.end();
  for (std::uint32_t node = within.first; node < end; ++node) {
    if (member != members && member->node == node) {
      ++member;
    } else if (least_[node] >= shape.remainder && usable(node)) {
      places.push_back({node, shape.remainder});
      return true;
    }
  }
  return false;
}

bool Plan::choose(const GangShape& shape, TopologyLevel level, std::vector<Place>& places) const {
  const Domains* const domains = pool_->domains(level);
  if (domains == nullptr) return pool_->is_near(shape, level) && choose_in(shape, {}, places);
  for (std::uint32_t domain = 0; domain < domains->count(); ++domain)
    if (choose_in(shape, domains->within(domain), places)) return true;
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
    if (enough) return Slot{.start = times_[first], .at_once = first == 0};
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
