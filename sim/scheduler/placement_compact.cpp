#include <algorithm>
#include <optional>
#include <vector>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

/// Domains that may hold the gang together, in a list, the roomiest first.
class ListedDomains {
 public:
  explicit ListedDomains(std::vector<RoomyDomain> domains) : domains_{std::move(domains)} {
    std::sort(domains_.begin(), domains_.end(), RoomiestFirst{});
  }
  /// The roomiest of those that are left.
  RoomyDomain take() { return domains_[next_++]; }
  /// The tightest of those that are left that completes what the gang has.
  std::optional<RoomyDomain> last(const GangShape& shape, GangRoom has) const {
    const auto completes = [&](const RoomyDomain& each) { return (has + each.room).holds(shape); };
    const auto first = domains_.begin() + static_cast<std::ptrdiff_t>(next_);
    auto end = std::partition_point(first, domains_.end(), [&](const RoomyDomain& each) {
      return has.nodes + each.room.nodes >= shape.nodes;
    });
    while (end != first) {
      const auto begin = std::partition_point(
          first, end, [&](const RoomyDomain& each) { return each.room.nodes > std::prev(end)->room.nodes; });
      const auto found = std::find_if(begin, end, completes);
      if (found != end) return *found;
      end = begin;
    }
    return std::nullopt;
  }

 private:
  std::vector<RoomyDomain> domains_;
  std::size_t next_ = 0;
};

/// All domains of a level, by an index.
class IndexedDomains {
 public:
  IndexedDomains(const Domains& domains, const GangShape& shape) : domains_{domains}, shape_{shape} {
    if (shape.remainder != 0) domains.index(shape.remainder);
    order_ = &domains.by_room(shape.per_node);
    next_ = order_->roomiest();
  }
  RoomyDomain take() {
    const RoomOrder::Entry taken = *next_;
    taken_.push_back(taken.domain);
    next_ = order_->next_roomiest(taken);
    return seen(taken);
  }
  std::optional<RoomyDomain> last(const GangShape& shape, GangRoom has) const {
    const std::uint32_t least = shape.nodes > has.nodes ? shape.nodes - has.nodes : 0;
    for (auto each = order_->tightest(least); each; each = order_->next_tightest(*each)) {
      if (std::find(taken_.begin(), taken_.end(), each->domain) != taken_.end()) continue;
      const RoomyDomain found = seen(*each);
      if ((has + found.room).holds(shape)) return found;
    }
    return std::nullopt;
  }

 private:
  RoomyDomain seen(RoomOrder::Entry entry) const { return seen_by(shape_, domains_, entry.domain); }
  const Domains& domains_;
  const GangShape& shape_;
  const RoomOrder* order_;
  std::optional<RoomOrder::Entry> next_;
  std::vector<std::uint32_t> taken_;
};

/// As few as hold the gang, which all of them together do: the roomiest, and last the tightest that is
/// enough.
template <class Candidates>
std::vector<RoomyDomain> fewest(Candidates&& domains, const GangShape& shape) {
  std::vector<RoomyDomain> chosen;
  for (GangRoom has;;) {
    const auto last = domains.last(shape, has);
    chosen.push_back(last ? *last : domains.take());
    if (last) return chosen;
    has = has + chosen.back().room;
  }
}

class Compact {
 public:
  Compact(const Pool& pool, const GangShape& shape, const Within& within)
      : pool_{pool}, shape_{shape}, within_{within}, levels_{pool.levels()} {
    while (within.domains != nullptr && &levels_.back() != within.domains)
      levels_ = levels_.first(levels_.size() - 1);
  }

  void place(Placement& out) const {
    std::size_t level = 0;
    std::vector<RoomyDomain> chosen;
    for (; level < levels_.size() && chosen.empty(); ++level)
      if (const auto whole = best(level)) chosen.push_back(*whole);
    if (chosen.empty()) chosen = fewest(IndexedDomains{levels_.back(), shape_}, shape_);
    while (--level > 0) {
      std::vector<RoomyDomain> inside;
      for (const RoomyDomain& each : chosen) {
        const auto more =
            pool_.nesting(level - 1).inside(each.domain, shape_, levels_[level], levels_[level - 1]);
        inside.insert(inside.end(), more.begin(), more.end());
      }
      chosen = fewest(ListedDomains{std::move(inside)}, shape_);
    }
    take_nodes(chosen, out);
  }

