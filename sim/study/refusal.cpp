#include "sim/study/refusal.hpp"

#include <array>
#include <string_view>

namespace fleetsim {
namespace {

std::string counted(std::int64_t number, std::string_view what) {
  return std::to_string(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

std::string nodes_text(const Refusal& refusal, const PoolSpec& pool) {
  constexpr std::array<std::string_view, kTopologyLevels> kLevels{"node", "rack", "pod", "spine", "pool"};
  const std::string wanted = "it needs " + counted(refusal.wanted, "node");
  if (refusal.level == TopologyLevel::node) return wanted + ", and is to keep to one";
  const std::string level{kLevels[static_cast<std::size_t>(refusal.level)]};
  if (refusal.level != TopologyLevel::pool)
    return wanted + " in one " + level + "; a " + level + " of " + pool.name + " has " +
           std::to_string(refusal.most);
  return wanted + "; " + pool.name + " has " + std::to_string(refusal.most) +
         (pool.spares > 0 ? " beside its " + counted(pool.spares, "spare") : "");
}

}  // namespace

std::string text_of(const Refusal& refusal, const Scenario& scenario) {
  if (refusal.limit == RefusalLimit::quota)
    return "its quota " + scenario.scheduler.quotas[refusal.pool].name + " never has room for it";
  const PoolSpec& pool = scenario.pools[refusal.pool];
  switch (refusal.limit) {
    case RefusalLimit::quota:
      break;
    case RefusalLimit::devices_of_node:
      return "a member needs " + counted(refusal.wanted, "device") + "; a node of " + pool.name + " has " +
             std::to_string(refusal.most);
    case RefusalLimit::nodes:
      return nodes_text(refusal, pool);
    case RefusalLimit::nodes_with_room:
      break;
  }
  return "no " + counted(refusal.wanted, "node") + " of " + pool.name + " have what its members need";
}

}  // namespace fleetsim
