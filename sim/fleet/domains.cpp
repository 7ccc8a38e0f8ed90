#include "sim/fleet/domains.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace fleetsim {

void MaxTree::set(std::uint32_t place, std::uint32_t value) {
  std::uint32_t at = leaves_ + place;
  most_[at] = value;
  for (at /= 2; at > 0; at /= 2) {
    const std::uint32_t most = std::max(most_[2 * at], most_[2 * at + 1]);
    if (most_[at] == most) return;
    most_[at] = most;
  }
}

std::optional<std::uint32_t> MaxTree::next(std::uint32_t least, std::uint32_t from) const {
  if (from >= leaves_) return std::nullopt;
  std::uint32_t at = leaves_ + from;
  while (most_[at] < least) {
    while (at % 2 == 1) at /= 2;  // all of the subtree to the right of `from` has been seen
    if (at == 0) return std::nullopt;
    ++at;
  }
  while (at < leaves_) at = 2 * at + (most_[2 * at] >= least ? 0 : 1);
  return at - leaves_;
}

Domains::Domains(TopologyLevel level, std::span<const std::uint32_t> of, std::uint32_t devices_per_node)
    : level_{level}, width_{devices_per_node + 1}, of_{of.begin(), of.end()} {
  const std::uint32_t count = of_.empty() ? 1 : *std::max_element(of_.begin(), of_.end()) + 1;
  nodes_.resize(count);
  counts_.resize(std::size_t{count} * width_);
  for (std::uint32_t node = 0; node < of_.size(); ++node) {
    Nodes& domain = nodes_[of_[node]];
    are_contiguous_ = are_contiguous_ && (domain.all == 0 || domain.last + 1 == node);
    domain.first = std::min(domain.first, node);
    domain.last = node;
    ++domain.all;
  }
}

void Domains::add(std::uint32_t node, std::uint32_t free, bool usable) {
  nodes_[of_[node]].usable += usable ? 1 : 0;
  ++counts_[std::size_t{of_[node]} * width_ + free];
}

void Domains::change(std::span<const NodeWord> words, std::uint32_t before, std::uint32_t after) {
  std::uint32_t domain = of_[words.front().word * 64 + std::countr_zero(words.front().nodes)], nodes = 0;
  for (const auto& [word, all] : words) {
    for (std::uint64_t left = all; left != 0;) {
      const auto node = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      if (of_[node] != domain) {
        change_some(domain, nodes, before, after);
        domain = of_[node];
        nodes = 0;
      }
      const std::uint32_t last = are_contiguous_ ? std::min(nodes_[domain].last, word * 64 + 63) : node;
      const std::uint64_t beyond = last % 64 == 63 ? 0 : ~std::uint64_t{0} << (last % 64 + 1);
      nodes += static_cast<std::uint32_t>(std::popcount(left & ~beyond));
      left &= beyond;
    }
  }
  change_some(domain, nodes, before, after);
}

/// So many nodes of the domain that had `before` devices free have `after`.
void Domains::change_some(std::uint32_t domain, std::uint32_t nodes, std::uint32_t before,
                          std::uint32_t after) {
  ++nodes_[domain].version;
  std::uint32_t* const counts = &counts_[std::size_t{domain} * width_];
  counts[before] -= nodes;
  counts[after] += nodes;
  for (Index& index : indices_) {
    const bool had = before >= index.count, has = after >= index.count;
    if (had == has) continue;
    const std::uint32_t room = index.nodes.at(domain), changed = has ? room + nodes : room - nodes;
    index.nodes.set(domain, changed);
    if (!index.order) continue;
    index.order->erase({domain, room});
    index.order->insert({domain, changed});
  }
}

Domains::Index& Domains::indexed_with(std::uint32_t count) const {
  for (Index& each : indices_)
    if (each.count == count) return each;
  MaxTree nodes{this->count()};
  for (std::uint32_t domain = 0; domain < this->count(); ++domain)
    nodes.set(domain, nodes_with_at_least(count, domain));
  indices_.push_back({.count = count, .nodes = std::move(nodes)});
  return indices_.back();
}

const RoomOrder& Domains::by_room(std::uint32_t count) const {
  Index& index = indexed_with(count);
  if (!index.order) {
    std::vector<std::uint32_t> sizes;
    for (const Nodes& each : nodes_) sizes.push_back(each.all);
    index.order.emplace(sizes);
    for (std::uint32_t domain = 0; domain < this->count(); ++domain)
      index.order->insert({domain, index.nodes.at(domain)});
  }
  return *index.order;
}

const MaxTree* Domains::indexed(std::uint32_t count) const {
  for (const Index& each : indices_)
    if (each.count == count) return &each.nodes;
  return nullptr;
}

std::uint32_t Domains::nodes_with_at_least(std::uint32_t count, std::uint32_t domain) const {
  if (const MaxTree* const tree = indexed(count)) return tree->at(domain);
  std::uint32_t nodes = 0;
  for (std::uint32_t free = count; free < width_; ++free) nodes += nodes_with(free, domain);
  return nodes;
}

std::optional<std::uint32_t> Domains::next_with(std::uint32_t count, std::uint32_t nodes,
                                                std::uint32_t from) const {
  if (const MaxTree* const tree = indexed(count)) return tree->next(nodes, from);
  while (from < this->count() && nodes_with_at_least(count, from) < nodes) ++from;
  return from < this->count() ? std::optional{from} : std::nullopt;
}

std::optional<std::uint32_t> Domains::next_with_room(const GangShape& shape, std::uint32_t from) const {
  const bool has_whole = shape.milli == 0 && shape.nodes > 0;
  const std::uint32_t devices = has_whole ? shape.per_node : shape.milli != 0 ? 1 : shape.remainder;
  const std::uint32_t nodes = has_whole ? shape.nodes : 1;
  for (auto domain = next_with(devices, nodes, from); domain; domain = next_with(devices, nodes, *domain + 1))
    if (can_hold(shape, [&](std::uint32_t count) { return nodes_with_at_least(count, *domain); }))
      return domain;
  return std::nullopt;
}

std::uint32_t Domains::most_usable() const {
  std::uint32_t most = 0;
  for (const Nodes& nodes : nodes_) most = std::max(most, nodes.usable);
  return most;
}

}  // namespace fleetsim
