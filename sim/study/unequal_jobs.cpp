#include <algorithm>
#include <map>
#include <string_view>

#include "sim/study/compare.hpp"

namespace fleetsim {
namespace {

/// Which jobs of each class completed.
std::map<std::string_view, std::uint64_t> completed_sets(const PointResult& point) {
  std::map<std::string_view, std::uint64_t> sets;
  for (std::size_t index = 0; index < point.classes.size(); ++index) {
    const JobClass& job_class = point.point->scenario.classes[index];
    if (job_class.kind != JobKind::service && point.classes[index].completed > 0)
      sets.emplace(job_class.name, point.classes[index].completed_set);
  }
  return sets;
}

bool are_unequal(const PointResult& a, const PointResult& b) {
  if (a.replications == b.replications) return completed_sets(a) != completed_sets(b);
  // As many of the same arrivals are compared; which they were is not known of different replications.
  const JobCount of_a = count_jobs(a), of_b = count_jobs(b);
  return of_a.completed * b.replications != of_b.completed * a.replications;
}

}  // namespace

JobCount count_jobs(const PointResult& point) {
  JobCount count;
  for (std::size_t index = 0; index < point.classes.size(); ++index) {
    if (point.point->scenario.classes[index].kind == JobKind::service) continue;
    count.completed += point.classes[index].completed;
    count.submitted += point.classes[index].submitted;
  }
  return count;
}

std::vector<UnequalJobs> unequal_jobs(std::span<const PointResult> points) {
  std::vector<UnequalJobs> found;
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (points[point].point->alternative.empty()) continue;
    const auto base = std::find_if(points.begin(), points.end(), [&](const PointResult& each) {
      return each.point->alternative.empty() && each.point->sweep == points[point].point->sweep;
    });
    if (base != points.end() && are_unequal(points[point], *base))
      found.push_back({point, static_cast<std::size_t>(base - points.begin())});
  }
  return found;
}

}  // namespace fleetsim
