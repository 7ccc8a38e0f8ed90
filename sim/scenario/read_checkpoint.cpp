#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/checkpoint/interval.hpp"
#include "models/quantity/format.hpp"
#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

/// How many nodes and racks a gang of so many devices spans when it is packed.
struct Span {
  double devices = 0, nodes = 0, racks = 0;
  double devices_per_node = 1, nodes_per_rack = 1;
};

/// Nodes of a rack, on average; pools are large, so only where failures of racks ask for it.
double mean_rack(const PoolSpec& pool) {
  if (std::none_of(pool.faults.begin(), pool.faults.end(), spans_racks)) return 1;
  std::vector<std::uint32_t> racks = pool.racks;
  std::sort(racks.begin(), racks.end());
  const auto distinct = std::unique(racks.begin(), racks.end()) - racks.begin();
  return static_cast<double>(pool.nodes) / static_cast<double>(std::max<std::ptrdiff_t>(distinct, 1));
}

Span span_of(const PoolSpec& pool, const GangSpec& gang) {
  Span span;
  span.devices = std::max(std::ceil(mean_devices(gang)), 1.0);
  span.devices_per_node = std::max(pool.devices_per_node, 1U);
  span.nodes = std::ceil(span.devices / span.devices_per_node);
  if (gang.shape && gang.shape->milli == 0) span.nodes = static_cast<double>(gang.shape->members());
  span.nodes_per_rack = std::max(mean_rack(pool), 1.0);
  span.racks = std::ceil(span.nodes / span.nodes_per_rack);
  return span;
}

/// Entities of the row whose failure interrupts the gang: all those inside what a failure takes out and the
/// gang touches.
double entities(const FaultRow& row, const Span& span) {
  const double per_rack = span.nodes_per_rack;
  switch (std::max(row.hits, row.takes_out)) {
    case FaultScope::nothing:
    case FaultScope::device:
      return span.devices;
    case FaultScope::node:
      return row.hits == FaultScope::node ? span.nodes : span.nodes * span.devices_per_node;
    case FaultScope::rack:
      break;
  }
  if (row.hits == FaultScope::rack) return span.racks;
  return span.racks * per_rack * (row.hits == FaultScope::node ? 1 : span.devices_per_node);
}

/// Sizes and times of one checkpoint, but for its interval.
void read_write(const Reader& in, const ClassContext& context, CheckpointSpec& spec) {
  if (context.model) spec.size = checkpoint_bytes(*context.model);
  if (context.recommender) spec.size = checkpoint_bytes(*context.recommender);
  assign(spec.size, in.bytes("size"));
  assign(spec.bandwidth, in.byte_rate("bandwidth"));
  const bool known = spec.size && spec.bandwidth;
  // What is there and wrong has been said to be wrong.
  const bool given = (spec.size || in.has("size") || context.names_model) && in.has("bandwidth");
  const Duration write = known ? round_to_duration(*spec.size / *spec.bandwidth) : Duration::zero();
  const bool async = spec.mode == CheckpointMode::asynchronous;
  const bool paused = assign(spec.pause, in.duration("pause"));
  if (!async) {
    if (!paused && known) spec.pause = write;
    if (!in.has("pause") && !given) {
      in.problem(
          "expected \"pause\", or \"bandwidth\" with \"size\" or a model, to know how long a checkpoint "
          "takes; found neither");
    }
    for (const std::string_view key : in.present({"flush", "step_slowdown", "interval_from"})) {
      in.problem(key, "goes with \"mode\": \"async\"");
    }
    return;
  }
  if (!assign(spec.flush, in.duration("flush", Sign::positive)) && !in.has("flush")) {
    spec.flush = write;
    if (!given) {
      in.problem(
          "expected \"flush\", or \"bandwidth\" with \"size\" or a model, to know when an asynchronous "
          "checkpoint is durable; found neither");
    }
  }
  assign(spec.interval_from, in.choice("interval_from", {IntervalFrom::stage, IntervalFrom::commit}));
}

/// The excess of steps during a flush: a time, or a share of the step.
void read_slowdown(const Reader& in, const StepSpec& step, CheckpointSpec& spec) {
  const Json* value = in.find("step_slowdown");
  if (value == nullptr || spec.mode != CheckpointMode::asynchronous) return;
  if (step.continuous) in.problem("step_slowdown", "needs \"step\": without steps there is nothing to slow");
  const bool is_time = value->is_string() &&
                       value->get_ref<const std::string&>().find('%') == std::string::npos &&
                       !parse_percent_or_fraction(value->get_ref<const std::string&>());
  if (is_time) {
    assign(spec.step_excess, in.duration("step_slowdown"));
  } else if (const auto share = in.share("step_slowdown")) {
    spec.step_excess = Duration::nanoseconds(std::llround(*share * static_cast<double>(step.time.ns())));
  }
}

