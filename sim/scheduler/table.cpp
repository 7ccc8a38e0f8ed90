#include <algorithm>
#include <array>
#include <vector>

#include "sim/packing/policy.hpp"
#include "sim/scheduler/backfill.hpp"
#include "sim/scheduler/order.hpp"
#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kQueued = "O(log n) to queue a job";

constexpr std::array kOrders{
    OrderPolicy{"fifo", "first come, first served", "common usage", kQueued, nullptr, nullptr},
    OrderPolicy{"priority", "larger priority first", "common usage", kQueued, priority_key, nullptr},
    OrderPolicy{"sjf", "shortest job first, by its whole stepping time", "common usage", kQueued, sjf_key,
                nullptr},
    OrderPolicy{"srtf", "shortest remaining time first", "Schrage, Operations Research 1968", kQueued,
                srtf_key, nullptr},
    OrderPolicy{"srsf", "shortest remaining service (time x devices) first",
                "Gu et al. (Tiresias), NSDI 2019", kQueued, srsf_key, nullptr},
    OrderPolicy{
        "fair-share",
        "jobs of the queue that has had the least of its share first, what was held long ago forgotten by "
        "half-lives",
        "Kay and Lauder, CACM 1988; Slurm's fair-share factor, one level",
        "O(n log n) when the ranking of the queues changes", fair_share_key, nullptr},
    OrderPolicy{"las", "least attained service in discrete queues, in each of which who runs stays (Tiresias-L)",
                "Gu et al. (Tiresias), NSDI 2019", kQueued, las_key, las_next_jump},
};

constexpr std::array kBackfills{
    BackfillPolicy{"none", "nobody passes a job that cannot start", "common usage", "O(1) a pass"},
    BackfillPolicy{
        "easy",
        "the first job that cannot start has a reservation, the earliest start if everybody left when "
        "expected; others may start if they leave by then, or do not stand in its way",
        "Lifka, JSSPP 1995",
        "a walk over the running jobs until the first fits, and over the queue until nothing can start; an "
        "arrival alone costs its own look"},
    BackfillPolicy{
        "conservative",
        "every queued job has a reservation, in order, that moves nobody's before it; preemption makes room "
        "only for the first that cannot start at once, and everybody's is then made anew",
        "Feitelson and Weil, IPPS 1998; Slurm's sched/backfill plans so to a depth",
        "the queue times the reservations when something unforeseen happens, otherwise the newcomers "
        "times the reservations; times the nodes where gangs take parts of nodes"},
};

// Where nodes differ, or CPU and memory count, the packing policies of the same names choose.
constexpr PlacementPolicy kOfGangs[] = {
    {"first-fit", "the first nodes with room, by number", "", "O(nodes of the gang)", place_first_fit,
     MemberChoice::lowest},
    {"best-fit",
     "the nodes with the least room that is enough; of packed nodes, least left of CPU and cards together, "
     "and shares on the tightest card",
     "", "O(nodes of the gang)", place_best_fit, MemberChoice::tightest},
    {"worst-fit",
     "the nodes with the most room; of packed nodes, most left of CPU and cards together, and shares on the "
     "emptiest card",
     "", "O(nodes of the gang)", place_worst_fit, MemberChoice::roomiest},
    {"random", "any nodes with room, each with the same chance", "", "O(nodes with room)", place_random,
     MemberChoice::drawn},
    {"compact",
     "as few spines as possible, in them as few pods, in those as few racks: where one rack (else one pod, "
     "one spine) holds the gang, the one of these in which it needs the fewest of the next level, and among "
     "equals the tightest; otherwise the roomiest, and last the tightest that holds the rest; the tightest "
     "nodes of the last rack. Levels that the pool has not are left out; equals by size, the larger first, "
     "then by number",
     "", "O(log racks + pods and spines that could hold the gang + its nodes)", place_compact,
     MemberChoice::nearest},
};

/// Gangs' placements first, then the policies that only packing knows.
std::vector<PlacementPolicy> all_placements() {
  std::vector<PlacementPolicy> rows(std::begin(kOfGangs), std::end(kOfGangs));
  for (const PackingPolicy& row : packing_table()) {
    const auto same = [&](const PlacementPolicy& each) { return each.name == row.name; };
    const auto known = std::find_if(rows.begin(), rows.end(), same);
    if (known == rows.end()) {
      rows.push_back({row.name, row.about, row.source, row.cost, nullptr, MemberChoice::lowest});
    } else if (known->source.empty()) {
      known->source = row.source;
    }
  }
  return rows;
}

const std::vector<PlacementPolicy>& placements() {
  static const std::vector<PlacementPolicy> rows = all_placements();
  return rows;
}

template <class Table>
auto find(const Table& table, std::string_view name) -> decltype(table.data()) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.name == name; });
  return row == table.end() ? nullptr : &*row;
}

}  // namespace

std::span<const OrderPolicy> order_table() { return kOrders; }
const OrderPolicy* find_order(std::string_view name) { return find(kOrders, name); }
std::span<const BackfillPolicy> backfill_table() { return kBackfills; }
std::span<const PlacementPolicy> placement_table() { return placements(); }
const PlacementPolicy* find_placement(std::string_view name) { return find(placements(), name); }

}  // namespace fleetsim
