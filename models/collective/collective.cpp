#include "models/collective/collective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace fleetsim {
namespace {

double doublings(double domains) {
  return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(std::ceil(domains)) - 1));
}

/// What the curve says of a group; between domains with the group's shares of the network.
Seconds from_curve(const Network& network, Collective collective, Bytes message, RankGroup group) {
  const double ranks = static_cast<double>(group.ranks);
  const CollectiveCurves& inside = network.inside_of(collective);
  if (group.per_domain >= group.ranks)
    return curve_time(inside.curve, message, moved_share(collective, ranks), 1, 1);
  const LinkCurve& between = network.between_of(collective).curve;
  const double per_domain = static_cast<double>(group.per_domain), domains = ranks / per_domain;
  if (collective == Collective::kSendRecv) return curve_time(between, message, 1, domains, 1);
  if (collective == Collective::kAllToAll) {
    // Each device sends over its own share what leaves the domain, and at the same time the rest inside.
    const Seconds out = curve_time(between, message, (ranks - per_domain) / ranks, domains, 1);
    const Seconds in = curve_time(inside.curve, message, (per_domain - 1) / ranks, 1, 1);
    return std::max(in, out);
  }
  const double share = moved_share(collective, ranks);
  // Of two domains each sends the whole message to the other once, where a ring would carry it 2 (n - 1) / n
  // times.
  const double once = collective == Collective::kAllReduce && domains == 2 ? share : 1;
  const double factor =
      group.per_domain == 1 ? 1 : std::min(per_domain * once, inside.curve.bandwidth / between.bandwidth);
  return curve_time(between, message, share, domains, factor);
}

/// The measured curves around a count of ranks, the same one twice where just that count was measured.
struct Neighbours {
  const MeasuredCurve* below;
  const MeasuredCurve* above;
};

std::optional<Neighbours> around(const std::vector<MeasuredCurve>& measured, std::int64_t ranks) {
  const auto above = std::find_if(measured.begin(), measured.end(),
                                  [&](const MeasuredCurve& each) { return each.ranks() >= ranks; });
  if (above == measured.end()) return std::nullopt;
  if (above->ranks() == ranks) return Neighbours{&*above, &*above};
  if (above == measured.begin()) return std::nullopt;
  return Neighbours{&*(above - 1), &*above};
}

double log_time_per_share(const Neighbours& near, std::int64_t ranks, double log_message) {
  const double below = near.below->log_time_per_share(log_message);
  if (near.above == near.below) return below;
  const double way = (std::log(static_cast<double>(ranks)) - near.below->log_ranks()) /
                     (near.above->log_ranks() - near.below->log_ranks());
  return below + way * (near.above->log_time_per_share(log_message) - below);
}

/// Whether measurements speak of groups like this one: in one domain, or in several that are all full.
bool is_like_measured(const Network& network, Collective collective, RankGroup group) {
  return group.per_domain >= group.ranks || group.per_domain == network.domain ||
         collective == Collective::kSendRecv;
}

}  // namespace

std::string_view to_string(Evidence evidence) {
  constexpr std::string_view kWords[] = {"measured", "fitted", "formula"};
  return kWords[static_cast<std::size_t>(evidence)];
}

Seconds curve_time(const LinkCurve& curve, Bytes message, double share_moved, double domains, double factor) {
  const Seconds latency = domains > 1 ? curve.floor + 2 * doublings(domains) * curve.hop : curve.floor;
  if (!(message.si > 0)) return latency;
  double slower = 0;
  if (curve.knee.si > 0) {
    double over = std::log(factor * curve.knee.si / message.si);
    if (domains > 1 && curve.growth != 0) over += curve.growth * std::log(domains);
    slower = std::exp(curve.exponent * over);
  }
  return std::max(latency, Seconds{message.si * share_moved / (factor * curve.bandwidth.si) * (1 + slower)});
}

CollectiveEstimate estimate_collective(const Network& network, Collective collective, Bytes message,
                                       RankGroup group) {
  if (group.ranks < 2) return {};
  const bool is_inside = group.per_domain >= group.ranks;
  if (collective == Collective::kSendRecv) group = {2, is_inside ? 2 : 1};
  const CollectiveCurves& known = is_inside ? network.inside_of(collective) : network.between_of(collective);
  const std::optional<Neighbours> near =
      is_like_measured(network, collective, group) ? around(known.measured, group.ranks) : std::nullopt;
  if (!near) {
    return {from_curve(network, collective, message, group), known.evidence,
            known.evidence == Evidence::kFitted};
  }
  const Bytes least = std::max(near->below->points().front().message, near->above->points().front().message);
  const Bytes most = std::min(near->below->points().back().message, near->above->points().back().message);
  const Bytes at = std::max(least, std::min(message, most));
  const Seconds time{moved_share(collective, static_cast<double>(group.ranks)) *
                     std::exp(log_time_per_share(*near, group.ranks, std::log(at.si)))};
  if (at == message) return {time, Evidence::kMeasured, false};
  // Beyond the sizes measured: the curve, moved so that it meets the last of them.
  const double grown =
      from_curve(network, collective, message, group) / from_curve(network, collective, at, group);
  return {grown * time, known.evidence, true};
}

Seconds collective_time(const Network& network, Collective collective, Bytes message, RankGroup group) {
  return estimate_collective(network, collective, message, group).time;
}

Network ideal_network(std::int64_t domain, IdealLink inside, IdealLink share) {
  const auto ideal = [](IdealLink link) {
    return CollectiveCurves{.curve = {.bandwidth = link.bandwidth, .floor = link.latency}};
  };
  Network network{.domain = domain};
  network.inside.fill(ideal(inside));
  network.between.fill(ideal(share));
  return network;
}

}  // namespace fleetsim
