#include "sim/study/class_terms.hpp"

#include <algorithm>
#include <cmath>

#include "sim/scenario/class_sections.hpp"

namespace fleetsim {
namespace {

Seconds launch_time(const LaunchSpec& launch) {
  return to_seconds(launch.total() + launch.slow_excess * launch.slow_steps);
}

/// How often failures stop the gang, and how long a recovery takes on average.
struct Failures {
  PerSecond rate{};
  Seconds recovery{};
  bool alike = true;  ///< memoryless, and every recovery takes as long
};

Failures failures_of(const PoolSpec& pool, const JobClass& job_class) {
  const RecoverySpec& recovery = job_class.recovery;
  const Seconds after_detection = to_seconds(recovery.replace) + launch_time(recovery.relaunch);
  Failures all{.rate = gang_failure_rate(pool, job_class.gang),
               .recovery = to_seconds(recovery.detect) + after_detection};
  const auto overrides = [&](const FaultRow& row) {
    return row.detect.value_or(recovery.detect) != recovery.detect;
  };
  for (const FaultRow& row : pool.faults)
    all.alike = all.alike && row.lifetime.is_memoryless() && row.lemon_share == 0 && !overrides(row);
  if (std::none_of(pool.faults.begin(), pool.faults.end(), overrides)) return all;
  Seconds detection;  // weighted by how often each row strikes
  PoolSpec one_row = pool;
  for (const FaultRow& row : pool.faults) {
    one_row.faults = {row};
    const double share = gang_failure_rate(one_row, job_class.gang).si / all.rate.si;
    detection += share * to_seconds(row.detect.value_or(recovery.detect));
  }
  all.recovery = detection + after_detection;
  return all;
}

/// Whether something besides the class's own failures, checkpoints and evictions decides its runtime losses.
bool is_disturbed(const Scenario& scenario, const JobClass& job_class) {
  const auto comes_and_goes = [&](std::uint32_t pool) {
    return !scenario.pools[pool].drains.empty() || !scenario.pools[pool].dated.empty();
  };
  if (std::any_of(job_class.pools.begin(), job_class.pools.end(), comes_and_goes)) return true;
  if (job_class.swap) return true;
  return scenario.scheduler.preemption != Preemption::none || !scenario.script.empty() ||
         !job_class.evictions.at.empty() || job_class.own_spares > 0 || job_class.lease || job_class.end ||
         (job_class.limit && job_class.enforce_limits);
}

bool is_graceful(const EvictionTerms& terms) { return terms.save && *terms.save <= terms.grace; }

/// Held time, and what to call it.
struct Span {
  Seconds held{};
  std::string kind;
};

Span span_of(const Scenario& scenario, const JobClass& job_class, const ClassTerms& class_terms) {
  const std::optional<Duration> window = scenario.window.length;
  const Span span =
      window ? Span{to_seconds(*window), "first order"} : Span{kOneWeek, "first order, over one week"};
  const std::optional<Seconds> work = mean_work(job_class);
  const double rest = class_terms.losses.total();  // without a startup, whose share is not known yet
  if (!work || rest >= 1) return span;
  const Seconds own = *work * (1 - job_class.input_stall);
  const Seconds job_time = (own + class_terms.terms.startup) / (1 - rest);
  if (window && job_time >= span.held) return span;
  return {job_time, "first order, over one job"};
}

std::optional<LongRun> renewal_of(const JobClass& job_class, const RuntimeTerms& terms,
                                  const Failures& failures) {
  const EvictionSpec& evictions = job_class.evictions;
  const bool graceful = is_graceful(evictions.terms);
  const bool slow_start = job_class.recovery.relaunch.slow_steps > 0 || job_class.preemption.slow_steps > 0;
  const bool saves_undisturbed =
      failures.rate == PerSecond{0} && evictions.clock == EvictionClock::productive;
  if (!failures.alike || slow_start || evictions.every ||
      (evictions.rate && evictions.clock == EvictionClock::wall) || (graceful && !saves_undisturbed) ||
      job_class.checkpoint.mode != CheckpointMode::synchronous ||
      job_class.checkpoint.interval.is_unbounded())
    return std::nullopt;
  LongRun run{.failures = terms.failures,
              .evictions = terms.evictions,
              .clock = evictions.clock == EvictionClock::productive ? LongRun::Clock::productive
                                                                    : LongRun::Clock::held,
              .interval = terms.interval,
              .pause = terms.write,
              .recovery = terms.recovery,
              .relaunch = launch_time(job_class.preemption),
              .eviction_loss = std::nullopt,
              .input_stall = job_class.input_stall};
  if (evictions.terms.lost_work) run.eviction_loss = to_seconds(*evictions.terms.lost_work);
  if (graceful) {
    run.eviction_loss = Seconds{0};
    run.relaunch += to_seconds(*evictions.terms.save);
  }
  if (!job_class.step.continuous) {
    // The checkpoint comes at the first end of a step at or after the interval.
    const Seconds step = to_seconds(job_class.step.time + job_class.step.wait);
    run.interval = std::ceil(run.interval / step) * step;
  }
  return run;
}

}  // namespace

bool changes_size(const JobClass& job_class) {
  return job_class.elastic && (job_class.elastic->policy != "fixed" || !job_class.elastic->script.empty());
}

std::optional<Capacity> one_gang(const JobClass& job_class) {
  if (!job_class.arrivals.listed.empty() || changes_size(job_class)) return std::nullopt;
  return gang_capacity(job_class);
}

std::optional<Seconds> mean_work(const JobClass& job_class) {
  if (job_class.steps)
    return static_cast<double>(*job_class.steps) * to_seconds(job_class.step.time + job_class.step.wait);
  if (job_class.duration) return Seconds{job_class.duration->mean()};
  if (job_class.arrivals.listed.empty()) return std::nullopt;
  Seconds sum;
  for (const ListedJob& job : job_class.arrivals.listed) sum += to_seconds(job.duration);
  return sum / static_cast<double>(job_class.arrivals.listed.size());
}

std::optional<ClassTerms> class_terms(const Scenario& scenario, const JobClass& job_class) {
  if (job_class.kind != JobKind::work || !one_gang(job_class) || job_class.pools.empty() ||
      is_disturbed(scenario, job_class))
    return std::nullopt;
  const Failures failures = failures_of(scenario.pools[job_class.pools.front()], job_class);
  for (const std::uint32_t pool : job_class.pools)
    if (gang_failure_rate(scenario.pools[pool], job_class.gang) != failures.rate) return std::nullopt;

  const CheckpointSpec& checkpoint = job_class.checkpoint;
  const EvictionTerms& eviction = job_class.evictions.terms;
  const PerSecond evictions = eviction_rate(job_class.evictions);
  const bool keeps_all = eviction.lost_work || is_graceful(eviction) || evictions == PerSecond{0};
  const bool commits = checkpoint.mode != CheckpointMode::none && !checkpoint.interval.is_unbounded();
  if (!commits && (failures.rate > PerSecond{0} || !keeps_all)) return std::nullopt;

  ClassTerms result;
  RuntimeTerms& terms = result.terms;
  terms.startup = launch_time(job_class.startup);
  terms.input_stall = job_class.input_stall;
  // Without commits nothing is written or lost, so that any interval will do.
  terms.write = commits ? to_seconds(checkpoint.pause) : Seconds{0};
  terms.interval = commits ? to_seconds(checkpoint.interval) : Seconds{1};
  terms.failures = failures.rate;
  terms.recovery = failures.recovery;
  terms.evictions = evictions;
  // An asynchronous checkpoint is durable only after its flush: an interruption loses so much more.
  const Seconds flush =
      checkpoint.mode == CheckpointMode::asynchronous ? to_seconds(checkpoint.flush) : Seconds{0};
  Seconds lost = terms.interval / 2 + flush;
  if (eviction.lost_work) lost = to_seconds(*eviction.lost_work);
  if (is_graceful(eviction)) lost = to_seconds(*eviction.save);
  terms.eviction_tax = lost + launch_time(job_class.preemption);

  const auto losses = [&] {
    RuntimeLosses sum = runtime_losses(terms);
    sum.checkpoint_rework += failures.rate * flush;
    return sum;
  };
  terms.held = Seconds{HUGE_VAL};
  result.losses = losses();
  const Span span = span_of(scenario, job_class, result);
  terms.held = span.held;
  result.losses = losses();
  result.kind = span.kind;
  if (!(result.losses.total() < 1)) return std::nullopt;
  result.renewal = renewal_of(job_class, terms, failures);
  return result;
}

}  // namespace fleetsim
