#include <algorithm>
#include <array>

#include "models/money/pareto.hpp"
#include "sim/study/compare.hpp"

namespace fleetsim {
namespace {

std::optional<double> mean_of(const PointResult& point, const std::string& figure) {
  const Figure* found = point.find(figure);
  return found == nullptr ? std::nullopt : found->simulated.mean;
}

bool all_have(std::span<const PointResult> points, const std::string& figure) {
  return std::all_of(points.begin(), points.end(),
                     [&](const PointResult& point) { return mean_of(point, figure).has_value(); });
}

struct TimeFigure {
  std::string figure, job_class;
};

/// The first class, by name so that the order of points and files does not matter, of which every point
/// finishes jobs; else the makespan, which says something only of runs that end by themselves.
TimeFigure time_figure(std::span<const PointResult> points) {
  std::vector<std::string> names;
  for (const JobClass& job_class : points.front().point->scenario.classes) names.push_back(job_class.name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string figure = "jobs." + name + ".time_to_result";
    if (all_have(points, figure)) return {figure, name};
  }
  const bool run_to_the_end = std::none_of(points.begin(), points.end(), [](const PointResult& point) {
    return point.point->scenario.window.length.has_value();
  });
  if (run_to_the_end && all_have(points, "makespan")) return {"makespan", ""};
  return {};
}

}  // namespace

std::vector<FrontierEntry> frontier(std::span<const PointResult> points) {
  std::vector<FrontierEntry> entries;
  if (points.empty()) return entries;
  const TimeFigure time = time_figure(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    FrontierEntry entry;
    entry.point = i;
    entry.job_class = time.job_class;
    entry.time_figure = time.figure;
    if (!time.figure.empty()) entry.time_to_result = mean_of(points[i], time.figure);
    entry.mpg = mean_of(points[i], "mpg");
    entry.cost = mean_of(points[i], "cost_per_useful_device_hour");
    entries.push_back(std::move(entry));
  }

  struct Coordinate {
    std::optional<double> FrontierEntry::*value;
    double sign;  ///< less is better
    const char* name;
  };
  // Cost is price over MPG: where there are prices it is the money that counts, where there are none MPG.
  const bool priced =
      std::any_of(entries.begin(), entries.end(), [](const FrontierEntry& e) { return e.cost.has_value(); });
  const std::array<Coordinate, 2> coordinates{
      {{&FrontierEntry::time_to_result, 1, "time to result"},
       priced ? Coordinate{&FrontierEntry::cost, 1, "cost per useful device-hour"}
              : Coordinate{&FrontierEntry::mpg, -1, "MPG"}}};
  std::vector<Coordinate> used;  // what no point has is not compared
  for (const Coordinate& each : coordinates)
    if (std::any_of(entries.begin(), entries.end(),
                    [&](const FrontierEntry& e) { return (e.*each.value).has_value(); }))
      used.push_back(each);

  std::vector<std::size_t> candidates;
  std::vector<Objectives> objectives;
  for (FrontierEntry& entry : entries) {
    Objectives values;
    for (const Coordinate& each : used) {
      const std::optional<double>& value = entry.*each.value;
      if (value) values.push_back(each.sign * *value);
      if (!value && entry.incomparable.empty()) entry.incomparable = std::string{"no "} + each.name;
    }
    if (used.empty()) entry.incomparable = "no figure to compare";
    if (!entry.incomparable.empty()) continue;
    candidates.push_back(entry.point);
    objectives.push_back(std::move(values));
  }
  for (const std::size_t index : pareto_set(objectives)) entries[candidates[index]].efficient = true;
  return entries;
}

}  // namespace fleetsim
