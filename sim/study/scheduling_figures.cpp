#include <algorithm>
#include <array>

#include "sim/study/figures.hpp"

// What figures say of the queue: how long jobs waited, what kept them, and how sizes and quotas fared.
namespace fleetsim {
namespace {

constexpr double kUnitsPerSecond = 1e12;  // thousandths of a job and nanoseconds in a job-second

double seconds(Duration time) { return to_seconds(time).si; }
double count(std::int64_t n) { return static_cast<double>(n); }
double once(const FigurePlace&, const RunSums&) { return 1; }

// Percentiles, of a class or of all jobs.
using Of = const JobPercentiles* (*)(const FigurePlace&, const RunSums&);
const JobPercentiles* all_jobs(const FigurePlace&, const RunSums& sums) {
  return sums.run->percentiles.empty() ? nullptr : &sums.run->percentiles.back();
}
const JobPercentiles* of_class(const FigurePlace& place, const RunSums& sums) {
  return sums.run->percentiles.empty() ? nullptr : &sums.run->percentiles[place.job_class];
}
template <Of of>
double has_jobs(const FigurePlace& place, const RunSums& sums) {
  const JobPercentiles* const found = of(place, sums);
  return found != nullptr && found->jobs > 0 ? 1 : 0;
}
template <Of of, auto quantity, std::int64_t per_cent>
double percentile(const FigurePlace& place, const RunSums& sums) {
  constexpr auto index = static_cast<std::size_t>(
      std::find(kPercentiles.begin(), kPercentiles.end(), per_cent) - kPercentiles.begin());
  const JobPercentiles* const found = of(place, sums);
  if (found == nullptr) return 0;
  const auto value = (found->*quantity)[index];
  if constexpr (std::is_same_v<decltype(value), const Duration>) {
    return seconds(value);
  } else {
    return value;
  }
}

// Sums over all classes.
/// Of jobs that have a result: replicas have none.
double all_completed(const FigurePlace& place, const RunSums& sums) {
  std::int64_t all = 0;
  for (std::size_t index = 0; index < sums.run->classes.size(); ++index)
    if (place.scenario.classes[index].kind != JobKind::service) all += sums.run->classes[index].completed;
  return count(all);
}
template <DeviceTime ClassOutcome::*time>
double all_job_seconds(const FigurePlace&, const RunSums& sums) {
  DeviceTime all;
  for (const ClassOutcome& each : sums.run->classes) all += each.*time;
  return all.to_double() / kUnitsPerSecond;
}
double all_slowdowns(const FigurePlace&, const RunSums& sums) {
  double all = 0;
  for (const ClassOutcome& each : sums.run->classes) all += each.bounded_slowdown;
  return all;
}
double longest_wait(const FigurePlace&, const RunSums& sums) {
  Duration longest;
  for (const ClassOutcome& each : sums.run->classes) longest = std::max(longest, each.longest_wait);
  return seconds(longest);
}
double starved(const FigurePlace&, const RunSums& sums) {
  std::int64_t all = 0;
  for (const ClassOutcome& each : sums.run->classes) all += each.starved;
  return count(all);
}
double longest_wait_of_class(const FigurePlace& place, const RunSums& sums) {
  return seconds(sums.run->classes[place.job_class].longest_wait);
}
double starved_of_class(const FigurePlace& place, const RunSums& sums) {
  return count(sums.run->classes[place.job_class].starved);
}

// Jobs stopped by the scheduler for others.
double preempted(const FigurePlace&, const RunSums& sums) { return count(sums.run->preemptions.count); }
double preempted_lost(const FigurePlace&, const RunSums& sums) {
  return sums.run->preemptions.lost.to_double() / kUnitsPerSecond;
}
double deepest_cascade(const FigurePlace&, const RunSums& sums) {
  return count(sums.run->preemptions.deepest);
}

// Stops of jobs, by cause.
template <StopCause cause>
double stopped(const FigurePlace&, const RunSums& sums) {
  return count(sums.run->preemptions.by_cause[static_cast<std::size_t>(cause)]);
}

// Jobs that waited, by what their pool's free capacity was kept by.
double window_seconds(const FigurePlace&, const RunSums& sums) {
  return seconds(sums.run->window_end - sums.run->window_start);
}
template <Leaf reason>
double waiting(const FigurePlace& place, const RunSums& sums) {
  return sums.run->waiting[place.pool][static_cast<std::size_t>(reason)].to_double() / kUnitsPerSecond;
}

// Gangs by size.
double size_held(const FigurePlace& place, const RunSums& sums) {
  return sums.run->by_size[place.size_cohort].held.to_double();
}
double size_claim(const FigurePlace& place, const RunSums& sums) {
  const SizeTime& size = sums.run->by_size[place.size_cohort];
  return (size.held + size.partial + size.free).to_double();
}

// Quotas.
template <class Sum>
double over_quota(const FigurePlace& place, const RunSums& sums, Sum sum) {
  DeviceTime all;
  for (std::size_t index = 0; index < sums.classes.size(); ++index)
    if (place.scenario.classes[index].quota == place.quota) all += sum(sums.classes[index]);
  return all.to_double();
}
double quota_held(const FigurePlace& place, const RunSums& sums) {
  return over_quota(place, sums, [](const RunSums::Part& part) { return part.factors.held; });
}
double quota_taken(const FigurePlace& place, const RunSums& sums) {
  return over_quota(place, sums, [](const RunSums::Part& part) {
    return part.factors.held + part.leaves[static_cast<std::size_t>(Leaf::scheduling_partial_gang)];
  });
}
double quota_size(const FigurePlace& place, const RunSums& sums) {
  const QuotaSpec& quota = place.scenario.scheduler.quotas[place.quota];
  return (quota.guarantee.value_or(quota.capacity) * (sums.run->window_end - sums.run->window_start))
      .to_double();
}
std::string_view no_size(const FigurePlace& place, const Factors&) {
  const QuotaSpec& quota = place.scenario.scheduler.quotas[place.quota];
  if (quota.guarantee.value_or(quota.capacity) == Capacity::zero()) return "the quota is of no devices";
  const bool has_size = quota.guarantee || quota.capacity < Capacity::devices(kMostCapacity);
  return has_size ? "" : "the quota has neither a guarantee nor a limit";
}
double offered(const FigurePlace&, const RunSums& sums) { return sums.fleet.factors.in_service.to_double(); }

constexpr FigureScope kFleet = FigureScope::fleet;
constexpr FigureScope kPool = FigureScope::pool;
constexpr FigureScope kJob = FigureScope::job_class;

constexpr std::string_view kNobody = "no job ended";
constexpr std::string_view kNobodyOfClass = "no job of the class ended";
constexpr std::string_view kNoWindow = "the window has no length";

template <auto quantity, std::int64_t per_cent>
constexpr FigureInfo of_all(std::string_view pattern, std::string_view unit, std::string_view about) {
  return {pattern, kFleet, unit, about, percentile<all_jobs, quantity, per_cent>, has_jobs<all_jobs>,
          kNobody};
}
template <auto quantity, std::int64_t per_cent>
constexpr FigureInfo of_one(std::string_view pattern, std::string_view unit, std::string_view about) {
  return {pattern,       kJob, unit, about, percentile<of_class, quantity, per_cent>, has_jobs<of_class>,
          kNobodyOfClass};
}
template <Leaf reason>
constexpr FigureInfo waiting_row(std::string_view pattern, std::string_view about) {
  return {pattern, kPool, "jobs", about, waiting<reason>, window_seconds, kNoWindow};
}

template <StopCause cause>
constexpr FigureInfo stops_row(std::string_view name, std::string_view about) {
  return {name, kFleet, "1", about, stopped<cause>, once, ""};
}

constexpr auto kWait = &JobPercentiles::queue_wait;
constexpr auto kTime = &JobPercentiles::time_to_result;
constexpr auto kSlowdown = &JobPercentiles::bounded_slowdown;

constexpr std::string_view kWaitAbout =
    "percentile over completed jobs of the wait before the gang was first complete (nearest rank; mean over "
    "replications)";
constexpr std::string_view kTimeAbout =
    "percentile over completed jobs of completion less submission (nearest rank; mean over replications)";
constexpr std::string_view kSlowdownAbout =
    "percentile over completed jobs of time to result over held time of at least 10 s (nearest rank; mean "
    "over replications)";
constexpr std::string_view kLongestAbout =
    "longest stay of a job in the queue, from submission or release to gang complete, whether or not it came "
    "to start (mean over replications)";
constexpr std::string_view kStarvedAbout =
    "jobs that waited in all more than 10 times their length, started or not, per replication; the length is "
    "the stepping time of the work, and at least 10 s";

constexpr std::array kFigures{
    FigureInfo{"preemptions", kFleet, "1",
               "jobs that the scheduler stopped for others inside the window, per replication", preempted,
               once, ""},
    FigureInfo{"preemptions.lost", kFleet, "GPU-s",
               "device-time since their last commits that they lost, per replication", preempted_lost, once,
               ""},
    FigureInfo{
        "preemptions.deepest", kFleet, "1",
        "longest cascade: a job stopped for one that had been stopped for another has depth 2 (mean over "
        "replications)",
        deepest_cascade, once, ""},
    stops_row<StopCause::order>("stops.order",
                                "jobs stopped for one before them in the order, per replication"),
    stops_row<StopCause::priority>("stops.priority",
                                   "jobs stopped for one of larger priority, per replication"),
    stops_row<StopCause::reclaim>("stops.reclaim",
                                  "jobs stopped for a queue that takes back its guarantee, per replication"),
    stops_row<StopCause::idle_reservation>("stops.idle_reservation",
                                           "reservations without work ended for another, per replication"),
    stops_row<StopCause::moved>("stops.moved", "jobs stopped to go on on other nodes, per replication"),
    stops_row<StopCause::shrink>("stops.shrink", "gangs made smaller for another, per replication"),
    stops_row<StopCause::drain>("stops.drain",
                                "jobs stopped by drains, maintenance, or nodes that leave, per replication"),
    stops_row<StopCause::swap>("stops.swap", "gangs stopped to give up slow members, per replication"),
    stops_row<StopCause::outside>("stops.outside", "evictions of the scenario, per replication"),
    FigureInfo{"stops.failure", kFleet, "1", "interruptions of jobs by failures, per replication",
               interruptions, once, ""},
    FigureInfo{"time_to_result", kFleet, "s", "completion less submission, completed jobs of all classes",
               all_job_seconds<&ClassOutcome::time_to_result>, all_completed, kNobody},
    of_all<kTime, 50>("time_to_result.p50", "s", kTimeAbout),
    of_all<kTime, 90>("time_to_result.p90", "s", kTimeAbout),
    of_all<kTime, 95>("time_to_result.p95", "s", kTimeAbout),
    of_all<kTime, 99>("time_to_result.p99", "s", kTimeAbout),
    of_all<kTime, 100>("time_to_result.max", "s", kTimeAbout),
    FigureInfo{"queue_wait", kFleet, "s",
               "wait before the gang was first complete, completed jobs of all classes",
               all_job_seconds<&ClassOutcome::queue_wait>, all_completed, kNobody},
    of_all<kWait, 50>("queue_wait.p50", "s", kWaitAbout),
    of_all<kWait, 90>("queue_wait.p90", "s", kWaitAbout),
    of_all<kWait, 95>("queue_wait.p95", "s", kWaitAbout),
    of_all<kWait, 99>("queue_wait.p99", "s", kWaitAbout),
    of_all<kWait, 100>("queue_wait.max", "s", kWaitAbout),
    FigureInfo{"bounded_slowdown", kFleet, "1",
               "time to result over held time of at least 10 s, completed jobs of all classes", all_slowdowns,
               all_completed, kNobody},
    of_all<kSlowdown, 50>("bounded_slowdown.p50", "1", kSlowdownAbout),
    of_all<kSlowdown, 90>("bounded_slowdown.p90", "1", kSlowdownAbout),
    of_all<kSlowdown, 95>("bounded_slowdown.p95", "1", kSlowdownAbout),
    of_all<kSlowdown, 99>("bounded_slowdown.p99", "1", kSlowdownAbout),
    of_all<kSlowdown, 100>("bounded_slowdown.max", "1", kSlowdownAbout),
    FigureInfo{"longest_wait", kFleet, "s", kLongestAbout, longest_wait, once, ""},
    FigureInfo{"starved", kFleet, "count", kStarvedAbout, starved, once, ""},

    FigureInfo{"scheduling_goodput.size.SIZE", FigureScope::size, "1",
               "S of gangs of so many devices: held by them, of that, their partial gangs, and what was free "
               "while one of them was queued",
               size_held, size_claim, "no gang of this size held or waited for anything"},

    FigureInfo{"quotas.QUOTA.share", FigureScope::quota, "1",
               "held by complete gangs under the quota, of what was in service", quota_held, offered,
               "nothing was in service"},
    FigureInfo{"quotas.QUOTA.used", FigureScope::quota, "1",
               "assigned to gangs under the quota, complete or not, of its guarantee, or of its limit where "
               "it has none",
               quota_taken, quota_size, kNoWindow, no_size},

    waiting_row<Leaf::scheduling_no_demand>("pools.POOL.waiting.nothing_free",
                                            "queued jobs that accept the pool while none of it is free; the "
                                            "figures under waiting add to queue_depth"),
    waiting_row<Leaf::scheduling_reservation>("pools.POOL.waiting.reservation",
                                              "queued jobs while what is free is kept by order or a "
                                              "reservation"),
    waiting_row<Leaf::scheduling_quota>("pools.POOL.waiting.quota",
                                        "queued jobs while what is free is kept by quotas"),
    waiting_row<Leaf::scheduling_topology_wait>("pools.POOL.waiting.topology_wait",
                                                "queued jobs while what is free is in too many racks"),
    waiting_row<Leaf::scheduling_fragmentation>(
        "pools.POOL.waiting.fragmentation",
        "queued jobs while what is free is enough for one of them, in "
        "the wrong shape"),
    waiting_row<Leaf::scheduling_shortfall>("pools.POOL.waiting.shortfall",
                                            "queued jobs while less is free than any of them needs"),

    of_one<kTime, 50>("jobs.CLASS.time_to_result.p50", "s", kTimeAbout),
    of_one<kTime, 90>("jobs.CLASS.time_to_result.p90", "s", kTimeAbout),
    of_one<kTime, 95>("jobs.CLASS.time_to_result.p95", "s", kTimeAbout),
    of_one<kTime, 99>("jobs.CLASS.time_to_result.p99", "s", kTimeAbout),
    of_one<kTime, 100>("jobs.CLASS.time_to_result.max", "s", kTimeAbout),
    of_one<kWait, 50>("jobs.CLASS.queue_wait.p50", "s", kWaitAbout),
    of_one<kWait, 90>("jobs.CLASS.queue_wait.p90", "s", kWaitAbout),
    of_one<kWait, 95>("jobs.CLASS.queue_wait.p95", "s", kWaitAbout),
    of_one<kWait, 99>("jobs.CLASS.queue_wait.p99", "s", kWaitAbout),
    of_one<kWait, 100>("jobs.CLASS.queue_wait.max", "s", kWaitAbout),
    of_one<kSlowdown, 50>("jobs.CLASS.bounded_slowdown.p50", "1", kSlowdownAbout),
    of_one<kSlowdown, 90>("jobs.CLASS.bounded_slowdown.p90", "1", kSlowdownAbout),
    of_one<kSlowdown, 95>("jobs.CLASS.bounded_slowdown.p95", "1", kSlowdownAbout),
    of_one<kSlowdown, 99>("jobs.CLASS.bounded_slowdown.p99", "1", kSlowdownAbout),
    of_one<kSlowdown, 100>("jobs.CLASS.bounded_slowdown.max", "1", kSlowdownAbout),
    FigureInfo{"jobs.CLASS.longest_wait", kJob, "s", kLongestAbout, longest_wait_of_class, once, ""},
    FigureInfo{"jobs.CLASS.starved", kJob, "count", kStarvedAbout, starved_of_class, once, ""},
};

}  // namespace

std::span<const FigureInfo> scheduling_figures() { return kFigures; }

}  // namespace fleetsim
