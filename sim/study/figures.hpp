#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/result.hpp"
#include "sim/ledger/ledger.hpp"
#include "sim/scenario/spec.hpp"
#include "sim/study/closed_form.hpp"
#include "sim/study/study.hpp"

namespace fleetsim {

/// What there is one figure of: the whole fleet; or each leaf, size of gangs, quota, pool, class of jobs, or
/// row of failures. Results list figures in this order.
enum class FigureScope : std::uint8_t {
  fleet,
  leaf,
  size,
  quota,
  pool,
  job_class,  ///< all but services
  service,
  fault_row,
  slow_row,
};

/// One replication, with the sums of its ledger made once.
struct RunSums {
  struct Part {
    LeafTotals leaves{};
    Factors factors;
  };
  explicit RunSums(const RunResult& result);

  const RunResult* run;
  Part fleet;
  std::vector<Part> pools, classes;
};

/// What a figure is of. The indices that its scope does not name are 0.
struct FigurePlace {
  const Scenario& scenario;
  std::uint32_t pool = 0, row = 0, job_class = 0, size_cohort = 0, quota = 0;
  Leaf leaf = Leaf::ideal;

  const PoolSpec& pool_spec() const { return scenario.pools[pool]; }
  const JobClass& class_spec() const { return scenario.classes[job_class]; }
};

/// One side of a ratio, of one replication, as an exact integer in the nearest double, or in the figure's
/// unit.
using Amount = double (*)(const FigurePlace&, const RunSums&);

/// Why a figure has no simulated value, from the scenario and the device-time of its scope; "" if it has one.
using Lack = std::string_view (*)(const FigurePlace&, const Factors&);

enum class Shown : std::uint8_t {
  always,
  where_unmodelled,  ///< retained time without a known ideal makes a range of it
  with_closed_form,  ///< only beside its closed form
  where_measured,    ///< fragmentation of a pool that the scenario asks for
  where_elastic,     ///< of a class whose gangs may change their size
  where_in_epochs,   ///< of a class whose work is told in epochs
};

/// A row of the table of figures. Over replications a figure is the sum of numerators over the sum of
/// denominators.
struct FigureInfo {
  /// Its name, with LEAF, SIZE, QUOTA, POOL, CLASS and ROW in place of what it is of.
  std::string_view pattern;
  FigureScope scope;
  std::string_view unit;
  std::string_view about;
  Amount numerator;  ///< nullptr: known from the scenario alone, by its closed form
  Amount denominator;
  std::string_view without_data;  ///< why there is no value where the denominators sum to nothing
  Lack lack = nullptr;
  Shown shown = Shown::always;
};

/// All figures, in the order in which results list them.
std::span<const FigureInfo> figure_table();

// Parts of the table, a file each.
std::span<const FigureInfo> ledger_and_job_figures();
/// Failures inside the window that stopped a gang, by a component or at a given instant.
double interruptions(const FigurePlace& place, const RunSums& sums);
std::span<const FigureInfo> scheduling_figures();
std::span<const FigureInfo> service_figures();

/// A figure of a scenario.
struct NamedFigure {
  std::string name;
  const FigureInfo* info;
  FigurePlace place;
};

/// The figures of a scenario: every row of the table for everything it is of. They refer to the scenario.
std::vector<NamedFigure> figures_of(const Scenario& scenario);

/// Numerators and denominators of a figure by replication; none for one without a numerator.
struct FigureParts {
  std::string name;
  std::vector<double> numerators, denominators;

  Estimate estimate() const { return ratio_of_sums({numerators, denominators}); }
};
FigureParts parts_of(const NamedFigure& figure, std::span<const RunSums> runs);

/// The figure over replications beside its closed form; nothing if it is not shown.
std::optional<Figure> evaluate(const NamedFigure& figure, std::span<const RunSums> runs,
                               const ClosedForms& forms);

}  // namespace fleetsim
