#include "models/catalog/fabric_shape.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

// Port to port, with 30 m of fibre (0.15 us). InfiniBand switches are stated with 0.13 to 0.33 us, Ethernet
// switches for data centres with 0.5 to 0.9 us.
constexpr Seconds kInfinibandSwitch{0.35e-6};
constexpr Seconds kEthernetSwitch{0.85e-6};

}  // namespace

FabricShape fabric_shape(const Fabric& fabric, const Node& node, std::int64_t nodes) {
  return {
      .nodes = nodes,
      .nodes_per_leaf = fabric.layout == FabricLayout::kRails ? fabric.nodes_per_pod : fabric.nodes_per_rack,
      .nodes_per_pod = fabric.nodes_per_pod,
      .nodes_per_domain = std::max<std::int64_t>(1, node.nvlink_domain / node.devices),
      .node_rate = fabric.link * static_cast<double>(fabric.rails),
      .leaf_oversubscription = fabric.oversubscription,
      .pod_oversubscription = fabric.pod_oversubscription,
      .switch_latency = fabric.technology == Technology::kInfiniband ? kInfinibandSwitch : kEthernetSwitch};
}

}  // namespace fleetsim
