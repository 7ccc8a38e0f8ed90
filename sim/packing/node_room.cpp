#include "sim/packing/node_room.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace fleetsim {

bool TaskShape::is_valid() const {
  if (cpu_milli < 0 || memory_bytes < 0 || cards > kMaxCardsPerNode) return false;
  if (cards == 0) return milli_per_card == 0;
  return milli_per_card == kMilliPerCard || (is_share() && milli_per_card > 0);
}

NodeRoom::NodeRoom(std::span<const NodeSpec> nodes)
    : specs_{nodes.begin(), nodes.end()},
      free_milli_(nodes.size()),
      whole_free_(nodes.size()),
      is_open_(nodes.size(), true) {
  for (const NodeSpec& spec : specs_) {
    largest_cpu_ = std::max(largest_cpu_, spec.cpu_milli);
    largest_cards_ = std::max(largest_cards_, spec.cards);
    free_cpu_.push_back(spec.cpu_milli);
    free_memory_.push_back(spec.memory_bytes);
  }
  stride_ = largest_cards_;
  free_cards_.resize(specs_.size() * stride_);
  kinds_.resize(specs_.size());
  tasks_of_kind_.resize(specs_.size() * (largest_cards_ + 1));
  for (std::uint32_t node = 0; node < specs_.size(); ++node) {
    std::fill_n(&free_cards_[std::size_t{node} * stride_], specs_[node].cards, kMilliPerCard);
    whole_free_[node] = static_cast<std::uint8_t>(specs_[node].cards);
    free_milli_[node] = specs_[node].cards * kMilliPerCard;
    total_milli_ += free_milli_[node];
  }
}

bool NodeRoom::fits(std::uint32_t node, const TaskShape& shape) const {
  if (!is_open_[node]) return false;
  if (free_cpu_[node] < shape.cpu_milli || free_memory_[node] < shape.memory_bytes) return false;
  if (shape.accepts != 0 && (shape.accepts & specs_[node].type) == 0) return false;
  if (shape.cards <= whole_free_[node]) return true;
  if (!shape.is_share() || free_milli_[node] < shape.milli_per_card) return false;
  const auto cards = free_cards(node);
  return std::any_of(cards.begin(), cards.end(),
                     [&](std::uint16_t free) { return free >= shape.milli_per_card; });
}

void NodeRoom::take(const TaskShape& shape, const TaskPlace& place) {
  hold(shape, place.node);
  move_cards(shape, place, -1);
}

void NodeRoom::give_back(const TaskShape& shape, const TaskPlace& place) {
  let_go(shape, place.node);
  move_cards(shape, place, +1);
}

void NodeRoom::count(const TaskShape& shape, std::uint32_t node, int sign) {
  free_cpu_[node] -= sign * shape.cpu_milli;
  free_memory_[node] -= sign * shape.memory_bytes;
  if (shape.cards == 0) return;
  std::uint32_t& tasks = tasks_of_kind_[kind(node, shape)];
  if (sign > 0 && tasks == 0) ++kinds_[node];
  tasks += static_cast<std::uint32_t>(sign);
  if (sign < 0 && tasks == 0) --kinds_[node];
}

void NodeRoom::move_cards(const TaskShape& shape, const TaskPlace& place, int sign) {
  const std::uint32_t node = place.node;
  free_milli_[node] += sign * shape.milli();
  std::uint16_t* const cards = &free_cards_[std::size_t{node} * stride_];
  for (CardMask rest = place.cards; rest != 0; rest &= rest - 1) {
    std::uint16_t& free = cards[std::countr_zero(rest)];
    if (free == kMilliPerCard) --whole_free_[node];
    free = static_cast<std::uint16_t>(free + sign * static_cast<int>(shape.milli_per_card));
    if (free == kMilliPerCard) ++whole_free_[node];
  }
}

void NodeRoom::set_cards(std::uint32_t node, std::span<const std::uint16_t> free, bool is_open) {
  is_open_[node] = is_open;
  std::copy(free.begin(), free.end(), &free_cards_[std::size_t{node} * stride_]);
  free_milli_[node] = std::accumulate(free.begin(), free.end(), std::int64_t{0});
  whole_free_[node] = static_cast<std::uint8_t>(std::count(free.begin(), free.end(), kMilliPerCard));
}

}  // namespace fleetsim
