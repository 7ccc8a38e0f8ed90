#include "models/step/exchange.hpp"

namespace fleetsim {

Seconds exchange_time(const StepInput& in, Collective collective, Bytes message, RankGroup group) {
  const Seconds alone = collective_time(in.network(), collective, message, group);
  if (group.ranks <= group.per_domain) return alone;
  return alone * (collective == Collective::kAllToAll ? in.slow_links.all_to_all : in.slow_links.ring);
}

}  // namespace fleetsim
