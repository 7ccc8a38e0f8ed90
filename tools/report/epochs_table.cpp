#include <algorithm>

#include "models/quantity/format.hpp"
#include "tools/report/point_cells.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kJobs = "jobs.";

/// The figures of classes whose work is told in epochs, as in the first point.
std::vector<std::string> epoch_figures(const StudyResult& study) {
  constexpr std::size_t kMostClasses = 2;
  std::vector<std::string> figures;
  for (const JobClass& each : scenario_of(study.points.front()).classes)
    if (each.epoch && figures.size() < kMostClasses) figures.push_back("jobs." + each.name + ".epochs");
  return figures;
}

std::string closed_text(const PointResult& point, const std::string& name) {
  const Figure* const figure = point.find(name);
  return figure != nullptr && figure->closed_form ? format_number(*figure->closed_form) : "no data";
}

std::string less_base(const StudyResult& study, std::size_t point, const std::string& name,
                      const Style& style) {
  for (const PairedDifference& each : study.differences) {
    if (each.point != point || each.figure != name || !each.difference.mean) continue;
    return (*each.difference.mean >= 0 ? "+" : "") + number_with_interval(each.difference, style);
  }
  return {};
}

/// The pause at which growing gains nothing, by the equation.
std::string pause_text(const PointResult& point, const std::string& epochs) {
  const Figure* const pause = point.find(epochs.substr(0, epochs.rfind('.')) + ".break_even_pause");
  return pause != nullptr && pause->closed_form ? format_duration(Seconds{*pause->closed_form}) : "";
}

}  // namespace

std::string epochs_table(const StudyResult& study, const Style& style) {
  std::string text;
  for (const std::string& figure : epoch_figures(study)) {
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < study.points.size(); ++i)
      rows.push_back({clean(point_label(*study.points[i].point), style), closed_text(study.points[i], figure),
                      figure_text(study.points[i], figure, style), less_base(study, i, figure, style),
                      pause_text(study.points[i], figure)});
    const std::string rest = cut_rows(rows);
    std::vector<Column> columns = {{"", Align::left},
                                   {"closed form", Align::right},
                                   {"simulated", Align::right},
                                   {"less base", Align::right},
                                   {"growing pays below a pause of", Align::right}};
    drop_empty_columns(columns, rows);
    const std::string owner = figure.substr(kJobs.size(), figure.rfind('.') - kJobs.size());
    text += "\n" + heading("EPOCHS", style) + "   done in the window by " + clip(owner, 40, style) + "\n" +
            text_table(columns, rows, style) + rest;
  }
  return text;
}

}  // namespace fleetsim
