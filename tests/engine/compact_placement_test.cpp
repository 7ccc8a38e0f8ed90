#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

/// A small pool with racks in pods in spines, numbered at random, of any size, or contiguous.
struct Layout {
  std::vector<std::uint32_t> racks, pods, spines;
};

Layout random_layout(std::mt19937& random, std::uint32_t nodes) {
  const auto any = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  const std::uint32_t racks = 2 + any(6), pods = 1 + any(4), spines = 1 + any(3);
  std::vector<std::uint32_t> pod_of(racks), spine_of(pods);
  for (std::uint32_t& pod : pod_of) pod = any(pods);
  for (std::uint32_t& spine : spine_of) spine = any(spines);
  const bool are_contiguous = any(2) == 0;
  Layout made;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t rack = are_contiguous ? node * racks / nodes : any(racks);
    made.racks.push_back(rack);
    made.pods.push_back(pod_of[rack]);
    made.spines.push_back(spine_of[pod_of[rack]]);
  }
  // Any of the levels may be missing.
  if (any(4) == 0) made.racks.assign(nodes, 0);
  if (any(4) == 0) made.pods.assign(nodes, 0);
  if (any(4) == 0) made.spines.assign(nodes, 0);
  return made;
}

/// All there is to know, by trying every set of domains.
class Oracle {
 public:
  Oracle(const Pool& pool, const GangShape& gang) : pool_{pool}, gang_{gang} {}

  /// Whether the nodes of this set can hold the gang.
  bool hold(const std::vector<std::uint32_t>& nodes) const {
    return can_hold(gang_,
                    [&](std::uint32_t devices) { return static_cast<std::uint32_t>(room(nodes, devices)); });
  }
  std::ptrdiff_t room(const std::vector<std::uint32_t>& nodes, std::uint32_t devices) const {
    return std::count_if(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
      return static_cast<std::uint32_t>(std::popcount(pool_.free_devices(node))) >= devices;
    });
  }
  /// The fewest domains, of those in which these nodes lie, that hold the gang.
  std::optional<int> fewest(const std::vector<std::uint32_t>& nodes,
                            const std::vector<std::uint32_t>& of) const {
    const std::set<std::uint32_t> all = domains(nodes, of);
    const std::vector<std::uint32_t> list(all.begin(), all.end());
    std::optional<int> least;
    for (std::uint32_t set = 1; set < 1U << list.size(); ++set) {
      if (least && std::popcount(set) >= *least) continue;
      std::vector<std::uint32_t> chosen;
      for (const std::uint32_t node : nodes)
        for (std::size_t index = 0; index < list.size(); ++index)
          if ((set >> index & 1) != 0 && of[node] == list[index]) chosen.push_back(node);
      if (hold(chosen)) least = std::popcount(set);
    }
    return least;
  }
  static std::set<std::uint32_t> domains(const std::vector<std::uint32_t>& nodes,
                                         const std::vector<std::uint32_t>& of) {
    std::set<std::uint32_t> all;
    for (const std::uint32_t node : nodes) all.insert(of[node]);
    return all;
  }
  /// Those of the nodes that lie in the same domains as these others.
  static std::vector<std::uint32_t> around(const std::vector<std::uint32_t>& nodes,
                                           const std::vector<std::uint32_t>& others,
                                           const std::vector<std::uint32_t>& of) {
    const std::set<std::uint32_t> in = domains(others, of);
    std::vector<std::uint32_t> found;
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(found),
                 [&](std::uint32_t node) { return in.contains(of[node]); });
    return found;
  }

 private:
  const Pool& pool_;
  const GangShape& gang_;
};

/// That the nodes are as few domains of each level as can be, the narrower inside what the wider chose, and
/// where one domain is enough, no tighter one needs as few of the next level.
void check_compact(const Pool& pool, const GangShape& gang, const Layout& layout,
                   const std::vector<std::uint32_t>& used) {
  const Oracle oracle{pool, gang};
  std::vector<const std::vector<std::uint32_t>*> levels;
  for (const auto* const of : {&layout.spines, &layout.pods, &layout.racks})
    if (std::any_of(of->begin(), of->end(), [](std::uint32_t domain) { return domain != 0; }))
      levels.push_back(of);
  std::vector<std::uint32_t> inside(pool.nodes());
  std::iota(inside.begin(), inside.end(), 0U);
  bool is_one = true;  // so far, so that any other domain might have been chosen
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::vector<std::uint32_t>& of = *levels[level];
    const auto chosen = Oracle::domains(used, of);
    REQUIRE(static_cast<int>(chosen.size()) == *oracle.fewest(inside, of));
    is_one = is_one && chosen.size() == 1;
    const std::vector<std::uint32_t> mine = Oracle::around(inside, used, of);
    if (is_one) {
      const std::vector<std::uint32_t>* const next = level + 1 < levels.size() ? levels[level + 1] : nullptr;
      const int needs = next == nullptr ? 0 : *oracle.fewest(mine, *next);
      for (const std::uint32_t node : inside) {
        const std::vector<std::uint32_t> other = Oracle::around(inside, {node}, of);
        if (!oracle.hold(other)) continue;
        const int other_needs = next == nullptr ? 0 : *oracle.fewest(other, *next);
        REQUIRE(needs <= other_needs);
        if (needs == other_needs && needs != 1)
          REQUIRE(oracle.room(mine, gang.per_node) <= oracle.room(other, gang.per_node));
      }
      // Where one of the next level is enough it may be any there is.
      if (needs == 1) continue;
    }
    inside = mine;
  }
}

