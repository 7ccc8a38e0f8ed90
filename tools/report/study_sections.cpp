#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/quantity/format.hpp"
#include "tools/report/sections.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostRows = 60;

constexpr Decimals kThreeDecimals{.least = 3, .most = 3};
constexpr Decimals kFourDecimals{.least = 4, .most = 4};

const FrontierEntry* frontier_entry(const StudyResult& study, std::size_t point) {
  const auto found = std::find_if(study.frontier.begin(), study.frontier.end(),
                                  [&](const FrontierEntry& entry) { return entry.point == point; });
  return found == study.frontier.end() ? nullptr : &*found;
}

std::string factor(const PointResult& point, std::string_view figure, const Style& style) {
  const Figure* found = point.find(figure);
  return found == nullptr ? "no data" : with_interval(found->simulated, kThreeDecimals, style);
}

std::string mean_text(const PointResult& point, std::string_view figure) {
  const std::optional<double> mean = mean_of(point, figure);
  return mean ? format_fixed(*mean, 4) : "no data";
}

/// MPG, or its bounds where some work has no known ideal.
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

/// A figure as its unit asks for.
std::string figure_text(const PointResult& point, std::string_view name, const Style& style) {
  const Figure* const figure = point.find(name);
  if (figure == nullptr || !figure->simulated.mean) return "no data";
  if (figure->unit == "s") return time_with_interval(figure->simulated, style);
  return figure->unit == "1" && *figure->simulated.mean <= 1
             ? with_interval(figure->simulated, kThreeDecimals, style)
             : number_with_interval(figure->simulated, style);
}

std::string_view mark(const StudyResult& study, std::size_t index) {
  const FrontierEntry* entry = frontier_entry(study, index);
  return entry != nullptr && entry->efficient ? "*" : "";
}

/// The difference to the base in MPG, with its sign; in scheduling goodput where MPG is not known.
struct Difference {
  std::string figure;
  std::string text;
};

Difference difference_text(const StudyResult& study, std::size_t index, const Style& style) {
  for (const std::string_view figure : {"mpg", "scheduling_goodput"}) {
    for (const PairedDifference& each : study.differences) {
      if (each.point != index || each.figure != figure || !each.difference.mean) continue;
      std::string text = with_interval(each.difference, kFourDecimals, style);
      if (*each.difference.mean >= 0) text.insert(0, "+");
      return {std::string(figure), figure == "mpg" ? text : "S " + text};
    }
  }
  return {};
}

std::string time_title(const StudyResult& study) {
  for (const FrontierEntry& entry : study.frontier) {
    if (!entry.job_class.empty()) return "time of " + entry.job_class;
    if (!entry.time_figure.empty()) return entry.time_figure;
  }
  return "time to result";
}

std::string in_format(double value, std::chars_format format, int precision) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
  return {text.data(), end};
}

/// Enough digits to see what a tight expectation is about.
std::string digits(double value) { return in_format(value, std::chars_format::general, 9); }
std::string exponent(double value) { return in_format(value, std::chars_format::scientific, 1); }

/// Takes out the columns in which no row has anything to say.
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
  if (rows.size() <= kMostRows) return {};
  const std::size_t left_out = rows.size() - kMostRows;
  rows.resize(kMostRows);
  return "  and " + std::to_string(left_out) + " more points: --out DIR writes all of them\n";
}

/// How the queue fared under each point; nothing where nobody waited under any.
std::string queue_table(const StudyResult& study, const Style& style) {
  const auto waits = [](const PointResult& point) { return mean_of(point, "longest_wait").value_or(0) > 0; };
  if (std::none_of(study.points.begin(), study.points.end(), waits)) return {};
  std::vector<TableRow> rows;
  for (const PointResult& point : study.points)
    rows.push_back(
        {clean(point_label(*point.point), style), mean_text(point, "scheduling_goodput"),
         figure_text(point, "queue_wait", style), figure_text(point, "queue_wait.p95", style),
         figure_text(point, "bounded_slowdown", style), figure_text(point, "longest_wait", style),
         mean_of(point, "preemptions").value_or(0) > 0 ? figure_text(point, "preemptions", style) : ""});
  const std::string rest = cut_rows(rows);
  std::vector<Column> columns = {{"", Align::left},           {"S", Align::right},
                                 {"mean wait", Align::right}, {"95 % wait", Align::right},
                                 {"slowdown", Align::right},  {"longest wait", Align::right},
                                 {"stopped", Align::right}};
  drop_empty_columns(columns, rows);
  return "\n" + heading("QUEUE", style) +
         "   waits of completed jobs; slowdown over at least 10 s; longest also of those that never ran\n" +
         text_table(columns, rows, style) + rest;
}

}  // namespace

