#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/catalog/catalog.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

/// Mean time to failure in seconds of what does not fail. Rows of a rate of zero are kept, so that the
/// streams of the others stay the same; no run lasts long enough to tell such a row from none.
constexpr double kNeverFails = 1e100;

struct Lemons {
  double share = 0.0, factor = 1.0;
};

/// What `faults` says for rows that say nothing.
struct RowDefaults {
  std::optional<FaultScope> takes_out;
  std::optional<Duration> detect;
  Distribution repair{Distribution::Fixed{0}};
  Lemons lemons;
};

Lemons read_lemons(const Reader& in, Lemons lemons) {
  const std::optional<Reader> given = in.object("lemons");
  if (!given) return lemons;
  assign(lemons.share, given->share("share"));
  if (assign(lemons.factor, given->number("factor")) && lemons.factor < 1)
    given->expected("factor", "a number of 1 or more");
  return lemons;
}

std::optional<FaultScope> read_hits(const Reader& in) {
  return in.choice("hits", {FaultScope::device, FaultScope::node, FaultScope::rack});
}

std::optional<FaultScope> read_takes_out(const Reader& in) {
  return in.choice("takes_out",
                   {FaultScope::nothing, FaultScope::device, FaultScope::node, FaultScope::rack});
}

RowDefaults read_defaults(const Reader& in) {
  RowDefaults defaults;
  defaults.takes_out = read_takes_out(in);
  defaults.detect = in.duration("detect");
  assign(defaults.repair, in.distribution("repair"));
  defaults.lemons = read_lemons(in, {});
  return defaults;
}

/// What a failure of `hits` takes out when nothing is said: a node, or all of what broke.
FaultScope usual_takes_out(FaultScope hits) { return std::max(hits, FaultScope::node); }

void check_takes_out(const Reader& in, FaultScope hits, FaultScope takes_out) {
  if (takes_out == FaultScope::nothing || takes_out >= hits) return;
  in.problem(in.has("takes_out") ? "takes_out" : "hits",
             "expected \"takes_out\" to be nothing or at least what \"hits\" says; found less");
}

/// The mean of an exponential lifetime of this rate.
Distribution at_rate(PerSecond rate) {
  const double mean = rate.si > 0 ? (1.0 / rate).si : kNeverFails;
  return Distribution{Distribution::Exponential{std::min(mean, kNeverFails)}};
}

std::optional<Distribution> read_mttf(const Reader& in) {
  const Json& value = *in.find("mttf");
  if (value == "inf" || value == "never") return at_rate(PerSecond{0});
  const std::optional<Duration> mean = in.duration("mttf", Sign::positive);
  if (!mean) return std::nullopt;
  return Distribution{Distribution::Exponential{to_seconds(*mean).si}};
}

std::optional<Distribution> read_lifetime(const Reader& in) {
  if (in.at_most_one({"mttf", "rate", "lifetime"}) == 0) {
    in.problem("expected one of \"mttf\", \"rate\" and \"lifetime\"; found none");
    return std::nullopt;
  }
  if (in.has("mttf")) return read_mttf(in);
  if (in.has("rate")) {
    const std::optional<PerSecond> rate = in.rate("rate");
    if (!rate) return std::nullopt;
    return at_rate(*rate);
  }
  const std::optional<Distribution> lifetime = in.distribution("lifetime");
  const bool continuous = lifetime && least_value(*lifetime) == 0 && !lifetime->is_fixed() &&
                          !std::holds_alternative<Distribution::Empirical>(lifetime->shape()) &&
                          !std::holds_alternative<Distribution::Choice>(lifetime->shape());
  if (lifetime && least_value(*lifetime) <= 0 && !continuous) {
    in.problem("lifetime", "expected times above zero; found 0 s, at which failures would never cease");
  }
  return lifetime;
}

FaultRow read_component(const Reader& in, const std::string& name, const RowDefaults& defaults) {
  FaultRow row{
      .name = name, .lifetime = at_rate(PerSecond{0}), .detect = defaults.detect, .repair = defaults.repair};
  assign(row.hits, read_hits(in));
  row.takes_out = defaults.takes_out.value_or(usual_takes_out(row.hits));
  assign(row.takes_out, read_takes_out(in));
  check_takes_out(in, row.hits, row.takes_out);
  assign(row.lifetime, read_lifetime(in));
  assign(row.detect, in.duration("detect"));
  assign(row.repair, in.distribution("repair"));
  const Lemons lemons = read_lemons(in, defaults.lemons);
  row.lemon_share = lemons.share;
  row.lemon_factor = lemons.factor;
  return row;
}

