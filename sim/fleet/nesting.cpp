#include "sim/fleet/nesting.hpp"

#include <algorithm>

namespace fleetsim {

RoomyDomain seen_by(const GangShape& shape, const Domains& domains, std::uint32_t domain) {
  GangRoom room{.nodes = domains.nodes_with_at_least(shape.per_node, domain)};
  room.has_more = shape.remainder != 0 && domains.nodes_with_at_least(shape.remainder, domain) > room.nodes;
  const std::uint64_t twice = 2 * std::uint64_t{room.nodes} + (room.has_more ? 1 : 0);
  return {domain, room, twice << 32 | domains.size(domain)};
}

Nesting::Nesting(const Domains& outer, const Domains& inner) : from_(std::size_t{outer.count()} + 1) {
  const auto outer_of = [&](std::uint32_t domain) { return outer.of(inner.within(domain).first); };
  for (std::uint32_t domain = 0; domain < inner.count(); ++domain)
    if (inner.size(domain) != 0) ++from_[outer_of(domain) + 1];
  for (std::uint32_t domain = 0; domain < outer.count(); ++domain) from_[domain + 1] += from_[domain];
  std::vector<std::uint32_t> next = from_;
  inner_.resize(from_.back());
  for (std::uint32_t domain = 0; domain < inner.count(); ++domain)
    if (inner.size(domain) != 0) inner_[next[outer_of(domain)]++] = domain;
}

const Nesting::Ranking& Nesting::ranking(std::uint32_t outer, const GangShape& shape, const Domains& outers,
                                         const Domains& inners) const {
  auto known = std::find_if(rankings_.begin(), rankings_.end(), [&](const Ranking& each) {
    return each.per_node == shape.per_node && each.remainder == shape.remainder;
  });
  if (known == rankings_.end()) {
    constexpr std::uint64_t kNever = ~std::uint64_t{0};
    rankings_.push_back({.per_node = shape.per_node,
                         .remainder = shape.remainder,
                         .ranked = std::vector<RoomyDomain>(inner_.size()),
                         .together = std::vector<GangRoom>(inner_.size()),
                         .count = std::vector<std::uint32_t>(outers.count()),
                         .version = std::vector<std::uint64_t>(outers.count(), kNever)});
    known = std::prev(rankings_.end());
  }
  if (known->version[outer] == outers.version(outer)) return *known;
  known->version[outer] = outers.version(outer);
  const auto first = known->ranked.begin() + from_[outer];
  auto end = first;
  for (std::uint32_t index = from_[outer]; index < from_[outer + 1]; ++index) {
    const RoomyDomain each = seen_by(shape, inners, inner_[index]);
    if (each.room.nodes != 0 || each.room.has_more) *end++ = each;
  }
  std::sort(first, end, RoomiestFirst{});
  known->count[outer] = static_cast<std::uint32_t>(end - first);
  GangRoom together;
  for (auto each = first; each != end; ++each)
    known->together[static_cast<std::size_t>(each - known->ranked.begin())] = together =
        together + each->room;
  return *known;
}

std::span<const RoomyDomain> Nesting::inside(std::uint32_t outer, const GangShape& shape,
                                             const Domains& outers, const Domains& inners) const {
  const Ranking& known = ranking(outer, shape, outers, inners);
  return std::span{known.ranked}.subspan(from_[outer], known.count[outer]);
}

std::uint32_t Nesting::fewest(std::uint32_t outer, const GangShape& shape, const Domains& outers,
                              const Domains& inners) const {
  const Ranking& known = ranking(outer, shape, outers, inners);
  const auto first = known.together.begin() + from_[outer];
  const auto enough = std::partition_point(first, first + known.count[outer],
                                           [&](GangRoom room) { return !room.holds(shape); });
  return static_cast<std::uint32_t>(enough - first) + 1;
}

}  // namespace fleetsim