std::string alternatives_section(const StudyResult& study, const Style& style) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const PointResult& point = study.points[i];
    rows.push_back({clean(point_label(*point.point), style), mpg_text(point, style),
                    factor(point, "job_product", style), time_text(study, i, style), cost_text(point, style),
                    difference_text(study, i, style).text, std::string(mark(study, i))});
  }
  const std::string rest = cut_rows(rows);
  const std::string time = clip(time_title(study), 20, style);
  std::vector<Column> columns = {
      {"", Align::left},    {"MPG", Align::right},       {"R x P", Align::right},
      {time, Align::right}, {"USD/GPU-h", Align::right}, {"MPG less base", Align::right},
      {"", Align::left}};
  drop_empty_columns(columns, rows);
  return heading("ALTERNATIVES", style) +
         "   * none is at least as good in time and cost (MPG without prices), and better in one\n" +
         text_table(columns, rows, style) + rest + steps_table(study, style) + services_table(study, style) +
         queue_table(study, style);
}

std::string sweep_page(const StudyResult& study, const PageContext& context) {
  if (study.points.empty()) return "no data: the study has no points\n";
  const Style& style = context.style;
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const PointResult& point = study.points[i];
    TableRow& row = rows.emplace_back(TableRow{clean(point_label(*point.point), style)});
    for (const std::string& figure : context.show) row.push_back(figure_text(point, figure, style));
    if (!context.show.empty()) continue;
    row.insert(row.end(), {mpg_text(point, style), mean_text(point, "scheduling_goodput"),
                           mean_text(point, "runtime_goodput"), mean_text(point, "program_goodput"),
                           cost_text(point, style), time_text(study, i, style)});
  }
  const std::string rest = cut_rows(rows);
  const std::string time = clip(time_title(study), 20, style);
  std::vector<Column> columns = {{"SWEEP", Align::left}};
  for (const std::string_view figure : context.show) {
    const bool of_somebody =
        figure.starts_with("jobs.") || figure.starts_with("pools.") || figure.starts_with("services.");
    columns.push_back({of_somebody ? figure.substr(figure.find('.') + 1) : figure, Align::right});
  }
  if (context.show.empty())
    columns.insert(columns.end(), {{"MPG", Align::right},
                                   {"S", Align::right},
                                   {"R", Align::right},
                                   {"P", Align::right},
                                   {"USD/GPU-h", Align::right},
                                   {time, Align::right}});
  if (context.show.empty()) drop_empty_columns(columns, rows);
  std::string page =
      title_section(study.points.front(), context) + "\n" + text_table(columns, rows, style) + rest;
  for (const std::string& note : context.notes) page += wrap("WARNING    ", clean(note, style));
  return page;
}

std::string frontier_page(const StudyResult& study, const PageContext& context) {
  if (study.points.empty()) return "no data: the study has no points\n";
  const Style& style = context.style;
  std::vector<const FrontierEntry*> entries;
  for (const FrontierEntry& entry : study.frontier) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(), [](const FrontierEntry* a, const FrontierEntry* b) {
    return a->efficient > b->efficient;
  });
  std::vector<TableRow> rows;
  for (const FrontierEntry* entry : entries) {
    const PointResult& point = study.points[entry->point];
    rows.push_back({clean(point_label(*point.point), style), entry->efficient ? "*" : "",
                    time_text(study, entry->point, style), mpg_text(point, style), cost_text(point, style),
                    clip(entry->incomparable, 24, style)});
  }
  const std::string rest = cut_rows(rows);
  const std::string time = clip(time_title(study), 20, style);
  std::vector<Column> columns = {{"FRONTIER", Align::left}, {"", Align::left},           {time, Align::right},
                                 {"MPG", Align::right},     {"USD/GPU-h", Align::right}, {"", Align::left}};
  drop_empty_columns(columns, rows);
  return title_section(study.points.front(), context) + "\n" + text_table(columns, rows, style) + rest +
         "  * none is at least as good in time and cost (MPG without prices), and better in one\n";
}

std::string expectations_table(const StudyResult& study, const Style& style) {
  if (study.expectations.empty()) return "EXPECTATIONS  none: the scenario expects nothing of itself\n";
  std::vector<TableRow> rows;
  for (const ExpectationOutcome& outcome : study.expectations) {
    const Expectation& expected = *outcome.expectation;
    const double within = expected.within.value_or(outcome.half_width.value_or(0));
    std::string name = expected.figure;
    if (!study.points[outcome.point].point->alternative.empty() ||
        !study.points[outcome.point].point->sweep.empty())
      name += " (" + point_label(*study.points[outcome.point].point) + ")";

    rows.push_back({clean(name, style), expected.basis == Basis::closed_form ? "closed form" : "simulated",
                    digits(expected.value), outcome.value ? digits(*outcome.value) : "no data",
                    outcome.value ? exponent(std::fabs(*outcome.value - expected.value)) : "",
                    exponent(within), outcome.met ? "met" : "MISSED"});
  }
  std::vector<Column> columns = {{"EXPECTATIONS", Align::left},
                                 {"basis", Align::left},
                                 {"expected", Align::right},
                                 {"found", Align::right},
                                 {"off by", Align::right},
                                 {"within", Align::right},
                                 {"", Align::left}};
  return text_table(columns, rows, style);
}

}  // namespace fleetsim
