#include "sim/step/step_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "models/quantity/format.hpp"

namespace fleetsim {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

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

StepModel::StepModel(StepInput input, std::uint32_t devices_per_node, const FabricShape& fabric)
    : input_{std::move(input)}, devices_per_node_{devices_per_node}, fabric_{fabric} {}

Spread StepModel::compact(std::uint32_t devices) const {
  const std::int64_t nodes = ceil_div(devices, devices_per_node_);
  const auto places = [&](std::int64_t nodes_per_place) {
    return static_cast<std::uint32_t>(ceil_div(nodes, nodes_per_place));
  };
  return {places(fabric_.nodes_per_domain), places(fabric_.nodes_per_leaf), places(fabric_.nodes_per_pod)};
}

std::vector<std::string> StepModel::problems(std::uint32_t devices) const {
  Layout layout = input_.layout;
  layout.devices = devices;
  std::vector<std::string> problems = layout_problems(layout, input_.model);
  if (!problems.empty()) return problems;
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
  const double nodes = static_cast<double>(ceil_div(devices, devices_per_node_));
  const auto cross = [&](std::uint32_t places, std::int64_t nodes_per_place, double oversubscription) {
    const double width = static_cast<double>(nodes_per_place) / oversubscription;
    slow.ring = std::max(slow.ring, slower(1, width, places));
    // Of what each node sends evenly to all others, this much leaves the place.
    const double here = nodes / places, leaving = here * (nodes - here) / std::max(1.0, nodes - 1);
    slow.all_to_all = std::max(slow.all_to_all, slower(leaving, width, places));
  };
  cross(spread.leaves, fabric_.nodes_per_leaf, fabric_.leaf_oversubscription);
  cross(spread.pods, fabric_.nodes_per_pod, fabric_.pod_oversubscription);
  return slow;
}

StepBreakdown StepModel::breakdown(std::uint32_t devices, Spread spread, double slower) const {
  StepInput input = input_;
  input.layout.devices = devices;
  if (spread.domains > compact(devices).domains) {
    const std::uint32_t each = std::bit_floor(std::max(1U, devices / spread.domains));
    Network narrower = input_.network();
    narrower.domain = std::min<std::int64_t>(narrower.domain, each);
    input.links = std::make_shared<const Network>(std::move(narrower));
  }
  input.slow_links = slow_links(devices, spread);
  input.slow_links.ring *= slower;
  input.slow_links.all_to_all *= slower;
  return step_breakdown(input, step_constants());
}

Duration StepModel::excess(std::uint32_t devices, Spread spread) const {
  const Duration here = step_profile(breakdown(devices, spread)).time;
  return std::max(Duration::zero(), here - step_profile(breakdown(devices)).time);
}

Duration StepModel::neighbour_excess(std::uint32_t devices, Spread spread, double slower) const {
  const Duration shared = step_profile(breakdown(devices, spread, slower)).time;
  return std::max(Duration::zero(), shared - step_profile(breakdown(devices, spread)).time);
}

}  // namespace fleetsim
