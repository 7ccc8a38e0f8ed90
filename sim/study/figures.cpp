#include "sim/study/figures.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace fleetsim {
namespace {

void fill_in(std::string& pattern, std::string_view word, std::string_view name) {
  const std::size_t at = pattern.find(word);
  if (at != std::string::npos) pattern.replace(at, word.size(), name);
}

std::string name_of(const FigureInfo& info, const FigurePlace& place) {
  std::string name{info.pattern};
  switch (info.scope) {
    case FigureScope::fleet:
      break;
    case FigureScope::leaf:
      fill_in(name, "LEAF", leaf_info(place.leaf).name);
      break;
    case FigureScope::size:
      fill_in(name, "SIZE", size_cohort_name(place.size_cohort));
      break;
    case FigureScope::quota:
      fill_in(name, "QUOTA", place.scenario.scheduler.quotas[place.quota].name);
      break;
    case FigureScope::pool:
      fill_in(name, "POOL", place.pool_spec().name);
      break;
    case FigureScope::job_class:
    case FigureScope::service:
      fill_in(name, "CLASS", place.class_spec().name);
      break;
    case FigureScope::fault_row:
      fill_in(name, "ROW", place.pool_spec().faults[place.row].name);
      fill_in(name, "POOL", place.pool_spec().name);
      break;
    case FigureScope::slow_row:
      fill_in(name, "ROW", place.pool_spec().slow[place.row].name);
      fill_in(name, "POOL", place.pool_spec().name);
      break;
  }
  return name;
}

/// The sizes of gangs that a scenario may have, a bit each.
std::uint32_t size_cohorts_of(const Scenario& scenario) {
  std::uint32_t cohorts = 0;
  const auto add = [&](Capacity gang) { cohorts |= 1U << size_cohort(gang); };
  for (const JobClass& job_class : scenario.classes) {
    if (job_class.gang.shape) {
      add(job_class.gang.shape->capacity());
      continue;
    }
    for (const std::uint32_t size : job_class.gang.sizes) add(Capacity::devices(size));
    for (const ListedJob& job : job_class.arrivals.listed) add(Capacity::devices(job.devices));
  }
  return cohorts;
}

/// Everything that a scope has a figure of.
std::vector<FigurePlace> places_of(FigureScope scope, const Scenario& scenario) {
  std::vector<FigurePlace> places;
  const auto size = [](const auto& entities) { return static_cast<std::uint32_t>(entities.size()); };
  switch (scope) {
    case FigureScope::fleet:
      places.push_back({.scenario = scenario});
      break;
    case FigureScope::leaf:
      for (const LeafInfo& info : leaf_table())
        if (info.boundary != Boundary::useful) places.push_back({.scenario = scenario, .leaf = info.leaf});
      break;
    case FigureScope::size:
      for (std::uint32_t left = size_cohorts_of(scenario); left != 0; left &= left - 1)
        places.push_back(
            {.scenario = scenario, .size_cohort = static_cast<std::uint32_t>(std::countr_zero(left))});
      break;
    case FigureScope::quota:
      for (std::uint32_t quota = 0; quota < size(scenario.scheduler.quotas); ++quota)
        places.push_back({.scenario = scenario, .quota = quota});
      break;
    case FigureScope::pool:
      for (std::uint32_t pool = 0; pool < size(scenario.pools); ++pool)
        places.push_back({.scenario = scenario, .pool = pool});
      break;
    case FigureScope::job_class:
    case FigureScope::service:
      for (std::uint32_t index = 0; index < size(scenario.classes); ++index)
        if ((scenario.classes[index].kind == JobKind::service) == (scope == FigureScope::service))
          places.push_back({.scenario = scenario, .job_class = index});
      break;
    case FigureScope::fault_row:
      for (std::uint32_t pool = 0; pool < size(scenario.pools); ++pool)
        for (std::uint32_t row = 0; row < size(scenario.pools[pool].faults); ++row)
          places.push_back({.scenario = scenario, .pool = pool, .row = row});
      break;
    case FigureScope::slow_row:
      for (std::uint32_t pool = 0; pool < size(scenario.pools); ++pool)
        for (std::uint32_t row = 0; row < size(scenario.pools[pool].slow); ++row)
          places.push_back({.scenario = scenario, .pool = pool, .row = row});
      break;
  }
  return places;
}

/// The device-time a figure is of.
const RunSums::Part& part_of(const NamedFigure& figure, const RunSums& sums) {
  switch (figure.info->scope) {
    case FigureScope::pool:
    case FigureScope::fault_row:
    case FigureScope::slow_row:
      return sums.pools[figure.place.pool];
    case FigureScope::job_class:
    case FigureScope::service:
      return sums.classes[figure.place.job_class];
    case FigureScope::fleet:
    case FigureScope::leaf:
    case FigureScope::size:
    case FigureScope::quota:
      break;
  }
  return sums.fleet;
}

Factors factors_over(const NamedFigure& figure, std::span<const RunSums> runs) {
  LeafTotals all{};
  for (const RunSums& sums : runs) {
    const LeafTotals& leaves = part_of(figure, sums).leaves;
    for (std::size_t i = 0; i < kLeafCount; ++i) all[i] += leaves[i];
  }
  return factors(all);
}

std::string_view lack_of(const NamedFigure& figure, std::span<const RunSums> runs) {
  if (figure.info->numerator == nullptr) return figure.info->without_data;
  if (figure.info->lack == nullptr) return "";
  return figure.info->lack(figure.place, factors_over(figure, runs));
}

}  // namespace

