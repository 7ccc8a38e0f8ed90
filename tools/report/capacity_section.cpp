#include <algorithm>

#include "models/quantity/format.hpp"
#include "tools/report/figure_lines.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kBar = 40;

std::string fleet_text(const Scenario& scenario, const Style& style) {
  const std::int64_t nodes = node_count(scenario);
  const std::string in_nodes = " in " + format_integer(nodes) + (nodes == 1 ? " node" : " nodes");
  const std::string devices = format_integer(device_count(scenario)) + " ";
  if (scenario.pools.size() == 1)
    return devices + clip(scenario.pools.front().device_type, 30, style) + in_nodes;
  return devices + "devices" + in_nodes + " of " + std::to_string(scenario.pools.size()) + " pools";
}

std::string window_text(const WindowSpec& window) {
  const std::string length = window.length ? short_duration(*window.length) : "until every job has ended";
  if (window.warm_up == Duration::zero()) return length;
  return length + (window.length ? " after " : ", after ") + short_duration(window.warm_up) + " of warm-up";
}

std::string factor_text(const PointResult& base, std::string_view figure, const Style& style) {
  const Figure* found = base.find(figure);
  if (found == nullptr) return "no data";
  constexpr double kSmall = 0.01;
  const bool small = found->simulated.mean.value_or(1) < kSmall && found->simulated.mean.value_or(0) > 0;
  return small ? percent(found->simulated, 3, style) : with_interval(found->simulated, style);
}

/// A factor of which only bounds are known, because some work has no known ideal.
std::string range_text(const PointResult& base, const std::string& figure, const Style& style) {
  const Figure* upper = base.find(figure + ".upper");
  const std::optional<double> least = mean_of(base, figure);
  if (upper == nullptr || !upper->simulated.mean) return factor_text(base, figure, style);
  const std::string most = format_fixed(*upper->simulated.mean, 3);
  return least ? format_fixed(*least, 3) + " to " + most : "at most " + most;
}

struct Row {
  std::string_view what;
  DeviceTime amount;
  std::string_view factor;
  std::string value;
};

std::string row_text(const Row& row, DeviceTime offered, const Style& style) {
  const double share = share_of(row.amount, offered);
  std::string line = "  " + pad_right(std::string(row.what), 10) + pad_left(format_percent(share), 7) + "  " +
                     pad_right(bar(share, kBar, style), kBar);
  if (!row.factor.empty()) line += "  " + pad_right(std::string(row.factor), 20) + row.value;
  return line + "\n";
}

}  // namespace

double device_hours(DeviceTime time) {
  constexpr double kHour = 3.6e15;  // milli-device-nanoseconds in a device-hour
  return time.to_double() / kHour;
}

double share_of(DeviceTime part, DeviceTime whole) {
  return whole == DeviceTime::zero() ? 0.0 : ratio(part, whole);
}

std::string title_section(const PointResult& base, const PageContext& context) {
  const Scenario& scenario = scenario_of(base);
  const Style& style = context.style;
  const std::string file = clip(context.file, 48, style);
  const std::string name = scenario.name.empty() ? "Unnamed scenario" : scenario.name;
  std::string text = heading(clip(name, kPageWidth - display_width(file) - 2, style), style);
  text = spread(text, file) + "\n";
  std::string facts = fleet_text(scenario, style) + " | " + window_text(scenario.window) + " | " +
                      format_integer(base.replications) +
                      (base.replications == 1 ? " replication, seed " : " replications, seed ") +
                      std::to_string(scenario.runs.seed);
  if (context.took) facts += " | " + format_duration(*context.took);
  return text + wrap("", facts);
}

std::string place_section(const PointResult& base, const Style& style) {
  return base.point->sweep.empty() ? "" : wrap("", "at " + clean(point_label(*base.point), style));
}

std::string capacity_section(const PointResult& base, const Style& style) {
  const Factors sums = factors(base.ledger.total());
  const std::string title =
      pad_right(heading("WHERE THE CAPACITY WENT", style), 33) + "in-service capacity, 95 % intervals\n";
  if (base.window_time == DeviceTime::zero()) return title + "  no data: the window has no length\n";
  if (sums.in_service == DeviceTime::zero()) return title + "  no data: no capacity was in service\n";
  std::string text = title;
  text += row_text({"offered", sums.in_service, "", ""}, sums.in_service, style);
  text += row_text({"held", sums.held, "scheduling goodput", factor_text(base, "scheduling_goodput", style)},
                   sums.in_service, style);
  text +=
      row_text({"retained", sums.retained, "runtime goodput", factor_text(base, "runtime_goodput", style)},
               sums.in_service, style);
  text += row_text({"useful", sums.ideal, "program goodput", range_text(base, "program_goodput", style)},
                   sums.in_service, style);
  const Figure* installed = base.find("mpg_installed");
  const bool all_in_service = sums.installed == sums.in_service;
  std::string left;
  if (!all_in_service)
    left = "  " + format_percent(share_of(sums.in_service, sums.installed), 2) + " of installed in service";
  if (!all_in_service && installed != nullptr && installed->simulated.mean)
    left += "; MPG of installed " + format_fixed(*installed->simulated.mean, 3);
  text += pad_right(left, 23 + kBar) + pad_right("MPG", 20) + heading(range_text(base, "mpg", style), style) +
          "\n";
  return text;
}

}  // namespace fleetsim
