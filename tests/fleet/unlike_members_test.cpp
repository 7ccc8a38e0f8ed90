#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "sim/fleet/packed_nodes.hpp"

// Gangs of unlike members on a few nodes, against trying every way to give each member a node.
namespace fleetsim {
namespace {

struct Problem {
  std::vector<NodeSpec> nodes;
  std::vector<HostDemand> demands{HostDemand{}};
  std::vector<std::vector<MemberKind>> unlike{{}, {}};
  GangShape shape{.unlike = 1};
};

Problem random_problem(RandomStream& draw) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(draw() % end); };
  Problem problem;
  for (std::uint32_t node = 1 + below(6); node > 0; --node)
    problem.nodes.push_back({.cpu_milli = 1000 * (1 + below(4)),
                             .memory_bytes = 0,
                             .cards = below(5),
                             .type = DeviceTypes{1} << below(3)});
  for (std::uint32_t kinds = 1 + below(4); kinds > 0; --kinds) {
    problem.demands.push_back({.cpu_milli = 1000 * below(4), .memory_bytes = 0, .accepts = below(8)});
    const auto demand = static_cast<std::uint32_t>(problem.demands.size() - 1);
    problem.unlike[1].push_back({.count = 1 + below(2), .devices = below(4), .demand = demand});
    problem.shape.nodes += problem.unlike[1].back().count;
    problem.shape.remainder += problem.unlike[1].back().count * problem.unlike[1].back().devices;
  }
  return problem;
}

bool gives(const Problem& problem, const MemberKind& kind, const NodeSpec& node) {
  const HostDemand& demand = problem.demands[kind.demand];
  return node.cards >= kind.devices && node.cpu_milli >= demand.cpu_milli &&
         (demand.accepts == 0 || (demand.accepts & node.type) != 0);
}

/// Member by member, every node.
bool some_way(const Problem& problem, const std::vector<MemberKind>& members, std::vector<bool>& taken,
              std::size_t member) {
  if (member == members.size()) return true;
  for (std::size_t node = 0; node < problem.nodes.size(); ++node) {
    if (taken[node] || !gives(problem, members[member], problem.nodes[node])) continue;
    taken[node] = true;
    const bool found = some_way(problem, members, taken, member + 1);
    taken[node] = false;
    if (found) return true;
  }
  return false;
}

TEST_CASE("unlike members get nodes of their own exactly where there is a way, whatever their order") {
  RandomStream draw{StreamKey{1, 1, Purpose::kBootstrap, 0}};
  int possible = 0, impossible = 0;
  for (int number = 0; number < 2000; ++number) {
    CAPTURE(number);
    Problem problem = random_problem(draw);
    std::vector<MemberKind> members;
    for (const MemberKind& kind : problem.unlike[1]) members.insert(members.end(), kind.count, kind);
    std::vector<bool> taken(problem.nodes.size());
    const bool expected = some_way(problem, members, taken, 0);
    (expected ? possible : impossible) += 1;
    for (const char* policy : {"first-fit", "best-fit", "random"}) {
      for (int order = 0; order < 2; ++order) {
        const PackedNodes nodes{{.nodes = problem.nodes,
                                 .policy = *find_packing(policy),
                                 .demands = problem.demands,
                                 .unlike = problem.unlike,
                                 .draws = StreamKey{1, 1, Purpose::kPlacement, 0}}};
        Placement parts;
        CHECK(nodes.fits(problem.shape, nullptr) == expected);
        CHECK(nodes.could_ever_fit(problem.shape, nullptr) == expected);
        REQUIRE(nodes.place(problem.shape, nullptr, parts) == expected);
        std::vector<bool> used(problem.nodes.size());
        std::vector<std::uint32_t> placed(problem.unlike[1].size());
        for (const Part& part : parts) {
          const MemberKind& kind = problem.unlike[1][part.member];
          CHECK(gives(problem, kind, problem.nodes[part.node]));
          CHECK(part.count() == kind.devices);
          CHECK_FALSE(used[part.node]);
          used[part.node] = true;
          ++placed[part.member];
        }
        for (std::size_t kind = 0; expected && kind < placed.size(); ++kind)
          CHECK(placed[kind] == problem.unlike[1][kind].count);
        std::reverse(problem.unlike[1].begin(), problem.unlike[1].end());
      }
    }
  }
  CHECK(possible > 300);
  CHECK(impossible > 300);
}

}  // namespace
}  // namespace fleetsim
