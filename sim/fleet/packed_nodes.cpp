#include "sim/fleet/packed_nodes.hpp"

#include <algorithm>
#include <array>
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

/// Nodes by the kinds of members that they have room for, a bit each.
using NodesByKinds = std::array<std::uint32_t, std::size_t{1} << kMostMemberKinds>;

template <class HasRoom>
std::size_t kinds_of(const PackedNodes::Gang& gang, std::uint32_t node, HasRoom&& has_room) {
  std::size_t kinds = 0;
  for (std::size_t kind = 0; kind < gang.kinds.size(); ++kind)
    if (has_room(node, gang.kinds[kind].task)) kinds |= std::size_t{1} << kind;
  return kinds;
}

/// Whether every member can have a node of its own: of no kinds together are there more members than nodes with
/// room for one of these kinds. Source: Hall, J. London Math. Soc. 10, 1935.
bool everybody_gets_one(const std::vector<PackedNodes::Gang::Kind>& kinds, const NodesByKinds& nodes) {
  const std::size_t all = std::size_t{1} << kinds.size();
  for (std::size_t some = 1; some < all; ++some) {
    std::uint64_t members = 0, places = 0;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      if ((some >> kind & 1) != 0) members += kinds[kind].count;
    for (std::size_t room = 1; room < all; ++room)
      if ((room & some) != 0) places += nodes[room];
    if (places < members) return false;
  }
  return true;
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
      unlike_{setup.unlike.begin(), setup.unlike.end()},
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

std::uint32_t PackedNodes::gang_number(const GangShape& shape) const {
  const auto [known, is_new] = numbers_.try_emplace(shape, static_cast<std::uint32_t>(gangs_.size()));
  if (is_new) gangs_.push_back(make_gang(shape));
  return known->second;
}

PackedNodes::Gang PackedNodes::make_gang(const GangShape& shape) const {
  Gang gang{.kinds = {}, .is_nested = shape.unlike == 0, .nodes = 0};
  const auto add = [&](std::uint32_t count, const HostDemand& demand, std::uint32_t cards) {
    gang.kinds.push_back({packer_.shape(task_of(shape, demand, cards)), count});
    gang.nodes += count;
  };
  if (shape.unlike != 0) {
    for (const MemberKind& kind : unlike_[shape.unlike]) add(kind.count, demands_[kind.demand], kind.devices);
    return gang;
  }
  const HostDemand& demand = demands_[shape.demand];
  add(shape.milli != 0 ? 1 : shape.nodes, demand, shape.per_node);
  if (shape.milli == 0 && shape.remainder != 0) add(1, demand, shape.remainder);
  return gang;
}

void PackedNodes::know(JobId job, const GangShape& shape) {
  if (job.value >= gang_of_.size()) gang_of_.resize(job.value + 1);
  gang_of_[job.value] = gang_number(shape);
}

void PackedNodes::write_off(std::uint32_t node) {
  written_off_[node] = true;
  for (Gang& gang : gangs_) gang.could_fit.fill(std::nullopt);
}

bool PackedNodes::enough(const Gang& gang, const Domains* domains,
                         const std::function<bool(std::uint32_t, ShapeId)>& has_room) const {
  std::vector<NodesByKinds> nodes(domains != nullptr ? domains->count() : 1);
  for (std::uint32_t node = 0; node < rank_of_.size(); ++node)
    ++nodes[domains != nullptr ? domains->of(node) : 0][kinds_of(gang, node, has_room)];
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const NodesByKinds& each) { return everybody_gets_one(gang.kinds, each); });
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
  if (!gang.is_nested) return match(gang, within, ranks);
  const auto may_use = [&](std::uint32_t rank) {
    return within.contains(node_at_[rank]) && std::find(ranks.begin(), ranks.end(), rank) == ranks.end();
  };
  std::size_t wanted = 0;
  for (const Gang::Kind& kind : gang.kinds) {
    packer_.find_nodes(kind.task, kind.count, may_use, ranks);
    wanted += kind.count;
    if (ranks.size() < wanted) return false;
  }
  return true;
}

