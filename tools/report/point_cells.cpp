#include "tools/report/point_cells.hpp"

#include <algorithm>
#include <cmath>

#include "models/quantity/format.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostPoints = 60;

constexpr Decimals kThreeDecimals{.least = 3, .most = 3}, kSixDecimals{.least = 6, .most = 6};

/// A share below a hundredth, of which three decimals would show next to nothing.
bool is_small(const std::optional<double>& share) { return share && *share != 0 && std::abs(*share) < 0.01; }
}  // namespace

const FrontierEntry* frontier_entry(const StudyResult& study, std::size_t point) {
  const auto found = std::find_if(study.frontier.begin(), study.frontier.end(),
                                  [&](const FrontierEntry& entry) { return entry.point == point; });
  return found == study.frontier.end() ? nullptr : &*found;
}

std::string factor(const PointResult& point, std::string_view figure, const Style& style) {
  const Figure* found = point.find(figure);
  return found == nullptr
             ? "no data"
             : with_interval(found->simulated,
                             is_small(found->simulated.mean) ? kSixDecimals : kThreeDecimals, style);
}

std::string mean_text(const PointResult& point, std::string_view figure) {
  const std::optional<double> mean = mean_of(point, figure);
  return mean ? format_fixed(*mean, 4) : "no data";
}

std::string mpg_text(const PointResult& point, const Style& style) {
  const std::optional<double> upper = mean_of(point, "mpg.upper");
  if (!upper) return factor(point, "mpg", style);
  return format_fixed(mean_of(point, "mpg").value_or(0), 3) + " to " + format_fixed(*upper, 3);
}

std::string cost_text(const PointResult& point, const Style& style) {
  const Figure* cost = point.find("cost_per_useful_device_hour");
  return cost == nullptr ? "no data" : number_with_interval(cost->simulated, style);
}

std::string time_text(const StudyResult& study, std::size_t index, const Style& style) {
  const FrontierEntry* entry = frontier_entry(study, index);
  if (entry == nullptr || entry->time_figure.empty()) return "no data";
  const Figure* time = study.points[index].find(entry->time_figure);
  return time == nullptr ? "no data" : time_with_interval(time->simulated, style);
}

std::string figure_text(const PointResult& point, std::string_view name, const Style& style) {
  const Figure* const figure = point.find(name);
  if (figure == nullptr || !figure->simulated.mean) return "no data";
  if (figure->unit == "s") return time_with_interval(figure->simulated, style);
  return figure->unit == "1" && *figure->simulated.mean <= 1
             ? with_interval(figure->simulated, kThreeDecimals, style)
             : number_with_interval(figure->simulated, style);
}

std::string time_title(const StudyResult& study) {
  for (const FrontierEntry& entry : study.frontier) {
    if (!entry.job_class.empty()) return "time of " + entry.job_class;
    if (!entry.time_figure.empty()) return entry.time_figure;
  }
  return "time to result";
}

void drop_empty_columns(std::vector<Column>& columns, std::vector<TableRow>& rows) {
  for (std::size_t i = columns.size(); i-- > 1;) {
    const auto is_empty = [&](const TableRow& row) { return row[i].empty() || row[i] == "no data"; };
    if (!std::all_of(rows.begin(), rows.end(), is_empty)) continue;
    const auto place = static_cast<std::ptrdiff_t>(i);
    columns.erase(columns.begin() + place);
    for (TableRow& row : rows) row.erase(row.begin() + place);
  }
}

std::string cut_rows(std::vector<TableRow>& rows) {
  if (rows.size() <= kMostPoints) return {};
  const std::size_t left_out = rows.size() - kMostPoints;
  rows.resize(kMostPoints);
  return "  and " + std::to_string(left_out) + " more points: --out DIR writes all of them\n";
}

}  // namespace fleetsim
