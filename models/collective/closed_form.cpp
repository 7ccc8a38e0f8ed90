#include "models/collective/closed_form.hpp"

#include <bit>

namespace fleetsim {
namespace {

double others(std::int64_t ranks) { return static_cast<double>(ranks - 1); }

double part_of_others(std::int64_t ranks) { return others(ranks) / static_cast<double>(ranks); }

/// ceil(log2 n): levels of a binary tree.
double levels(std::int64_t ranks) {
  return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks) - 1));
}

}  // namespace

Seconds ring_all_gather(Link link, std::int64_t ranks, Bytes gathered) {
  return others(ranks) * link.latency + part_of_others(ranks) * (gathered / link.bandwidth);
}

Seconds ring_reduce_scatter(Link link, std::int64_t ranks, Bytes scattered) {
  return ring_all_gather(link, ranks, scattered);
}

Seconds ring_all_reduce(Link link, std::int64_t ranks, Bytes message) {
  return 2 * ring_all_gather(link, ranks, message);
}

Seconds tree_all_reduce(Link link, std::int64_t ranks, Bytes message) {
  return 2 * levels(ranks) * (link.latency + message / link.bandwidth);
}

Seconds direct_all_reduce(Link link, std::int64_t ranks, Bytes message) {
  if (ranks < 2) return Seconds{};
  return 2 * (link.latency + part_of_others(ranks) * (message / link.bandwidth));
}

Seconds in_switch_all_reduce(Link link, std::int64_t ranks, Bytes message) {
  if (ranks < 2) return Seconds{};
  return 2 * link.latency + message / link.bandwidth;
}

Seconds all_to_all(Link link, std::int64_t ranks, Bytes message) {
  return ring_all_gather(link, ranks, message);
}

Seconds chain_broadcast(Link link, std::int64_t ranks, Bytes message) {
  if (ranks < 2) return Seconds{};
  return others(ranks) * link.latency + message / link.bandwidth;
}

Seconds send_recv(Link link, Bytes message) { return link.latency + message / link.bandwidth; }

Seconds hierarchical_all_reduce(Link inside, Link between, TwoLevels ranks, Bytes message) {
  const Bytes part = message / static_cast<double>(ranks.per_node);
  return ring_reduce_scatter(inside, ranks.per_node, message) + ring_all_reduce(between, ranks.nodes, part) +
         ring_all_gather(inside, ranks.per_node, message);
}

Bytes tree_ring_crossover(Link link, std::int64_t ranks) {
  // 2 (n - 1) a + 2 (n - 1)/n M/b = 2 L (a + M/b)
  const double bytes_saved = levels(ranks) - part_of_others(ranks);
  return link.bandwidth * link.latency * ((others(ranks) - levels(ranks)) / bytes_saved);
}

}  // namespace fleetsim
