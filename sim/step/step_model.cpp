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

StepModel::StepModel(StepInput input, std::uint32_t devices_per_node, const FabricShape& fabric,
                     Uplinks uplinks)
    : input_{std::move(input)}, devices_per_node_{devices_per_node}, fabric_{fabric}, uplinks_{uplinks} {}

bool StepModel::sends_to_all() const {
  const std::int64_t domain = input_.network().domain;
  return input_.recommender ? input_.layout.devices > domain : input_.layout.expert > domain;
}

Spread StepModel::compact(std::uint32_t devices) const {
  const std::int64_t nodes = ceil_div(devices, devices_per_node_);
  const auto places = [&](std::int64_t nodes_per_place) {
    return static_cast<std::uint32_t>(ceil_div(nodes, nodes_per_place));
  };
  // Evenly, or with all of a place at the edge of the pool that has fewer nodes.
  const auto fewest = [&](std::int64_t each, std::int64_t used) {
    const std::int64_t all = ceil_div(fabric_.nodes, each), edge = fabric_.nodes - (all - 1) * each;
    const std::int64_t beside_edge = used > 1 && used == all ? (nodes - edge) / (used - 1) : 0;
    return static_cast<std::uint32_t>(std::max(nodes / used, beside_edge));
  };
  const std::uint32_t leaves = places(fabric_.nodes_per_leaf), pods = places(fabric_.nodes_per_pod);
  return {places(fabric_.nodes_per_domain), leaves, pods, fewest(fabric_.nodes_per_leaf, leaves),
          fewest(fabric_.nodes_per_pod, pods)};
}

std::vector<std::string> StepModel::problems(std::uint32_t devices) const {
  StepInput input = input_;
  input.layout.devices = devices;
  std::vector<std::string> problems = step_problems(input);
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

/// Latency of all switches between the two nodes that are farthest apart.
Seconds StepModel::longest_way(Spread spread) const {
  const bool has_pods = fabric_.nodes_per_pod > fabric_.nodes_per_leaf;
  double switches = 1;
  if (spread.leaves > 1) switches += 2;
  if (has_pods && spread.pods > 1) switches += 2;
  return switches * fabric_.switch_latency;
}

SlowLinks StepModel::slow_links(std::uint32_t devices, Spread spread) const {
  SlowLinks slow;
  const double nodes = static_cast<double>(ceil_div(devices, devices_per_node_));
  const double stage = std::max(1.0, nodes / static_cast<double>(input_.layout.pipeline));
  struct Level {
    std::uint32_t places, fewest;
    std::int64_t nodes_each;
    double oversubscription;
  };
  for (const Level& level :
       {Level{spread.leaves, spread.fewest_in_leaf, fabric_.nodes_per_leaf, fabric_.leaf_oversubscription},
        Level{spread.pods, spread.fewest_in_pod, fabric_.nodes_per_pod, fabric_.pod_oversubscription}}) {
    if (level.places < 2) continue;
    const bool shared = uplinks_ == Uplinks::kShare;
    const double here = shared ? level.fewest : nodes / level.places;
    const double width = (shared ? here : static_cast<double>(level.nodes_each)) / level.oversubscription;
    const double leaving = here * (nodes - here) / (nodes - 1);
    slow.ring = std::max(slow.ring, 1 / width);
    slow.all_to_all = std::max(slow.all_to_all, leaving / width);
    slow.sends = std::max(slow.sends, std::min(here, stage) / width);
  }
  slow.hops = longest_way(spread) - longest_way(compact(devices));
  return slow;
}

StepBreakdown StepModel::breakdown(std::uint32_t devices, Spread spread, double slower) const {
  return step_breakdown(placed(devices, spread, slower), step_constants());
}

StepInput StepModel::placed(std::uint32_t devices, Spread spread, double slower) const {
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
  input.slow_links.sends *= slower;
  return input;
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
