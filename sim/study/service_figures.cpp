#include <cmath>

#include "sim/study/class_terms.hpp"
#include "sim/study/figures.hpp"

// What figures say of replicas that serve, apart from jobs that train: their ideal is another one.
namespace fleetsim {
namespace {

constexpr double kReplicaSeconds = 1e-12;  // replica-seconds in a unit of a thousandth and a nanosecond

double per_replication(const FigurePlace&, const RunSums&) { return 1; }
const RunSums::Part& replicas(const FigurePlace& place, const RunSums& sums) {
  return sums.classes[place.job_class];
}
const ClassOutcome& replica_counts(const FigurePlace& place, const RunSums& sums) {
  return sums.run->classes[place.job_class];
}
double held_by_replicas(const FigurePlace& place, const RunSums& sums) {
  return replicas(place, sums).factors.held.to_double();
}
double ready_time(const FigurePlace& place, const RunSums& sums) {
  return replicas(place, sums).factors.retained.to_double();
}
double useful_time(const FigurePlace& place, const RunSums& sums) {
  return replicas(place, sums).factors.ideal.to_double();
}
template <Leaf... leaves>
double replicas_in(const FigurePlace& place, const RunSums& sums) {
  const LeafTotals& totals = replicas(place, sums).leaves;
  return (totals[static_cast<std::size_t>(leaves)] + ...).to_double();
}
constexpr Amount headroom_time = replicas_in<Leaf::program_headroom>;

double streaming_time(const FigurePlace& place, const RunSums& sums) {
  return *place.class_spec().service.mbu * (ready_time(place, sums) - headroom_time(place, sums));
}
template <std::int64_t ClassOutcome::*number>
double number_of_replicas(const FigurePlace& place, const RunSums& sums) {
  return static_cast<double>(replica_counts(place, sums).*number);
}
double ready_wait(const FigurePlace& place, const RunSums& sums) {
  return replica_counts(place, sums).ready_wait.to_double() * kReplicaSeconds;
}

/// Replicas x time, from device-time.
double in_replicas(const FigurePlace& place, double device_time) {
  return device_time / static_cast<double>(one_gang(place.class_spec())->milli());
}
double ready_replicas(const FigurePlace& place, const RunSums& sums) {
  return in_replicas(place, ready_time(place, sums));
}
double held_replicas(const FigurePlace& place, const RunSums& sums) {
  return in_replicas(place, held_by_replicas(place, sums));
}
double warm_ready_replicas(const FigurePlace& place, const RunSums& sums) {
  return in_replicas(place, headroom_time(place, sums));
}
double window_nanoseconds(const FigurePlace&, const RunSums& sums) {
  return static_cast<double>((sums.run->window_end - sums.run->window_start).ns());
}

std::string_view no_arithmetic(const FigurePlace&, const Factors& factors) {
  const bool unknown = factors.ideal == DeviceTime::zero() && factors.unmodelled > DeviceTime::zero();
  return unknown ? "the ideal of the work is not known" : "";
}
std::string_view no_decode(const FigurePlace& place, const Factors&) {
  return place.class_spec().service.mbu ? "" : "it has no \"decode\"";
}
std::string_view no_one_size(const FigurePlace& place, const Factors&) {
  return one_gang(place.class_spec()) ? "" : "replicas of the class differ in size";
}

constexpr FigureScope kService = FigureScope::service;
constexpr std::string_view kNotHeld = "no replica held anything";
constexpr std::string_view kNotReady = "no replica was ready";

constexpr FigureInfo kServiceFigures[] = {
    {"services.CLASS.runtime_goodput", kService, "1", "R: ready of what replicas held", ready_time,
     held_by_replicas, kNotHeld},
    {"services.CLASS.startup", kService, "1", "of what was held, launches of new replicas",
     replicas_in<Leaf::runtime_startup>, held_by_replicas, kNotHeld},
    {"services.CLASS.recovery", kService, "1", "of what was held, detecting failures and coming back",
     replicas_in<Leaf::runtime_recovery>, held_by_replicas, kNotHeld},
    {"services.CLASS.preemption", kService, "1", "of what was held, coming back after evictions",
     replicas_in<Leaf::runtime_preemption>, held_by_replicas, kNotHeld},
    {"services.CLASS.drain", kService, "1",
     "of what was held, draining, and coming back after nodes were drained",
     replicas_in<Leaf::runtime_reconfiguration>, held_by_replicas, kNotHeld},
    {"services.CLASS.program_goodput", kService, "1", "P against peak arithmetic: MFU of ready time",
     useful_time, ready_time, kNotReady, no_arithmetic},
    {"services.CLASS.mbu", kService, "1",
     "P against peak memory bandwidth: bytes that must move, over ready time; never added to rows with "
     "another "
     "ideal",
     streaming_time, ready_time, kNotReady, no_decode},
    {"services.CLASS.headroom", kService, "1", "of ready time, kept for bursts: idle, or warm", headroom_time,
     ready_time, kNotReady},
    {"services.CLASS.time_to_ready", kService, "s",
     "from when a replica is wanted until it is ready, queue included; those that became ready", ready_wait,
     number_of_replicas<&ClassOutcome::ready>, "no replica wanted in the window became ready"},
    {"services.CLASS.ready_replicas", kService, "replicas", "ready over time, warm ones included",
     ready_replicas, window_nanoseconds, "the window has no length", no_one_size},
    {"services.CLASS.held_replicas", kService, "replicas", "holding their devices over time", held_replicas,
     window_nanoseconds, "the window has no length", no_one_size},
    {"services.CLASS.headroom_replicas", kService, "replicas", "ready and idle over time",
     warm_ready_replicas, window_nanoseconds, "the window has no length", no_one_size},
    {"services.CLASS.ready", kService, "count",
     "replicas wanted in the window that became ready, per replication",
     number_of_replicas<&ClassOutcome::ready>, per_replication, ""},
    {"services.CLASS.from_warm", kService, "count",
     "replicas wanted in the window that a warm one served, per replication",
     number_of_replicas<&ClassOutcome::from_warm>, per_replication, ""},
    {"services.CLASS.completed", kService, "count",
     "replicas brought in the window whose life is over, per replication",
     number_of_replicas<&ClassOutcome::completed>, per_replication, ""},
    {"services.CLASS.failures", kService, "count", "failures that stopped a replica, per replication",
     number_of_replicas<&ClassOutcome::failures>, per_replication, ""},
    {"services.CLASS.evictions", kService, "count", "evictions, per replication",
     number_of_replicas<&ClassOutcome::evictions>, per_replication, ""},
    {"services.CLASS.drains", kService, "count", "drains of nodes that stopped a replica, per replication",
     number_of_replicas<&ClassOutcome::drains>, per_replication, ""},
};

}  // namespace

std::span<const FigureInfo> service_figures() { return kServiceFigures; }

}  // namespace fleetsim