RunSums::RunSums(const RunResult& result) : run{&result} {
  const auto part = [](const LeafTotals& leaves) { return Part{leaves, fleetsim::factors(leaves)}; };
  fleet = part(result.ledger.total());
  for (std::uint32_t pool = 0; pool < result.ledger.pools(); ++pool)
    pools.push_back(part(result.ledger.of_pool(PoolId{pool})));
  for (std::uint32_t index = 0; index < result.ledger.classes(); ++index)
    classes.push_back(part(result.ledger.of_class(ClassId{index})));
}

std::span<const FigureInfo> figure_table() {
  static const std::vector<FigureInfo> table = [] {
    std::vector<FigureInfo> rows;
    for (const auto part : {ledger_and_job_figures(), scheduling_figures(), service_figures()})
      rows.insert(rows.end(), part.begin(), part.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const FigureInfo& a, const FigureInfo& b) { return a.scope < b.scope; });
    return rows;
  }();
  return table;
}

std::vector<NamedFigure> figures_of(const Scenario& scenario) {
  std::vector<NamedFigure> figures;
  const std::span<const FigureInfo> table = figure_table();
  for (auto first = table.begin(); first != table.end();) {
    const FigureScope scope = first->scope;
    const auto last =
        std::find_if(first, table.end(), [&](const FigureInfo& row) { return row.scope != scope; });
    // All figures of one pool, or class, stand together.
    for (const FigurePlace& place : places_of(scope, scenario))
      for (auto row = first; row != last; ++row) figures.push_back({name_of(*row, place), &*row, place});
    first = last;
  }
  return figures;
}

FigureParts parts_of(const NamedFigure& figure, std::span<const RunSums> runs) {
  FigureParts parts{.name = figure.name, .numerators = {}, .denominators = {}};
  if (figure.info->numerator == nullptr) return parts;
  for (const RunSums& sums : runs) {
    parts.numerators.push_back(figure.info->numerator(figure.place, sums));
    parts.denominators.push_back(figure.info->denominator(figure.place, sums));
  }
  return parts;
}

std::optional<Figure> evaluate(const NamedFigure& figure, std::span<const RunSums> runs,
                               const ClosedForms& forms) {
  const FigureInfo& info = *figure.info;
  const auto form = forms.find(figure.name);
  if (info.shown == Shown::with_closed_form && form == forms.end()) return std::nullopt;
  if (info.shown == Shown::where_measured && !figure.place.pool_spec().measure_fragmentation)
    return std::nullopt;
  if (info.shown == Shown::where_elastic && !figure.place.class_spec().elastic) return std::nullopt;
  if (info.shown == Shown::where_in_epochs && !figure.place.class_spec().epoch) return std::nullopt;
  if (info.shown == Shown::where_unmodelled && factors_over(figure, runs).unmodelled == DeviceTime::zero())
    return std::nullopt;

  Figure result;
  result.name = figure.name;
  result.unit = info.unit;
  if (form != forms.end()) {
    result.closed_form = form->second.value;
    result.closed_form_kind = form->second.kind;
  }
  result.simulated.n = runs.size();
  result.absent = lack_of(figure, runs);
  if (!result.absent.empty()) return result;
  result.simulated = parts_of(figure, runs).estimate();
  if (!result.simulated.mean) result.absent = info.without_data;
  return result;
}

}  // namespace fleetsim
