#include <algorithm>
#include <functional>
#include <set>

#include "sim/study/warnings.hpp"
#include "tools/report/page.hpp"
#include "tools/report/point_cells.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

/// A column of the table: two lines of title, and what it says of a point.
struct SweepColumn {
  std::string owner, title;  ///< "urgent" above "queue_wait"
  std::function<std::string(std::size_t point)> text;
  Align align = Align::right;
};

/// "evictions" for /scheduler/preemption/pool_budget/evictions; all of it where two axes end alike.
std::string axis_title(const StudyPoint& point, std::size_t axis) {
  const auto tail = [](const std::string& of) { return of.substr(of.rfind('/') + 1); };
  const std::string& pointer = point.sweep[axis].first;
  const auto alike = std::count_if(point.sweep.begin(), point.sweep.end(),
                                   [&](const auto& each) { return tail(each.first) == tail(pointer); });
  return alike == 1 ? tail(pointer) : pointer;
}

const Standing* standing_of(const StudyResult& study, std::size_t point) {
  const auto found = std::find_if(study.standings.begin(), study.standings.end(),
                                  [&](const Standing& each) { return each.point == point; });
  return found == study.standings.end() ? nullptr : &*found;
}

std::string less_best(const StudyResult& study, std::size_t point, const Style& style) {
  const Standing* const standing = standing_of(study, point);
  if (standing == nullptr) return "no data";
  if (standing->is_best()) return heading("best", style);
  const std::string& unit = study.points[point].find(study.objective.figure)->unit;
  const Estimate& less = standing->less_best;
  const std::string text = unit == "s"   ? time_with_interval(less, style)
                           : unit == "1" ? with_interval(less, Decimals{.least = 4, .most = 4}, style)
                                         : number_with_interval(less, style);
  return (*less.mean >= 0 ? "+" : "") + text;
}

std::string standing_mark(const StudyResult& study, std::size_t point) {
  const Standing* const standing = standing_of(study, point);
  return standing == nullptr || standing->is_best() || standing->is_told_apart() ? "" : "~";
}

bool has_sweep(const StudyResult& study) { return !study.points.front().point->sweep.empty(); }

/// Where the points stand: a column for each axis, or the names of alternatives where there are none.
std::vector<SweepColumn> place_columns(const StudyResult& study, const Style& style) {
  if (!has_sweep(study)) {
    const auto label = [&](std::size_t i) { return clean(point_label(*study.points[i].point), style); };
    return {{"", "", label, Align::left}};
  }
  std::vector<SweepColumn> columns;
  for (std::size_t axis = 0; axis < study.points.front().point->sweep.size(); ++axis) {
    const auto value = [&study, &style, axis](std::size_t i) {
      return clean(study.points[i].point->sweep[axis].second, style);
    };
    columns.push_back({"", clean(axis_title(*study.points.front().point, axis), style), value,
                       axis == 0 ? Align::left : Align::right});
  }
  return columns;
}

/// A figure by its name: the entity that it is of stands above it.
SweepColumn figure_column(const StudyResult& study, const std::string& figure, const Style& style) {
  SweepColumn column{"", figure, [&study, &style, figure](std::size_t i) {
                       return figure == "mpg" ? mpg_text(study.points[i], style)
                                              : figure_text(study.points[i], figure, style);
                     }};
  for (const std::string_view prefix : {"jobs.", "pools.", "services.", "quotas."}) {
    const std::size_t dot = figure.find('.', prefix.size());
    if (!figure.starts_with(prefix) || dot == figure.npos) continue;
    column.owner = figure.substr(prefix.size(), dot - prefix.size());
    column.title = figure.substr(dot + 1);
  }
  return column;
}

/// What the table says of a point: the figures asked for, or the factors; beside the one that the best is
/// the best of, how far each point is from it.
std::vector<SweepColumn> figure_columns(const StudyResult& study, const PageContext& context) {
  const Style& style = context.style;
  const std::string& objective = study.objective.figure;
  std::vector<std::string> figures = context.show;
  const bool by_default = figures.empty();
  if (by_default) figures = {"mpg"};
  if (!study.standings.empty() && std::find(figures.begin(), figures.end(), objective) == figures.end())
    figures.insert(figures.begin(), objective);
  std::vector<SweepColumn> columns;
  for (const std::string& figure : figures) {
    columns.push_back(figure_column(study, figure, style));
    if (study.standings.empty() || figure != objective) continue;
    columns.push_back({"", "less best", [&](std::size_t i) { return less_best(study, i, style); }});
    columns.push_back({"", "", [&](std::size_t i) { return standing_mark(study, i); }, Align::left});
  }
  if (!by_default) return columns;
  for (const auto& [title, figure] :
       {std::pair{"S", "scheduling_goodput"}, {"R", "runtime_goodput"}, {"P", "program_goodput"}})
    columns.push_back(
        {"", title, [&study, name = figure](std::size_t i) { return mean_text(study.points[i], name); }});
  columns.push_back({"", "USD/GPU-h", [&](std::size_t i) { return cost_text(study.points[i], style); }});
  columns.push_back(
      {"", clip(time_title(study), 20, style), [&](std::size_t i) { return time_text(study, i, style); }});
  return columns;
}

