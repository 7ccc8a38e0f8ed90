#include "tools/report/result_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/scenario/installed.hpp"
#include "sim/study/refusal.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json figure_json(const Figure& figure) {
  const Estimate& simulated = figure.simulated;
  Json json;
  json["mean"] = number(simulated.mean);
  if (json["mean"].is_null()) {
    json["reason"] = !figure.absent.empty() ? figure.absent : simulated.mean ? "not finite" : "no data";
  } else {
    json["half_width"] = number(simulated.half_width);
  }
  json["n"] = simulated.n;
  json["unit"] = figure.unit;
  if (figure.closed_form && std::isfinite(*figure.closed_form)) {
    json["closed_form"] = *figure.closed_form;
    json["closed_form_kind"] = figure.closed_form_kind;
  }
  return json;
}

Json figures_json(const PointResult& point) {
  Json json = Json::object();
  for (const Figure& figure : point.figures) json[figure.name] = figure_json(figure);
  return json;
}

Json duration_json(const std::optional<Duration>& time) {
  return time ? Json(std::to_string(time->ns())) : Json(nullptr);
}

Json window_json(const WindowSpec& window) {
  Json json;
  json["length_ns"] = duration_json(window.length);
  if (!window.length) json["until"] = "done";
  json["warm_up_ns"] = duration_json(window.warm_up);
  return json;
}

Json contract_json(const PointResult& point, const Provenance& made_by) {
  const Scenario& scenario = scenario_of(point);
  Json pools = Json::object();
  for (const PoolSpec& pool : scenario.pools) {
    pools[pool.name] = {{"device", pool.device_type}, {"nodes", pool.nodes}, {"devices", devices_of(pool)}};
  }
  Json json;
  json["name"] = scenario.name;
  json["hash"] = point.point->hash;
  json["version"] = made_by.version;
  json["build"] = made_by.build;
  json["gate"] = scenario.contract_gate.empty() ? Json(nullptr) : Json(scenario.contract_gate);
  json["pools"] = std::move(pools);
  json["policy"] = policy_text(scenario.scheduler);
  json["devices"] = device_count(scenario);
  json["denominator"] = "in-service";
  json["ideal"] = ideal_text(scenario);
  json["window"] = window_json(scenario.window);
  json["closing"] = "window closes at its end";
  json["seed"] = scenario.runs.seed;
  json["replications"] = point.replications;
  json["level"] = Json::parse(kLevel);
  return json;
}

Json ledger_json(const PointResult& point) {
  Json json;
  json["installed"] = to_string(point.installed_window);
  json["window_ns"] = to_string(point.window_time);
  const LeafTotals leaves = point.ledger.total();
  for (const LeafInfo& leaf : leaf_table())
    json[std::string(leaf.name)] = to_string(leaves[static_cast<std::size_t>(leaf.leaf)]);
  return json;
}

Json class_json(const ClassOutcome& outcome, const Scenario& scenario) {
  Json json{{"submitted", outcome.submitted},
            {"started", outcome.started},
            {"completed", outcome.completed},
            {"failed", outcome.failed},
            {"cancelled", outcome.cancelled},
            {"killed_at_limit", outcome.killed_at_limit},
            {"unsatisfiable", outcome.unsatisfiable},
            {"no_progress", outcome.no_progress},
            {"gave_up", outcome.gave_up},
            {"unfinished", outcome.unfinished}};
  if (outcome.refusal) json["unsatisfiable_because"] = text_of(*outcome.refusal, scenario);
  return json;
}

Json states_json(const PointResult& point) {
  const Scenario& scenario = scenario_of(point);
  Json runs = Json::object(), jobs = Json::object(), services = Json::object();
  for (std::size_t i = 0; i < point.run_states.size(); ++i)
    runs[std::string(name_of(static_cast<RunState>(i)))] = point.run_states[i];
  for (std::size_t i = 0; i < point.classes.size(); ++i)
    (scenario.classes[i].kind == JobKind::service ? services : jobs)[scenario.classes[i].name] =
        class_json(point.classes[i], scenario);
  Json json;
  json["runs"] = std::move(runs);
  json["holders"] = point.holders;
  json["jobs"] = std::move(jobs);
  if (!services.empty()) json["services"] = std::move(services);
  json["events"] = point.events;
  return json;
}

