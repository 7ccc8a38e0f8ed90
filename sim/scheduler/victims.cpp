#include "sim/scheduler/victims.hpp"

#include <algorithm>
#include <array>

namespace fleetsim {
namespace {

constexpr std::string_view kSearched = "a look at every running job of the pool, where stopping could help";

constexpr std::array kVictims{
    VictimPolicy{"worst", "the last in the order of the queue", "common usage", kSearched, nullptr},
    VictimPolicy{"youngest", "who has run for the shortest time",
                 "Kueue, KAI: the latest admitted of equal priority", kSearched,
                 [](const VictimView& job) { return -Int128{job.running_since.ns()}; }},
    VictimPolicy{"lowest-priority", "the smallest priority", "kube-scheduler, Volcano", kSearched,
                 [](const VictimView& job) { return Int128{job.priority}; }},
    VictimPolicy{"cheapest", "who loses the least device-time since its last commit",
                 "checkpoint-aware preemption; the grace of published schedulers counts no work", kSearched,
                 [](const VictimView& job) { return job.uncommitted.milli_device_ns(); }},
    VictimPolicy{"fewest", "the fewest jobs that make room, and of those the smallest",
                 "kube-scheduler: fewest victims among the lowest priorities", kSearched,
                 [](const VictimView& job) { return -Int128{job.capacity.milli()}; }, true},
    VictimPolicy{"least-fragmentation", "who leaves the fewest devices on nodes that stay partly used",
                 "this project", kSearched,
                 [](const VictimView& job) { return Int128{job.left_in_pieces.milli()}; }},
};

}  // namespace

std::span<const VictimPolicy> victim_table() { return kVictims; }

const VictimPolicy* find_victims(std::string_view name) {
  const auto row = std::find_if(kVictims.begin(), kVictims.end(),
                                [&](const VictimPolicy& each) { return each.name == name; });
  return row == kVictims.end() ? nullptr : &*row;
}

}  // namespace fleetsim