/// The interval that a rule gives, to be used as the user said.
void resolve_interval(const Reader& in, const ClassContext& context, const JobClass& job,
                      CheckpointSpec& spec) {
  const PoolSpec* pool = context.first_pool(job);
  if (!job.arrivals.listed.empty())
    in.expected("interval", "a duration, since jobs of a list have no one size");
  // Otherwise the gang or its pools are wrong, and that is reported.
  if (pool == nullptr || mean_devices(job.gang) <= 0) return;
  PerSecond rate = gang_failure_rate(*pool, job.gang);
  if (spec.rule == CheckpointRule::automatic) rate += eviction_rate(job.evictions);
  const Seconds write = to_seconds(spec.pause);
  const bool daly = spec.rule == CheckpointRule::daly;
  const std::optional<Seconds> interval = daly ? daly_interval(write, rate) : young_interval(write, rate);
  if (!interval) return;  // nothing to guard against
  const YoungRange range = young_range(write, rate);
  if (range == YoungRange::kContinuous) {
    in.expected("interval", "a duration, since a checkpoint that costs nothing has no best interval");
    return;
  }
  const Seconds chosen = range == YoungRange::kHardlyAny ? 1.0 / rate : *interval;
  spec.interval = std::max(round_to_duration(chosen), Duration::nanoseconds(1));
  const std::string warning = daly ? "" : young_warning(write, rate);
  if (!warning.empty()) context.notes.push_back("workload " + job.name + ": " + warning);
  if (job.gang.sizes.size() > 1) {
    context.notes.push_back("workload " + job.name + ": its checkpoint interval, " +
                            format_duration(spec.interval) + ", is for the mean gang of " +
                            format_number(mean_devices(job.gang)) + " devices");
  }
}

void read_interval(const Reader& in, const ClassContext& context, const JobClass& job, CheckpointSpec& spec) {
  const Json* value = in.find("interval");
  if (value == nullptr) return;
  constexpr std::pair<std::string_view, CheckpointRule> kRules[] = {
      {"young", CheckpointRule::young}, {"daly", CheckpointRule::daly}, {"auto", CheckpointRule::automatic}};
  for (const auto& [name, rule] : kRules) {
    if (*value != std::string(name)) continue;
    spec.rule = rule;
    return resolve_interval(in, context, job, spec);
  }
  if (*value == "none") {
    spec.mode = CheckpointMode::none;
    return;
  }
  const bool is_text = value->is_string();
  const bool is_word = is_text && split_decimal(value->get_ref<const std::string&>()).digits.empty();
  if (is_text && !is_word) {
    assign(spec.interval, in.duration("interval", Sign::positive));
  } else {
    in.expected("interval", "a duration such as \"30 min\", or \"young\", \"daly\", \"auto\" or \"none\"");
  }
}

}  // namespace

PerSecond gang_failure_rate(const PoolSpec& pool, const GangSpec& gang) {
  const Span span = span_of(pool, gang);
  PerSecond total;
  for (const FaultRow& row : pool.faults) {
    const double lemons = 1 + row.lemon_share * (row.lemon_factor - 1);
    total += entities(row, span) * lemons / Seconds{row.lifetime.mean()};
  }
  return total;
}

PerSecond eviction_rate(const EvictionSpec& evictions) {
  PerSecond total = evictions.rate.value_or(PerSecond{0});
  if (evictions.every) total += 1.0 / to_seconds(*evictions.every);
  return total;
}

void check_recovery(const ClassContext& context, const JobClass& job) {
  const PoolSpec* pool = context.first_pool(job);
  if (pool == nullptr) return;
  const Seconds mtbf = 1.0 / gang_failure_rate(*pool, job.gang);
  const Duration recovery = job.recovery.detect + job.recovery.replace + job.recovery.relaunch.total();
  if (mtbf >= to_seconds(recovery)) return;
  context.notes.push_back("workload " + job.name + ": a failure every " + format_duration(mtbf) +
                          " is sooner than the " + format_duration(recovery) + " that a recovery takes");
}

void read_checkpoint(const Reader& in, const ClassContext& context, JobClass& job) {
  const std::optional<Reader> checkpoint = in.object("checkpoint");
  if (!checkpoint) return;
  CheckpointSpec& spec = job.checkpoint;
  spec.mode = CheckpointMode::synchronous;
  assign(spec.mode, checkpoint->choice("mode", {CheckpointMode::synchronous, CheckpointMode::asynchronous}));
  read_write(*checkpoint, context, spec);
  read_slowdown(*checkpoint, job.step, spec);
  read_interval(*checkpoint, context, job, spec);
}

}  // namespace fleetsim
