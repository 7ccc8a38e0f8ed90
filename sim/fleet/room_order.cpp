#include "sim/fleet/room_order.hpp"

#include <algorithm>
#include <numeric>

namespace fleetsim {
namespace {

std::vector<std::uint32_t> larger_first(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> domains(sizes.size());
  std::iota(domains.begin(), domains.end(), 0U);
  std::stable_sort(domains.begin(), domains.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  return domains;
}

/// For each room where its bits begin, of which there is one for each domain that large.
std::vector<std::uint32_t> where_rooms_begin(std::span<const std::uint32_t> sizes,
                                             const std::vector<std::uint32_t>& by_rank) {
  const std::uint32_t most = sizes[by_rank.front()];
  std::vector<std::uint32_t> from(std::size_t{most} + 2);
  auto domains = static_cast<std::uint32_t>(by_rank.size());
  for (std::uint32_t room = 0; room <= most; ++room) {
    while (sizes[by_rank[domains - 1]] < room) --domains;
    from[room + 1] = from[room] + domains;
  }
  return from;
}

}  // namespace

RoomOrder::RoomOrder(std::span<const std::uint32_t> sizes)
    : by_rank_{larger_first(sizes)},
      rank_(sizes.size()),
      from_{where_rooms_begin(sizes, by_rank_)},
      order_{from_.back()} {
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) rank_[by_rank_[rank]] = rank;
}

std::optional<RoomOrder::Entry> RoomOrder::roomiest_below(std::uint32_t room) const {
  if (room == 0) return std::nullopt;
  const auto last = order_.previous(from_[room] - 1);
  if (!last) return std::nullopt;
  const auto end = std::upper_bound(from_.begin(), from_.end(), *last);
  const auto found = static_cast<std::uint32_t>(end - from_.begin()) - 1;
  return at(order_.next(from_[found]), found);
}

}  // namespace fleetsim
