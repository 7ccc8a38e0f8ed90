#pragma once

#include <cstdint>

#include "models/catalog/catalog.hpp"
#include "models/fabric/fabric_graph.hpp"

namespace fleetsim {

/// So many nodes of a kind on a fabric of the catalog. On rails the nodes of a pod share their leaf switches,
/// one per rail, whatever rack they stand in.
FabricShape fabric_shape(const Fabric& fabric, const Node& node, std::int64_t nodes);

}  // namespace fleetsim
