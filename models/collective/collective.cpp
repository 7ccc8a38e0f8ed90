#include "models/collective/collective.hpp"

#include <algorithm>
#include <cmath>

namespace fleetsim {
namespace {

/// The share of the message that each rank moves.
double moved(Collective collective, double ranks) {
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * (ranks - 1) / ranks;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
      return (ranks - 1) / ranks;
    case Collective::kSendRecv:
      return 1;
  }
  return 1;
}

Seconds along(const LinkCurve& curve, double bandwidth, Bytes message, double share, double domains,
              double width = 1) {
  const double knee = width * curve.knee.si * (curve.growth > 0 ? std::pow(domains, curve.growth) : 1.0);
  const double time = message.si * share / bandwidth * (1 + std::pow(knee / message.si, curve.exponent));
  return std::max(curve.floor, Seconds{time});
}

}  // namespace

Seconds collective_time(const Network& network, Collective collective, Bytes message, RankGroup group) {
  if (group.ranks < 2 || !(message.si > 0)) return Seconds{};
  const double ranks = static_cast<double>(group.ranks);
  const double share = moved(collective, ranks);
  const LinkCurve& inside = collective == Collective::kAllReduce ? network.inside_reduce : network.inside;
  if (group.per_domain >= group.ranks) return along(inside, inside.bandwidth.si, message, share, 1);
  const double domains = ranks / static_cast<double>(group.per_domain);
  const double per_domain = static_cast<double>(group.per_domain);
  if (collective == Collective::kAllToAll) {
    // What leaves the domain crosses each rank's own share of the network.
    const double out = (ranks - per_domain) / ranks;
    return along(network.between, network.between.bandwidth.si, message, out, domains, 0.125);
  }
  // A ring through every domain crosses the network with the shares of all its ranks there.
  const double bandwidth = std::min(network.between.bandwidth.si * per_domain, inside.bandwidth.si);
  return along(network.between, bandwidth, message, share, domains, std::min(1.0, per_domain / 8));
}

}  // namespace fleetsim