TEST_CASE("compact: as few domains of each level as any choice would need, and the tightest of equals") {
  std::mt19937 random{7};
  const auto any = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  const PlacementPolicy& compact = *find_placement("compact");
  int placed = 0, over_racks = 0, over_pods = 0, over_spines = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const std::uint32_t nodes = 4 + any(16), per_node = 1 + any(3);
    const Layout layout = random_layout(random, nodes);
    Pool pool{Pool::Shape{.nodes = nodes,
                          .devices_per_node = per_node,
                          .spares = 0,
                          .racks = layout.racks,
                          .pods = layout.pods,
                          .spines = layout.spines}};
    const std::uint32_t crowded = any(4);
    for (std::uint32_t node = 0; node < nodes; ++node)
      for (std::uint32_t device = 0; device < per_node; ++device)
        if (any(4) < crowded) pool.take(Part{.node = node, .devices = DeviceMask{1} << device}, JobId{0});
    GangShape gang{.nodes = 1 + any(nodes), .per_node = 1 + any(per_node)};
    if (gang.per_node > 1 && any(3) == 0) gang.remainder = 1 + any(gang.per_node - 1);
    // Twice, so that what was remembered of the first is brought up to date.
    for (std::uint32_t turn = 0; turn < 2; ++turn) {
      Placement parts;
      std::vector<std::uint32_t> all(nodes);
      std::iota(all.begin(), all.end(), 0U);
      const bool fits = Oracle{pool, gang}.hold(all);
      REQUIRE(place(pool, gang, TopologyLevel::pool, compact, parts) == fits);
      if (!fits) break;
      std::vector<std::uint32_t> used;
      for (const Part& part : parts) {
        REQUIRE(pool.is_free(part));
        used.push_back(part.node);
      }
      REQUIRE(parts.size() == static_cast<std::size_t>(gang.members()));
      REQUIRE(capacity(parts.list()) == gang.capacity());
      REQUIRE(std::set<std::uint32_t>(used.begin(), used.end()).size() == used.size());
      check_compact(pool, gang, layout, used);
      ++placed;
      over_racks += Oracle::domains(used, layout.racks).size() > 1;
      over_pods += Oracle::domains(used, layout.pods).size() > 1;
      over_spines += Oracle::domains(used, layout.spines).size() > 1;
      pool.take(parts, JobId{1 + turn});
      if (any(2) == 0) pool.give_back(parts, JobId{1 + turn}, DeviceState::free);
    }
  }
  CHECK(placed > 1000);
  CHECK(over_racks > 300);
  CHECK(over_pods > 100);
  CHECK(over_spines > 50);
}

TEST_CASE("compact: a gang that has to keep to a domain gets one of its kind, whichever is best") {
  // Pod 0 has two nodes free in two racks, pod 1 has two in one.
  const std::vector<std::uint32_t> racks{0, 0, 1, 1, 2, 2, 3, 3}, pods{0, 0, 0, 0, 1, 1, 1, 1};
  Pool pool{Pool::Shape{.nodes = 8, .devices_per_node = 1, .spares = 0, .racks = racks, .pods = pods}};
  for (const std::uint32_t node : {0U, 2U, 4U, 5U}) pool.take(Part{.node = node, .devices = 1}, JobId{0});
  for (const TopologyLevel level : {TopologyLevel::rack, TopologyLevel::pod, TopologyLevel::pool}) {
    Placement parts;
    REQUIRE(place(pool, {.nodes = 2, .per_node = 1}, level, *find_placement("compact"), parts));
    CHECK(parts == Placement{{.node = 6, .devices = 1}, {.node = 7, .devices = 1}});
  }
}

TEST_CASE("compact: roomy pods are used up, and the rest goes to the tightest that holds it") {
  // Two nodes are free in pod 0, four in pod 1, three in pod 2.
  const std::vector<std::uint32_t> pods{0, 0, 0, 1, 1, 1, 1, 2, 2, 2};
  Pool pool{Pool::Shape{.nodes = 10, .devices_per_node = 1, .spares = 0, .racks = {}, .pods = pods}};
  pool.take(Part{.node = 0, .devices = 1}, JobId{0});
  Placement parts;
  REQUIRE(place(pool, {.nodes = 6, .per_node = 1}, TopologyLevel::pool, *find_placement("compact"), parts));
  std::set<std::uint32_t> nodes;
  for (const Part& part : parts) nodes.insert(part.node);
  CHECK(nodes == std::set<std::uint32_t>{1, 2, 3, 4, 5, 6});
}

}  // namespace
}  // namespace fleetsim
