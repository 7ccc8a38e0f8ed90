#include "sim/packing/packer.hpp"

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>
#include <utility>

namespace fleetsim {

Packer::Packer(const Setup& setup)
    : room_{setup.nodes},
      policy_{&setup.policy},
      fragmentation_{setup.typical},
      draws_{setup.draws},
      log_(setup.nodes.size()),
      last_change_(setup.nodes.size()) {}

ShapeId Packer::shape(const TaskShape& shape) {
  const auto [known, is_new] = ids_.try_emplace(shape, ShapeId{static_cast<std::uint32_t>(scored_.size())});
  if (is_new) {
    Scored& scored = scored_.emplace_back(Scored{shape, changes_, 0, {}});
    scored.marks.resize(room_.nodes());
    for (std::uint32_t node = 0; node < room_.nodes(); ++node) mark(scored, node);
  }
  return known->second;
}

std::optional<TaskPlace> Packer::find(ShapeId id) {
  Scored& scored = scored_[id.value];
  refresh(scored);
  if (scored.fitting == 0) return std::nullopt;
  const std::uint32_t node =
      policy_->choice == NodeChoice::kDrawn ? draw_node(scored) : first_of_highest(scored);
  return TaskPlace{node, cards(id, node)};
}

std::uint32_t Packer::fitting(ShapeId id) {
  refresh(scored_[id.value]);
  return scored_[id.value].fitting;
}

CardMask Packer::cards(ShapeId id, std::uint32_t node) {
  const TaskShape& task = scored_[id.value].shape;
  return task.cards == 0 ? 0 : policy_->cards({room_, fragmentation_, task, node}, draws_);
}

void Packer::find_nodes(ShapeId id, std::uint32_t count, const std::function<bool(std::uint32_t)>& may_use,
                        std::vector<std::uint32_t>& out) {
  Scored& scored = scored_[id.value];
  refresh(scored);
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < room_.nodes(); ++node)
    if (scored.marks[node] != 0 && may_use(node)) nodes.push_back(node);
  count = std::min(count, static_cast<std::uint32_t>(nodes.size()));
  if (policy_->choice == NodeChoice::kDrawn) {
    for (std::size_t next = 0; next < count; ++next) {
      boost::random::uniform_int_distribution<std::size_t> any{next, nodes.size() - 1};
      std::swap(nodes[next], nodes[any(draws_)]);
    }
  } else {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return scored.marks[a] > scored.marks[b]; });
  }
  out.insert(out.end(), nodes.begin(), nodes.begin() + count);
}

void Packer::take(ShapeId id, const TaskPlace& place) {
  room_.take(shape(id), place);
  changed(place.node);
}

void Packer::give_back(ShapeId id, const TaskPlace& place) {
  room_.give_back(shape(id), place);
  changed(place.node);
}

void Packer::hold(ShapeId id, std::uint32_t node) {
  room_.hold(shape(id), node);
  changed(node);
}

void Packer::let_go(ShapeId id, std::uint32_t node) {
  room_.let_go(shape(id), node);
  changed(node);
}

void Packer::set_cards(std::uint32_t node, std::span<const std::uint16_t> free, bool is_open) {
  room_.set_cards(node, free, is_open);
  changed(node);
}

void Packer::set_room(std::uint32_t node, std::int64_t cpu_milli, std::int64_t memory_bytes,
                      std::span<const std::uint16_t> cards, bool is_open) {
  room_.set_host(node, cpu_milli, memory_bytes);
  set_cards(node, cards, is_open);
}

void Packer::follow(const Packer& other) {
  const RandomStream draws = draws_;
  *this = other;
  draws_ = draws;
}

void Packer::changed(std::uint32_t node) {
  log_[changes_ % log_.size()] = node;
  last_change_[node] = ++changes_;
}

void Packer::refresh(Scored& scored) const {
  if (changes_ - scored.seen > log_.size()) {
    for (std::uint32_t node = 0; node < room_.nodes(); ++node)
      if (last_change_[node] > scored.seen) mark(scored, node);
  } else {
    for (std::uint64_t change = scored.seen; change < changes_; ++change) {
      const std::uint32_t node = log_[change % log_.size()];
      if (last_change_[node] == change + 1) mark(scored, node);
    }
  }
  scored.seen = changes_;
}

void Packer::mark(Scored& scored, std::uint32_t node) const {
  std::uint8_t& mark = scored.marks[node];
  scored.fitting -= mark != 0 ? 1 : 0;
  const bool fits = room_.fits(node, scored.shape);
  mark =
      fits ? static_cast<std::uint8_t>(1 + policy_->score({room_, fragmentation_, scored.shape, node})) : 0;
  scored.fitting += fits ? 1 : 0;
}

std::uint32_t Packer::first_of_highest(const Scored& scored) {
  std::uint8_t best = 0;
  for (const std::uint8_t mark : scored.marks) best = std::max(best, mark);
  return static_cast<std::uint32_t>(std::find(scored.marks.begin(), scored.marks.end(), best) -
                                    scored.marks.begin());
}

std::uint32_t Packer::draw_node(const Scored& scored) {
  boost::random::uniform_int_distribution<std::uint32_t> any{0, scored.fitting - 1};
  std::uint32_t passed = any(draws_);
  std::uint32_t node = 0;
  while (scored.marks[node] == 0 || passed-- > 0) ++node;
  return node;
}

}  // namespace fleetsim