/// Rows of the points; those of one alternative below its name.
std::vector<TableRow> rows_of(const StudyResult& study, const std::vector<SweepColumn>& columns,
                              const Style& style) {
  const bool grouped =
      has_sweep(study) && std::any_of(study.points.begin(), study.points.end(), [](const PointResult& point) {
        return !point.point->alternative.empty();
      });
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const std::string& alternative = study.points[i].point->alternative;
    if (grouped && (i == 0 || study.points[i - 1].point->alternative != alternative)) {
      rows.emplace_back(columns.size());
      rows.back().front() = alternative.empty() ? "base" : clean(alternative, style);
    }
    TableRow& row = rows.emplace_back();
    for (const SweepColumn& column : columns) row.push_back(column.text(i));
    if (grouped) row.front().insert(0, "  ");
  }
  return rows;
}

std::string legend(const StudyResult& study) {
  if (study.standings.empty()) return {};
  const bool highest = study.objective.best == Objective::Best::highest;
  return wrap("  ", std::string(highest ? "best: highest " : "best: lowest ") + study.objective.figure +
                        "; less best: over the same replications, with the 95 % interval of the "
                        "difference; ~ cannot be told from the best");
}

}  // namespace

std::string sweep_page(const StudyResult& study, const PageContext& context) {
  if (study.points.empty()) return "no data: the study has no points\n";
  const Style& style = context.style;
  std::vector<SweepColumn> told = place_columns(study, style);
  for (SweepColumn& column : figure_columns(study, context)) told.push_back(std::move(column));
  std::vector<TableRow> rows = rows_of(study, told, style);
  const std::string rest = cut_rows(rows);
  const bool two_lines =
      std::any_of(told.begin(), told.end(), [](const SweepColumn& column) { return !column.owner.empty(); });
  std::vector<Column> columns;
  for (const SweepColumn& column : told)
    columns.push_back({two_lines ? column.owner : column.title, column.align});
  if (two_lines) {
    TableRow titles;
    for (const SweepColumn& column : told) titles.push_back(column.title);
    rows.insert(rows.begin(), std::move(titles));
  } else if (context.show.empty()) {
    drop_empty_columns(columns, rows);
  }
  return title_section(study.points.front(), context) + "\n" + text_table(columns, rows, style) + rest +
         legend(study);
}

std::string warnings_text(const StudyResult& study, const PageContext& context) {
  struct Warning {
    std::string text;
    std::size_t points = 0;
  };
  std::vector<Warning> warnings;
  // They differ in how many completed, and are said once.
  std::set<std::string> unequal;
  for (const UnequalJobs& each : study.unequal_jobs) unequal.insert(text_of(each, study.points));
  if (!study.unequal_jobs.empty())
    warnings.push_back(
        {"means over completed jobs are not comparable with those of the base: not the same jobs completed",
         study.unequal_jobs.size()});
  for (const PointResult& point : study.points) {
    for (const std::string& text : point.warnings) {
      if (unequal.contains(text)) continue;
      const auto known = std::find_if(warnings.begin(), warnings.end(),
                                      [&](const Warning& each) { return each.text == text; });
      Warning& warning = known == warnings.end() ? warnings.emplace_back(Warning{text}) : *known;
      ++warning.points;
    }
  }
  for (const std::string& note : context.notes) warnings.push_back({note, study.points.size()});
  constexpr std::size_t kMostWarnings = 12;
  std::string page;
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i) {
    const Warning& each = warnings[i];
    const bool everywhere = each.points == study.points.size();
    page += wrap("WARNING    ", clean(each.text, context.style) +
                                    (everywhere ? ""
                                                : " (at " + std::to_string(each.points) + " of " +
                                                      std::to_string(study.points.size()) + " points)"));
  }
  if (warnings.size() > kMostWarnings)
    page += "WARNING    and " + std::to_string(warnings.size() - kMostWarnings) +
            " more; result.json has all of them\n";
  return page;
}

}  // namespace fleetsim
