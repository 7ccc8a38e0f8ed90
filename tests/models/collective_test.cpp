#include "models/collective/collective.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/collective/closed_form.hpp"
#include "models/collective/fit_curve.hpp"
#include "models/quantity/parse.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

constexpr Link without_latency(double bytes_per_second) { return {Seconds{}, ByteRate{bytes_per_second}}; }

double milliseconds(Seconds time) { return time.si * 1e3; }

constexpr Collective kAll[] = {Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter,
                               Collective::kAllToAll, Collective::kSendRecv};

/// Two sweeps of an all-reduce in a domain of 8, over 2 and 8 ranks, at 1, 2 and 4 MB.
Network measured_network() {
  Network network{.domain = 8};
  const auto sweep = [](std::int64_t ranks, double first, double second, double third) {
    return MeasuredCurve{
        Collective::kAllReduce,
        ranks,
        ranks,
        {{Bytes{1e6}, Seconds{first}}, {Bytes{2e6}, Seconds{second}}, {Bytes{4e6}, Seconds{third}}}};
  };
  network.inside[0] = {.curve = {.bandwidth = ByteRate{100e9}, .knee = Bytes{1e6}, .floor = Seconds{5e-6}},
                       .evidence = Evidence::kFitted,
                       .measured = {sweep(2, 20e-6, 30e-6, 60e-6), sweep(8, 70e-6, 80e-6, 140e-6)}};
  return network;
}

CollectiveEstimate reduce(const Network& network, double bytes, RankGroup group) {
  return estimate_collective(network, Collective::kAllReduce, Bytes{bytes}, group);
}

}  // namespace

TEST_CASE("collectives: the textbook's tensor-parallel exchange") {
  const Bytes payload{2204.0 * 8192 * 2};  // tokens, hidden, bytes of BF16
  const double exchanges = 80 * 4;         // two forward and two backward in each layer
  CHECK(payload.si == 36'110'336);
  CHECK(exchanges == 320);
  CHECK(milliseconds(exchanges * ring_all_reduce(without_latency(450e9), 8, payload)) ==
        near(44.93730702222222));
  CHECK(ring_all_reduce(without_latency(1), 2048, Bytes{1}).si == 1.9990234375);  // chapter 17, footnote 1
}

TEST_CASE("collectives: a gigabyte over a thousand ranks") {
  const Link link{Seconds{5e-6}, ByteRate{50e9}};
  const Bytes message{1e9};
  CHECK(milliseconds(ring_all_reduce(link, 1000, message)) == near(9.99 + 39.96));
  CHECK(milliseconds(tree_all_reduce(link, 1000, message)) == near(20 * (0.005 + 20)));  // ten levels, twice
  CHECK(milliseconds(in_switch_all_reduce(link, 1000, message)) == near(20.01));
  CHECK(milliseconds(ring_all_gather(link, 1000, message)) == near(0.5 * 49.95));
  CHECK(milliseconds(all_to_all(link, 1000, message)) == near(0.5 * 49.95));
  // A kilobyte goes by latency: 1,998 hops around the ring or twenty in the tree.
  CHECK(milliseconds(ring_all_reduce(link, 1000, Bytes{1e3})) == near(9.99 + 0.00003996));
  CHECK(milliseconds(tree_all_reduce(link, 1000, Bytes{1e3})) == near(0.1004));
}

TEST_CASE("collectives: shares of the message, so that reduce-scatter and all-gather make an all-reduce") {
  const Bytes message{1e9};
  const Link link = without_latency(400e9);
  CHECK(milliseconds(ring_all_reduce(link, 8, message)) == near(4.375));
  CHECK(milliseconds(ring_all_gather(link, 8, message)) == near(2.1875));
  CHECK(milliseconds(ring_reduce_scatter(link, 8, message)) == near(2.1875));
  CHECK(milliseconds(all_to_all(link, 8, message)) == near(2.1875));
  CHECK(milliseconds(chain_broadcast(link, 8, message)) == near(2.5));
  CHECK(milliseconds(ring_all_gather(link, 8, message / 8)) == near(2.1875 / 8));  // a shard is not the whole
  const Network network = ideal_network(8, {ByteRate{400e9}, Seconds{}}, {ByteRate{50e9}, Seconds{}});
  const auto time = [&](Collective collective) {
    return milliseconds(collective_time(network, collective, message, {8, 8}));
  };
  CHECK(time(Collective::kAllReduce) == near(4.375));
  CHECK(time(Collective::kAllGather) + time(Collective::kReduceScatter) == near(4.375));
  CHECK(time(Collective::kAllToAll) == near(2.1875));
  CHECK(time(Collective::kSendRecv) == near(2.5));
}

TEST_CASE("collectives: one rank has nothing to exchange") {
  const Link link{Seconds{5e-6}, ByteRate{50e9}};
  const Network network = ideal_network(8, {ByteRate{400e9}, Seconds{1e-6}}, {ByteRate{50e9}, Seconds{1e-6}});
  for (const Collective collective : kAll)
    CHECK(collective_time(network, collective, Bytes{1e9}, {1, 1}) == Seconds{});
  for (auto* const form : {ring_all_reduce, ring_all_gather, ring_reduce_scatter, tree_all_reduce,
                           direct_all_reduce, in_switch_all_reduce, all_to_all, chain_broadcast})
    CHECK(form(link, 1, Bytes{1e9}) == Seconds{});
}

