#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/packing/fragmentation.hpp"
#include "sim/packing/node_room.hpp"

/// The scores of the FGD study once more, as its paper and simulator have them: in floating point, from the
/// definitions, without anything kept or sorted. What a node is, is copied out of the room first.
namespace fleetsim::plain {

struct Node {
  std::vector<int> free;
  double cpu;
  DeviceTypes type;
};

inline Node node(const NodeRoom& room, std::uint32_t number) {
  const auto cards = room.free_cards(number);
  return {{cards.begin(), cards.end()}, static_cast<double>(room.free_cpu(number)), room.spec(number).type};
}

inline int sum(const std::vector<int>& free) {
  int total = 0;
  for (const int each : free) total += each;
  return total;
}

inline bool could_host(const Node& node, const TaskShape& task) {
  if (task.accepts != 0 && (task.accepts & node.type) == 0) return false;
  std::uint32_t roomy = 0;
  for (const int each : node.free) roomy += each >= static_cast<int>(task.milli_per_card) ? 1 : 0;
  return roomy >= task.cards && node.cpu >= static_cast<double>(task.cpu_milli);
}

/// Expected fragmented milli-devices of a node, by the definition of section 3.
inline double fragmented(const Node& node, const std::vector<WeightedShape>& typical) {
  double weight = 0, total = 0;
  for (const WeightedShape& each : typical) {
    double part = sum(node.free);
    if (each.shape.cards > 0 && could_host(node, each.shape)) {
      part = 0;
      for (const int free : node.free)
        if (free < static_cast<int>(each.shape.milli_per_card)) part += free;
    }
    weight += static_cast<double>(each.weight);
    total += static_cast<double>(each.weight) * part;
  }
  return total / weight;
}

inline double sigmoid_score(double fall_in_devices) { return 100 / (1 + std::exp(-fall_in_devices)); }

struct Share {
  double score = -1;
  std::size_t card = 0;
};

/// The best card for a share; the first of those whose whole scores are equal.
inline Share fgd_share(const Node& before, const TaskShape& task, const std::vector<WeightedShape>& typical) {
  Share best;
  for (std::size_t card = 0; card < before.free.size(); ++card) {
    if (before.free[card] < static_cast<int>(task.milli_per_card)) continue;
    Node after = before;
    after.cpu -= static_cast<double>(task.cpu_milli);
    after.free[card] -= static_cast<int>(task.milli_per_card);
    const double score = sigmoid_score((fragmented(before, typical) - fragmented(after, typical)) / 1000);
    if (std::floor(score) > std::floor(best.score)) best = {score, card};
  }
  return best;
}

inline double fgd(const Node& before, const TaskShape& task, const std::vector<WeightedShape>& typical) {
  if (task.is_share()) return fgd_share(before, task, typical).score;
  Node after = before;
  after.cpu -= static_cast<double>(task.cpu_milli);
  std::uint32_t left = task.cards;
  for (int& free : after.free) {
    if (left == 0 || free < 1000) continue;
    free = 0;
    --left;
  }
  return sigmoid_score((fragmented(before, typical) - fragmented(after, typical)) / 1000);
}

inline double best_fit(const Node& node, const TaskShape& task, double cpus, double milli) {
  const double cpu = (node.cpu - static_cast<double>(task.cpu_milli)) / cpus;
  const double cards = (sum(node.free) - static_cast<double>(task.milli())) / milli;
  return 100 * (1 - (cpu + cards) / 2);
}

inline double dot_product(const Node& node, const TaskShape& task, double cpus, double milli) {
  const double cpu = node.cpu / cpus * (static_cast<double>(task.cpu_milli) / cpus);
  const double cards = sum(node.free) / milli * (static_cast<double>(task.milli()) / milli);
  return 100 * (1 - (cpu + cards) / 2);
}

/// GpuPacking: which cards would be used, fullest first, decides the case.
inline double packing(const Node& node, const TaskShape& task) {
  if (task.cards == 0) return 0;
  const auto whole = static_cast<int>(std::count(node.free.begin(), node.free.end(), 1000));
  if (whole == static_cast<int>(node.free.size())) return 33 - whole;
  std::vector<int> fullest_first = node.free;
  std::sort(fullest_first.begin(), fullest_first.end());
  std::erase_if(fullest_first, [&](int free) { return free < static_cast<int>(task.milli_per_card); });
  fullest_first.resize(task.cards);
  const auto unused = std::count(fullest_first.begin(), fullest_first.end(), 1000);
  if (unused > 0) return std::max(50.0 - static_cast<double>(unused), 33.0);
  return std::max(100 - sum(fullest_first) / 10 / 10, 50);
}

/// GpuClustering, given the tasks that run on the node.
inline double clustering(const Node& node, const std::vector<TaskShape>& running, const TaskShape& task,
                         int most_milli) {
  if (task.cards == 0) return 0;
  const auto kind = [](const TaskShape& of) { return of.is_share() ? 0U : of.cards; };
  bool same = false, others = false;
  for (const TaskShape& each : running) {
    if (each.cards == 0) continue;
    (kind(each) == kind(task) ? same : others) = true;
  }
  const int company = same ? (others ? 50 : 75) : others ? 0 : 25;
  return company + 25 * (most_milli - sum(node.free)) / most_milli;
}

}  // namespace fleetsim::plain
