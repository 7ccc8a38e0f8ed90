#include "sim/fleet/domains.hpp"

#include <algorithm>

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
}

void Domains::add(std::uint32_t node, std::uint32_t free, bool usable) {
  Nodes& domain = nodes_[of_[node]];
  domain.first = std::min(domain.first, node);
  domain.last = std::max(domain.last, node);
  domain.usable += usable ? 1 : 0;
  ++counts_[std::size_t{of_[node]} * width_ + free];
}

void Domains::change(std::uint32_t node, std::uint32_t before, std::uint32_t after) {
  const std::uint32_t domain = of_[node];
  std::uint32_t* const counts = &counts_[std::size_t{domain} * width_];
  --counts[before];
  ++counts[after];
  for (auto& [count, tree] : indexed_) {
    const bool had = before >= count, has = after >= count;
    if (had != has) tree.set(domain, tree.at(domain) + (has ? 1 : -1));
  }
}

void Domains::index(std::uint32_t count) {
  if (indexed(count) != nullptr) return;
  MaxTree tree{this->count()};
  for (std::uint32_t domain = 0; domain < this->count(); ++domain)
    tree.set(domain, nodes_with_at_least(count, domain));
  indexed_.emplace_back(count, std::move(tree));
}

const MaxTree* Domains::indexed(std::uint32_t count) const {
  const auto found =
      std::find_if(indexed_.begin(), indexed_.end(), [&](const auto& each) { return each.first == count; });
  return found == indexed_.end() ? nullptr : &found->second;
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
