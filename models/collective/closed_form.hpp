#pragma once

#include <cstdint>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

// Collectives on links that cost a latency and then reach their bandwidth at once: the alpha-beta model of
// Hockney. What real libraries reach is in `collective.hpp`; these are the forms that textbooks print, and
// bounds.
// All take any message of at least zero bytes and any number of ranks of at least one; one rank costs
// nothing. Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; ring: Patarasuk and Yuan, JPDC 69(2),
// 2009.

/// A link, one direction.
struct Link {
  Seconds latency;
  ByteRate bandwidth;
};

/// 2 (n - 1) a + 2 (n - 1)/n M/b: the least bytes that an all-reduce can move, in many steps.
Seconds ring_all_reduce(Link link, std::int64_t ranks, Bytes message);
/// (n - 1) a + (n - 1)/n M/b, M being all that is gathered.
Seconds ring_all_gather(Link link, std::int64_t ranks, Bytes gathered);
/// The same as the all-gather; both together are the all-reduce.
Seconds ring_reduce_scatter(Link link, std::int64_t ranks, Bytes scattered);
/// 2 ceil(log2 n) (a + M/b): up a binary tree and down, without pipelining.
Seconds tree_all_reduce(Link link, std::int64_t ranks, Bytes message);
/// 2 a + 2 (n - 1)/n M/b: everyone to everyone through a switch, twice. No faster than the ring in bytes.
Seconds direct_all_reduce(Link link, std::int64_t ranks, Bytes message);
/// 2 a + M/b: the switch adds up what each rank sends once, and sends the sum once.
Seconds in_switch_all_reduce(Link link, std::int64_t ranks, Bytes message);
/// (n - 1) a + (n - 1)/n M/b.
Seconds all_to_all(Link link, std::int64_t ranks, Bytes message);
/// (n - 1) a + M/b: a pipelined chain; a reduction costs the same.
Seconds chain_broadcast(Link link, std::int64_t ranks, Bytes message);
/// a + M/b.
Seconds send_recv(Link link, Bytes message);

/// Ranks that sit `per_node` to a node, on `nodes` nodes.
struct TwoLevels {
  std::int64_t nodes = 1;
  std::int64_t per_node = 1;
};
/// Reduce-scatter in the node, ring over the nodes with each rank's part M / per_node on a link of its own,
/// all-gather in the node.
Seconds hierarchical_all_reduce(Link inside, Link between, TwoLevels ranks, Bytes message);

/// The message up to which the tree, with fewer steps, is no slower than the ring, with fewer bytes. For two
/// ranks or more.
Bytes tree_ring_crossover(Link link, std::int64_t ranks);

}  // namespace fleetsim
