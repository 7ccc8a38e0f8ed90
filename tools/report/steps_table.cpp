#include <algorithm>
#include <cmath>
#include <set>

#include "models/quantity/format.hpp"
#include "sim/ledger/leaf.hpp"
#include "tools/report/facts.hpp"
#include "tools/report/sections.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostStepColumns = 3;
constexpr std::size_t kMostStepRows = 60;

const JobClass* class_of(const PointResult& point, const std::string& name) {
  for (const JobClass& each : scenario_of(point).classes)
    if (each.name == name) return &each;
  return nullptr;
}

/// Classes of which some point predicts a step, and two points know different ones; as in the first point.
std::vector<std::string> classes_whose_steps_differ(const StudyResult& study) {
  std::vector<std::string> names;
  for (const JobClass& first : scenario_of(study.points.front()).classes) {
    bool is_predicted = false;
    std::set<std::int64_t> times;
    for (const PointResult& point : study.points) {
      const JobClass* const here = class_of(point, first.name);
      if (here == nullptr || here->step.continuous) continue;
      is_predicted = is_predicted || here->step.model;
      times.insert(here->step.time.ns());
    }
    if (is_predicted && times.size() > 1 && names.size() < kMostStepColumns) names.push_back(first.name);
  }
  return names;
}

/// Share of a leaf in a step.
double share_in(const JobClass& job, Leaf leaf) {
  double sum = 0, part = 0;
  for (const auto& [each, weight] : job.program.weights) {
    sum += static_cast<double>(weight);
    if (each == leaf) part = static_cast<double>(weight);
  }
  return sum > 0 ? part / sum : 0;
}

/// The loss whose share of a step differs most from the first point's, of all classes.
std::string changed_most(const StudyResult& study, const PointResult& point,
                         const std::vector<std::string>& names, const Style& style) {
  double most = 0;
  std::string text;
  for (const std::string& name : names) {
    const JobClass* const before = class_of(study.points.front(), name);
    const JobClass* const after = class_of(point, name);
    if (before == nullptr || after == nullptr) continue;
    for (const LeafInfo& leaf : leaf_table()) {
      if (leaf.boundary != Boundary::program) continue;
      const double from = share_in(*before, leaf.leaf), to = share_in(*after, leaf.leaf);
      if (std::fabs(to - from) <= most) continue;
      most = std::fabs(to - from);
      text = (names.size() > 1 ? clip(name, 12, style) + ": " : "") + leaf_label(leaf) + " " +
             format_fixed(100 * from, 1) + " to " + format_fixed(100 * to, 1) + " %";
    }
  }
  return text;
}

/// "2026.5": a year is not grouped.
std::string release_text(const Software& software) {
  const std::int64_t tenths = std::llround(10 * software.release);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

/// "tensor 8, pipeline 16 of 8 chunks, data 64; ...": what a prediction takes for granted.
std::string assumptions(const JobClass& job) {
  const StepInput& input = job.step.model->input();
  const Layout& layout = input.layout;
  if (input.recommender) {
    return "tables spread over " + format_integer(layout.devices) + " devices; " +
           format_integer(layout.global_batch) + " samples a step; software of " +
           release_text(input.software);
  }
  std::string text = "tensor " + format_integer(layout.tensor);
  if (layout.pipeline > 1) text += ", pipeline " + format_integer(layout.pipeline);
  if (layout.interleave > 1) text += " of " + format_integer(layout.interleave) + " chunks";
  if (layout.context > 1) text += ", context " + format_integer(layout.context);
  if (layout.expert > 1) text += ", expert " + format_integer(layout.expert);
  text += ", data " + format_integer(layout.data());
  return text + "; " + format_integer(layout.global_batch) + " sequences of " +
         format_integer(input.model.sequence) + " tokens a step, " + format_integer(layout.micro_batch) +
         " at a time; software of " + release_text(input.software);
}

}  // namespace

std::string steps_table(const StudyResult& study, const Style& style) {
  const std::vector<std::string> names = classes_whose_steps_differ(study);
  if (names.empty()) return {};
  std::vector<std::string> titles;
  for (const std::string& name : names) titles.push_back(clip(name, 14, style));
  std::vector<Column> columns = {{"", Align::left}};
  for (const std::string& title : titles) columns.push_back({title, Align::right});
  columns.push_back({"changed most, of the step", Align::left});
  std::vector<TableRow> rows;
  for (const PointResult& point : study.points) {
    if (rows.size() == kMostStepRows) break;
    TableRow& row = rows.emplace_back(TableRow{clean(point_label(*point.point), style)});
    for (const std::string& name : names) {
      const JobClass* const job = class_of(point, name);
      const bool has_step = job != nullptr && !job->step.continuous;
      row.push_back(has_step ? format_duration(to_seconds(job->step.time)) + (job->step.model ? "" : " given")
                             : "no data");
    }
    row.push_back(changed_most(study, point, names, style));
  }
  std::string text = "\n" + heading("STEPS", style) +
                     "   predicted unless said to be given; shares of a step before and after\n" +
                     text_table(columns, rows, style);
  for (const std::string& name : names) {
    for (const PointResult& point : study.points) {
      const JobClass* const job = class_of(point, name);
      if (job == nullptr || !job->step.model) continue;
      const std::string where = clean(point_label(*point.point), style);
      text += wrap("  note: ",
                   clean(name, style) + " (" + where + ") is predicted for " + assumptions(*job) + ".");
      break;
    }
  }
  const std::size_t left_out = study.points.size() - rows.size();
  if (left_out > 0)
    text += "  and " + std::to_string(left_out) + " more points: --out DIR writes all of them\n";
  return text;
}

}  // namespace fleetsim
