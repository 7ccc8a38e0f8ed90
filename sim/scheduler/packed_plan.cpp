#include "sim/scheduler/packed_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace fleetsim {

PackedPlan::PackedPlan(const PackedNodes& nodes)
    : nodes_{nodes},
      stride_{kFirstCard + nodes.room().largest_cards()},
      rows_{stride_ * nodes.count()},
      least_(rows_.width()) {}

void PackedPlan::reset(const PackedNodes& nodes, SimTime now) {
  nodes_.follow(nodes);
  rows_.reset(now);
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
    const PackedNodes::Free free = nodes_.free(node);
    Number* const row = rows_[0] + first_of(node);
    row[kOpen] = free.is_open ? 1 : 0;
    row[kCpu] = free.cpu_milli;
    row[kMemory] = free.memory_bytes;
    row[kWhole] = std::count(free.cards.begin(), free.cards.end(), kMilliPerCard);
    std::copy(free.cards.begin(), free.cards.end(), row + kFirstCard);
  }
}

void PackedPlan::add_cards(Number* node, const Part& part, int sign) {
  const Number milli = part.milli != 0 ? part.milli : kMilliPerCard;
  for (DeviceMask left = part.devices; left != 0; left &= left - 1) {
    Number& card = node[kFirstCard + static_cast<std::size_t>(std::countr_zero(left))];
    node[kWhole] -= card == kMilliPerCard ? 1 : 0;
    card += sign * milli;
    node[kWhole] += card == kMilliPerCard ? 1 : 0;
  }
}

void PackedPlan::add_host(Number* node, const TaskShape& task, int sign) {
  node[kCpu] += sign * task.cpu_milli;
  node[kMemory] += sign * task.memory_bytes;
}

void PackedPlan::give_back(const Placement& parts, JobId job, SimTime at) {
  for (std::size_t index = rows_.from(at); index < rows_.size(); ++index) {
    parts.for_each([&](const Part& part) {
      Number* const node = rows_[index] + first_of(part.node);
      add_cards(node, part, +1);
      add_host(node, nodes_.held_by(job, part), +1);
    });
  }
}

void PackedPlan::serve_again(const Pool& pool, const Part& part, SimTime at) {
  for (std::size_t index = rows_.from(at); index < rows_.size(); ++index) {
    Number* const node = rows_[index] + first_of(part.node);
    node[kOpen] = 1;
    add_cards(node, part, +1);
    // Of the cards that jobs share on a node that was withdrawn, what nobody holds.
    if (pool.is_withdrawn(part.node))
      pool.for_each_resting_share(part.node, [&](const Part& share) { add_cards(node, share, +1); });
  }
}

void PackedPlan::take(const GangShape& shape, const Placement& parts, const PlannedSlot& slot,
                      Duration hold) {
  const PackedNodes::Gang& gang = nodes_.gang(shape);
  const auto [first, last] = rows_.of(slot, hold);
  for (std::size_t index = first; index < last; ++index) {
    for (const Part& part : parts) {
      Number* const node = rows_[index] + first_of(part.node);
      add_host(node, nodes_.task(gang.kinds[part.member].task), -1);
      if (part.milli != 0) {
        add_cards(node, part, -1);
        continue;
      }
      node[kWhole] -= part.count();
      for (DeviceMask left = slot.at_once ? part.devices : 0; left != 0; left &= left - 1)
        node[kFirstCard + static_cast<std::size_t>(std::countr_zero(left))] -= kMilliPerCard;
    }
  }
}

