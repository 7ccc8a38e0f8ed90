#include "sim/scheduler/packed_forecast.hpp"

#include <algorithm>
#include <bit>

namespace fleetsim {

void PackedForecast::reset(const PackedNodes& nodes) {
  nodes_ = &nodes;
  ++epoch_;
  changed_count_ = 0;
  asked_.reset();
}

bool PackedForecast::has_room(const Node& node, ShapeId id) const {
  const TaskShape& task = nodes_->task(id);
  const NodeSpec& spec = nodes_->spec(node.node);
  if (!node.is_open || node.cpu < task.cpu_milli || node.memory < task.memory_bytes) return false;
  if (task.accepts != 0 && (task.accepts & spec.type) == 0) return false;
  const auto cards = std::count_if(node.cards.begin(), node.cards.end(),
                                   [&](std::uint16_t free) { return free >= task.milli_per_card; });
  return cards >= std::int64_t{task.cards};
}

bool PackedForecast::has_room(std::uint32_t node, ShapeId shape) const {
  return epoch_of_[node] == epoch_ ? has_room(changed_[place_of_[node]], shape)
                                   : nodes_->has_room(node, shape);
}

/// Nodes that will have room for such a task.
std::uint32_t PackedForecast::count(ShapeId shape) const {
  std::uint32_t nodes = nodes_->fitting(shape);
  for (std::size_t index = 0; index < changed_count_; ++index) {
    if (nodes_->has_room(changed_[index].node, shape)) --nodes;
    if (has_room(changed_[index], shape)) ++nodes;
  }
  return nodes;
}

template <class Change>
void PackedForecast::change(std::uint32_t node, Change&& how) {
  if (epoch_of_[node] != epoch_) {
    epoch_of_[node] = epoch_;
    place_of_[node] = static_cast<std::uint32_t>(changed_count_);
    if (changed_count_ == changed_.size()) changed_.emplace_back();
    Node& copy = changed_[changed_count_++];
    const PackedNodes::Free free = nodes_->free(node);
    copy.node = node;
    copy.cpu = free.cpu_milli;
    copy.memory = free.memory_bytes;
    copy.cards.assign(free.cards.begin(), free.cards.end());
    copy.is_open = free.is_open;
    copy.gone.clear();
  }
  Node& changing = changed_[place_of_[node]];
  const auto count = [&](std::uint32_t sign) {
    if (!asked_) return;
    const auto& kinds = nodes_->gang(asked_->gang).kinds;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      if (has_room(changing, kinds[kind].task)) asked_->nodes[kind] += sign;
  };
  count(~std::uint32_t{0});
  how(changing);
  count(1);
}

void PackedForecast::move_cards(Node& node, const Part& part, int sign) {
  const int milli = part.milli != 0 ? static_cast<int>(part.milli) : static_cast<int>(kMilliPerCard);
  for (DeviceMask left = part.devices; left != 0; left &= left - 1) {
    std::uint16_t& free = node.cards[static_cast<std::size_t>(std::countr_zero(left))];
    free = static_cast<std::uint16_t>(free + sign * milli);
  }
}

void PackedForecast::move_host(Node& node, const Part& part, JobId job, int sign) const {
  const TaskShape& held = nodes_->held_by(job, part);
  node.cpu += sign * held.cpu_milli;
  node.memory += sign * held.memory_bytes;
}

void PackedForecast::give_back(const Part& part, JobId job) {
  change(part.node, [&](Node& node) {
    move_cards(node, part, +1);
    const auto gone =
        std::find_if(node.gone.begin(), node.gone.end(), [&](const auto& each) { return each.first == job; });
    if (gone != node.gone.end()) {
      ++gone->second;
      return;
    }
    node.gone.emplace_back(job, 1);
    move_host(node, part, job, +1);
  });
}

void PackedForecast::take(const Part& part, JobId job) {
  change(part.node, [&](Node& node) {
    move_cards(node, part, -1);
    const auto gone =
        std::find_if(node.gone.begin(), node.gone.end(), [&](const auto& each) { return each.first == job; });
    if (gone != node.gone.end() && --gone->second > 0) return;
    if (gone != node.gone.end()) node.gone.erase(gone);
    move_host(node, part, job, -1);
  });
}

void PackedForecast::give_back(const Part& part) {
  change(part.node, [&](Node& node) {
    node.is_open = true;
    move_cards(node, part, +1);
  });
}

bool PackedForecast::fits(const GangShape& shape, const Domains* domains) {
  const std::uint32_t number = nodes_->gang_number(shape);
  const PackedNodes::Gang& gang = nodes_->gang(number);
  if (domains != nullptr || !gang.is_nested)
    return nodes_->enough(gang, domains,
                          [&](std::uint32_t node, ShapeId task) { return has_room(node, task); });
  if (!asked_ || asked_->gang != number) {
    asked_ = {.gang = number, .nodes = {}};
    for (const PackedNodes::Gang::Kind& kind : gang.kinds) asked_->nodes.push_back(count(kind.task));
  }
  std::uint32_t wanted = 0;
  for (std::size_t kind = 0; kind < gang.kinds.size(); ++kind)
    if (asked_->nodes[kind] < (wanted += gang.kinds[kind].count)) return false;
  return true;
}

}  // namespace fleetsim
