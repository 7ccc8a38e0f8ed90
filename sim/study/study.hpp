#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/statistics.hpp"
#include "sim/engine/result.hpp"
#include "sim/scenario/read.hpp"

namespace fleetsim {

/// A figure of a run: a ratio of integers summed over replications, with its interval; and beside it what the
/// equations say from the scenario's inputs alone.
struct Figure {
  std::string name;  ///< dotted, e.g. "jobs.llama.runtime_goodput"
  std::string unit;  ///< "1", "s", "USD/GPU-h", "count"
  Estimate simulated;
  std::optional<double> closed_form;
  std::string closed_form_kind;  ///< "first order", "exact renewal", "assumed", ...; "" if absent
  std::string absent;            ///< why there is no simulated value; "" if there is one
};

/// All replications of one point of a study, reduced in the order of their index.
struct PointResult {
  const StudyPoint* point = nullptr;
  std::uint32_t replications = 0;
  std::vector<Figure> figures{};        ///< in a fixed order
  Ledger ledger;                        ///< summed over replications
  DeviceTime installed_window{};        ///< installed capacity x time, summed over replications
  DeviceTime window_time{};             ///< lengths of the windows, 1 a nanosecond, summed likewise
  std::vector<ClassOutcome> classes{};  ///< summed
  std::vector<std::vector<FaultOutcome>> faults{};   ///< summed
  std::vector<std::int64_t> run_states{};            ///< how many runs ended in each RunState
  std::vector<std::string> holders{};                ///< of the first run that stalled or ran out of time
  std::vector<JobOutcome> jobs{};                    ///< of replication 0
  std::vector<FragmentationSample> fragmentation{};  ///< of replication 0, when jobs are asked for
  std::vector<PreemptionRow> preemptions{};          ///< of replication 0, when jobs are asked for
  std::uint64_t events = 0;
  std::vector<std::string> warnings{};  ///< e.g. the window is shorter than the MTBF

  const Figure* find(std::string_view figure) const;
};

/// Jobs with an end, over all replications.
struct JobCount {
  std::int64_t completed = 0, submitted = 0;
};
JobCount count_jobs(const PointResult& point);

/// The difference of a figure between an alternative and the base, over the same replications (common random
/// numbers).
struct PairedDifference {
  std::size_t point = 0;  ///< index into StudyResult::points
  std::string figure;
  Estimate difference;  ///< alternative - base
};

/// An alternative under which other jobs completed than under the base: means over completed jobs are then
/// not to be compared.
struct UnequalJobs {
  std::size_t point = 0, base = 0;  ///< indices into StudyResult::points
};

/// What makes one point of a sweep better than another.
struct Objective {
  std::string figure = "mpg";
  enum class Best : std::uint8_t { highest, lowest } best = Best::highest;
};

/// How far a point is from the best of the points of its alternative, over the same replications.
struct Standing {
  std::size_t point = 0;
  std::size_t best = 0;  ///< index into StudyResult::points
  Estimate less_best;    ///< of the best point itself: 0

  bool is_best() const { return point == best; }
  /// Whether their difference may be chance.
  bool is_told_apart() const {
    return less_best.half_width && std::abs(*less_best.mean) > *less_best.half_width;
  }
};

/// Whether a point is on the frontier of time to result and cost per useful device-hour, or MPG where nothing
/// has a price.
struct FrontierEntry {
  std::size_t point = 0;
  std::string job_class;    ///< whose time to result counts; "" if none ends
  std::string time_figure;  ///< the figure compared: of that class, "makespan", or ""
  std::optional<double> time_to_result, mpg, cost;
  std::string incomparable;  ///< what this point lacks and others have; "" if nothing
  bool efficient = false;    ///< no other point is at least as good in all and better in one
};

struct ExpectationOutcome {
  std::size_t point = 0;
  const Expectation* expectation = nullptr;
  /// What came out: the figure, or by how much it is above the other; absent: there is no value.
  std::optional<double> value;
  std::optional<double> half_width;
  bool met = false;
};

struct StudyResult {
  std::vector<PointResult> points;
  std::vector<PairedDifference> differences;
  std::vector<UnequalJobs> unequal_jobs;
  Objective objective;
  std::vector<Standing> standings;  ///< of points that have a value of the objective; none of a single point
  std::vector<FrontierEntry> frontier;
  std::vector<ExpectationOutcome> expectations;
};

struct StudyOptions {
  std::uint32_t threads = 0;  ///< 0: as many as there are cores
  Objective objective{};
  bool each_job = false;                                                ///< fill PointResult::jobs
  std::function<void(std::size_t done, std::size_t total)> progress{};  ///< called from one thread at a time
};

/// Runs every point x replication; independent, keyed by replication, the same bytes at any number of
/// threads.
StudyResult run_study(const StudyReading& study, const StudyOptions& options);

}  // namespace fleetsim