void PackedPlan::keep(const GangShape& shape, const Placement& parts, const PlannedSlot& slot) {
  const PackedNodes::Gang& gang = nodes_.gang(shape);
  const auto keep = [](Number& free, Number wanted) { free -= std::clamp<Number>(free, 0, wanted); };
  const std::size_t first = rows_.first_of(slot);
  for (std::size_t index = 0; index < first; ++index) {
    for (const Part& part : parts) {
      Number* const node = rows_[index] + first_of(part.node);
      const TaskShape& task = nodes_.task(gang.kinds[part.member].task);
      keep(node[kCpu], task.cpu_milli);
      keep(node[kMemory], task.memory_bytes);
      if (part.milli == 0) {
        keep(node[kWhole], part.count());
        continue;
      }
      Number& card = node[kFirstCard + static_cast<std::size_t>(std::countr_zero(part.devices))];
      keep(node[kWhole], card == kMilliPerCard ? 1 : 0);
      keep(card, part.milli);
    }
  }
}

bool PackedPlan::has_room(std::uint32_t node, ShapeId id) const {
  const TaskShape& task = nodes_.task(id);
  const NodeSpec& spec = nodes_.spec(node);
  const Number* const least = &least_[first_of(node)];
  if (least[kOpen] == 0 || least[kCpu] < task.cpu_milli || least[kMemory] < task.memory_bytes) return false;
  if (task.accepts != 0 && (task.accepts & spec.type) == 0) return false;
  if (!task.is_share()) return least[kWhole] >= Number{task.cards};
  const Number* const cards = least + kFirstCard;
  return std::any_of(cards, cards + spec.cards, [&](Number free) { return free >= task.milli_per_card; });
}

/// What is free from the first row to this one. A card that is free costs a share a whole one.
void PackedPlan::see_least(std::size_t first, std::size_t index) {
  const Number* const row = rows_[index];
  for (std::size_t node = 0; node < least_.size(); node += stride_) {
    for (std::size_t column = node; column < node + stride_; ++column) {
      const bool is_spoken_for =
          column >= node + kFirstCard && row[column] == kMilliPerCard && row[node + kWhole] <= 0;
      const Number free = is_spoken_for ? 0 : row[column];
      least_[column] = index == first ? free : std::min(least_[column], free);
    }
  }
}

/// Makes of the nodes what is free during a stay from the first row on: as many whole cards, those that
/// nobody else will have if there are as many, and of others what is left for shares.
void PackedPlan::show_least(std::size_t first) {
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
    const Number* const least = &least_[first_of(node)];
    const Number* const row = rows_[first] + first_of(node);
    const std::uint32_t count = nodes_.spec(node).cards;
    std::array<std::uint16_t, kMaxCardsPerNode> cards{};
    Number whole = least[kWhole];
    for (std::size_t card = 0; card < count; ++card) {
      const Number free = least[kFirstCard + card];
      const bool is_whole = free == kMilliPerCard;
      cards[card] = static_cast<std::uint16_t>(is_whole && whole-- <= 0 ? 0 : std::max<Number>(free, 0));
    }
    for (std::size_t card = 0; card < count && whole > 0; ++card) {
      if (cards[card] == kMilliPerCard || row[kFirstCard + card] != kMilliPerCard) continue;
      cards[card] = kMilliPerCard;
      --whole;
    }
    nodes_.set_free(node, {.cpu_milli = least[kCpu],
                           .memory_bytes = least[kMemory],
                           .cards = std::span{cards}.first(count),
                           .is_open = least[kOpen] != 0});
  }
}

std::optional<PlannedSlot> PackedPlan::earliest(const GangShape& shape, const Domains* domains, Duration hold,
                                                SimTime from, Placement& parts) {
  const PackedNodes::Gang& gang = nodes_.gang(shape);
  std::size_t begins = 0;
  const auto room = [&](std::size_t first, std::size_t index) {
    begins = first;
    see_least(first, index);
    return nodes_.enough(gang, domains,
                         [&](std::uint32_t node, ShapeId task) { return has_room(node, task); });
  };
  const auto slot =
      rows_.earliest(hold, from, room, [](std::size_t first, std::size_t) { return first + 1; });
  if (!slot) return slot;
  show_least(begins);
  parts.clear();
  nodes_.place(shape, domains, parts);
  return slot;
}

}  // namespace fleetsim
