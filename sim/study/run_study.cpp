#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sim/study/compare.hpp"
#include "sim/study/first_fault.hpp"
#include "sim/study/reduce.hpp"
#include "sim/study/run_points.hpp"
#include "sim/study/study.hpp"
#include "sim/study/warnings.hpp"

namespace fleetsim {
namespace {

/// Tells the caller how far the study is.
class Progress {
 public:
  Progress(const StudyOptions& options, std::size_t total) : tell_{options.progress}, total_{total} {}

  void advance(std::size_t replications) {
    if (replications == 0) return;
    const std::lock_guard lock{mutex_};
    done_ += replications;
    if (tell_) tell_(done_, total_);
  }

 private:
  const std::function<void(std::size_t, std::size_t)>& tell_;
  std::size_t total_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

/// What all points of a study share.
struct Shared {
  const StudyOptions& options;
  const Simulate& simulate;
  Progress progress;
  FirstFault fault{};
};

class PointRuns {
 public:
  PointRuns(const StudyPoint& point, std::size_t index, Shared& shared)
      : point_{point}, index_{index}, shared_{shared} {}

  /// All replications of the point in their order; fewer than one if the study has failed.
  std::vector<RunResult> run() {
    const RunsSpec& spec = point_.scenario.runs;
    const std::optional<NamedFigure> until = stopping_figure();
    while (runs_.size() < spec.replications) {
      const std::size_t first = runs_.size();
      const std::size_t last =
          until ? std::min<std::size_t>(spec.replications, first + std::max(spec.batch, 1U))
                : spec.replications;
      if (!run_batch(first, last)) return {};
      if (until && is_known(*until)) break;
    }
    shared_.progress.advance(spec.replications - runs_.size());
    return std::move(runs_);
  }

 private:
  std::optional<NamedFigure> stopping_figure() const {
    const std::string& name = point_.scenario.runs.until_figure;
    if (name.empty()) return std::nullopt;
    for (NamedFigure& figure : figures_of(point_.scenario))
      if (figure.name == name && figure.info->numerator != nullptr) return std::move(figure);
    return std::nullopt;
  }

  /// @returns false if the study has failed.
  bool run_batch(std::size_t first, std::size_t last) {
    std::vector<std::optional<RunResult>> batch(last - first);
    // Isolated, lest a thread that waits for this batch begins another point, and keeps its runs too.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(first, last,
                        [&](std::size_t replication) { batch[replication - first] = run_one(replication); });
    });
    for (std::optional<RunResult>& run : batch) {
      if (!run) return false;
      runs_.push_back(*std::move(run));
    }
    return true;
  }

  std::optional<RunResult> run_one(std::size_t replication) {
    if (shared_.fault.is_before({index_, replication})) return std::nullopt;
    const bool each_job = shared_.options.each_job && replication == 0;
    try {
      RunResult run = shared_.simulate(
          point_.scenario, {.replication = static_cast<std::uint32_t>(replication),
                            .records = nullptr,
                            .jobs = each_job ? RunOptions::Jobs::each : RunOptions::Jobs::percentiles});
      shared_.progress.advance(1);
      return run;
    } catch (const RunFault& fault) {
      shared_.fault.add({index_, replication}, describe(point_) + ", replication " +
                                                   std::to_string(replication) + ": " + fault.what());
      return std::nullopt;
    }
  }

  /// Decided by the replications so far alone, so that it is the same at any number of threads.
  bool is_known(const NamedFigure& figure) const {
    const std::vector<RunSums> sums(runs_.begin(), runs_.end());
    const Estimate estimate = parts_of(figure, sums).estimate();
    return estimate.half_width && *estimate.half_width <= point_.scenario.runs.until_half_width;
  }

  const StudyPoint& point_;
  std::size_t index_;
  Shared& shared_;
  std::vector<RunResult> runs_;
};

std::size_t most_replications(const StudyReading& study) {
  std::size_t total = 0;
  for (const StudyPoint& point : study.points) total += point.scenario.runs.replications;
  return total;
}

/// Figures whose differences are asked for beside those that are reported.
std::vector<std::string> figures_to_compare(const StudyReading& study, const Objective& objective) {
  std::vector<std::string> figures{objective.figure};
  for (const StudyPoint& point : study.points) {
    for (const Expectation& expectation : point.scenario.expect) {
      if (expectation.relation == Relation::value) continue;
      figures.push_back(expectation.of.figure);
      if (!expectation.other.figure.empty()) figures.push_back(expectation.other.figure);
    }
  }
  return figures;
}

}  // namespace

StudyResult run_points(const StudyReading& study, const StudyOptions& options, const Simulate& simulate) {
  Shared shared{
      .options = options, .simulate = simulate, .progress = Progress{options, most_replications(study)}};
  const std::vector<std::string> more = figures_to_compare(study, options.objective);
  const bool compares = study.points.size() > 1 || more.size() > 1;
  std::vector<std::optional<Reduction>> reductions(study.points.size());
  // More threads than cores are no mistake: the caller may know better.
  std::optional<tbb::global_control> allow;
  if (options.threads > 0) allow.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  const int threads = options.threads == 0 ? tbb::task_arena::automatic : static_cast<int>(options.threads);
  tbb::task_arena{threads}.execute([&] {
    tbb::parallel_for(std::size_t{0}, study.points.size(), [&](std::size_t index) {
      const std::vector<RunResult> runs = PointRuns{study.points[index], index, shared}.run();
      if (runs.empty()) return;
      reductions[index] = reduce(study.points[index], runs, more);
      if (!compares) reductions[index]->compared.clear();
    });
  });
  shared.fault.raise();

  StudyResult result;
  std::vector<std::vector<FigureParts>> compared;
  for (std::optional<Reduction>& reduction : reductions) {
    result.points.push_back(std::move(reduction->result));
    compared.push_back(std::move(reduction->compared));
  }
  result.differences = differences(result.points, compared);
  result.unequal_jobs = unequal_jobs(result.points);
  for (const UnequalJobs& each : result.unequal_jobs)
    result.points[each.point].warnings.push_back(text_of(each, result.points));
  result.objective = options.objective;
  result.standings = standings(result.points, compared, options.objective);
  result.frontier = frontier(result.points);
  result.expectations = check_expectations(result.points, compared);
  return result;
}

StudyResult run_study(const StudyReading& study, const StudyOptions& options) {
  return run_points(study, options, simulate);
}

}  // namespace fleetsim
