#include <algorithm>
#include <array>

#include "sim/scenario/class_sections.hpp"
#include "sim/study/class_terms.hpp"
#include "sim/study/figures.hpp"

namespace fleetsim {
namespace {

// Divisors, not factors: 1e-12 is no double, and whole seconds are to come out whole.
constexpr double kUnitsPerSecond = 1e12;  // milli-device-nanoseconds in a device-second
constexpr double kSecondsPerHour = 3600;

double device_seconds(DeviceTime time) { return time.to_double() / kUnitsPerSecond; }
double count(std::int64_t n) { return static_cast<double>(n); }

double once(const FigurePlace&, const RunSums&) { return 1; }

// Device-time of the scope: fleet, pool, class.
const RunSums::Part& fleet(const FigurePlace&, const RunSums& sums) { return sums.fleet; }
const RunSums::Part& pool(const FigurePlace& place, const RunSums& sums) { return sums.pools[place.pool]; }
const RunSums::Part& job(const FigurePlace& place, const RunSums& sums) {
  return sums.classes[place.job_class];
}
using Of = const RunSums::Part& (*)(const FigurePlace&, const RunSums&);

template <Of of>
double installed(const FigurePlace& place, const RunSums& sums) {
  return of(place, sums).factors.installed.to_double();
}
template <Of of>
double in_service(const FigurePlace& place, const RunSums& sums) {
  return of(place, sums).factors.in_service.to_double();
}
template <Of of>
double held(const FigurePlace& place, const RunSums& sums) {
  return of(place, sums).factors.held.to_double();
}
/// Held time whose fate is known.
template <Of of>
double resolved(const FigurePlace& place, const RunSums& sums) {
  const Factors& factors = of(place, sums).factors;
  return (factors.held - factors.unresolved).to_double();
}
template <Of of>
double retained(const FigurePlace& place, const RunSums& sums) {
  return of(place, sums).factors.retained.to_double();
}
template <Of of>
double ideal(const FigurePlace& place, const RunSums& sums) {
  return of(place, sums).factors.ideal.to_double();
}
template <Of of>
double at_most_ideal(const FigurePlace& place, const RunSums& sums) {
  const Factors& factors = of(place, sums).factors;
  return (factors.ideal + factors.unmodelled).to_double();
}
double lost_to_scheduling(const FigurePlace&, const RunSums& sums) {
  return (sums.fleet.factors.in_service - sums.fleet.factors.held).to_double();
}
double lost_to_runtime(const FigurePlace&, const RunSums& sums) {
  return (sums.fleet.factors.held - sums.fleet.factors.retained).to_double();
}
double lost_to_program(const FigurePlace&, const RunSums& sums) {
  return (sums.fleet.factors.retained - sums.fleet.factors.ideal).to_double();
}
double in_leaf(const FigurePlace& place, const RunSums& sums) {
  return sums.fleet.leaves[static_cast<std::size_t>(place.leaf)].to_double();
}
/// Device-time of a class in some leaves.
template <Leaf... leaves>
double in(const FigurePlace& place, const RunSums& sums) {
  const LeafTotals& totals = job(place, sums).leaves;
  return (totals[static_cast<std::size_t>(leaves)] + ...).to_double();
}

// Money.
double offered_cost(const FigurePlace& place, const RunSums& sums) {
  double cost = 0;
  for (std::size_t i = 0; i < sums.pools.size(); ++i)
    cost += place.scenario.pools[i].price->si * device_seconds(sums.pools[i].factors.in_service);
  return cost;
}
double held_cost(const FigurePlace& place, const RunSums& sums) {
  double cost = 0;
  for (std::size_t i = 0; i < sums.pools.size(); ++i)
    cost += place.scenario.pools[i].price->si * device_seconds(sums.pools[i].factors.held);
  return cost;
}
double ideal_hours(const FigurePlace&, const RunSums& sums) {
  return device_seconds(sums.fleet.factors.ideal) / kSecondsPerHour;
}
double held_hours(const FigurePlace&, const RunSums& sums) {
  return device_seconds(sums.fleet.factors.held) / kSecondsPerHour;
}

// Time of the fleet.
double window_seconds(const FigurePlace&, const RunSums& sums) {
  return to_seconds(sums.run->window_end - sums.run->window_start).si;
}
double makespan(const FigurePlace&, const RunSums& sums) {
  return sums.run->makespan ? to_seconds(*sums.run->makespan - SimTime::zero()).si : 0;
}
double has_makespan(const FigurePlace&, const RunSums& sums) { return sums.run->makespan ? 1 : 0; }
double queue_depth(const FigurePlace& place, const RunSums& sums) {
  return device_seconds(sum(sums.run->waiting[place.pool]));
}
double held_at_end(const FigurePlace& place, const RunSums& sums) {
  return count(sums.run->pool_ends[place.pool].held.milli());
}
double installed_at_end(const FigurePlace& place, const RunSums& sums) {
  return count(sums.run->pool_ends[place.pool].installed.milli());
}
template <DeviceTime FragmentationSums::*amount>
double fragmented(const FigurePlace& place, const RunSums& sums) {
  return (sums.run->fragmentation[place.pool].*amount).to_double();
}

// Jobs of a class. Times are of completed jobs, 1,000 units a job, so that device-seconds are job-seconds.
const ClassOutcome& outcome(const FigurePlace& place, const RunSums& sums) {
  return sums.run->classes[place.job_class];
}
template <DeviceTime ClassOutcome::*time>
double job_seconds(const FigurePlace& place, const RunSums& sums) {
  return device_seconds(outcome(place, sums).*time);
}
template <std::int64_t ClassOutcome::*number>
double number_of(const FigurePlace& place, const RunSums& sums) {
  return count(outcome(place, sums).*number);
}
double resize_pauses(const FigurePlace& place, const RunSums& sums) {
  return device_seconds(outcome(place, sums).resize_pauses);
}
constexpr Amount completed = number_of<&ClassOutcome::completed>;

double slowdown(const FigurePlace& place, const RunSums& sums) {
  return outcome(place, sums).bounded_slowdown;
}
/// Stepping time of the completed jobs of a class whose jobs all have the same work.
double productive_seconds(const FigurePlace& place, const RunSums& sums) {
  return mean_work(place.class_spec())->si * completed(place, sums);
}
/// Ideal time of one epoch: a step is the same work at every size.
double ideal_of_epoch(const FigurePlace& place, const RunSums&) {
  const JobClass& spec = place.class_spec();
  double all = 0, ideal = 0;
  for (const auto& [leaf, weight] : spec.program.weights) {
    all += count(weight);
    if (leaf == Leaf::ideal) ideal += count(weight);
  }
  if (!(all > 0)) return 0;
  return count(gang_capacity(spec)->milli()) * count(spec.step.time.ns()) * (ideal / all) *
         count(*spec.epoch);
}
double gang_seconds(const FigurePlace& place, double milli_device_ns) {
  constexpr double kNanosecondsPerSecond = 1e9;
  return milli_device_ns / (count(one_gang(place.class_spec())->milli()) * kNanosecondsPerSecond);
}
double held_gang_seconds(const FigurePlace& place, const RunSums& sums) {
  return gang_seconds(place, held<job>(place, sums));
}
double rework_gang_seconds(const FigurePlace& place, const RunSums& sums) {
  return gang_seconds(place, in<Leaf::runtime_rework>(place, sums));
}

// Integers, so that their ratio is the same over any number of replications.
double step_nanoseconds(const FigurePlace& place, const RunSums&) {
  return count(place.class_spec().step.time.ns());
}
double a_second(const FigurePlace&, const RunSums&) { return 1e9; }

// Rows of failures.
double failures_of_row(const FigurePlace& place, const RunSums& sums) {
  return count(sums.run->faults[place.pool][place.row].failures);
}
double interruptions_of_row(const FigurePlace& place, const RunSums& sums) {
  return count(sums.run->faults[place.pool][place.row].interruptions);
}

double episodes_of_row(const FigurePlace& place, const RunSums& sums) {
  return sums.run->episodes.empty() ? 0 : count(sums.run->episodes[place.pool][place.row]);
}

// What a figure may lack.
std::string_view no_ideal(const FigurePlace&, const Factors& factors) {
  const bool unknown = factors.ideal == DeviceTime::zero() && factors.unmodelled > DeviceTime::zero();
  return unknown ? "the ideal of the work is not known" : "";
}
std::string_view no_price(const FigurePlace& place, const Factors&) {
  for (const PoolSpec& each : place.scenario.pools)
    if (!each.price) return "a pool has no price";
  return "";
}
std::string_view no_price_or_ideal(const FigurePlace& place, const Factors& factors) {
  const std::string_view lack = no_price(place, factors);
  return lack.empty() ? no_ideal(place, factors) : lack;
}
std::string_view no_pods(const FigurePlace& place, const Factors&) {
  const auto is_one = [](const std::vector<std::uint32_t>& domains) {
    return std::all_of(domains.begin(), domains.end(), [](std::uint32_t domain) { return domain == 0; });
  };
  return is_one(place.pool_spec().pods) && is_one(place.pool_spec().spines) ? "the pool is one pod" : "";
}

std::string_view no_racks(const FigurePlace& place, const Factors&) {
  const auto& racks = place.pool_spec().racks;
  const bool one = std::all_of(racks.begin(), racks.end(), [](std::uint32_t rack) { return rack == 0; });
  return one ? "the pool is one rack" : "";
}
std::string_view not_packed(const FigurePlace& place, const Factors&) {
  return place.pool_spec().packed.empty() ? "its nodes are told apart by free devices alone" : "";
}
std::string_view no_end(const FigurePlace& place, const Factors&) {
  return mean_work(place.class_spec()) ? "" : "the job has no end";
}
std::string_view no_one_work(const FigurePlace& place, const Factors& factors) {
  const JobClass& spec = place.class_spec();
  if (changes_size(spec)) return "the job's steps take another time at another size";
  if (spec.steps || (spec.duration && spec.duration->is_fixed())) return "";
  const std::string_view lack = no_end(place, factors);
  return lack.empty() ? "jobs of the class differ in their work" : lack;
}
std::string_view no_one_size(const FigurePlace& place, const Factors& factors) {
  const JobClass& spec = place.class_spec();
  if (!spec.arrivals.listed.empty() || !gang_capacity(spec)) return "jobs of the class differ in size";
  return no_ideal(place, factors);
}
std::string_view no_one_gang(const FigurePlace& place, const Factors&) {
  return one_gang(place.class_spec()) ? "" : "jobs of the class differ in size";
}

constexpr FigureScope kFleet = FigureScope::fleet;
constexpr FigureScope kPool = FigureScope::pool;
constexpr FigureScope kJob = FigureScope::job_class;
constexpr FigureScope kRow = FigureScope::fault_row;

constexpr std::string_view kOffered = "nothing was in service";
constexpr std::string_view kFree = "nothing was free";
constexpr std::string_view kHeld = "nothing was held";
constexpr std::string_view kRetained = "nothing was retained";
constexpr std::string_view kUseful = "nothing was useful";
constexpr std::string_view kCompleted = "no job of the class ended";
constexpr std::string_view kInputsAlone = "known from the scenario alone";

// One row a figure: pattern, scope, unit, about, numerator, denominator, why not without data, what it may
// lack, where it is shown.
constexpr std::array kFigures{
    FigureInfo{"mpg", kFleet, "1", "ML productivity goodput: useful of what was in service; S R P",
               ideal<fleet>, in_service<fleet>, kOffered, no_ideal},
    FigureInfo{"mpg.upper", kFleet, "1", "MPG if all work without a known ideal were useful",
               at_most_ideal<fleet>, in_service<fleet>, kOffered, nullptr, Shown::where_unmodelled},
    FigureInfo{"mpg_installed", kFleet, "1", "useful of what is installed, in service or not", ideal<fleet>,
               installed<fleet>, "nothing is installed", no_ideal},
    FigureInfo{"availability", kFleet, "1", "in service of installed", in_service<fleet>, installed<fleet>,
               "nothing is installed"},
    FigureInfo{"scheduling_goodput", kFleet, "1", "S: held by complete gangs of what was in service",
               held<fleet>, in_service<fleet>, kOffered},
    FigureInfo{"runtime_goodput", kFleet, "1", "R: retained of what was held and whose fate is known",
               retained<fleet>, resolved<fleet>, kHeld},
    FigureInfo{"runtime_goodput_with_unresolved", kFleet, "1", "R with what is unresolved counted as lost",
               retained<fleet>, held<fleet>, kHeld},
    FigureInfo{"program_goodput", kFleet, "1", "P: ideal of what was retained", ideal<fleet>, retained<fleet>,
               kRetained, no_ideal},
    FigureInfo{"program_goodput.upper", kFleet, "1", "P if all work without a known ideal were useful",
               at_most_ideal<fleet>, retained<fleet>, kRetained, nullptr, Shown::where_unmodelled},
    FigureInfo{"job_product", kFleet, "1", "R P: useful of what was held and whose fate is known",
               ideal<fleet>, resolved<fleet>, kHeld, no_ideal},
    FigureInfo{"share.scheduling", kFleet, "1", "of what was in service, lost before a complete gang held it",
               lost_to_scheduling, in_service<fleet>, kOffered},
    FigureInfo{"share.runtime", kFleet, "1", "of what was in service, held but not retained", lost_to_runtime,
               in_service<fleet>, kOffered},
    FigureInfo{"share.program", kFleet, "1", "of what was in service, retained but not ideal",
               lost_to_program, in_service<fleet>, kOffered, no_ideal},
    FigureInfo{"share.useful", kFleet, "1", "of what was in service, useful: MPG", ideal<fleet>,
               in_service<fleet>, kOffered, no_ideal},
    FigureInfo{"value_of_point.scheduling", kFleet, "1", "MPG gained per unit of S: R P", ideal<fleet>,
               held<fleet>, kHeld, no_ideal},
    FigureInfo{"value_of_point.runtime", kFleet, "1", "MPG gained per unit of R: S P", nullptr, nullptr,
               "not a ratio of sums: scheduling_goodput x program_goodput"},
    FigureInfo{"value_of_point.program", kFleet, "1", "MPG gained per unit of P: S R", retained<fleet>,
               in_service<fleet>, kOffered},
    FigureInfo{"cost_per_useful_device_hour", kFleet, "USD/GPU-h",
               "cost of what was in service, per useful device-hour", offered_cost, ideal_hours, kUseful,
               no_price_or_ideal},
    FigureInfo{"cost_per_useful_device_hour.held", kFleet, "USD/GPU-h",
               "the same for one who is billed by the hours held", held_cost, ideal_hours, kUseful,
               no_price_or_ideal},
    FigureInfo{"cost_per_held_device_hour", kFleet, "USD/GPU-h",
               "cost of what was in service, per device-hour held", offered_cost, held_hours, kHeld,
               no_price},
    FigureInfo{"cost_total", kFleet, "USD", "cost of what was in service in the window", offered_cost, once,
               "", no_price},
    FigureInfo{"makespan", kFleet, "s", "from the start of the run to the end of the last job that ended",
               makespan, has_makespan, "no job ended"},
    FigureInfo{"mean_time_between_interruptions", kFleet, "s",
               "time per failure that stopped a gang, over the whole fleet", window_seconds, interruptions,
               "no failure stopped a gang"},

    FigureInfo{"loss.LEAF", FigureScope::leaf, "1", "a leaf of the ledger, over what was in service", in_leaf,
               in_service<fleet>, kOffered},

    FigureInfo{"pools.POOL.availability", kPool, "1", "in service of the pool's installed", in_service<pool>,
               installed<pool>, "nothing is installed"},
    FigureInfo{"pools.POOL.scheduling_goodput", kPool, "1", "S of the pool", held<pool>, in_service<pool>,
               kOffered},
    FigureInfo{"pools.POOL.mpg", kPool, "1", "MPG of what the pool ran", ideal<pool>, in_service<pool>,
               kOffered, no_ideal},
    FigureInfo{"pools.POOL.mpg.upper", kPool, "1",
               "MPG of the pool if all work without a known ideal were useful", at_most_ideal<pool>,
               in_service<pool>, kOffered, nullptr, Shown::where_unmodelled},
    FigureInfo{"pools.POOL.allocated_at_end", kPool, "1", "held of what is installed when the window ends",
               held_at_end, installed_at_end, "nothing is installed then"},
    FigureInfo{"pools.POOL.queue_depth", kPool, "jobs", "queued jobs that accept the pool, over time",
               queue_depth, window_seconds, "the window has no length"},

    FigureInfo{"pools.POOL.fragmentation.device", kPool, "1",
               "of the free capacity, what jobs could not use if devices were all in one place",
               fragmented<&FragmentationSums::device>, fragmented<&FragmentationSums::free>, kFree, nullptr,
               Shown::where_measured},
    FigureInfo{"pools.POOL.fragmentation.node", kPool, "1",
               "of the free capacity, what jobs could not use, since members need nodes: 1 - placed / free",
               fragmented<&FragmentationSums::node>, fragmented<&FragmentationSums::free>, kFree, nullptr,
               Shown::where_measured},
    FigureInfo{"pools.POOL.fragmentation.rack", kPool, "1",
               "the same where gangs keep to one rack if they ask for it",
               fragmented<&FragmentationSums::rack>, fragmented<&FragmentationSums::free>, kFree, no_racks,
               Shown::where_measured},
    FigureInfo{"pools.POOL.fragmentation.pod", kPool, "1",
               "the same where gangs also keep to one pod, or spine, if they ask for it",
               fragmented<&FragmentationSums::pod>, fragmented<&FragmentationSums::free>, kFree, no_pods,
               Shown::where_measured},
    FigureInfo{"pools.POOL.fragmentation.fgd", kPool, "1",
               "of the free capacity, what typical tasks could not use, CPU and memory counted (Weng et al., "
               "USENIX ATC 2023)",
               fragmented<&FragmentationSums::typical>, fragmented<&FragmentationSums::free>, kFree,
               not_packed, Shown::where_measured},

    FigureInfo{"jobs.CLASS.runtime_goodput", kJob, "1",
               "R of the class: retained of what it held and whose fate is known", retained<job>,
               resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.runtime_goodput_renewal", kJob, "1", "the same beside its exact long-run value",
               retained<job>, resolved<job>, kHeld, nullptr, Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.runtime_goodput_with_unresolved", kJob, "1",
               "R of the class with what is unresolved counted as lost", retained<job>, held<job>, kHeld},
    FigureInfo{"jobs.CLASS.program_goodput", kJob, "1", "P of the class", ideal<job>, retained<job>,
               kRetained, no_ideal},
    FigureInfo{"jobs.CLASS.program_goodput.upper", kJob, "1",
               "P of the class if all work without a known ideal were useful", at_most_ideal<job>,
               retained<job>, kRetained, nullptr, Shown::where_unmodelled},
    FigureInfo{"jobs.CLASS.job_product", kJob, "1", "R P of the class", ideal<job>, resolved<job>, kHeld,
               no_ideal},
    FigureInfo{"jobs.CLASS.startup", kJob, "1", "share of held time: cold launches",
               in<Leaf::runtime_startup>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.input", kJob, "1", "share of held time: retained steps waiting for input",
               in<Leaf::runtime_input_wait>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.checkpoint", kJob, "1", "share of held time: pauses and rework after failures",
               in<Leaf::runtime_checkpoint, Leaf::runtime_rework>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.rework", kJob, "1", "share of held time: discarded by failures",
               in<Leaf::runtime_rework>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.recovery", kJob, "1", "share of held time: from a failure until stepping again",
               in<Leaf::runtime_recovery>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.preemption", kJob, "1",
               "share of held time: discarded by evictions, and relaunches after them",
               in<Leaf::runtime_preemption>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.reconfiguration", kJob, "1",
               "share of held time: discarded by drains, and relaunches after them",
               in<Leaf::runtime_reconfiguration>, resolved<job>, kHeld},
    FigureInfo{"jobs.CLASS.step_time", kJob, "s",
               "a step without its wait, as given or predicted, where nothing slows it", step_nanoseconds,
               a_second, "", nullptr, Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.lost_work", kJob, "s", "held time that a failure discards, on average",
               rework_gang_seconds, number_of<&ClassOutcome::failures>, "no failure struck the class",
               no_one_gang},
    FigureInfo{"jobs.CLASS.mtbf", kJob, "s", "held time between failures of one job", held_gang_seconds,
               number_of<&ClassOutcome::failures>, "no failure struck the class", no_one_gang},
    FigureInfo{"jobs.CLASS.checkpoint_interval", kJob, "s", "stepping time between checkpoints", nullptr,
               nullptr, kInputsAlone, nullptr, Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.young_interval", kJob, "s", "Young's interval, failures counted", nullptr, nullptr,
               kInputsAlone, nullptr, Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.young_interval_with_evictions", kJob, "s",
               "Young's interval, failures and evictions counted", nullptr, nullptr, kInputsAlone, nullptr,
               Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.input_crossing", kJob, "count",
               "devices at which checkpoints and recovery cost as much as input waits, all else held",
               nullptr, nullptr, kInputsAlone, nullptr, Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.time_to_result", kJob, "s", "completion less submission, completed jobs",
               job_seconds<&ClassOutcome::time_to_result>, completed, kCompleted, no_end},
    FigureInfo{"jobs.CLASS.queue_wait", kJob, "s", "wait before the gang was first complete, completed jobs",
               job_seconds<&ClassOutcome::queue_wait>, completed, kCompleted, no_end},
    FigureInfo{"jobs.CLASS.requeue_wait", kJob, "s", "waits between attempts, completed jobs",
               job_seconds<&ClassOutcome::requeue_wait>, completed, kCompleted, no_end},
    FigureInfo{"jobs.CLASS.held_time", kJob, "s", "gang complete to release, completed jobs",
               job_seconds<&ClassOutcome::held>, completed, kCompleted, no_end},
    FigureInfo{"jobs.CLASS.member_wait", kJob, "s", "waits of survivors for a replacement, completed jobs",
               job_seconds<&ClassOutcome::member_wait>, completed, kCompleted, no_end},
    FigureInfo{"jobs.CLASS.bounded_slowdown", kJob, "1",
               "time to result over held time of at least 10 s, completed jobs", slowdown, completed,
               kCompleted, no_end},
    FigureInfo{
        "jobs.CLASS.ettr", kJob, "1",
        "effective training time ratio: stepping time that counted over time to result, completed jobs",
        productive_seconds, job_seconds<&ClassOutcome::time_to_result>, kCompleted, no_one_work},
    FigureInfo{"jobs.CLASS.completed", kJob, "count",
               "jobs submitted in the window that completed, per replication", completed, once, ""},
    FigureInfo{"jobs.CLASS.epochs", kJob, "epochs",
               "work done in the window, per replication: ideal time of it, over that of an epoch",
               ideal<job>, ideal_of_epoch, "the ideal of the work is not known", no_one_size,
               Shown::where_in_epochs},
    FigureInfo{"jobs.CLASS.break_even_pause", kJob, "s",
               "pause at which growing gains nothing by the end of the window over staying small", nullptr,
               nullptr, kInputsAlone, nullptr, Shown::with_closed_form},
    FigureInfo{"jobs.CLASS.gave_up", kJob, "count",
               "jobs submitted in the window that gave up, per replication",
               number_of<&ClassOutcome::gave_up>, once, ""},
    FigureInfo{"jobs.CLASS.failures", kJob, "count", "failures that stopped a job, per replication",
               number_of<&ClassOutcome::failures>, once, ""},
    FigureInfo{"jobs.CLASS.evictions", kJob, "count", "evictions, per replication",
               number_of<&ClassOutcome::evictions>, once, ""},
    FigureInfo{"jobs.CLASS.drains", kJob, "count", "drains that stopped a job, per replication",
               number_of<&ClassOutcome::drains>, once, ""},
    FigureInfo{"jobs.CLASS.resizes", kJob, "count", "changes of size of elastic gangs, per replication",
               number_of<&ClassOutcome::resizes>, once, "", nullptr, Shown::where_elastic},
    FigureInfo{"jobs.CLASS.resize_pauses", kJob, "GPU-s",
               "device-time in the pauses after changes of size, per replication", resize_pauses, once, "",
               nullptr, Shown::where_elastic},
    FigureInfo{"jobs.CLASS.commits", kJob, "count", "commits, per replication",
               number_of<&ClassOutcome::commits>, once, ""},

    FigureInfo{"jobs.CLASS.swaps", kJob, "count",
               "times a job was stopped to be rid of stragglers, per replication",
               number_of<&ClassOutcome::swaps>, once, ""},
    FigureInfo{"jobs.CLASS.straggler", kJob, "1", "of retained time, waiting for slow members",
               in<Leaf::program_straggler>, retained<job>, kRetained},
    FigureInfo{"jobs.CLASS.noisy_neighbour", kJob, "1", "of retained time, links slowed by others",
               in<Leaf::program_noisy_neighbour>, retained<job>, kRetained},

    FigureInfo{"episodes.POOL.ROW", FigureScope::slow_row, "count",
               "episodes of slowness that began in the window, per replication", episodes_of_row, once, ""},

    FigureInfo{"failures.POOL.ROW", kRow, "count", "failures in service, per replication", failures_of_row,
               once, ""},
    FigureInfo{"interruptions.POOL.ROW", kRow, "count", "gangs that these failures stopped, per replication",
               interruptions_of_row, once, ""},
};

}  // namespace

double interruptions(const FigurePlace&, const RunSums& sums) {
  std::int64_t all = 0;
  for (const ClassOutcome& of : sums.run->classes) all += of.failures;
  return count(all);
}

std::span<const FigureInfo> ledger_and_job_figures() { return kFigures; }

}  // namespace fleetsim
