#include "sim/step/step_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/quantity/format.hpp"

namespace fleetsim {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

Leaf leaf_of(const StepPart& part) {
  if (part.time == &StepBreakdown::ideal) return Leaf::ideal;
  return *leaf_by_name("program." + std::string(part.name));
}

/// How many times longer traffic takes that leaves each of `places` through `width` nodes' worth of links, of
/// which `flows` nodes' worth go at once.
double slower(double flows, double width, std::uint32_t places) {
  return places < 2 ? 1.0 : std::max(1.0, flows / width);
}

}  // namespace

StepProfile step_profile(const StepBreakdown& step) {
  StepProfile profile;
  Seconds end;
  std::int64_t from = 0;
  for (const StepPart& part : step_parts()) {
    end += step.*part.time;
    const std::int64_t to = std::llround(end.si * kNanosecondsPerSecond);
    if (to > from) profile.weights.emplace_back(leaf_of(part), to - from);
    from = std::max(from, to);
  }
  profile.time = Duration::nanoseconds(from);
  return profile;
}

StepModel::StepModel(StepInput input, std::uint32_t devices_per_node, std::optional<FabricShape> fabric)
    : input_{std::move(input)}, devices_per_node_{devices_per_node}, fabric_{fabric} {}

std::uint32_t StepModel::nodes_per_domain() const {
  return std::max(1U, static_cast<std::uint32_t>(input_.network.domain) / devices_per_node_);
}

std::uint32_t StepModel::nodes_per_leaf() const {
  return fabric_ ? static_cast<std::uint32_t>(fabric_->nodes_per_leaf) : 1;
}

std::uint32_t StepModel::nodes_per_pod() const {
  return fabric_ ? static_cast<std::uint32_t>(fabric_->nodes_per_pod) : 1;
}

Spread StepModel::compact(std::uint32_t devices) const {
  const std::uint32_t nodes = ceil_div(devices, devices_per_node_);
  return {ceil_div(nodes, nodes_per_domain()), ceil_div(nodes, nodes_per_leaf()),
          ceil_div(nodes, nodes_per_pod())};
}

std::vector<std::string> StepModel::problems(std::uint32_t devices) const {
  Layout layout = input_.layout;
  layout.devices = devices;
  std::vector<std::string> problems = layout_problems(layout, input_.model);
  if (!problems.empty()) return problems;
  if (!fabric_ && compact(devices).domains > 1) {
    problems.push_back("more than the " + std::to_string(input_.network.domain) +
                       " devices of an NVLink domain need a pool with a \"fabric\"");
    return problems;
  }
  const StepBreakdown step = breakdown(devices);
  if (step.memory > input_.device.memory) {
    problems.push_back("does not fit: a device must hold " + format_bytes(step.memory) + " and has " +
                       format_bytes(input_.device.memory) + ", " +
                       format_bytes(step.memory - input_.device.memory) + " too little");
  }
  for (const StepPart& part : step_parts()) {
    if (!(step.*part.time >= Seconds{}))
      problems.push_back("the model has no sense here: " + std::string(part.name) + " of a step would take " +
                         format_duration(step.*part.time));
  }
  return problems;
}

SlowLinks StepModel::slow_links(std::uint32_t devices, Spread spread) const {
  SlowLinks slow;
  if (!fabric_) return slow;
  const double nodes = ceil_div(devices, devices_per_node_);
  const auto cross = [&](std::uint32_t places, std::int64_t nodes_per_place, double oversubscription) {
    const double width = static_cast<double>(nodes_per_place) / oversubscription;
    slow.ring = std::max(slow.ring, slower(1, width, places));
    // Of what each node sends evenly to all others, this much leaves the place.
    const double here = nodes / places, leaving = here * (nodes - here) / std::max(1.0, nodes - 1);
    slow.all_to_all = std::max(slow.all_to_all, slower(leaving, width, places));
  };
  cross(spread.leaves, fabric_->nodes_per_leaf, fabric_->leaf_oversubscription);
  cross(spread.pods, fabric_->nodes_per_pod, fabric_->pod_oversubscription);
  return slow;
}

StepBreakdown StepModel::breakdown(std::uint32_t devices, Spread spread) const {
  StepInput input = input_;
  input.layout.devices = devices;
  if (spread.domains > compact(devices).domains) {
    const std::uint32_t each = std::bit_floor(std::max(1U, devices / spread.domains));
    input.network.domain = std::min<std::int64_t>(input.network.domain, each);
  }
  input.slow_links = slow_links(devices, spread);
  return step_breakdown(input, step_constants());
}

Duration StepModel::excess(std::uint32_t devices, Spread spread) const {
  const Duration here = step_profile(breakdown(devices, spread)).time;
  return std::max(Duration::zero(), here - step_profile(breakdown(devices)).time);
}

}  // namespace fleetsim
