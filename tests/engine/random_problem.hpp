#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/random_stream.hpp"
#include "tests/engine/brute_force_scheduler.hpp"

namespace fleetsim::brute_force {

/// Makes random problems: small clusters, gangs of all shapes, estimates that are right or anything.
class Maker {
 public:
  explicit Maker(std::uint64_t number) : stream_{StreamKey{number, 1, Purpose::kBootstrap, 0}} {}

  enum class Estimates { exact, guessed };
  Problem make(Policy policy, Estimates estimates) {
    Problem made;
    made.nodes = between(1, 6);
    made.devices = between(1, 8);
    made.policy = policy;
    Time submit = 0;
    for (int jobs = between(1, 30); jobs > 0; --jobs) {
      submit += chance(40) ? 0 : between(1, 12);
      const Time duration = between(1, 40);
      made.jobs.push_back(
          {submit, shape(made), duration, estimates == Estimates::exact ? duration : between(0, 50)});
    }
    return made;
  }

  /// Racks, and jobs that want to be in one: always, at first, or if they can.
  void add_racks(Problem& to) {
    const int per_rack = between(1, 3);
    for (int node = 0; node < to.nodes; ++node) to.racks.push_back(node / per_rack);
    for (Job& job : to.jobs) {
      job.near = chance(50);
      if (job.near && chance(60)) job.wait = chance(30) ? 0 : between(1, 60);
    }
  }

  /// CPU, which some jobs want more of than is left beside others.
  void add_cpus(Problem& to) {
    to.cpus = between(1, 2 * to.devices);
    for (Job& job : to.jobs) job.cpu = between(0, chance(80) ? to.cpus : 2 * to.cpus);
  }

  void add_priorities(Problem& to) {
    to.order = Order::priority;
    for (Job& job : to.jobs) job.priority = between(0, 3);
  }

  /// Nodes that are idle then: what comes before an outage is not changed by it.
  void add_outages(Problem& to) {
    Time from = 0;
    for (int outages = between(1, 4); outages > 0; --outages) {
      from += between(1, 40);
      const std::vector<Outcome> ran = schedule(to);
      const int node = between(0, to.nodes - 1);
      const auto holds = [&](std::size_t index) {
        const Outcome& outcome = ran[index];
        return outcome.start && *outcome.start<from&& * outcome.start + to.jobs[index].duration> from &&
               outcome.taken[static_cast<std::size_t>(node)] > 0;
      };
      // A node that is out already cannot fail.
      bool idle = std::none_of(to.outages.begin(), to.outages.end(), [&](const Outage& outage) {
        return outage.node == node && outage.until >= from;
      });
      for (std::size_t index = 0; index < ran.size(); ++index) idle = idle && !holds(index);
      if (idle) to.outages.push_back({node, from, from + between(1, 60)});
    }
  }

  bool chance(int percent) { return between(0, 99) < percent; }
  int between(int low, int high) {
    return low + static_cast<int>(stream_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  Shape shape(const Problem& of) {
    if (chance(30)) return {0, 0, between(1, of.devices)};
    Shape made{between(1, of.nodes), between(1, of.devices), 0};
    if (made.per_node > 1 && chance(30)) made.remainder = between(1, made.per_node - 1);
    return made;
  }

  RandomStream stream_;
};

}  // namespace fleetsim::brute_force
