#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/collective/measured_curve.hpp"
#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// Where the ranks of a group sit: `per_domain` of them in each of `ranks / per_domain` NVLink domains.
struct RankGroup {
  std::int64_t ranks = 1;
  std::int64_t per_domain = 1;
};

/// Bus bandwidth against message size: time = (f S / bandwidth) (1 + (knee / S)^exponent), at least the
/// latency, where f is the share of the message that each rank moves (`moved_share`). At S = knee half of the
/// bandwidth is reached. Over k domains the knee is knee x k^growth and the latency floor + hop x 2
/// ceil(log2 k): up a tree and down again.
struct LinkCurve {
  ByteRate bandwidth{};
  Bytes knee{};
  double exponent = 1;
  double growth = 0;
  Seconds floor{};
  Seconds hop{};
};

/// How well a time is known.
enum class Evidence : std::uint8_t {
  kMeasured,  ///< interpolated between measurements of this network
  kFitted,    ///< from the curve fitted to measurements of this network
  kFormula,   ///< from data sheet rates, with the efficiency and the shape of other networks
};

std::string_view to_string(Evidence evidence);

/// What is known of one collective on one kind of link.
struct CollectiveCurves {
  LinkCurve curve{};
  Evidence evidence = Evidence::kFormula;  ///< of `curve`
  std::vector<MeasuredCurve> measured{};   ///< by ranks; they come first where they reach
};

/// What ties the devices of a job: an NVLink domain, and a network between domains with a share for each
/// device. Between domains, bandwidth and knee of a curve are those of one device's share; a group with
/// several devices in each domain has as many shares, up to what the domain inside can carry.
struct Network {
  std::int64_t domain = 8;  ///< devices of one NVLink domain
  std::array<CollectiveCurves, kCollectiveKinds> inside{};
  std::array<CollectiveCurves, kCollectiveKinds> between{};

  const CollectiveCurves& inside_of(Collective collective) const {
    return inside[static_cast<std::size_t>(collective)];
  }
  const CollectiveCurves& between_of(Collective collective) const {
    return between[static_cast<std::size_t>(collective)];
  }
};

struct CollectiveEstimate {
  Seconds time;
  Evidence evidence = Evidence::kFormula;
  /// Measurements were fitted, but message or group lies outside of them.
  bool is_extrapolated = false;
};

/// Time of one collective over `message` bytes: what each rank holds at the end of an all-gather or of an
/// all-reduce, what it holds at the start of a reduce-scatter or an all-to-all, what is sent by send/recv.
/// Zero for a group of one; latency alone for an empty message.
CollectiveEstimate estimate_collective(const Network& network, Collective collective, Bytes message,
                                       RankGroup group);
Seconds collective_time(const Network& network, Collective collective, Bytes message, RankGroup group);

/// A network of links that reach their bandwidth at any size, after a latency: `inside` in the domain,
/// `share` of each device between domains. For closed forms; nothing real is like it.
struct IdealLink {
  ByteRate bandwidth;
  Seconds latency;
};
Network ideal_network(std::int64_t domain, IdealLink inside, IdealLink share);

/// The time of `curve` alone over `domains` domains; `factor` scales bandwidth and knee.
Seconds curve_time(const LinkCurve& curve, Bytes message, double share_moved, double domains, double factor);

}  // namespace fleetsim
