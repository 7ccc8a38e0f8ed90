#include "models/step/exchange.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace fleetsim {

Seconds exchange_time(const StepInput& in, Collective collective, Bytes message, RankGroup group) {
  const Seconds alone = collective_time(in.network(), collective, message, group);
  if (group.ranks <= group.per_domain) return alone;
  const SlowLinks& slow = in.slow_links;
  if (collective == Collective::kAllToAll) return alone * slow.all_to_all + slow.hops;
  if (collective == Collective::kSendRecv) return alone * slow.sends + slow.hops;
  return alone * slow.ring +
         2 * slow.hops;  // up a tree and down: ranks in the order of nodes cross once each
}

std::int64_t near_tensor(const StepInput& in) {
  const std::int64_t tensor = in.layout.tensor, domain = in.network().domain;
  const auto used = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(domain)));
  if (tensor >= domain || in.layout.devices <= domain || domain % tensor == 0 || used % tensor == 0)
    return std::min(tensor, domain);
  return std::gcd(tensor, domain);
}

Bytes stage_message(const StepInput& in) {
  constexpr double kBf16Bytes = 2;
  const Layout& l = in.layout;
  const double rows = static_cast<double>(l.micro_batch) * static_cast<double>(in.model.sequence) /
                      static_cast<double>(l.context * (l.sequence_parallel ? l.tensor : 1));
  return Bytes{kBf16Bytes * rows * static_cast<double>(in.model.hidden)};
}

}  // namespace fleetsim
