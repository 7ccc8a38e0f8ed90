#include "models/collective/measured_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fleetsim {
namespace {

constexpr std::string_view kNames[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                       "send-recv"};
static_assert(std::size(kNames) == kCollectiveKinds);

}  // namespace

std::string_view to_string(Collective collective) { return kNames[static_cast<std::size_t>(collective)]; }

std::optional<Collective> collective_by_name(std::string_view name) {
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Collective>(found - std::begin(kNames));
}

double moved_share(Collective collective, double ranks) {
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * (ranks - 1) / ranks;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
      return (ranks - 1) / ranks;
    case Collective::kSendRecv:
      break;
  }
  return 1;
}

MeasuredCurve::MeasuredCurve(Collective collective, std::int64_t ranks, std::int64_t per_domain,
                             std::vector<TimedSize> points)
    : collective_{collective},
      ranks_{ranks},
      per_domain_{per_domain},
      log_ranks_{std::log(static_cast<double>(ranks))},
      points_{std::move(points)} {
  const double share = moved_share(collective, static_cast<double>(ranks));
  for (const TimedSize& point : points_)
    log_points_.push_back({std::log(point.message.si), std::log(point.time.si / share)});
}

double MeasuredCurve::log_time_per_share(double log_message) const {
  const auto above = std::lower_bound(log_points_.begin(), log_points_.end(), log_message,
                                      [](const LogPoint& p, double at) { return p.message < at; });
  if (above == log_points_.begin()) return above->time_per_share;
  if (above == log_points_.end()) return log_points_.back().time_per_share;
  const LogPoint& below = *(above - 1);
  const double way = (log_message - below.message) / (above->message - below.message);
  return below.time_per_share + way * (above->time_per_share - below.time_per_share);
}

}  // namespace fleetsim