 private:
  /// The domain of a level that holds the gang by itself, in as few of the next level as possible; among
  /// equals the tightest.
  std::optional<RoomyDomain> best(std::size_t level) const {
    const Domains& domains = levels_[level];
    if (within_.domains == &domains) return seen_by(shape_, domains, within_.domain);  // it fits
    if (shape_.remainder != 0) domains.index(shape_.remainder);
    const RoomOrder& order = domains.by_room(shape_.per_node);
    std::optional<RoomyDomain> best;
    std::uint32_t least = 0;
    const std::uint32_t fewest_thinkable = level == 0 ? 1 : at_least(levels_[level - 1]);
    for (auto each = order.tightest(shape_.nodes); each; each = order.next_tightest(*each)) {
      if (!within_.contains(domains.within(each->domain).first)) continue;
      const RoomyDomain found = seen_by(shape_, domains, each->domain);
      if (!found.room.holds(shape_)) continue;
      if (level == 0) return found;
      const std::uint32_t needs =
          pool_.nesting(level - 1).fewest(each->domain, shape_, domains, levels_[level - 1]);
      if (best && needs >= least) continue;
      best = found;
      least = needs;
      if (needs == fewest_thinkable) break;
    }
    return best;
  }

  /// No fewer of these domains hold the gang. One alone would have been found before.
  std::uint32_t at_least(const Domains& domains) const {
    const std::uint32_t most = domains.by_room(shape_.per_node).roomiest()->room;
    return most == 0 ? 2 : std::max(2U, (shape_.nodes + most - 1) / most);
  }

  /// All nodes with room in these domains but the last; of that one the tightest.
  void take_nodes(std::vector<RoomyDomain>& chosen, Placement& out) const {
    std::uint32_t left = shape_.nodes;
    const RoomyDomain last = chosen.back();
    chosen.pop_back();
    std::sort(chosen.begin(), chosen.end(),
              [](const RoomyDomain& a, const RoomyDomain& b) { return a.domain < b.domain; });
    for (const RoomyDomain& each : chosen) {
      take_from(each.domain, std::min(left, each.room.nodes), out);
      left -= std::min(left, each.room.nodes);
    }
    take_from(last.domain, left, out);
    chosen.push_back(last);
    if (shape_.remainder != 0) take_remainder(chosen, out);
  }

  void take_from(std::uint32_t domain, std::uint32_t nodes, Placement& out) const {
    const Within within = levels_.front().within(domain);
    if (shape_.per_node == pool_.devices_per_node() && levels_.front().are_contiguous())
      return pool_.first_whole_nodes(nodes, within.first, out);
    const std::size_t end = out.size() + nodes;
    for (std::uint32_t room = shape_.per_node; room <= pool_.devices_per_node() && out.size() < end; ++room)
      take_nodes_with(pool_, room, shape_.per_node, within, 0, end, out);
  }

  void take_remainder(const std::vector<RoomyDomain>& chosen, Placement& out) const {
    const std::size_t members = out.size();
    for (std::uint32_t room = shape_.remainder; out.size() == members; ++room)
      for (const RoomyDomain& each : chosen)
        take_nodes_with(pool_, room, shape_.remainder, levels_.front().within(each.domain), members,
                        members + 1, out);
  }

  const Pool& pool_;
  const GangShape& shape_;
  const Within& within_;
  std::span<const Domains> levels_;  ///< the narrowest first
};

}  // namespace

void place_compact(const Pool& pool, const GangShape& shape, const Within& within, Placement& out) {
  if (!pool.is_divided()) return place_best_fit(pool, shape, within, out);
  Compact{pool, shape, within}.place(out);
}

}  // namespace fleetsim