TEST_CASE("collectives: bits and binary prefixes") {
  const ByteRate nic = parse_byte_rate("400 Gb/s").value.value();
  const Bytes message = parse_bytes("1 GiB").value.value();
  CHECK(nic == ByteRate{50e9});
  CHECK(8 * nic == ByteRate{400e9});
  CHECK(milliseconds(send_recv({Seconds{}, nic}, message)) == near(21.47483648));
  CHECK_FALSE(parse_byte_rate("450"));
}

TEST_CASE("collectives: everyone to everyone moves no fewer bytes than the ring, and topology matters") {
  const Link fast{Seconds{10e-9}, ByteRate{50e9}};
  const Bytes message{100e6};
  CHECK(milliseconds(ring_all_reduce(fast, 8, message)) == near(3.5 + 14 * 10e-6));
  CHECK(milliseconds(direct_all_reduce(fast, 8, message)) == near(3.5 + 2 * 10e-6));
  CHECK(milliseconds(ring_all_reduce({fast.latency, ByteRate{25e9}}, 8, message)) == near(7, 1e-4));
  CHECK(milliseconds(ring_all_reduce({fast.latency, ByteRate{5e9}}, 8, message)) == near(35, 1e-4));
  CHECK(ring_all_reduce(fast, 8, Bytes{}).si == near(14 * 10e-9));

  const Network network = ideal_network(8, {ByteRate{50e9}, Seconds{}}, {ByteRate{5e9}, Seconds{}});
  CHECK(milliseconds(reduce(network, 100e6, {8, 8}).time) == near(3.5));
  CHECK(milliseconds(reduce(network, 100e6, {8, 1}).time) == near(35));  // over eight domains
  const Network latency = ideal_network(8, {ByteRate{50e9}, Seconds{3e-6}}, {ByteRate{5e9}, Seconds{9e-6}});
  CHECK(reduce(latency, 0, {8, 8}).time == Seconds{3e-6});
  CHECK(reduce(latency, 0, {8, 1}).time == Seconds{9e-6});
}

TEST_CASE("collectives: over nodes each rank reduces a part of its own") {
  // 1 GB over 4 nodes of 8: 7/8 of it at 400 GB/s twice, and 125 MB around a ring of 4 at 50 GB/s.
  const Seconds time = hierarchical_all_reduce(without_latency(400e9), without_latency(50e9),
                                               {.nodes = 4, .per_node = 8}, Bytes{1e9});
  CHECK(milliseconds(time) == near(2 * 2.1875 + 1.5 * 2.5));
  CHECK(hierarchical_all_reduce(without_latency(400e9), without_latency(50e9), {1, 8}, Bytes{1e9}) ==
        ring_all_reduce(without_latency(400e9), 8, Bytes{1e9}));
}

TEST_CASE("collectives: where the tree's fewer steps stop to pay") {
  const Link link{Seconds{5e-6}, ByteRate{50e9}};
  for (const std::int64_t ranks : {4, 7, 64, 1000}) {
    const Bytes equal = tree_ring_crossover(link, ranks);
    CHECK(tree_all_reduce(link, ranks, equal).si == near(ring_all_reduce(link, ranks, equal).si));
    CHECK(tree_all_reduce(link, ranks, 0.9 * equal) < ring_all_reduce(link, ranks, 0.9 * equal));
  }
  CHECK(tree_ring_crossover(link, 4).si == near(250e3 * (3 - 2) / (2 - 0.75)));
}

TEST_CASE("estimates: a measured point is met, and between points the line is straight in the logarithms") {
  const Network network = measured_network();
  CHECK(reduce(network, 2e6, {8, 8}).time.si == near(80e-6));
  CHECK(reduce(network, 2e6, {8, 8}).evidence == Evidence::kMeasured);
  CHECK(reduce(network, std::sqrt(2.0) * 2e6, {8, 8}).time.si == near(std::sqrt(80e-6 * 140e-6)));
  // Four ranks are half-way between two and eight, in what is left when the share moved is divided out: 1 and
  // 7/4 of the message.
  CHECK(reduce(network, 2e6, {4, 4}).time.si == near(1.5 * std::sqrt(30e-6 * 80e-6 / 1.75)));
  CHECK(reduce(network, 2e6, {4, 4}).evidence == Evidence::kMeasured);
  CHECK_FALSE(reduce(network, 2e6, {4, 4}).is_extrapolated);
}

