#include "sim/core/device_time.hpp"
#include "sim/packing/policy.hpp"

namespace fleetsim {

int score_dot_product(const Candidate& candidate) {
  const NodeRoom& room = candidate.room;
  const Int128 most_cpu = room.largest_cpu();
  const Int128 most_milli = Int128{room.largest_cards()} * kMilliPerCard;
  const Int128 cpu = Int128{room.free_cpu(candidate.node)} * candidate.shape.cpu_milli;
  const Int128 milli = Int128{room.free_milli(candidate.node)} * candidate.shape.milli();
  const Int128 whole = 2 * most_cpu * most_cpu * most_milli * most_milli;
  const Int128 product = cpu * most_milli * most_milli + milli * most_cpu * most_cpu;
  return static_cast<int>(100 * (whole - product) / whole);
}

}  // namespace fleetsim
