#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/quantity/format.hpp"
#include "sim/study/warnings.hpp"
#include "tools/report/point_cells.hpp"
#include "tools/report/sections.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr Decimals kFourDecimals{.least = 4, .most = 4}, kSixDecimals{.least = 6, .most = 6};

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
      const double base = std::fabs(mean_of(study.points.front(), figure).value_or(1));
      const bool small = base > 0 && base < 0.01;
      std::string text = with_interval(each.difference, small ? kSixDecimals : kFourDecimals, style);
      if (*each.difference.mean >= 0) text.insert(0, "+");
      return {std::string(figure), figure == "mpg" ? text : "S " + text};
    }
  }
  return {};
}

std::string in_format(double value, std::chars_format format, int precision) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
  return {text.data(), end};
}

/// Enough digits to see what a tight expectation is about.
std::string digits(double value) { return in_format(value, std::chars_format::general, 9); }
/// "mpg (evictions = 8)"
std::string figure_name(const FigureOfPoint& of) {
  if (of.alternative.empty() && of.at.empty()) return of.figure;
  StudyPoint point;
  point.alternative = of.alternative;
  point.sweep = of.at;
  return of.figure + " (" + point_label(point) + ")";
}

std::string exponent(double value) { return in_format(value, std::chars_format::scientific, 1); }

bool all_completed(const PointResult& point) {
  const JobCount count = count_jobs(point);
  return count.completed == count.submitted;
}

/// "10 of 11"
std::string completed_text(const PointResult& point) {
  const JobCount count = count_jobs(point);
  return format_integer(count.completed) + " of " + format_integer(count.submitted);
}

std::string unequal_lines(const StudyResult& study, const Style& style) {
  constexpr std::size_t kMostLines = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostLines, study.unequal_jobs.size()); ++i)
    text +=
        wrap(alarm("WARNING", style) + "    ", clean(text_of(study.unequal_jobs[i], study.points), style));
  if (study.unequal_jobs.size() > kMostLines)
    text += "  and so of " + std::to_string(study.unequal_jobs.size() - kMostLines) + " more points\n";
  return text;
}

/// How the queue fared under each point; nothing where nobody waited under any.
std::string queue_table(const StudyResult& study, const Style& style) {
  const auto waits = [](const PointResult& point) { return mean_of(point, "longest_wait").value_or(0) > 0; };
  if (std::none_of(study.points.begin(), study.points.end(), waits)) return {};
  const bool all = std::all_of(study.points.begin(), study.points.end(), all_completed);
  std::vector<TableRow> rows;
  for (const PointResult& point : study.points)
    rows.push_back(
        {clean(point_label(*point.point), style), mean_text(point, "scheduling_goodput"),
         all ? "" : completed_text(point), figure_text(point, "queue_wait", style),
         figure_text(point, "queue_wait.p95", style), figure_text(point, "bounded_slowdown", style),
         figure_text(point, "longest_wait", style),
         mean_of(point, "preemptions").value_or(0) > 0 ? figure_text(point, "preemptions", style) : ""});
  const std::string rest = cut_rows(rows);
  std::vector<Column> columns = {{"", Align::left},
                                 {"S", Align::right},
                                 {"completed", Align::right},
                                 {"mean wait", Align::right},
                                 {"95 % wait", Align::right},
                                 {"slowdown", Align::right},
                                 {"longest wait", Align::right},
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
         text_table(columns, rows, style) + rest + allocation_table(study, style) +
         epochs_table(study, style) + steps_table(study, style) + services_table(study, style) +
         queue_table(study, style) + unequal_lines(study, style);
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
    const std::string name = figure_name(expected.of);
    if (expected.relation != Relation::value) {
      const bool above = expected.relation == Relation::above;
      const std::string other =
          expected.other.figure.empty() ? digits(expected.value) : figure_name(expected.other);
      rows.push_back({clean(name + ", less " + other, style), "simulated", above ? "above 0" : "below 0",
                      outcome.value ? digits(*outcome.value) : "no data", "",
                      outcome.half_width ? exponent(*outcome.half_width) : "",
                      outcome.met ? "met" : "MISSED"});
      continue;
    }
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