TEST_CASE("estimates: beyond the sizes measured the curve goes on from the last of them, and says so") {
  const Network network = measured_network();
  // At bandwidth 100 GB/s and knee 1 MB the curve is proportional to S + 1 MB.
  const CollectiveEstimate larger = reduce(network, 8e6, {8, 8});
  CHECK(larger.time.si == near(140e-6 * 9 / 5));
  CHECK(larger.evidence == Evidence::kFitted);
  CHECK(larger.is_extrapolated);
  CHECK(reduce(network, 0.5e6, {8, 8}).time.si == near(70e-6 * 1.5 / 2));
  CHECK(reduce(network, 0, {8, 8}).is_extrapolated);
  // More ranks than were measured: the curve alone.
  CHECK(reduce(network, 2e6, {16, 16}).time.si == near(1.875 * 3e6 / 100e9));
  CHECK(reduce(network, 2e6, {16, 16}).is_extrapolated);
  // A collective that nobody measured rests on a formula, which has no range to leave.
  const CollectiveEstimate gather = estimate_collective(
      ideal_network(8, {ByteRate{1e9}, {}}, {ByteRate{1e9}, {}}), Collective::kAllGather, Bytes{1e6}, {8, 8});
  CHECK(gather.evidence == Evidence::kFormula);
  CHECK_FALSE(gather.is_extrapolated);
}

TEST_CASE(
    "estimates: between domains a group has as many shares as ranks in each, up to what a domain carries") {
  const Network network = ideal_network(8, {ByteRate{360e9}, {}}, {ByteRate{50e9}, {}});
  const auto bus = [&](RankGroup group) {
    return moved_share(Collective::kAllReduce, static_cast<double>(group.ranks)) * 1e9 /
           reduce(network, 1e9, group).time.si;
  };
  CHECK(bus({64, 1}) == near(50e9));
  CHECK(bus({64, 4}) == near(200e9));
  CHECK(bus({64, 8}) == near(360e9));
  CHECK(bus({8, 4}) == near(50e9 * 4 * 1.75));  // two domains: the message crosses once
  // What leaves a domain of 8 of 32 ranks is 3/4, over one share each.
  CHECK(collective_time(network, Collective::kAllToAll, Bytes{1e9}, {32, 8}).si == near(0.75 / 50));
}

TEST_CASE("estimates: a ring over one rank of each domain is one of the eight that all ranks would make") {
  Network network = ideal_network(8, {ByteRate{1e12}, {}}, {ByteRate{50e9}, {}});
  network.between[0].curve = {
      .bandwidth = ByteRate{50e9}, .knee = Bytes{4e6}, .exponent = 0.8, .growth = 0.3};
  const double one = reduce(network, 10e6, {16, 1}).time.si / moved_share(Collective::kAllReduce, 16);
  const double eight = reduce(network, 80e6, {128, 8}).time.si / moved_share(Collective::kAllReduce, 128);
  CHECK(one == near(eight));
}

TEST_CASE("estimates: faster links are never slower, larger messages never faster") {
  const RankGroup groups[] = {{2, 1}, {8, 8}, {16, 8}, {64, 1}, {64, 4}, {1024, 8}};
  for (const Collective collective : kAll) {
    for (const RankGroup group : groups) {
      Seconds last{};
      for (double bytes = 0; bytes < 1e10; bytes = 2 * bytes + 1000) {
        Network network = ideal_network(8, {ByteRate{300e9}, Seconds{3e-6}}, {ByteRate{50e9}, Seconds{9e-6}});
        for (auto* const side : {&network.inside, &network.between})
          for (CollectiveCurves& each : *side) each.curve.knee = Bytes{3e6}, each.curve.exponent = 0.8;
        const Seconds time = collective_time(network, collective, Bytes{bytes}, group);
        CHECK(time >= last);
        last = time;
        for (auto* const side : {&network.inside, &network.between})
          for (CollectiveCurves& each : *side) each.curve.bandwidth = 2 * each.curve.bandwidth;
        CHECK(collective_time(network, collective, Bytes{bytes}, group) <= time);
      }
    }
  }
}

TEST_CASE("fits: constants of a curve are found again from its own times") {
  const LinkCurve truth{.bandwidth = ByteRate{382e9},
                        .knee = Bytes{28e6},
                        .exponent = 0.85,
                        .growth = 0.35,
                        .floor = Seconds{40e-6}};
  std::vector<MeasuredCurve> sweeps;
  for (const std::int64_t domains : {2, 8, 32}) {
    std::vector<TimedSize> points;
    for (double bytes = 1024; bytes < 2e10; bytes *= 2) {
      const double share = moved_share(Collective::kAllReduce, static_cast<double>(8 * domains));
      points.push_back(
          {Bytes{bytes}, curve_time(truth, Bytes{bytes}, share, static_cast<double>(domains), 1)});
    }
    sweeps.emplace_back(Collective::kAllReduce, 8 * domains, 8, points);
  }
  const FittedCurve fitted = fit_curve(sweeps);
  CHECK(fitted.curve.bandwidth.si == near(382e9, 0.002));
  CHECK(fitted.curve.knee.si == near(28e6, 0.01));
  CHECK(fitted.curve.exponent == near(0.85, 0.002));
  CHECK(fitted.curve.growth == near(0.35, 0.002));
  CHECK(fitted.curve.floor.si == near(40e-6, 0.002));
  CHECK(fitted.p90_error < 0.002);  // rounded to four digits
  const FittedCurve one = fit_curve({&sweeps.front(), 1});
  CHECK(one.curve.growth == 0);
  CHECK(one.p90_error < 0.002);
}
