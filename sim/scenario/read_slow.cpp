#include <nlohmann/json.hpp>

#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::string_view kSpeed = "a speed above 0 and below 1, or two of them: [least, most]";

bool is_speed(const Json& value) {
  return value.is_number() && value.get<double>() > 0 && value.get<double>() < 1;
}

struct Speeds {
  double least, most;
};

std::optional<Speeds> read_speeds(const Reader& in) {
  const Json* value = in.find("speed");
  if (value == nullptr) return std::nullopt;
  if (is_speed(*value)) return Speeds{value->get<double>(), value->get<double>()};
  const bool two = value->is_array() && value->size() == 2 && is_speed((*value)[0]) &&
                   is_speed((*value)[1]) && (*value)[0] <= (*value)[1];
  if (two) return Speeds{(*value)[0].get<double>(), (*value)[1].get<double>()};
  in.expected("speed", kSpeed);
  return std::nullopt;
}

std::optional<FaultScope> what_is_slow(const Reader& in) {
  return in.choice("hits", {FaultScope::device, FaultScope::node, FaultScope::rack});
}

std::optional<SlowCause> read_cause(const Reader& in) {
  return in.choice("cause", {SlowCause::straggler, SlowCause::noisy_neighbour});
}

SlowRow read_slow_row(const Reader& in, const std::string& name) {
  SlowRow row;
  row.name = name;
  check_name(in, "row of slowness", name);
  assign(row.hits, what_is_slow(in));
  assign(row.cause, read_cause(in));
  assign(row.share, in.share("share"));
  assign(row.rate, in.rate("rate"));
  if (!in.has("share") && !in.has("rate"))
    in.problem("expected a \"share\" that is slow from the start, or a \"rate\" of episodes; found neither");
  assign(row.length, in.distribution("length"));
  assign(row.repair, in.distribution("repair"));
  if (const auto speeds = read_speeds(in)) {
    row.least_speed = speeds->least;
    row.most_speed = speeds->most;
  }
  if (row.cause != SlowCause::straggler && in.has("repair"))
    in.problem("repair", "means nothing to links that others use: only a straggler is repaired");
  if (row.cause != SlowCause::straggler && in.has("rate") && !in.has("length"))
    in.problem("missing key \"length\": traffic of others ends, where nothing is repaired");
  return row;
}

}  // namespace

std::vector<SlowRow> read_slow_rows(const Reader& in) {
  std::vector<SlowRow> rows;
  for (const auto& [name, row] : in.objects("slow")) rows.push_back(read_slow_row(row, name));
  return rows;
}

void read_slow_episodes(const Reader& in, const PoolSpec* pool, Scenario& scenario) {
  for (const Reader& entry : in.list("episodes")) {
    ScriptedSlowness episode;
    assign(episode.at, entry.instant("at"));
    entry.at_most_one({"for", "until"});
    assign(episode.length, entry.duration("for", Sign::positive));
    if (const auto until = entry.instant("until")) {
      if (*until <= episode.at) entry.expected("until", "an instant after \"at\"");
      episode.length = *until - episode.at;
    }
    assign(episode.hits, what_is_slow(entry));
    assign(episode.cause, read_cause(entry));
    assign(episode.repair, entry.duration("repair"));
    if (const auto speeds = read_speeds(entry)) {
      if (speeds->least != speeds->most) entry.expected("speed", "one speed: this is one episode");
      episode.speed = speeds->least;
    }
    if (const auto index = place_in_pools(entry, pool, scenario)) episode.pool = *index;
    if (episode.pool >= scenario.pools.size()) continue;
    const PoolSpec& struck = scenario.pools[episode.pool];
    const auto last = [](std::uint32_t count) { return count - 1; };  // of none, wrongly given: no bound
    assign(episode.node, entry.count("node", 0, last(struck.nodes)));
    assign(episode.device, entry.count("device", 0, last(struck.devices_per_node)));
    scenario.slow_script.push_back(episode);
  }
}

void read_swap(const Reader& in, const ClassContext& context, JobClass& job) {
  if (const auto policy = in.object("stragglers")) {
    SwapPolicy& swap = job.swap.emplace();
    assign(swap.after, policy->duration("swap_after"));
    assign(swap.at, policy->choice("swap", {SwapAt::now, SwapAt::commit}));
    if (swap.at == SwapAt::commit && job.checkpoint.mode == CheckpointMode::none)
      policy->problem(
          "swap", "\"at_commit\" needs a \"checkpoint\": without one nothing is committed before the end");
    if (job.step.continuous) policy->problem("needs \"step\": without steps nothing is slowed");
  }
  if (!job.step.continuous || job.kind == JobKind::reservation) return;
  const auto& script = context.scenario.slow_script;
  for (const std::uint32_t pool : job.pools) {
    const auto is_here = [pool](const ScriptedSlowness& episode) { return episode.pool == pool; };
    if (context.scenario.pools[pool].slow.empty() && std::none_of(script.begin(), script.end(), is_here))
      continue;
    context.notes.push_back("jobs of " + job.name +
                            " have no \"step\", and are not slowed by stragglers or neighbours");
    return;
  }
}

}  // namespace fleetsim
