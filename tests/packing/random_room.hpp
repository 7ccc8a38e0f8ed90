#pragma once

#include <boost/random/uniform_int_distribution.hpp>
#include <vector>

#include "sim/core/random_stream.hpp"
#include "sim/packing/fragmentation.hpp"
#include "sim/packing/node_room.hpp"

/// Small random clusters and tasks, from fixed seeds.
namespace fleetsim::testing {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_{{seed, 0, Purpose::kBootstrap, 0}} {}
  std::uint32_t from(std::uint32_t least, std::uint32_t most) {
    return boost::random::uniform_int_distribution<std::uint32_t>{least, most}(stream_);
  }

  std::vector<NodeSpec> nodes(std::uint32_t count) {
    std::vector<NodeSpec> nodes;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t cards = from(0, 8);
      nodes.push_back({.cpu_milli = from(1, 16) * 4000,
                       .memory_bytes = from(1, 8) * 1024,
                       .cards = cards,
                       .type = cards == 0 ? 0 : DeviceTypes{1} << from(0, 2)});
    }
    return nodes;
  }

  TaskShape task() {
    TaskShape task{.cpu_milli = from(0, 8) * 1000, .memory_bytes = from(0, 2) * 512};
    const std::uint32_t kind = from(0, 9);
    if (kind >= 1) task.cards = kind <= 6 ? 1 : from(1, 4);
    if (task.cards > 0) task.milli_per_card = kind <= 5 ? from(1, 10) * 100 : 1000;
    if (task.cards > 0 && from(0, 3) == 0) task.accepts = from(1, 7);
    return task;
  }

  std::vector<TaskShape> tasks(std::uint32_t count) {
    std::vector<TaskShape> tasks;
    for (std::uint32_t i = 0; i < count; ++i) tasks.push_back(task());
    return tasks;
  }

 private:
  RandomStream stream_;
};

}  // namespace fleetsim::testing