FaultScope scope(Hits hits) {
  switch (hits) {
    case Hits::kDevice:
      return FaultScope::device;
    case Hits::kNode:
      return FaultScope::node;
    case Hits::kRack:
      return FaultScope::rack;
  }
  return FaultScope::device;
}

FaultScope scope(TakesOut takes_out) {
  switch (takes_out) {
    case TakesOut::kNothing:
      return FaultScope::nothing;
    case TakesOut::kDevice:
      return FaultScope::device;
    case TakesOut::kNode:
      return FaultScope::node;
  }
  return FaultScope::nothing;
}

std::vector<FaultRow> catalog_rows(const Reader& in, const std::string& mix, const RowDefaults& defaults) {
  std::vector<FaultRow> rows;
  const Found<FailureMix> known = failure_mix(mix);
  if (!known) {
    in.problem("components", known.problem);
    return rows;
  }
  for (const FailureRow& given : known.entry->rows) {
    FaultRow row{.name = given.name,
                 .lifetime = at_rate(given.rate),
                 .detect = defaults.detect,
                 .repair = defaults.repair};
    row.hits = scope(given.hits);
    row.takes_out = defaults.takes_out.value_or(scope(given.takes_out));
    check_takes_out(in, row.hits, row.takes_out);
    row.lemon_share = defaults.lemons.share;
    row.lemon_factor = defaults.lemons.factor;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<std::uint32_t> pool_by_name(const Reader& in, const Scenario& scenario) {
  std::vector<std::string_view> names;
  for (const PoolSpec& pool : scenario.pools) names.push_back(pool.name);
  const std::optional<std::string> name = in.name("pool", "pool", names);
  if (!name) return std::nullopt;
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), *name) - names.begin());
}

}  // namespace

std::optional<std::uint32_t> place_in_pools(const Reader& in, const PoolSpec* pool,
                                            const Scenario& scenario) {
  const std::optional<std::uint32_t> named = pool_by_name(in, scenario);
  if (named) return named;
  if (pool != nullptr) return static_cast<std::uint32_t>(pool - scenario.pools.data());
  if (!in.has("pool") && scenario.pools.size() > 1)
    in.problem("missing key \"pool\": there are several pools");
  return std::nullopt;
}

namespace {

ScriptedFault read_incident(const Reader& in) {
  ScriptedFault fault;
  assign(fault.at, in.instant("at"));
  assign(fault.hits, read_hits(in));
  fault.takes_out = usual_takes_out(fault.hits);
  assign(fault.takes_out, read_takes_out(in));
  check_takes_out(in, fault.hits, fault.takes_out);
  assign(fault.detect, in.duration("detect"));
  assign(fault.repair, in.duration("repair"));
  return fault;
}

}  // namespace

bool spans_racks(const FaultRow& row) {
  return row.hits == FaultScope::rack || row.takes_out == FaultScope::rack;
}

std::vector<FaultRow> read_fault_rows(const Reader& in) {
  const RowDefaults defaults = read_defaults(in);
  const Json* components = in.find("components");
  if (components == nullptr) return {};
  if (components->is_string()) return catalog_rows(in, components->get<std::string>(), defaults);
  if (!components->is_object()) {
    in.expected("components", "\"textbook\" or another mix of the catalog, or an object of rows by name");
    return {};
  }
  std::vector<FaultRow> rows;
  for (const auto& [name, component] : in.objects("components")) {
    rows.push_back(read_component(component, name, defaults));
  }
  return rows;
}

void read_incidents(const Reader& in, const PoolSpec* pool, Scenario& scenario) {
  for (const Reader& incident : in.list("incidents")) {
    ScriptedFault fault = read_incident(incident);
    assign(fault.pool, place_in_pools(incident, pool, scenario));
    if (fault.pool >= scenario.pools.size()) continue;
    const PoolSpec& struck = scenario.pools[fault.pool];
    const auto last = [](std::uint32_t count) { return count - 1; };  // of none, wrongly given: no bound
    assign(fault.node, incident.count("node", 0, last(struck.nodes)));
    assign(fault.device, incident.count("device", 0, last(struck.devices_per_node)));
    scenario.script.push_back(fault);
  }
}

}  // namespace fleetsim
