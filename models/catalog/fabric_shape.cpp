#include "models/catalog/fabric_shape.hpp"

#include <algorithm>

namespace fleetsim {

FabricShape fabric_shape(const Fabric& fabric, const Node& node, std::int64_t nodes) {
  return {
      .nodes = nodes,
      .nodes_per_leaf = fabric.layout == FabricLayout::kRails ? fabric.nodes_per_pod : fabric.nodes_per_rack,
      .nodes_per_pod = fabric.nodes_per_pod,
      .nodes_per_domain = std::max<std::int64_t>(1, node.nvlink_domain / node.devices),
      .node_rate = fabric.link * static_cast<double>(fabric.rails),
      .leaf_oversubscription = fabric.oversubscription,
      .pod_oversubscription = fabric.pod_oversubscription};
}

}  // namespace fleetsim
