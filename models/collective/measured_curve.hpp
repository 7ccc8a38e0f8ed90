#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

enum class Collective : std::uint8_t { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kSendRecv };
inline constexpr std::size_t kCollectiveKinds = 5;

/// "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "send-recv".
std::string_view to_string(Collective collective);
std::optional<Collective> collective_by_name(std::string_view name);

/// The share f of the message that each rank moves, so that f S / time is the bus bandwidth: 2 (n - 1) / n
/// for an all-reduce, (n - 1) / n for all-gather, reduce-scatter and all-to-all, 1 for send/recv. The
/// convention of nccl-tests.
double moved_share(Collective collective, double ranks);

struct TimedSize {
  Bytes message;
  Seconds time;
};

/// One sweep over message sizes, with ranks in one domain or in several full ones.
class MeasuredCurve {
 public:
  /// @param points sizes and times above zero, sizes rising; at least one
  MeasuredCurve(Collective collective, std::int64_t ranks, std::int64_t per_domain,
                std::vector<TimedSize> points);

  Collective collective() const { return collective_; }
  std::int64_t ranks() const { return ranks_; }
  std::int64_t per_domain() const { return per_domain_; }
  double domains() const { return static_cast<double>(ranks_) / static_cast<double>(per_domain_); }
  const std::vector<TimedSize>& points() const { return points_; }

  bool covers(Bytes message) const {
    return message >= points_.front().message && message <= points_.back().message;
  }
  /// The logarithm of time / f at a size it covers, linear in the logarithm of the size between points. What
  /// is equal at two counts of ranks is this, not the time.
  double log_time_per_share(double log_message) const;
  double log_ranks() const { return log_ranks_; }

 private:
  struct LogPoint {
    double message, time_per_share;
  };

  Collective collective_;
  std::int64_t ranks_, per_domain_;
  double log_ranks_;
  std::vector<TimedSize> points_;
  std::vector<LogPoint> log_points_;
};

}  // namespace fleetsim
