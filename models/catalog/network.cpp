#include "models/catalog/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "models/collective/fit_curve.hpp"
#include "models/fit/minimise.hpp"

namespace fleetsim {
namespace {

// Shares of the data sheet's rate. All-gather and reduce-scatter over 8 H200, 361 and 363 of 450 GB/s:
// stas00/ml-engineering, network/README.md, commit 744d01e18b79. All-to-all in a node, 210 of 300, 320 of 450
// and 640 of 900 GB/s, and over 32 GPUs, 24 and 48 GB/s with 25 and 50 GB/s a GPU, of which 24/31 leave the
// node: the same, network/images/all-to-all-bw-2025.png. Send/recv in a node: fits of the catalog's sweeps.
constexpr double kRing = 0.805;
constexpr double kExchange = 0.71;
constexpr double kExchangeBetween = 0.74;
constexpr double kSend = 0.80;
constexpr double kNetwork = 0.955;  // where a library has no sweep over three domains or more
constexpr LinkCurve kUsualInside = {.knee = Bytes{20e6}, .exponent = 0.8, .floor = Seconds{40e-6}};
constexpr double kGrowth = 0.35;
constexpr Seconds kSendLatency{8e-6}, kSendLatencyBetween{17e-6};
constexpr Seconds kKneeBetween{75e-6};  // as a time: knee over bandwidth, of one domain

constexpr std::size_t kPointsOfASweep = 10;  // with fewer, only the bandwidth is taken from them

bool is_sweep(const MeasuredCurve& curve) { return curve.points().size() >= kPointsOfASweep; }
bool is_inside(const MeasuredCurve& curve) { return curve.per_domain() >= curve.ranks(); }

std::size_t index(Collective collective) { return static_cast<std::size_t>(collective); }

bool speaks_for(const MeasuredNetwork& network, const std::string& accelerator) {
  return std::find(network.accelerators.begin(), network.accelerators.end(), accelerator) !=
         network.accelerators.end();
}

void sort_by_ranks(std::vector<MeasuredCurve>& curves) {
  std::stable_sort(curves.begin(), curves.end(),
                   [](const MeasuredCurve& a, const MeasuredCurve& b) { return a.ranks() < b.ranks(); });
}

std::vector<MeasuredCurve> inside_curves(const std::vector<MeasuredNetwork>& measured,
                                         const std::string& accelerator, Collective collective) {
  std::vector<MeasuredCurve> found;
  for (const MeasuredNetwork& network : measured) {
    if (!speaks_for(network, accelerator)) continue;
    for (const MeasuredCurve& curve : network.curves) {
      if (curve.collective() == collective && is_inside(curve)) found.push_back(curve);
    }
  }
  sort_by_ranks(found);
  return found;
}

std::vector<MeasuredCurve> between_curves(const MeasuredNetwork& network, Collective collective) {
  std::vector<MeasuredCurve> found;
  for (const MeasuredCurve& curve : network.curves) {
    if (curve.collective() == collective && !is_inside(curve)) found.push_back(curve);
  }
  sort_by_ranks(found);
  return found;
}

/// The curve with its bandwidth changed so that it lies amid the measured points.
LinkCurve through(LinkCurve curve, const MeasuredCurve& measured) {
  const double share = moved_share(measured.collective(), static_cast<double>(measured.ranks()));
  std::vector<double> ratios;
  for (const TimedSize& point : measured.points())
    ratios.push_back(curve_time(curve, point.message, share, measured.domains(), 1) / point.time);
  curve.bandwidth = curve.bandwidth * geometric_mean(ratios);
  return curve;
}

LinkCurve send_curve(ByteRate bandwidth, Seconds latency) {
  return {.bandwidth = bandwidth, .knee = bandwidth * latency, .floor = latency};
}

/// How many devices' shares of the network the ranks of a domain have together. Two domains send the message
/// to each other once, where a ring would carry it 2 (n - 1)/n times.
double shares_of_network(const MeasuredCurve& sweep) {
  const double devices = static_cast<double>(sweep.per_domain());
  const bool is_once = sweep.collective() == Collective::kAllReduce && sweep.domains() == 2;
  return is_once ? devices * moved_share(sweep.collective(), 2 * devices) : devices;
}

/// Rate of the fabric that the devices of one domain share.
ByteRate domain_rate(const Fabric& fabric, std::int64_t devices_per_node, std::int64_t domain) {
  return fabric.link * (static_cast<double>(fabric.rails * domain) / static_cast<double>(devices_per_node));
}

}  // namespace

NetworkLibrary::NetworkLibrary(std::vector<MeasuredNetwork> measured)
    : measured_{std::move(measured)},
      growth_{kGrowth},
      network_efficiency_{kNetwork},
      send_latency_{kSendLatencyBetween} {
  std::vector<double> efficiencies;
  for (const MeasuredNetwork& each : measured_) {
    for (const MeasuredCurve& curve : each.curves) {
      const bool is_largest =
          std::none_of(each.curves.begin(), each.curves.end(), [&](const MeasuredCurve& other) {
            return other.collective() == curve.collective() && is_inside(other) &&
                   other.ranks() > curve.ranks();
          });
      if (curve.collective() == Collective::kAllReduce && is_inside(curve) && is_sweep(curve) && is_largest)
        add_inside(each, curve);
      if (curve.collective() == Collective::kSendRecv && !is_inside(curve))
        send_latency_ = fit_curve({&curve, 1}).curve.floor;
    }
    const std::vector<MeasuredCurve> between = between_curves(each, Collective::kAllReduce);
    if (between.empty() || !is_sweep(between.back()) || !each.fabric) continue;
    const Found<Fabric> fabric = fleetsim::fabric(*each.fabric);
    if (!fabric) continue;
    const LinkCurve curve = fit_curve(between).curve;
    const std::int64_t domain = between.back().per_domain();
    const ByteRate rate = domain_rate(*fabric.entry, domain, domain);
    if (curve.growth > 0) growth_ = curve.growth;
    if (between.back().domains() > 2) efficiencies.push_back(curve.bandwidth / rate);
    across_.push_back({&each, curve, between.back().domains(), fabric.entry->technology, rate});
  }
  if (!efficiencies.empty()) network_efficiency_ = geometric_mean(efficiencies);
  for (Across& each : across_) {
    if (each.curve.growth == 0) {
      each.curve.growth = growth_;
      each.curve.knee = each.curve.knee / std::pow(each.domains, growth_);
    }
  }
}

void NetworkLibrary::add_inside(const MeasuredNetwork& network, const MeasuredCurve& curve) {
  for (const std::string& name : network.accelerators) {
    if (const Found<Accelerator> found = accelerator(name))
      inside_.push_back({fit_curve({&curve, 1}).curve, found.entry->nvlink_one_way});
  }
}

LinkCurve NetworkLibrary::usual_inside(const Accelerator& accelerator) const {
  const auto has_same_links = [&](const Inside& each) { return each.nvlink == accelerator.nvlink_one_way; };
  std::vector<Inside> alike;
  std::copy_if(inside_.begin(), inside_.end(), std::back_inserter(alike), has_same_links);
  const bool is_same = !alike.empty();
  if (!is_same) alike = inside_;
  LinkCurve usual = kUsualInside;
  usual.bandwidth = kRing * accelerator.nvlink_one_way;
  if (alike.empty()) return usual;
  std::vector<double> bandwidths, knees, floors;
  usual.exponent = 0;
  for (const auto& [curve, nvlink] : alike) {
    bandwidths.push_back(curve.bandwidth.si);
    knees.push_back(curve.knee.si);
    usual.exponent += curve.exponent / static_cast<double>(alike.size());
    if (curve.floor > Seconds{}) floors.push_back(curve.floor.si);
  }
  if (is_same) usual.bandwidth = ByteRate{geometric_mean(bandwidths)};
  usual.knee = Bytes{geometric_mean(knees)};
  if (!floors.empty()) usual.floor = Seconds{geometric_mean(floors)};
  return usual;
}

CollectiveCurves NetworkLibrary::inside_reduce(const Accelerator& accelerator) const {
  CollectiveCurves reduce{.curve = usual_inside(accelerator),
                          .evidence = Evidence::kFormula,
                          .measured = inside_curves(measured_, accelerator.name, Collective::kAllReduce)};
  if (reduce.measured.empty()) return reduce;
  const MeasuredCurve& largest = reduce.measured.back();
  reduce.evidence = Evidence::kFitted;
  reduce.curve = is_sweep(largest) ? fit_curve({&largest, 1}).curve : through(reduce.curve, largest);
  return reduce;
}

void NetworkLibrary::fill_inside(const Accelerator& accelerator, Network& network) const {
  const auto known = [&](Collective collective, LinkCurve curve) {
    CollectiveCurves& to = network.inside[index(collective)];
    to = {.curve = curve,
          .evidence = Evidence::kFormula,
          .measured = inside_curves(measured_, accelerator.name, collective)};
    if (to.measured.empty() || !is_sweep(to.measured.back())) return;
    to.curve = fit_curve({&to.measured.back(), 1}).curve;
    to.evidence = Evidence::kFitted;
  };
  CollectiveCurves& reduce = network.inside[index(Collective::kAllReduce)];
  reduce = inside_reduce(accelerator);
  LinkCurve like = reduce.curve;
  like.bandwidth = kRing * accelerator.nvlink_one_way;
  known(Collective::kAllGather, like);
  known(Collective::kReduceScatter, like);
  like.bandwidth = kExchange * accelerator.nvlink_one_way;
  known(Collective::kAllToAll, like);
  known(Collective::kSendRecv, send_curve(kSend * accelerator.nvlink_one_way, kSendLatency));
}

LinkCurve NetworkLibrary::like_others(const Fabric& fabric, const Accelerator& accelerator,
                                      ByteRate rate) const {
  const auto nearest = [&](const std::function<bool(const Across&)>& is_alike) {
    const Across* best = nullptr;
    const auto distance = [&](const Across& each) { return std::abs(std::log(each.rate / rate)); };
    for (const Across& each : across_) {
      if (is_alike(each) && (best == nullptr || distance(each) < distance(*best))) best = &each;
    }
    return best;
  };
  std::vector<const Across*> alike;
  for (const Across* each :
       {nearest([&](const Across& a) { return a.technology == fabric.technology; }),
        nearest([&](const Across& a) { return speaks_for(*a.network, accelerator.name); })}) {
    if (each != nullptr) alike.push_back(each);
  }
  if (alike.empty()) {
    for (const Across& each : across_) alike.push_back(&each);
  }
  LinkCurve curve{.bandwidth = network_efficiency_ * rate,
                  .knee = network_efficiency_ * rate * kKneeBetween,
                  .exponent = 0.85,
                  .growth = growth_,
                  .hop = send_latency_};
  if (alike.empty()) return curve;
  std::vector<double> knee_times;
  curve.exponent = 0;
  for (const Across* each : alike) {
    knee_times.push_back(each->curve.knee.si / each->curve.bandwidth.si);
    curve.exponent += each->curve.exponent / static_cast<double>(alike.size());
  }
  curve.knee = curve.bandwidth * Seconds{geometric_mean(knee_times)};
  return curve;
}

CollectiveCurves NetworkLibrary::between_reduce(const Accelerator& accelerator, const Fabric& fabric,
                                                ByteRate share, const Network& network) const {
  const LinkCurve& inside = network.inside[index(Collective::kAllReduce)].curve;
  const double domain = static_cast<double>(network.domain);
  CollectiveCurves reduce{.curve = like_others(fabric, accelerator, share * domain),
                          .evidence = Evidence::kFormula};
  for (const MeasuredNetwork& each : measured_) {
    if (!speaks_for(each, accelerator.name) || each.fabric != fabric.name) continue;
    for (const MeasuredCurve& curve : between_curves(each, Collective::kAllReduce))
      if (curve.per_domain() == network.domain) reduce.measured.push_back(curve);
  }
  sort_by_ranks(reduce.measured);
  reduce.curve.floor = inside.floor;
  for (const Across& each : across_) {
    if (!speaks_for(*each.network, accelerator.name) || each.network->fabric != fabric.name) continue;
    // Between two domains the network carries less than a ring would need, and the domain may be the limit:
    // then they tell nothing of the share.
    const double once = each.domains > 2 ? 1 : moved_share(Collective::kAllReduce, 2 * domain);
    const bool is_network_the_limit = each.domains > 2 || each.curve.bandwidth < 0.9 * inside.bandwidth;
    const ByteRate bandwidth = is_network_the_limit ? each.curve.bandwidth / once : reduce.curve.bandwidth;
    const double tree = 2 * std::ceil(std::log2(each.domains));
    reduce.curve = each.curve;
    reduce.curve.knee = each.curve.knee * (bandwidth / each.curve.bandwidth);
    reduce.curve.bandwidth = bandwidth;
    reduce.curve.hop =
        each.curve.floor > inside.floor ? (each.curve.floor - inside.floor) / tree : send_latency_;
    reduce.curve.floor = inside.floor;
    reduce.evidence = Evidence::kFitted;
  }
  reduce.curve.bandwidth = reduce.curve.bandwidth / domain;
  reduce.curve.knee = reduce.curve.knee / domain;
  return reduce;
}

void NetworkLibrary::fill_between(const Accelerator& accelerator, const Fabric& fabric, ByteRate share,
                                  Network& network) const {
  CollectiveCurves& reduce = network.between[index(Collective::kAllReduce)];
  reduce = between_reduce(accelerator, fabric, share, network);
  const auto assumed = [&](Collective collective, LinkCurve curve) {
    network.between[index(collective)] = {.curve = curve, .evidence = Evidence::kFormula};
  };
  assumed(Collective::kAllGather, reduce.curve);
  assumed(Collective::kReduceScatter, reduce.curve);
  LinkCurve exchange = reduce.curve;
  exchange.bandwidth = kExchangeBetween * share;
  assumed(Collective::kAllToAll, exchange);
  assumed(Collective::kSendRecv, send_curve(kExchangeBetween * share, send_latency_));
  for (const MeasuredNetwork& each : measured_) {
    if (!speaks_for(each, accelerator.name) || each.fabric != fabric.name) continue;
    std::vector<MeasuredCurve> send = between_curves(each, Collective::kSendRecv);
    if (send.empty()) continue;
    const LinkCurve curve = fit_curve(send).curve;
    network.between[index(Collective::kSendRecv)] = {
        .curve = curve, .evidence = Evidence::kFitted, .measured = std::move(send)};
  }
}

Network NetworkLibrary::network(const Node& node, const Accelerator& accelerator,
                                const Fabric& fabric) const {
  Network network{.domain = node.nvlink_domain};
  const ByteRate share = domain_rate(fabric, node.devices, 1);
  fill_inside(accelerator, network);
  fill_between(accelerator, fabric, share, network);
  return network;
}

Found<Network> network(std::string_view node_name, std::string_view fabric_name) {
  static const NetworkLibrary kLibrary{measured_networks()};  // fitted once; the same at every call
  Found<Network> found;
  const Found<Node> node = fleetsim::node(node_name);
  if (!node) return {std::nullopt, node.problem, node.nearest};
  const Found<Fabric> fabric = fleetsim::fabric(fabric_name);
  if (!fabric) return {std::nullopt, fabric.problem, fabric.nearest};
  const Found<Accelerator> device = accelerator(node.entry->accelerator);
  if (!device) return {std::nullopt, device.problem, device.nearest};
  found.entry = kLibrary.network(*node.entry, *device.entry, *fabric.entry);
  return found;
}

namespace {

/// With what an all-reduce says of its two halves, where these were not measured themselves: it scatters and
/// then gathers the same bytes, each in half of its time.
std::vector<MeasuredCurve> with_halves(const std::vector<MeasuredCurve>& own) {
  std::vector<MeasuredCurve> all = own;
  for (const Collective half : {Collective::kAllGather, Collective::kReduceScatter}) {
    for (const MeasuredCurve& whole : own) {
      if (whole.collective() != Collective::kAllReduce) continue;
      const bool is_known = std::any_of(own.begin(), own.end(), [&](const MeasuredCurve& each) {
        return each.collective() == half && is_inside(each) == is_inside(whole);
      });
      if (is_known) continue;
      std::vector<TimedSize> points = whole.points();
      for (TimedSize& point : points) point.time = point.time / 2;
      all.emplace_back(half, whole.ranks(), whole.per_domain(), std::move(points));
    }
  }
  return all;
}

}  // namespace

std::optional<std::string> use_measurements(const MeasuredNetwork& own, Network& network) {
  for (const MeasuredCurve& curve : own.curves) {
    if (is_inside(curve) || curve.collective() == Collective::kSendRecv ||
        curve.per_domain() == network.domain)
      continue;
    return "sweeps between domains have " + std::to_string(curve.per_domain()) +
           " ranks in each; those of the network have " + std::to_string(network.domain);
  }
  const std::vector<MeasuredCurve> curves = with_halves(own.curves);
  for (std::size_t i = 0; i < kCollectiveKinds; ++i) {
    std::vector<MeasuredCurve> inside, between;
    for (const MeasuredCurve& curve : curves) {
      if (index(curve.collective()) == i) (is_inside(curve) ? inside : between).push_back(curve);
    }
    sort_by_ranks(inside);
    sort_by_ranks(between);
    if (!inside.empty()) {
      CollectiveCurves& known = network.inside[i];
      const MeasuredCurve& largest = inside.back();
      known.curve = is_sweep(largest) ? fit_curve({&largest, 1}).curve : through(known.curve, largest);
      known.evidence = Evidence::kFitted;
      known.measured = std::move(inside);
    }
    if (!between.empty()) {
      CollectiveCurves& known = network.between[i];
      if (is_sweep(between.back())) {
        known.curve = fit_curve(between).curve;
        const double shares = shares_of_network(between.back());
        known.curve.bandwidth = known.curve.bandwidth / shares;
        known.curve.knee = known.curve.knee / shares;
        known.evidence = Evidence::kFitted;
      }
      known.measured = std::move(between);
    }
  }
  return std::nullopt;
}

}  // namespace fleetsim
