#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/catalog/catalog.hpp"
#include "models/catalog/measured_network.hpp"
#include "models/collective/collective.hpp"

namespace fleetsim {

/// Networks put together from sweeps. Where a pair of accelerator and fabric was measured, measurements come
/// first and a curve fitted to them beyond; elsewhere efficiency and shape are taken from what is alike:
/// - In a domain: as accelerators with the same NVLink rate, where there are any; otherwise the bandwidth is
///   the ring's share of the NVLink rate, and the shape that of all accelerators.
/// - Between domains: bandwidth is the usual share of the network rate; the knee, as a time, is the geometric
///   mean of two networks, the one of the same technology and the one of the same accelerator whose rates are
///   nearest; of all, where none is alike. Its growth with the number of domains is that of the fabric on
///   which it was measured.
class NetworkLibrary {
 public:
  explicit NetworkLibrary(std::vector<MeasuredNetwork> measured);

  /// Devices of `node`, tied by `fabric`.
  Network network(const Node& node, const Accelerator& accelerator, const Fabric& fabric) const;

 private:
  /// An all-reduce in a domain as it was fitted.
  struct Inside {
    LinkCurve curve;
    ByteRate nvlink;  ///< by data sheet
  };

  /// An all-reduce between domains as it was fitted; bandwidth and knee are those of a domain, the knee that
  /// of one domain.
  struct Across {
    const MeasuredNetwork* network;
    LinkCurve curve;
    double domains;  ///< the most that were measured
    Technology technology;
    ByteRate rate;  ///< of the network, per domain, by data sheet
  };

  void add_inside(const MeasuredNetwork& network, const MeasuredCurve& curve);
  LinkCurve usual_inside(const Accelerator& accelerator) const;
  CollectiveCurves inside_reduce(const Accelerator& accelerator) const;
  void fill_inside(const Accelerator& accelerator, Network& network) const;
  LinkCurve like_others(const Fabric& fabric, const Accelerator& accelerator, ByteRate rate) const;
  CollectiveCurves between_reduce(const Accelerator& accelerator, const Fabric& fabric, ByteRate share,
                                  const Network& network) const;
  void fill_between(const Accelerator& accelerator, const Fabric& fabric, ByteRate share,
                    Network& network) const;

  std::vector<MeasuredNetwork> measured_;
  std::vector<Inside> inside_;
  std::vector<Across> across_;
  double growth_;
  double network_efficiency_;
  Seconds send_latency_;  ///< between domains
};

/// By the names of the catalog, from all that it has.
Found<Network> network(std::string_view node_name, std::string_view fabric_name);

/// Puts sweeps of the user's own in place of what is known of the same collectives; an all-reduce also in place
/// of gathers and scatters, its halves, where there are no sweeps of those. Says what keeps them from
/// it, if anything: sweeps over several domains that are not as large as those of the network. Then nothing
/// is changed.
std::optional<std::string> use_measurements(const MeasuredNetwork& own, Network& network);

}  // namespace fleetsim
