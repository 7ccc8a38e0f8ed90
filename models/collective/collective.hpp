#pragma once

#include <cstdint>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

enum class Collective : std::uint8_t { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kSendRecv };

/// Where the ranks of a group sit: `per_domain` of them in each of `ranks / per_domain` NVLink domains.
struct RankGroup {
  std::int64_t ranks = 1;
  std::int64_t per_domain = 1;
};

/// Bus bandwidth against message size: time = (f S / bandwidth) (1 + (knee / S)^exponent), at least `floor`,
/// where f is the share of the message that each rank moves (2 (n - 1) / n for an all-reduce). The knee grows
/// as domains^growth.
struct LinkCurve {
  ByteRate bandwidth;
  Bytes knee;
  double exponent = 1;
  double growth = 0;
  Seconds floor;
};

/// What ties the devices of a job: an NVLink domain, and a network between domains with a share for each
/// device.
struct Network {
  std::int64_t domain = 8;  ///< devices of one NVLink domain
  LinkCurve inside_reduce;  ///< all-reduce in a domain
  LinkCurve inside;         ///< all-gather, reduce-scatter, all-to-all and send/recv in a domain
  LinkCurve between;        ///< across domains; bandwidth of one device's share
};

/// Time of one collective over `message` bytes: what each rank holds at the end of an all-gather or of an
/// all-reduce, what it holds at the start of a reduce-scatter or an all-to-all, what is sent by send/recv.
Seconds collective_time(const Network& network, Collective collective, Bytes message, RankGroup group);

}  // namespace fleetsim