Json faults_json(const PointResult& point) {
  Json json = Json::object();
  const Scenario& scenario = scenario_of(point);
  for (std::size_t pool = 0; pool < point.faults.size(); ++pool) {
    Json& rows = json[scenario.pools[pool].name] = Json::object();
    for (std::size_t row = 0; row < point.faults[pool].size(); ++row) {
      const FaultOutcome& outcome = point.faults[pool][row];
      rows[scenario.pools[pool].faults[row].name] = {{"failures", outcome.failures},
                                                     {"interruptions", outcome.interruptions}};
    }
  }
  return json;
}

Json sweep_json(const std::vector<std::pair<std::string, std::string>>& at) {
  Json sweep = Json::object();
  for (const auto& [pointer, value] : at) sweep[pointer] = value;
  return sweep;
}

/// Where the point stands in its study.
Json place_json(const StudyPoint& point) {
  return {{"alternative", point.alternative}, {"sweep", sweep_json(point.sweep)}};
}

void add_point(Json& json, const PointResult& point, const Provenance& made_by) {
  json["contract"] = contract_json(point, made_by);
  json["figures"] = figures_json(point);
  json["ledger"] = ledger_json(point);
  json["states"] = states_json(point);
  json["faults"] = faults_json(point);
  json["warnings"] = point.warnings;
  json["scenario"] = Json::parse(point.point->resolved, nullptr, false);
}

Json estimate_json(const Estimate& estimate) {
  return {{"mean", number(estimate.mean)}, {"half_width", number(estimate.half_width)}, {"n", estimate.n}};
}

Json difference_json(const PairedDifference& difference) {
  Json json = {{"point", difference.point}, {"figure", difference.figure}};
  json.update(estimate_json(difference.difference));
  return json;
}

Json standing_json(const Standing& standing) {
  Json json = {{"point", standing.point}, {"best", standing.best}, {"told_apart", standing.is_told_apart()}};
  json.update(estimate_json(standing.less_best));
  return json;
}

Json frontier_json(const FrontierEntry& entry) {
  Json json = {{"point", entry.point},
               {"time_figure", entry.time_figure},
               {"time_to_result", number(entry.time_to_result)},
               {"mpg", number(entry.mpg)},
               {"cost", number(entry.cost)},
               {"efficient", entry.efficient}};
  if (!entry.incomparable.empty()) json["reason"] = entry.incomparable;
  return json;
}

Json expectation_json(const ExpectationOutcome& outcome) {
  const Expectation& expected = *outcome.expectation;
  Json json{{"point", outcome.point}, {"figure", expected.of.figure}};
  json["basis"] = expected.basis == Basis::closed_form ? "closed_form" : "simulated";
  if (expected.relation == Relation::value) {
    json["expected"] = number(expected.value);
    json["within"] = number(expected.within);
  } else {
    Json& other = json[expected.relation == Relation::above ? "above" : "below"];
    if (expected.other.figure.empty()) {
      other = number(expected.value);
    } else {
      other = {{"figure", expected.other.figure}, {"alternative", expected.other.alternative}};
      other["sweep"] = sweep_json(expected.other.at);
    }
  }
  json["found"] = number(outcome.value);
  json["half_width"] = number(outcome.half_width);
  json["met"] = outcome.met;
  json["source"] = expected.source;
  return json;
}

template <class T, class Convert>
Json list(const std::vector<T>& items, Convert convert) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(convert(item));
  return json;
}

}  // namespace

std::string result_json(const StudyResult& study, const Provenance& made_by) {
  Json json = {{"schema", kResultSchema}};
  if (study.points.size() == 1) {
    add_point(json, study.points.front(), made_by);
  } else {
    json["points"] = list(study.points, [&](const PointResult& point) {
      Json each = place_json(*point.point);
      add_point(each, point, made_by);
      return each;
    });
    json["frontier"] = list(study.frontier, frontier_json);
    json["differences"] = list(study.differences, difference_json);
    const bool highest = study.objective.best == Objective::Best::highest;
    json["objective"] = {{"figure", study.objective.figure}, {"best", highest ? "highest" : "lowest"}};
    json["standings"] = list(study.standings, standing_json);
  }
  if (!study.expectations.empty()) json["expectations"] = list(study.expectations, expectation_json);
  // Text that is not UTF-8 (the name of a file, say) is mended, for JSON is UTF-8 or nothing.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fleetsim
