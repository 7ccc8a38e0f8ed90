#include "sim/fleet/packed_nodes.hpp"

#include <algorithm>
#include <numeric>

#include "sim/packing/arrivals.hpp"

namespace fleetsim {
namespace {

std::vector<std::uint32_t> order_of(const PackedNodes::Setup& setup) {
  const auto count = static_cast<std::uint32_t>(setup.nodes.size());
  if (setup.order) {
    RandomStream draws{*setup.order};
    return shuffled(count, draws);
  }
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

Packer packer_of(const PackedNodes::Setup& setup, const std::vector<std::uint32_t>& order) {
  std::vector<NodeSpec> nodes;
  nodes.reserve(order.size());
  for (const std::uint32_t node : order) nodes.push_back(setup.nodes[node]);
  return Packer{{nodes, setup.policy, setup.typical, setup.draws}};
}

bool gives(const NodeSpec& node, const TaskShape& task) {
  return node.cpu_milli >= task.cpu_milli && node.memory_bytes >= task.memory_bytes &&
         node.cards >= task.cards && (task.accepts == 0 || (task.accepts & node.type) != 0);
}

}  // namespace

PackedNodes::PackedNodes(const Setup& setup)
    : node_at_{order_of(setup)},
      rank_of_(node_at_.size()),
      demands_{setup.demands.begin(), setup.demands.end()},
      written_off_(node_at_.size()),
      packer_{packer_of(setup, node_at_)} {
  for (std::uint32_t rank = 0; rank < node_at_.size(); ++rank) rank_of_[node_at_[rank]] = rank;
  if (demands_.empty()) demands_.emplace_back();
}

TaskShape PackedNodes::task_of(const GangShape& shape, const HostDemand& demand, std::uint32_t cards) {
  TaskShape task{.cpu_milli = demand.cpu_milli,
                 .memory_bytes = demand.memory_bytes,
                 .cards = shape.milli != 0 ? 1 : cards,
                 .milli_per_card = 0,
                 .accepts = demand.accepts};
  if (task.cards != 0)
    task.milli_per_card = shape.milli != 0 ? shape.milli : static_cast<std::uint32_t>(kMilliPerCard);
  return task;
}

const PackedNodes::Gang& PackedNodes::gang(const GangShape& shape) const {
  const auto known = gangs_.find(shape);
  if (known != gangs_.end()) return known->second;
  const HostDemand& demand = demands_[shape.demand];
  Gang gang{};
  gang.wholes = shape.milli != 0 ? 1 : shape.nodes;
  gang.has_rest = shape.milli == 0 && shape.remainder != 0;
  gang.whole = packer_.shape(task_of(shape, demand, shape.per_node));
  gang.rest = gang.has_rest ? packer_.shape(task_of(shape, demand, shape.remainder)) : gang.whole;
  return gangs_.emplace(shape, gang).first->second;
}

void PackedNodes::know(JobId job, const GangShape& shape) {
  if (job.value >= shape_of_.size()) shape_of_.resize(job.value + 1, ShapeId{0});
  shape_of_[job.value] = gang(shape).whole;
}

void PackedNodes::write_off(std::uint32_t node) {
  written_off_[node] = true;
  for (auto& [shape, gang] : gangs_) gang.could_fit.fill(std::nullopt);
}

bool PackedNodes::enough(const Gang& gang, const Domains* domains,
                         const std::function<bool(std::uint32_t, ShapeId)>& has_room) const {
  const auto count = [&](ShapeId shape) {
    std::vector<std::uint32_t> nodes(domains != nullptr ? domains->count() : 1);
    for (std::uint32_t node = 0; node < rank_of_.size(); ++node)
      if (has_room(node, shape)) ++nodes[domains != nullptr ? domains->of(node) : 0];
    return nodes;
  };
  const std::vector<std::uint32_t> for_whole = count(gang.whole);
  const std::vector<std::uint32_t> for_rest = gang.has_rest ? count(gang.rest) : for_whole;
  for (std::size_t domain = 0; domain < for_whole.size(); ++domain)
    if (for_whole[domain] >= gang.wholes && for_rest[domain] >= gang.nodes()) return true;
  return false;
}

bool PackedNodes::could_ever_fit(const GangShape& shape, const Domains* domains) const {
  const Gang& gang = this->gang(shape);
  const TopologyLevel level = domains != nullptr ? domains->level() : TopologyLevel::pool;
  std::optional<bool>& known = gang.could_fit[static_cast<std::size_t>(level)];
  if (!known) {
    known = enough(gang, domains, [&](std::uint32_t node, ShapeId task) {
      return !written_off_[node] && gives(spec(node), packer_.shape(task));
    });
  }
  return *known;
}

bool PackedNodes::could_ever_hold(const GangShape& shape, const Domains& domains,
                                  std::uint32_t domain) const {
  const Gang& gang = this->gang(shape);
  return enough(gang, nullptr, [&](std::uint32_t node, ShapeId id) {
    return domains.of(node) == domain && !written_off_[node] && gives(spec(node), task(id));
  });
}

bool PackedNodes::find_within(const Gang& gang, const Within& within,
                              std::vector<std::uint32_t>& ranks) const {
  ranks.clear();
  const auto may_use = [&](std::uint32_t rank) {
    return within.contains(node_at_[rank]) && std::find(ranks.begin(), ranks.end(), rank) == ranks.end();
  };
  packer_.find_nodes(gang.whole, gang.wholes, may_use, ranks);
  if (ranks.size() < gang.wholes) return false;
  if (gang.has_rest) packer_.find_nodes(gang.rest, 1, may_use, ranks);
  return ranks.size() == gang.nodes();
}

bool PackedNodes::find(const Gang& gang, const Domains* domains, std::vector<std::uint32_t>& ranks) const {
  if (packer_.fitting(gang.whole) < gang.wholes) return false;
  if (domains == nullptr) return find_within(gang, {}, ranks);
  for (std::uint32_t domain = 0; domain < domains->count(); ++domain)
    if (find_within(gang, domains->within(domain), ranks)) return true;
  return false;
}

bool PackedNodes::fits(const GangShape& shape, const Domains* domains) const {
  const Gang& gang = this->gang(shape);
  if (gang.nodes() == 1) return packer_.fitting(gang.whole) > 0;
  if (domains == nullptr)
    return packer_.fitting(gang.whole) >= gang.wholes &&
           (!gang.has_rest || packer_.fitting(gang.rest) > gang.wholes);
  return enough(gang, domains,
                [&](std::uint32_t node, ShapeId task) { return packer_.fits(task, rank_of_[node]); });
}

std::optional<Part> PackedNodes::find_member(const GangShape& shape, std::uint32_t devices,
                                             const std::function<bool(std::uint32_t)>& may_use) const {
  const GangShape alone{
      .nodes = 1, .per_node = devices, .remainder = 0, .milli = shape.milli, .demand = shape.demand};
  const ShapeId task = gang(alone).whole;
  std::vector<std::uint32_t> ranks;
  packer_.find_nodes(
      task, 1, [&](std::uint32_t rank) { return may_use(node_at_[rank]); }, ranks);
  if (ranks.empty()) return std::nullopt;
  return Part{
      .node = node_at_[ranks.front()], .milli = shape.milli, .devices = packer_.cards(task, ranks.front())};
}

bool PackedNodes::has_host_room(const GangShape& shape, std::uint32_t node) const {
  const HostDemand& demand = demands_[shape.demand];
  const std::uint32_t rank = rank_of_[node];
  return room().free_cpu(rank) >= demand.cpu_milli && room().free_memory(rank) >= demand.memory_bytes &&
         (demand.accepts == 0 || (demand.accepts & spec(node).type) != 0);
}

PackedNodes::Free PackedNodes::free(std::uint32_t node) const {
  const std::uint32_t rank = rank_of_[node];
  return {room().free_cpu(rank), room().free_memory(rank), room().free_cards(rank), room().is_open(rank)};
}

bool PackedNodes::place(const GangShape& shape, const Domains* domains, Placement& out) const {
  const Gang& gang = this->gang(shape);
  const auto add = [&](std::uint32_t rank, CardMask cards) {
    out.push_back(Part{.node = node_at_[rank], .milli = shape.milli, .devices = cards});
  };
  if (gang.nodes() == 1) {
    const auto found = packer_.find(gang.whole);
    if (found) add(found->node, found->cards);
    return found.has_value();
  }
  std::vector<std::uint32_t> ranks;
  if (!find(gang, domains, ranks)) return false;
  for (std::size_t index = 0; index < ranks.size(); ++index)
    add(ranks[index], packer_.cards(index < gang.wholes ? gang.whole : gang.rest, ranks[index]));
  return true;
}

}  // namespace fleetsim
