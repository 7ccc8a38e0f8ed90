#include <algorithm>

#include "tools/report/point_cells.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

std::string allocated_less_base(const StudyResult& study, std::size_t point, const std::string& figure,
                                const Style& style) {
  for (const PairedDifference& each : study.differences) {
    if (each.point != point || each.figure != figure || !each.difference.mean) continue;
    return (*each.difference.mean >= 0 ? "+" : "") +
           with_interval(each.difference, Decimals{.least = 4, .most = 4}, style);
  }
  return {};
}

}  // namespace

std::string allocation_table(const StudyResult& study, const Style& style) {
  const Scenario& base = scenario_of(study.points.front());
  const bool fills = std::any_of(base.classes.begin(), base.classes.end(),
                                 [](const JobClass& each) { return each.arrivals.drawn.has_value(); });
  if (!fills) return {};
  std::string text;
  for (const PoolSpec& pool : base.pools) {
    const std::string figure = "pools." + pool.name + ".allocated_at_end";
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < study.points.size(); ++i)
      rows.push_back({clean(point_label(*study.points[i].point), style),
                      figure_text(study.points[i], figure, style),
                      allocated_less_base(study, i, figure, style)});
    const std::string rest = cut_rows(rows);
    std::vector<Column> columns = {
        {"", Align::left}, {"allocated", Align::right}, {"less base", Align::right}};
    drop_empty_columns(columns, rows);
    text += "\n" + heading("ALLOCATED", style) + "   of what is installed in " + clip(pool.name, 30, style) +
            ", when the window ends\n" + text_table(columns, rows, style) + rest;
  }
  return text;
}

}  // namespace fleetsim
