#include <algorithm>

#include "models/quantity/format.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostServices = 4;
constexpr std::size_t kNameWidth = 44, kClosedWidth = 16, kSimulatedWidth = 24;

/// One class of replicas on the page.
struct ServiceBlock {
  const PointResult& base;
  std::uint32_t index;
  const Style& style;

  const JobClass& spec() const { return scenario_of(base).classes[index]; }
  const Figure* find(std::string_view figure) const {
    return base.find("services." + spec().name + "." + std::string(figure));
  }
};

using FigureText = std::string (*)(const Estimate&, const Style&);

std::string service_line(const std::string& label, const Figure* figure, FigureText text, const Style& style) {
  if (figure == nullptr || (!figure->closed_form && !figure->simulated.mean)) return {};
  const std::string closed =
      figure->closed_form ? text(Estimate{*figure->closed_form, std::nullopt, 0}, style) : "-";
  return "  " + pad_right(label, kNameWidth - 2) + pad_left(closed, kClosedWidth) +
         pad_left(figure->simulated.mean ? text(figure->simulated, style) : "no data", kSimulatedWidth) + "\n";
}

std::string four_places(const Estimate& estimate, const Style& style) {
  return with_interval(estimate, Decimals{.least = 4}, style);
}
std::string in_percent(const Estimate& estimate, const Style& style) {
  Estimate points = estimate;
  points.mean = *estimate.mean * 100;
  if (points.half_width) *points.half_width *= 100;
  return with_interval(points, Decimals{.least = 2}, style) + " %";
}
std::string one_decimal(const Estimate& estimate, const Style& style) {
  return with_interval(estimate, Decimals{.least = 1}, style);
}

bool has_something(const Figure* figure) {
  return figure != nullptr && (figure->closed_form.value_or(0) != 0 || figure->simulated.mean.value_or(0) != 0);
}

std::string counts(const ServiceBlock& block) {
  struct Count {
    std::string_view figure, one, more;
  };
  constexpr Count kCounts[] = {{"ready", "became ready", "became ready"},
                               {"from_warm", "served by a warm one", "served by warm ones"},
                               {"completed", "life is over", "lives are over"},
                               {"failures", "failure", "failures"},
                               {"evictions", "eviction", "evictions"},
                               {"drains", "stop for a drain", "stops for drains"}};
  std::string text;
  for (const Count& each : kCounts) {
    const Figure* figure = block.find(each.figure);
    if (!has_something(figure)) continue;
    const double mean = *figure->simulated.mean;
    text += (text.empty() ? "" : ", ") + format_number(mean) + " " + std::string(mean == 1 ? each.one : each.more);
  }
  return text.empty() ? "" : wrap("  per window: ", text);
}

std::string service_text(const ServiceBlock& block) {
  const Style& style = block.style;
  const JobClass& spec = block.spec();
  std::string size;
  if (spec.gang.sizes.size() == 1) size = " (" + format_integer(spec.gang.sizes.front()) + " GPUs each)";
  if (spec.gang.shape)
    size = " (" + format_integer(spec.gang.shape->capacity().milli() / 1000) + " GPUs each)";
  std::string text = pad_right(heading("SERVICE " + clip(spec.name, 18, style) + size, style), kNameWidth) +
                     pad_left("closed form", kClosedWidth) + pad_left("simulated", kSimulatedWidth) + "\n";
  const auto add = [&](const std::string& label, std::string_view figure, FigureText format, bool always) {
    const Figure* found = block.find(figure);
    if (always || has_something(found)) text += service_line(label, found, format, style);
  };
  add("ready of held time R", "runtime_goodput", four_places, true);
  add("  startup", "startup", in_percent, false);
  add("  recovery", "recovery", in_percent, false);
  add("  preemption", "preemption", in_percent, false);
  add("  drains", "drain", in_percent, false);
  add("P against memory bandwidth (MBU)", "mbu", four_places, true);
  add("P against peak arithmetic (MFU)", "program_goodput", four_places, true);
  add("  headroom, of ready time", "headroom", in_percent, false);
  add("time to ready", "time_to_ready", time_with_interval, true);
  add("replicas that hold devices", "held_replicas", one_decimal, true);
  add("  of which ready", "ready_replicas", one_decimal, true);
  return text + counts(block);
}

}  // namespace

std::string services_section(const PointResult& base, const Style& style) {
  std::string text;
  std::size_t shown = 0, count = 0;
  const std::vector<JobClass>& classes = scenario_of(base).classes;
  for (std::uint32_t index = 0; index < classes.size(); ++index) {
    if (classes[index].kind != JobKind::service || ++count > kMostServices) continue;
    ++shown;
    text += service_text({base, index, style});
  }
  if (count > shown) text += "  and " + std::to_string(count - shown) + " more services\n";
  return text;
}

}  // namespace fleetsim
