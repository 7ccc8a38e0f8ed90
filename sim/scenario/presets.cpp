#include "sim/scenario/presets.hpp"

#include <algorithm>
#include <array>

namespace fleetsim {
namespace {

constexpr std::array kPresets{
    Preset{"slurm-backfill",
           "priority order; every waiting job is planned in order, to a depth (bf_max_job_test), by its time "
           "limit; "
           "the tightest nodes first (select/cons_tres)",
           "Slurm documentation: sched/backfill, priority/multifactor, select/cons_tres",
           R"({"order": "priority", "backfill": "conservative", "backfill_depth": 500, "estimates": "limit",
               "placement": "best-fit"})"},
    Preset{"kueue",
           "priority order, best effort: who cannot start keeps nobody from starting; lower priorities give "
           "way, the "
           "latest admitted first, and queues take back what they lent",
           "Kueue documentation: BestEffortFIFO, preemption within the queue and reclaim within the cohort",
           R"({"order": "priority", "strict": false, "placement": "first-fit",
               "preemption": {"by": "priority", "reclaim": true, "victims": "youngest"}})"},
    Preset{
        "volcano",
        "priority order, gangs at once or not at all, nodes packed; lower priorities give way, and queues "
        "take "
        "back what they lent",
        "Volcano documentation: actions enqueue, allocate, preempt, reclaim; plugins priority, gang, binpack",
        R"({"order": "priority", "strict": false, "placement": "best-fit",
               "preemption": {"by": "priority", "reclaim": true, "victims": "lowest-priority"}})"},
    Preset{"kai",
           "queues served by fair share, nodes packed; lower priorities give way, and queues take back what "
           "they "
           "lent, the latest started first",
           "KAI scheduler documentation: fair share, bin packing, reclaim and preemption",
           R"({"order": "fair-share", "strict": false, "placement": "best-fit",
               "preemption": {"by": "priority", "reclaim": true, "victims": "youngest"}})"},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kPresets.size()> names;
  for (std::size_t index = 0; index < names.size(); ++index) names[index] = kPresets[index].name;
  return names;
}();

}  // namespace

std::span<const Preset> presets() { return kPresets; }
std::span<const std::string_view> known_presets() { return kNames; }

}  // namespace fleetsim
