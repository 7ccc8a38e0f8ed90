#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/fleet/bit_index.hpp"

namespace fleetsim {

/// Domains in order of their room, from none to their size: among equals the larger first, then by number. A
/// bit for each room that a domain can have, so that it takes as many as there are nodes, and domains.
class RoomOrder {
 public:
  struct Entry {
    std::uint32_t domain, room;
  };
  /// @param sizes  of the domains
  explicit RoomOrder(std::span<const std::uint32_t> sizes);

  void insert(Entry entry) { order_.insert(key(entry)); }
  void erase(Entry entry) { order_.erase(key(entry)); }

  /// Those with a room of `least` or more, the tightest first.
  std::optional<Entry> tightest(std::uint32_t least) const {
    return least < most_rooms() ? at(order_.next(from_[least]), least) : std::nullopt;
  }
  std::optional<Entry> next_tightest(Entry after) const {
    return at(order_.next(key(after) + 1), after.room);
  }
  /// The roomiest first.
  std::optional<Entry> roomiest() const { return roomiest_below(most_rooms()); }
  std::optional<Entry> next_roomiest(Entry after) const {
    const auto next = next_tightest(after);
    return next && next->room == after.room ? next : roomiest_below(after.room);
  }

 private:
  std::uint32_t most_rooms() const { return static_cast<std::uint32_t>(from_.size()) - 1; }
  std::uint32_t key(Entry entry) const { return from_[entry.room] + rank_[entry.domain]; }
  std::optional<Entry> at(std::optional<std::uint32_t> key, std::uint32_t room) const {
    if (!key) return std::nullopt;
    while (from_[room + 1] <= *key) ++room;
    return Entry{.domain = by_rank_[*key - from_[room]], .room = room};
  }
  std::optional<Entry> roomiest_below(std::uint32_t room) const;

  std::vector<std::uint32_t> by_rank_, rank_;  ///< larger domains first
  std::vector<std::uint32_t> from_;            ///< by room: where its bits begin; one for each larger domain
  BitIndex order_;
};

}  // namespace fleetsim
