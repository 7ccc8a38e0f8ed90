#include <algorithm>
#include <array>

#include "sim/scheduler/backfill.hpp"
#include "sim/scheduler/order.hpp"
#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kQueued = "O(log n) to queue a job";

constexpr std::array kOrders{
    OrderPolicy{"fifo", "first come, first served", "common usage", kQueued, nullptr, nullptr},
    OrderPolicy{"priority", "larger priority first", "common usage", kQueued, priority_key, nullptr},
    OrderPolicy{"sjf", "shortest job first, by its whole stepping time", "common usage", kQueued, sjf_key, nullptr},
    OrderPolicy{"srtf", "shortest remaining time first", "Schrage, Operations Research 1968", kQueued, srtf_key,
                nullptr},
    OrderPolicy{"srsf", "shortest remaining service (time x devices) first", "Gu et al. (Tiresias), NSDI 2019",
                kQueued, srsf_key, nullptr},
    OrderPolicy{"fair-share",
                "jobs of the queue that has had the least of its share first, what was held long ago forgotten by "
                "half-lives",
                "Kay and Lauder, CACM 1988; Slurm's fair-share factor, one level",
                "O(n log n) when the ranking of the queues changes", fair_share_key, nullptr},
    OrderPolicy{"las", "least attained service in discrete queues (Tiresias-L)", "Gu et al. (Tiresias), NSDI 2019",
                kQueued, las_key, las_next_jump},
};

constexpr std::array kBackfills{
    BackfillPolicy{"none", "nobody passes a job that cannot start", "common usage", "O(1) a pass"},
    BackfillPolicy{"easy",
                   "the first job that cannot start has a reservation, the earliest start if everybody left when "
                   "expected; others may start if they leave by then, or do not stand in its way",
                   "Lifka, JSSPP 1995",
                   "a walk over the running jobs until the first fits, and over the queue until nothing can start; an "
                   "arrival alone costs its own look"},
    BackfillPolicy{"conservative",
                   "every queued job has a reservation, in order, that moves nobody's before it",
                   "Feitelson and Weil, IPPS 1998; Slurm's sched/backfill plans so to a depth",
                   "the queue times the reservations when something unforeseen happens, otherwise the newcomers "
                   "times the reservations; times the nodes where gangs take parts of nodes"},
};

constexpr std::array kPlacements{
    PlacementPolicy{"first-fit", "the first nodes with room, by number", place_first_fit},
    PlacementPolicy{"best-fit", "the nodes with the least room that is enough", place_best_fit},
    PlacementPolicy{"compact", "as few racks as possible, the tightest that is enough", place_compact},
};

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
std::span<const PlacementPolicy> placement_table() { return kPlacements; }
const PlacementPolicy* find_placement(std::string_view name) { return find(kPlacements, name); }

}  // namespace fleetsim
