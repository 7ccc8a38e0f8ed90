#include <algorithm>

#include "models/quantity/format.hpp"
#include "tools/report/figure_lines.hpp"
#include "tools/report/sections.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

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

/// Of decoding it is a fraction of a per cent.
std::string small_percent(const Estimate& estimate, const Style& style) {
  return percent(estimate, 3, style);
}

std::string one_decimal(const Estimate& estimate, const Style& style) {
  return with_interval(estimate, Decimals{.least = 1}, style);
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
    if (!is_seen(figure)) continue;
    text += (text.empty() ? "" : ", ") + mean_count(*figure->simulated.mean, each.one, each.more);
  }
  return text.empty() ? "" : wrap("  per window: ", text);
}

std::string predicted_step(const ServiceBlock& block) {
  const auto& predicted = block.spec().service.predicted;
  if (!predicted) return {};
  const std::string tokens = format_integer(predicted->context) + " tokens of context";
  return wrap("  note: ", "a decode step of " + format_integer(predicted->batch) + " sequences at " + tokens +
                              ", " + format_duration(predicted->time) +
                              ", is predicted from measured kernels, not measured on a server; what servers "
                              "do between steps comes on top (\"host\").");
}

std::string service_text(const ServiceBlock& block) {
  const Style& style = block.style;
  const JobClass& spec = block.spec();
  std::string size;
  if (spec.gang.sizes.size() == 1) size = " (" + format_integer(spec.gang.sizes.front()) + " GPUs each)";
  if (spec.gang.shape)
    size = " (" + format_integer(spec.gang.shape->capacity().milli() / 1000) + " GPUs each)";
  std::string text = block_title("SERVICE " + clip(spec.name, 18, style) + size, style);
  const auto add = [&](const std::string& label, std::string_view figure, FigureText format, bool always) {
    const Figure* found = block.find(figure);
    if (always || is_seen(found)) text += figure_line(label, found, format, style);
  };
  add("ready of held time R", "runtime_goodput", four_decimals, true);
  add("  startup", "startup", percent, false);
  add("  recovery", "recovery", percent, false);
  add("  preemption", "preemption", percent, false);
  add("  drains", "drain", percent, false);
  add("P against memory bandwidth (MBU)", "mbu", four_decimals, true);
  add("P against peak arithmetic (MFU)", "program_goodput", small_percent, true);
  add("  headroom, of ready time", "headroom", percent, false);
  add("time to ready", "time_to_ready", time_with_interval, true);
  add("replicas that hold devices", "held_replicas", one_decimal, true);
  add("  of which ready", "ready_replicas", one_decimal, true);
  return text + counts(block) + predicted_step(block);
}

}  // namespace

std::string services_section(const PointResult& base, const Style& style) {
  std::string text;
  std::size_t shown = 0, count = 0;
  const std::vector<JobClass>& classes = scenario_of(base).classes;
  for (std::uint32_t index = 0; index < classes.size(); ++index) {
    if (classes[index].kind != JobKind::service || ++count > kMostBlocks) continue;
    ++shown;
    text += service_text({base, index, style});
  }
  const bool decodes = std::any_of(classes.begin(), classes.end(),
                                   [](const JobClass& each) { return each.service.mbu.has_value(); });
  if (decodes)
    text +=
        wrap("  note: ",
             "decoding reads all weights for every token, so that it is judged by MBU; MPG and money above "
             "and below count arithmetic alone.");
  if (count > shown) text += "  and " + std::to_string(count - shown) + " more services\n";
  return text;
}

std::string services_table(const StudyResult& study, const Style& style) {
  std::vector<TableRow> rows;
  for (const PointResult& point : study.points) {
    const std::vector<JobClass>& classes = scenario_of(point).classes;
    for (std::uint32_t index = 0; index < classes.size(); ++index) {
      if (classes[index].kind != JobKind::service) continue;
      const ServiceBlock block{point, index, style};
      const auto cell = [&](std::string_view figure, FigureText format) {
        const Figure* found = block.find(figure);
        return found == nullptr || !found->simulated.mean ? "no data" : format(found->simulated, style);
      };
      TableRow row{clean(point_label(*point.point), style), clip(classes[index].name, 16, style),
                   cell("runtime_goodput", four_decimals),  cell("time_to_ready", time_with_interval),
                   cell("held_replicas", one_decimal),      cell("headroom", percent)};
      // One that fares as under the first point says nothing again.
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const TableRow& other) {
        return std::equal(row.begin() + 1, row.end(), other.begin() + 1, other.end());
      });
      if (same == rows.end()) rows.push_back(std::move(row));
    }
  }
  if (rows.empty()) return {};
  constexpr std::size_t kMostServiceRows = 60;
  const std::size_t left_out = rows.size() - std::min(rows.size(), kMostServiceRows);
  rows.resize(rows.size() - left_out);
  const std::vector<Column> columns = {{"", Align::left},          {"service", Align::left},
                                       {"R", Align::right},        {"time to ready", Align::right},
                                       {"replicas", Align::right}, {"headroom", Align::right}};
  const std::string rest =
      left_out > 0 ? "  and " + std::to_string(left_out) + " more rows: --out DIR writes all of them\n" : "";
  return "\n" + heading("SERVICES", style) +
         "   R is ready of held, headroom of ready time; rows that would repeat another are left out\n" +
         text_table(columns, rows, style) + rest;
}

}  // namespace fleetsim