/// Each member gets the node that the policy would rather have, of those that leave enough for the others.
bool PackedNodes::match(const Gang& gang, const Within& within, std::vector<std::uint32_t>& ranks) const {
  const auto has_room = [&](std::uint32_t node, ShapeId id) { return this->has_room(node, id); };
  NodesByKinds nodes{};
  for (std::uint32_t node = 0; node < count(); ++node)
    if (within.contains(node)) ++nodes[kinds_of(gang, node, has_room)];
  std::vector<Gang::Kind> left = gang.kinds;
  if (!everybody_gets_one(left, nodes)) return false;
  for (Gang::Kind& kind : left) {
    const auto may_use = [&](std::uint32_t rank) {
      return within.contains(node_at_[rank]) && std::find(ranks.begin(), ranks.end(), rank) == ranks.end();
    };
    std::vector<std::uint32_t> candidates;
    packer_.find_nodes(kind.task, count(), may_use, candidates);
    for (auto rank = candidates.begin(); kind.count > 0; ++rank) {
      const std::size_t room = kinds_of(gang, node_at_[*rank], has_room);
      --nodes[room];
      --kind.count;
      if (everybody_gets_one(left, nodes)) {
        ranks.push_back(*rank);
      } else {
        ++nodes[room];
        ++kind.count;
      }
    }
  }
  return true;
}

bool PackedNodes::find(const Gang& gang, const Domains* domains, std::vector<std::uint32_t>& ranks) const {
  if (packer_.fitting(gang.kinds.front().task) < gang.kinds.front().count) return false;
  if (domains == nullptr) return find_within(gang, {}, ranks);
  for (std::uint32_t domain = 0; domain < domains->count(); ++domain)
    if (find_within(gang, domains->within(domain), ranks)) return true;
  return false;
}

bool PackedNodes::fits(const GangShape& shape, const Domains* domains) const {
  const Gang& gang = this->gang(shape);
  if (gang.nodes == 1) return packer_.fitting(gang.kinds.front().task) > 0;
  if (domains == nullptr && gang.is_nested) {
    std::uint32_t wanted = 0;
    return std::all_of(gang.kinds.begin(), gang.kinds.end(), [&](const Gang::Kind& kind) {
      return packer_.fitting(kind.task) >= (wanted += kind.count);
    });
  }
  return enough(gang, domains, [&](std::uint32_t node, ShapeId task) { return has_room(node, task); });
}

std::optional<Part> PackedNodes::find_member(const GangShape& shape, std::uint32_t devices,
                                             const std::function<bool(std::uint32_t)>& may_use) const {
  const GangShape alone{
      .nodes = 1, .per_node = devices, .remainder = 0, .milli = shape.milli, .demand = shape.demand};
  const ShapeId task = gang(alone).kinds.front().task;
  std::vector<std::uint32_t> ranks;
  packer_.find_nodes(
      task, 1, [&](std::uint32_t rank) { return may_use(node_at_[rank]); }, ranks);
  if (ranks.empty()) return std::nullopt;
  return Part{.node = node_at_[ranks.front()],
              .milli = static_cast<std::uint16_t>(shape.milli),
              .devices = packer_.cards(task, ranks.front())};
}

bool PackedNodes::can_host(JobId job, const Part& part) const {
  const TaskShape& held = held_by(job, part);
  const std::uint32_t rank = rank_of_[part.node];
  return room().free_cpu(rank) >= held.cpu_milli && room().free_memory(rank) >= held.memory_bytes;
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

void PackedNodes::set_free(std::uint32_t node, const Free& free) {
  const Free before = this->free(node);
  const bool is_same = before.cpu_milli == free.cpu_milli && before.memory_bytes == free.memory_bytes &&
                       before.is_open == free.is_open &&
                       std::equal(free.cards.begin(), free.cards.end(), before.cards.begin());
  if (!is_same)
    packer_.set_room(rank_of_[node], free.cpu_milli, free.memory_bytes, free.cards, free.is_open);
}

void PackedNodes::follow(const PackedNodes& others) {
  packer_.follow(others.packer_);
  written_off_ = others.written_off_;
  numbers_ = others.numbers_;
  gangs_ = others.gangs_;
  gang_of_ = others.gang_of_;
}

bool PackedNodes::place(const GangShape& shape, const Domains* domains, Placement& out) const {
  const Gang& gang = this->gang(shape);
  const auto add = [&](std::uint32_t rank, CardMask cards, std::size_t kind) {
    out.push_back(Part{.node = node_at_[rank],
                       .milli = static_cast<std::uint16_t>(shape.milli),
                       .member = static_cast<std::uint16_t>(gang.is_nested ? 0 : kind),
                       .devices = cards});
  };
  if (gang.nodes == 1) {
    const auto found = packer_.find(gang.kinds.front().task);
    if (found) add(found->node, found->cards, 0);
    return found.has_value();
  }
  std::vector<std::uint32_t> ranks;
  if (!find(gang, domains, ranks)) return false;
  auto rank = ranks.begin();
  for (std::size_t kind = 0; kind < gang.kinds.size(); ++kind)
    for (std::uint32_t member = 0; member < gang.kinds[kind].count; ++member, ++rank)
      add(*rank, packer_.cards(gang.kinds[kind].task, *rank), kind);
  return true;
}

}  // namespace fleetsim
