#include "sim/study/figures.hpp"

#include <algorithm>
#include <utility>

namespace fleetsim {
namespace {

std::string with(std::string_view pattern, std::string_view word, std::string_view name) {
  std::string text{pattern};
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.replace(at, word.size(), name);
}

/// The figures of one row, with the entities that its scope runs over.
void add_row(const FigureInfo& info, const Scenario& scenario, std::vector<NamedFigure>& figures) {
  const auto size = [](const auto& entities) { return static_cast<std::uint32_t>(entities.size()); };
  const FigurePlace place{.scenario = scenario};
  switch (info.scope) {
    case FigureScope::fleet:
      figures.push_back({std::string{info.pattern}, &info, place});
      break;
    case FigureScope::leaf:
      for (const LeafInfo& leaf : leaf_table()) {
        if (leaf.boundary == Boundary::useful) continue;
        figures.push_back(
            {with(info.pattern, "LEAF", leaf.name), &info, {.scenario = scenario, .leaf = leaf.leaf}});
      }
      break;
    case FigureScope::pool:
      for (std::uint32_t pool = 0; pool < size(scenario.pools); ++pool)
        figures.push_back({with(info.pattern, "POOL", scenario.pools[pool].name),
                           &info,
                           {.scenario = scenario, .pool = pool}});
      break;
    case FigureScope::job_class:
      for (std::uint32_t index = 0; index < size(scenario.classes); ++index)
        figures.push_back({with(info.pattern, "CLASS", scenario.classes[index].name),
                           &info,
                           {.scenario = scenario, .job_class = index}});
      break;
    case FigureScope::fault_row:
      for (std::uint32_t pool = 0; pool < size(scenario.pools); ++pool) {
        const PoolSpec& spec = scenario.pools[pool];
        const std::string of_pool = with(info.pattern, "POOL", spec.name);
        for (std::uint32_t row = 0; row < size(spec.faults); ++row)
          figures.push_back({with(of_pool, "ROW", spec.faults[row].name),
                             &info,
                             {.scenario = scenario, .pool = pool, .row = row}});
      }
      break;
  }
}

/// Whether the figures are of a pool or class rather than of the fleet decides whose device-time it is.
const RunSums::Part& part_of(const NamedFigure& figure, const RunSums& sums) {
  switch (figure.info->scope) {
    case FigureScope::pool:
    case FigureScope::fault_row:
      return sums.pools[figure.place.pool];
    case FigureScope::job_class:
      return sums.classes[figure.place.job_class];
    case FigureScope::fleet:
    case FigureScope::leaf:
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

std::vector<NamedFigure> figures_of(const Scenario& scenario) {
  std::vector<NamedFigure> figures;
  for (const FigureInfo& info : figure_table()) add_row(info, scenario, figures);
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
