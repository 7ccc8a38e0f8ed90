#include "sim/packing/fragmentation.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace fleetsim {

std::vector<WeightedShape> typical_tasks(std::span<const TaskShape> tasks, int percent) {
  std::vector<WeightedShape> weighted;
  weighted.reserve(tasks.size());
  for (const TaskShape& task : tasks) weighted.push_back({task, 1});
  return typical_of_weighted(std::move(weighted), percent);
}

std::vector<WeightedShape> typical_of_weighted(std::vector<WeightedShape> tasks, int percent) {
  std::int64_t all = 0;
  for (WeightedShape& task : tasks) {
    task.shape.memory_bytes = 0;
    all += task.weight;
  }
  std::sort(tasks.begin(), tasks.end(),
            [](const WeightedShape& a, const WeightedShape& b) { return a.shape < b.shape; });
  std::vector<WeightedShape> counted;
  for (const WeightedShape& task : tasks) {
    if (counted.empty() || counted.back().shape != task.shape) counted.push_back({task.shape, 0});
    counted.back().weight += task.weight;
  }
  const auto rank = [](const WeightedShape& task) {
    const TaskShape& shape = task.shape;
    return std::tuple{task.weight, shape.cpu_milli, shape.milli_per_card, shape.cards, shape.accepts};
  };
  std::sort(counted.begin(), counted.end(),
            [&](const WeightedShape& a, const WeightedShape& b) { return rank(a) > rank(b); });
  std::int64_t covered = 0;
  std::size_t kept = 0;
  while (kept < counted.size() && 100 * covered < percent * all) covered += counted[kept++].weight;
  counted.resize(kept);
  return counted;
}

FreeLevels::FreeLevels(std::span<const std::uint16_t> free_cards)
    : count_{static_cast<std::uint32_t>(free_cards.size())},
      sum_{std::accumulate(free_cards.begin(), free_cards.end(), std::int64_t{0})} {
  std::copy(free_cards.begin(), free_cards.end(), levels_.begin());
  std::sort(levels_.begin(), levels_.begin() + count_, std::greater<>{});
}

FreeLevels FreeLevels::less(std::uint32_t level, std::uint32_t milli) const {
  FreeLevels after = *this;
  after.sum_ -= milli;
  auto* const end = after.levels_.data() + count_;
  auto* card = std::find(after.levels_.data(), end, level);
  const auto left = static_cast<std::uint16_t>(level - milli);
  for (; card + 1 < end && card[1] > left; ++card) *card = card[1];
  *card = left;
  return after;
}

FreeLevels FreeLevels::without_first(std::uint32_t cards) const {
  FreeLevels after;
  after.count_ = count_ - cards;
  std::copy_n(levels_.begin() + cards, after.count_, after.levels_.begin());
  after.sum_ = std::accumulate(after.levels_.begin(), after.levels_.begin() + after.count_, std::int64_t{0});
  return after;
}

Fragmentation::Fragmentation(std::span<const WeightedShape> tasks) {
  for (const WeightedShape& task : tasks) {
    weight_ += task.weight;
    if (task.shape.cards == 0) continue;
    for (std::size_t type = 0; type < kTypes; ++type) {
      const bool accepts = type < kUntyped && (task.shape.accepts >> type & 1) != 0;
      if (task.shape.accepts != 0 && !accepts) continue;
      tasks_[type].push_back(
          {task.shape.milli_per_card, task.shape.cards, task.shape.cpu_milli, task.weight});
    }
  }
  for (std::vector<Task>& of_type : tasks_) {
    std::stable_sort(of_type.begin(), of_type.end(),
                     [](const Task& a, const Task& b) { return a.milli_per_card > b.milli_per_card; });
  }
}

std::int64_t Fragmentation::of(const FreeLevels& cards, std::int64_t free_cpu, DeviceTypes type) const {
  if (cards.sum() == 0) return 0;
  const std::span<const std::uint16_t> levels = cards.levels();
  std::int64_t usable = 0;  // by weight
  std::size_t roomy = 0;    // cards with room for a card's worth of the task
  std::int64_t milli_on_roomy = 0;
  for (const Task& task : tasks_[static_cast<std::size_t>(std::countr_zero(type))]) {
    while (roomy < levels.size() && levels[roomy] >= task.milli_per_card) milli_on_roomy += levels[roomy++];
    if (roomy >= task.cards && free_cpu >= task.cpu_milli) usable += task.weight * milli_on_roomy;
  }
  return cards.sum() * weight_ - usable;
}

std::int64_t Fragmentation::of(const NodeRoom& room, std::uint32_t node) const {
  if (room.free_milli(node) == 0) return 0;
  return of(FreeLevels{room.free_cards(node)}, room.free_cpu(node), room.spec(node).type);
}

std::int64_t Fragmentation::of(const NodeRoom& room) const {
  std::int64_t sum = 0;
  for (std::uint32_t node = 0; node < room.nodes(); ++node) sum += of(room, node);
  return sum;
}

}  // namespace fleetsim
