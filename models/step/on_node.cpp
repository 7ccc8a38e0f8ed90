#include "models/step/on_node.hpp"

#include <memory>

#include "models/catalog/network.hpp"

namespace fleetsim {

StepInput step_on(const Node& node, std::string_view fabric) {
  StepInput input;
  input.device = step_device(*accelerator(node.accelerator).entry);
  input.links =
      std::make_shared<const Network>(*network(node.name, fabric.empty() ? node.fabric : fabric).entry);
  return input;
}

}  // namespace fleetsim
