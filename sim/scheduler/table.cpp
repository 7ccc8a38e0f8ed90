#include <algorithm>
#include <array>

#include "sim/scheduler/order.hpp"
#include "sim/scheduler/placement.hpp"

namespace fleetsim {
namespace {

constexpr std::array kOrders{
    OrderPolicy{"fifo", "first come, first served", nullptr, nullptr},
    OrderPolicy{"priority", "larger priority first", priority_key, nullptr},
    OrderPolicy{"sjf", "shortest job first, by its whole stepping time", sjf_key, nullptr},
    OrderPolicy{"srtf", "shortest remaining time first", srtf_key, nullptr},
    OrderPolicy{"srsf", "shortest remaining service (time x devices) first", srsf_key, nullptr},
    OrderPolicy{"fair-share",
                "jobs of the queue that has had the least of its share first, what was held long ago "
                "forgotten by half-lives (Slurm's fair-share factor, one level)",
                fair_share_key, nullptr},
    OrderPolicy{"las", "least attained service in discrete queues (Tiresias-L)", las_key, las_next_jump},
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
std::span<const PlacementPolicy> placement_table() { return kPlacements; }
const PlacementPolicy* find_placement(std::string_view name) { return find(kPlacements, name); }

}  // namespace fleetsim
