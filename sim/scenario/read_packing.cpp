#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/scenario/packing.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

bool takes_several_nodes(const JobClass& job_class, const PoolSpec& pool) {
  const std::uint32_t widest = pool.devices_per_node;
  const auto is_wide = [&](std::uint32_t devices) { return devices > widest; };
  if (job_class.own_spares > 0) return true;
  const GangSpec& gang = job_class.gang;
  if (gang.shape) return gang.shape->members() > 1;
  const auto& listed = job_class.arrivals.listed;
  return std::any_of(gang.sizes.begin(), gang.sizes.end(), is_wide) ||
         std::any_of(listed.begin(), listed.end(),
                     [&](const ListedJob& job) { return is_wide(job.devices); });
}

/// What the scheduler is told to do and cannot, where nodes are packed.
void check_scheduler(const Reader& root, const Scenario& scenario) {
  const std::optional<Reader> in = root.object("scheduler");
  const auto packed = std::find_if(scenario.pools.begin(), scenario.pools.end(),
                                   [](const PoolSpec& pool) { return !pool.packed.empty(); });
  if (!in) return;
  const SchedulerSpec& spec = scenario.scheduler;
  const bool is_measured = std::any_of(scenario.pools.begin(), scenario.pools.end(),
                                       [](const PoolSpec& pool) { return pool.measure_fragmentation; });
  if (packed == scenario.pools.end()) {
    if (spec.admission == Admission::partial_hold && in->has("placement") && !is_measured)
      in->idle("placement",
               "goes with admission \"atomic\": under partial hold gangs take nodes as they become "
               "free, the first by number");
    return;
  }
  const std::string because = " looks at devices alone; in pool \"" + packed->name +
                              "\" nodes differ, or jobs ask for more than devices or share them by \"" +
                              spec.placement + "\"; ";
  if (spec.placement == "compact")
    in->problem("placement", "\"compact\"" + because + "\"best-fit\" looks at everything");
}

/// Own spares stand in for whole members.
void check_own_spares(const Reader& in, const JobClass& job_class) {
  if (job_class.own_spares == 0) return;
  const auto& listed = job_class.arrivals.listed;
  const auto& shape = job_class.gang.shape;
  const bool has_wholes = (!shape || (shape->milli == 0 && shape->unlike == 0)) &&
                          std::all_of(listed.begin(), listed.end(),
                                      [](const ListedJob& job) { return job.milli == 0 && job.devices > 0; });
  if (!has_wholes) in.problem("own_spares", "goes with jobs of whole devices and like members");
}

void check_classes(const Reader& root, const Scenario& scenario) {
  const auto entries = root.objects("workload");
  for (std::size_t index = 0; index < scenario.classes.size() && index < entries.size(); ++index) {
    const JobClass& job_class = scenario.classes[index];
    check_own_spares(entries[index].second, job_class);
    if (scenario.scheduler.admission == Admission::partial_hold && job_class.gang.shape &&
        job_class.gang.shape->unlike != 0)
      entries[index].second.problem("gang", "unlike members go with admission \"atomic\"");
    for (const std::uint32_t number : job_class.pools) {
      const PoolSpec& pool = scenario.pools[number];
      const Reader& in = entries[index].second;
      if (job_class.elastic && !pool.packed.empty()) {
        in.problem("elastic", "gangs change their size on like nodes only; in pool \"" + pool.name +
                                  "\" nodes differ, or jobs ask for more than devices");
        break;
      }
      if (is_for_packing(scenario.scheduler.placement) && takes_several_nodes(job_class, pool)) {
        in.problem("expected jobs of at most one node, since placement \"" + scenario.scheduler.placement +
                   "\" is for such; found larger ones");
        break;
      }
      const auto asks = [&](auto amount) {
        const auto& listed = job_class.arrivals.listed;
        const auto& shape = job_class.gang.shape;
        const auto& kinds = scenario.unlike[shape ? shape->unlike : 0];
        return amount(scenario.demands[job_class.gang.demand]) > 0 ||
               std::any_of(
                   kinds.begin(), kinds.end(),
                   [&](const MemberKind& kind) { return amount(scenario.demands[kind.demand]) > 0; }) ||
               std::any_of(listed.begin(), listed.end(),
                           [&](const ListedJob& job) { return amount(scenario.demands[job.demand]) > 0; });
      };
      const bool stated = root.find("fleet")->at("pools").at(pool.name).contains("nodes") &&
                          root.find("fleet")->at("pools").at(pool.name).at("nodes").is_object();
      if (stated) continue;
      if (!pool.cpu_milli && asks([](const HostDemand& demand) { return demand.cpu_milli; }))
        in.problem("jobs ask for CPUs, of which pool \"" + pool.name +
                   "\" does not say how many it has: give it \"cpus_per_node\"");
      if (!pool.memory_bytes && asks([](const HostDemand& demand) { return demand.memory_bytes; }))
        in.problem("jobs ask for memory, of which pool \"" + pool.name +
                   "\" does not say how much it has: give it \"memory_per_node\"");
    }
  }
}

}  // namespace

void read_packing(const Reader& root, Scenario& scenario) {
  if (!root.problems().empty()) return;  // what does not go together shows when each part is right
  prepare_packing(scenario);
  check_scheduler(root, scenario);
  check_classes(root, scenario);
}

}  // namespace fleetsim
