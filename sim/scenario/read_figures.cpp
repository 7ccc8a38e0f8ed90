#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kBase = "base";

/// Where a figure stands, as far as `in` says so; what it leaves out is as in `rest`.
FigureOfPoint read_place(const Reader& in, const StudyNames& study, const Scenario& scenario,
                         FigureOfPoint rest) {
  if (assign(rest.figure, in.text("figure"))) check_figure(in, "figure", rest.figure, scenario);
  const auto is_named = [&](std::string_view name) {
    return std::find(study.alternatives.begin(), study.alternatives.end(), name) != study.alternatives.end();
  };
  if (const Json* const value = in.find("alternative");
      value != nullptr && *value == kBase && !is_named(kBase)) {
    rest.alternative.clear();
  } else {
    assign(rest.alternative, in.name("alternative", "alternative", study.alternatives));
  }
  const Json* const at = in.find("at");
  if (at != nullptr && !at->is_object()) in.expected("at", "an object of values by JSON pointer");
  if (at == nullptr || !at->is_object()) return rest;
  const Reader axes(*at, in.pointer_of("at"), "", in.problems());
  std::vector<std::string_view> known;
  for (const auto& [pointer, ignored] : study.sweep.items()) known.push_back(pointer);
  for (const auto& [pointer, value] : at->items()) {
    const auto axis = study.sweep.find(pointer);
    if (axis == study.sweep.end()) {
      axes.problem(pointer, unknown_name("axis of the sweep", pointer, known));
    } else if (std::find(axis->begin(), axis->end(), value) == axis->end()) {
      axes.expected(pointer, "one of the values " + axis->dump() + " that the sweep has there");
    }
    const auto same = std::find_if(rest.at.begin(), rest.at.end(),
                                   [&key = pointer](const auto& each) { return each.first == key; });
    if (same != rest.at.end()) rest.at.erase(same);
    rest.at.emplace_back(pointer, axis_text(value));
  }
  return rest;
}

Expectation read_expectation(const Reader& in, const StudyNames& study, const Scenario& scenario) {
  Expectation expectation;
  expectation.of = read_place(in, study, scenario, {});
  assign(expectation.basis, in.choice("basis", {Basis::closed_form, Basis::simulated}));
  assign(expectation.source, in.text("source"));
  if (in.at_most_one({"value", "above", "below"}) == 0)
    in.problem("expected a \"value\", or what it is \"above\" or \"below\"; found none of them");
  assign(expectation.value, in.number("value"));
  for (const auto& [key, relation] : {std::pair{"above", Relation::above}, {"below", Relation::below}}) {
    if (!in.has(key)) continue;
    expectation.relation = relation;
    if (in.has("within")) in.problem("within", "goes with \"value\"; a comparison goes by its interval");
    if (expectation.basis == Basis::closed_form)
      in.problem(key, "goes with basis \"simulated\": replications are compared, one by one");
    if (!in.find(key)->is_object()) {
      if (!in.find(key)->is_number()) in.expected(key, "a number, or an object");
      assign(expectation.value, in.find(key)->is_number() ? in.number(key) : std::nullopt);
      return expectation;
    }
    const std::optional<Reader> other = in.object(key);
    expectation.other = read_place(*other, study, scenario, expectation.of);
    if (other->present({"figure", "alternative", "at"}).empty())
      other->problem(
          "expected a \"figure\", an \"alternative\" or a place \"at\" to compare with; found none");
    return expectation;
  }
  if (assign(expectation.within, in.number("within")) && *expectation.within < 0)
    in.expected("within", "a number of 0 or more");
  if (expectation.basis == Basis::closed_form && in.has("basis") && !in.has("within"))
    in.problem("missing key \"within\", which a closed form needs");
  return expectation;
}

}  // namespace

std::string axis_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void check_figure(const Reader& in, std::string_view key, const std::string& figure,
                  const Scenario& scenario) {
  const auto check = [&](std::string_view prefix, std::string_view what,
                         const std::vector<std::string_view>& names) {
    if (!figure.starts_with(prefix)) return;
    const std::string rest = figure.substr(prefix.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end())
      in.problem(key, unknown_name(what, name, names));
  };
  std::vector<std::string_view> pools, jobs, services;
  for (const PoolSpec& pool : scenario.pools) pools.push_back(pool.name);
  for (const JobClass& job : scenario.classes)
    (job.kind == JobKind::service ? services : jobs).push_back(job.name);
  check("pools.", "pool", pools);
  check("services.", "service", services);
  check("jobs.", "workload", jobs);
  if (figure.empty()) in.expected(key, "the name of a figure");
}

void read_figures(const Reader& root, const StudyNames& study, Scenario& scenario) {
  const Json* assumed = root.find("assume");
  if (assumed != nullptr && !assumed->is_object()) root.expected("assume", "an object of numbers by figure");
  if (assumed != nullptr && assumed->is_object()) {
    const Reader figures(*assumed, root.pointer_of("assume"), "", root.problems());
    for (const auto& [figure, ignored] : assumed->items()) {
      check_figure(figures, figure, figure, scenario);
      if (const auto value = figures.number(figure)) scenario.assume.push_back({figure, *value});
    }
  }
  for (const Reader& in : root.list("expect"))
    scenario.expect.push_back(read_expectation(in, study, scenario));
}

}  // namespace fleetsim
