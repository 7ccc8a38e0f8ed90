#include "sim/packing/packer.hpp"

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>

namespace fleetsim {

Packer::Packer(const Setup& setup)
    : room_{setup.nodes},
      policy_{setup.policy},
      fragmentation_{setup.typical},
      draws_{setup.draws},
      log_(setup.nodes.size()),
      last_change_(setup.nodes.size()) {}

ShapeId Packer::shape(const TaskShape& shape) {
  const auto [known, is_new] = ids_.try_emplace(shape, ShapeId{static_cast<std::uint32_t>(scored_.size())});
  if (is_new) {
    Scored& scored = scored_.emplace_back(Scored{shape, changes_, {}});
    scored.marks.resize(room_.nodes());
    for (std::uint32_t node = 0; node < room_.nodes(); ++node) mark(scored, node);
  }
  return known->second;
}

std::optional<TaskPlace> Packer::find(ShapeId id) {
  Scored& scored = scored_[id.value];
  refresh(scored);
  std::uint8_t best = 0;
  for (const std::uint8_t mark : scored.marks) best = std::max(best, mark);
  if (best == 0) return std::nullopt;
  const std::uint32_t node =
      policy_.choice == NodeChoice::kDrawn
          ? draw_node(scored)
          : static_cast<std::uint32_t>(std::find(scored.marks.begin(), scored.marks.end(), best) -
                                       scored.marks.begin());
  if (scored.shape.cards == 0) return TaskPlace{node, 0};
  return TaskPlace{node, policy_.cards({room_, fragmentation_, scored.shape, node}, draws_)};
}

void Packer::take(ShapeId id, const TaskPlace& place) {
  room_.take(shape(id), place);
  changed(place.node);
}

void Packer::give_back(ShapeId id, const TaskPlace& place) {
  room_.give_back(shape(id), place);
  changed(place.node);
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
  const bool fits = room_.fits(node, scored.shape);
  scored.marks[node] =
      fits ? static_cast<std::uint8_t>(1 + policy_.score({room_, fragmentation_, scored.shape, node})) : 0;
}

std::uint32_t Packer::draw_node(const Scored& scored) {
  const auto fitting = static_cast<std::uint32_t>(
      scored.marks.size() -
      static_cast<std::size_t>(std::count(scored.marks.begin(), scored.marks.end(), std::uint8_t{0})));
  std::uint32_t passed = boost::random::uniform_int_distribution<std::uint32_t>{0, fitting - 1}(draws_);
  std::uint32_t node = 0;
  while (scored.marks[node] == 0 || passed-- > 0) ++node;
  return node;
}

}  // namespace fleetsim
