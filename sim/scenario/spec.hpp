#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/quantity/duration.hpp"
#include "models/quantity/quantity.hpp"
#include "sim/core/device_time.hpp"
#include "sim/core/distribution.hpp"
#include "sim/core/time.hpp"
#include "sim/core/topology_level.hpp"
#include "sim/ledger/leaf.hpp"
#include "sim/packing/fragmentation.hpp"
#include "sim/step/step_model.hpp"
#include "sim/workload/listed_job.hpp"

/// What a scenario file says, complete: names resolved, defaults filled, everything valid. Plain data; the
/// defaults of a key live in these initialisers and nowhere else. Read by the engine, written by
/// `read_scenario`.
namespace fleetsim {

/// What a failure strikes (one random entity of this kind), and what it takes out of service.
enum class FaultScope : std::uint8_t { nothing, device, node, rack };

/// One row of failures: every entity of kind `hits` in the pool fails after a `lifetime`.
struct FaultRow {
  std::string name;
  FaultScope hits = FaultScope::device;
  FaultScope takes_out = FaultScope::node;
  Distribution lifetime{Distribution::Fixed{0.0}};  ///< seconds in service of one entity until it fails
  std::optional<Duration> detect;                   ///< overrides the job's own detection time
  Distribution repair{Distribution::Fixed{0.0}};    ///< seconds from detection until back in service
  double lemon_share = 0.0;                         ///< share of entities that are lemons, in [0, 1]
  double lemon_factor = 1.0;                        ///< how many times faster a lemon's life runs, >= 1
};

/// A failure at a given instant, for examples and replays of known incidents.
struct ScriptedFault {
  SimTime at;
  std::uint32_t pool = 0, node = 0, device = 0;
  FaultScope hits = FaultScope::device, takes_out = FaultScope::node;
  std::optional<Duration> detect;
  Duration repair = Duration::nanoseconds(0);
};

/// Why the steps of a gang take longer for a time: a member that is slow, which all wait for; or traffic of
/// others on the links of a gang of several nodes.
enum class SlowCause : std::uint8_t { straggler, noisy_neighbour };
inline constexpr std::size_t kSlowCauses = 2;

/// One row of slowness: entities of kind `hits` that are slow from the start, and episodes that come over
/// them in calendar time.
struct SlowRow {
  std::string name;
  FaultScope hits = FaultScope::device;
  SlowCause cause = SlowCause::straggler;
  double share = 0.0;                             ///< of the entities, slow from the start
  PerSecond rate{0.0};                            ///< of episodes, of one entity
  std::optional<Distribution> length;             ///< seconds; absent: until it is repaired
  double least_speed = 1.0, most_speed = 1.0;     ///< in (0, 1), evenly between them
  Distribution repair{Distribution::Fixed{0.0}};  ///< seconds out of service once it is swapped
};

/// An episode at a given instant.
struct ScriptedSlowness {
  SimTime at;
  Duration length = Duration::max();  ///< max: until it is repaired
  std::uint32_t pool = 0, node = 0, device = 0;
  FaultScope hits = FaultScope::device;
  SlowCause cause = SlowCause::straggler;
  double speed = 1.0;
  Duration repair = Duration::nanoseconds(0);
};

/// What becomes of gangs on nodes that are drained: they are stopped at once, stopped at their next commit,
/// or left to end.
enum class DrainMode : std::uint8_t { now, at_commit, when_released };

/// Nodes taken out of service by plan.
struct DrainSpec {
  SimTime at;                         ///< for the first time
  Duration length = Duration::max();  ///< max: they do not come back
  std::optional<Duration> every;      ///< and again so long after each time
  std::vector<std::uint32_t> nodes;
  DrainMode mode = DrainMode::now;
};

/// Nodes that are installed for part of the time.
struct DatedNodes {
  std::vector<std::uint32_t> nodes;  ///< a node has one date at most
  SimTime from = SimTime::zero(), until = SimTime::never();
};

struct PoolSpec {
  std::string name;
  std::string device_type;   ///< accelerator; jobs name the types they accept
  std::string node, fabric;  ///< of the catalog; "" where it is not named
  std::uint32_t nodes = 0, devices_per_node = 0;
  std::uint32_t spares = 0;                 ///< nodes kept from the queue for recovery (the last ones)
  std::vector<std::uint32_t> racks;         ///< rack of each node, size `nodes`
  std::vector<std::uint32_t> pods, spines;  ///< of each node; empty: all in one
  Duration teardown = Duration::nanoseconds(0);
  std::optional<Price> price;                 ///< per in-service device
  std::optional<FlopRate> peak;               ///< dense arithmetic peak of one device: the named ideal
  std::optional<ByteRate> memory_bandwidth;   ///< of one device, at peak
  std::optional<FabricShape> shared_links{};  ///< gangs that meet on them slow each other
  std::vector<FaultRow> faults;
  std::vector<SlowRow> slow;
  std::vector<DrainSpec> drains;
  std::vector<DatedNodes> dated;
  // Beside devices. A pool is packed where its nodes differ, jobs ask for more than devices, or the placement
  // is for packing alone.
  std::optional<std::int64_t> cpu_milli, memory_bytes;  ///< of one node
  std::vector<NodeSpec> packed;        ///< by node; empty where nodes are alike and only devices count
  bool shuffled = false;               ///< packed nodes stand in an order of their own in each replication
  std::vector<WeightedShape> typical;  ///< tasks that fragmentation of packed nodes is measured against
  bool measure_fragmentation = false;
  std::optional<Duration> sample_fragmentation{};  ///< so often, for a series over time
};

/// Gangs as asked for: a number of devices (spread over as few nodes as hold them), an explicit shape, or a
/// draw.
struct GangSpec {
  std::optional<GangShape> shape;    ///< given as nodes x per_node, or as a part of a device
  std::vector<std::uint32_t> sizes;  ///< devices; one entry is a fixed size
  std::vector<double> weights;       ///< as many as sizes
  std::uint32_t demand = 0;          ///< index into Scenario::demands
};

/// Kernels built for this model, these shapes and this gang before the first step.
struct CompileSpec {
  std::vector<std::pair<Leaf, double>> keeps{};  ///< share that is left of these parts of a step
  Duration build = Duration::zero();
  bool is_shared = false;  ///< what one launch has built, later launches at that size only load
};

/// How a gang that runs is split into step, wait, checkpoint and commit. Times of one step.
struct StepSpec {
  Duration time = Duration::nanoseconds(1);  ///< the step's own time; 1 ns stands for work without steps
  Duration wait = Duration::nanoseconds(0);  ///< input wait before each step
  bool continuous = true;          ///< work without steps: a checkpoint falls exactly at its interval
  std::optional<Duration> read{};  ///< of a batch, where the wait comes from it ...
  bool prefetch = true;            ///< ... beside the step before
  std::optional<double> tokens;    ///< tokens of one step, whole gang
  /// How much of the step's own time a slow member, or busy links, stretch; a model knows the latter itself.
  std::array<double, kSlowCauses> stretched{1.0, 1.0};
  std::optional<StepModel> model{};  ///< where time and split come from it
  std::optional<CompileSpec> compile{};
};

/// How retained time divides into `ideal` and the leaves below it: integer weights, split by largest
/// remainder. Empty: the ideal is not known and retained time is `program.unmodelled`.
struct ProgramSplit {
  std::vector<std::pair<Leaf, std::int64_t>> weights;  ///< in the order of the table of leaves
};

enum class CheckpointMode : std::uint8_t { none, synchronous, asynchronous };
enum class CheckpointRule : std::uint8_t { fixed, young, daly, automatic };
enum class IntervalFrom : std::uint8_t { stage, commit };

struct CheckpointSpec {
  CheckpointMode mode = CheckpointMode::none;
  CheckpointRule rule = CheckpointRule::fixed;
  Duration interval = Duration::max();              ///< resolved: also for young, daly, automatic
  Duration pause = Duration::nanoseconds(0);        ///< the synchronous write, or the staging pause
  Duration flush = Duration::nanoseconds(0);        ///< asynchronous: durable this long after the pause
  Duration step_excess = Duration::nanoseconds(0);  ///< steps that start in a flush take this much longer
  IntervalFrom interval_from = IntervalFrom::stage;
  std::optional<Bytes> size;
  std::optional<ByteRate> bandwidth;
};

/// The phases that follow a launch, and the excess of the first slow steps.
struct LaunchSpec {
  Duration fetch = Duration::nanoseconds(0);  ///< of weights, from where they are stored
  Duration launch = Duration::nanoseconds(0), load = Duration::nanoseconds(0);
  Duration compile = Duration::nanoseconds(0), warmup = Duration::nanoseconds(0);
  std::int64_t slow_steps = 0;                      ///< first steps after the launch that are slower ...
  Duration slow_excess = Duration::nanoseconds(0);  ///< ... by this much each
  Duration total() const { return fetch + launch + load + compile + warmup; }
};

struct RecoverySpec {
  Duration detect = Duration::nanoseconds(0);
  Duration replace = Duration::nanoseconds(0);  ///< after a missing member is filled
  LaunchSpec relaunch;
};

/// When a gang gives up a member that is slow: at once, or at its next commit.
enum class SwapAt : std::uint8_t { now, commit };

/// A gang that has been slowed by stragglers for so long swaps them for other nodes, if there are any.
struct SwapPolicy {
  Duration after = Duration::nanoseconds(0);
  SwapAt at = SwapAt::now;
};

enum class NoReplacement : std::uint8_t { hold, release, shrink };
enum class EvictionClock : std::uint8_t { held, productive, wall };
enum class RequeueAt : std::uint8_t { submit, behind };

/// What an eviction costs its victim.
struct EvictionTerms {
  std::optional<Duration> lost_work;  ///< absent: everything since the last commit
  std::optional<Duration> save;       ///< graceful: time to save on notice ...
  Duration grace = Duration::max();   ///< ... if it fits in this
  Duration requeue_delay = Duration::nanoseconds(0);
  double requeue_backoff = 1.0;  ///< factor of the delay for every preemption after the first
  RequeueAt requeue = RequeueAt::submit;
};

/// At most so many evictions within any interval of this length.
struct EvictionBudget {
  std::int64_t evictions = 0;
  Duration per = Duration::max();
};

struct EvictionSpec {
  std::optional<PerSecond> rate;  ///< Poisson on `clock`
  std::optional<Duration> every;  ///< or regular on `clock`
  std::vector<SimTime> at;        ///< and at these instants
  EvictionClock clock = EvictionClock::held;
  EvictionTerms terms;
};

/// What becomes of the time since the last commit when a gang changes its size.
enum class ResizeState : std::uint8_t { committed, discarded };

/// When a gang grows for which there is room.
enum class GrowAt : std::uint8_t { now, commit };

/// What a resize costs.
struct ResizeTerms {
  ResizeState state = ResizeState::committed;
  std::optional<Duration> pause;  ///< at the new size; absent: the phases of `reconfiguration`
};

/// A size that a gang may have, and what a step takes at it.
struct ElasticSize {
  std::uint32_t devices = 0;
  Duration time = Duration::nanoseconds(1), wait = Duration::nanoseconds(0);
  ProgramSplit program{};  ///< empty: as the class's
};

/// A change of size at a given instant, for examples.
struct ScriptedResize {
  SimTime at;
  ElasticSize size;
  ResizeTerms terms;
};

/// A gang that may change its size. A step is the same work at every size; only its time differs.
struct ElasticSpec {
  std::string policy = "fixed";
  std::vector<ElasticSize> sizes;  ///< in order of size; may be empty where the policy is "fixed"
  GrowAt grow = GrowAt::now;
  ResizeTerms resize;
  std::vector<ScriptedResize> script;
};

/// `service`: a replica, which holds its gang, becomes ready, and is ready until its life is over.
enum class JobKind : std::uint8_t { work, reservation, service };
enum class FinalState : std::uint8_t {
  completed,
  failed,
  cancelled,
  killed_at_limit,
  unsatisfiable,
  no_progress,
  gave_up
};

/// Jobs of a list drawn anew in each replication, as the FGD study does: the list in random order, with more
/// of it drawn or some left out, until they ask for so many devices. They come one after the other and stay.
struct DrawnJobs {
  std::int64_t milli = 0;  ///< what they ask for in all
  Duration every = Duration::nanoseconds(1'000'000'000);
};

/// Jobs come once (at `submit`), in a Poisson or regular stream, or from a list.
struct ArrivalSpec {
  SimTime submit = SimTime::zero();
  std::optional<Distribution> gap;    ///< seconds between arrivals; absent: one job, or the list
  std::optional<std::int64_t> count;  ///< at most this many
  std::vector<ListedJob> listed;      ///< sorted by submit, stable
  std::optional<DrawnJobs> drawn;     ///< out of the list, whose times do not count
};

/// Replicas that serve. Ready time is retained as it passes.

/// A step of decoding as the model predicts it.
struct PredictedDecode {
  Seconds time;
  std::int64_t batch = 1, context = 0;
};

struct ServiceSpec {
  Duration provision = Duration::nanoseconds(0);  ///< of an allocation, before its gang counts as complete
  std::optional<Distribution> ready;              ///< seconds of ready time until it is drained; or ...
  std::optional<Distribution> life;  ///< ... seconds from gang complete to release; neither: endless
  Distribution drain{Distribution::Fixed{0.0}};  ///< seconds from its last new request to its last answer
  bool kept = false;                             ///< one whose life is over is replaced by another
  std::uint32_t warm = 0;  ///< beside those that serve, loaded and idle, to serve at once when one is wanted
  double busy = 1.0;       ///< share of ready time with requests; the rest is headroom
  std::optional<double>
      mbu;  ///< model bandwidth utilization while busy: bytes that must move at peak bandwidth
  std::optional<PredictedDecode> predicted{};
};

/// A gang's wish to be near together: in one domain of the level.
struct TopologySpec {
  TopologyLevel level = TopologyLevel::pool;
  Duration wait = Duration::max();  ///< in the queue, before it takes devices anywhere; max: it never does
};

/// One entry of `workload`: a class of jobs alike but for what is drawn.
struct JobClass {
  std::string name;
  JobKind kind = JobKind::work;
  std::vector<std::uint32_t> pools;  ///< accepted pools, in order of preference
  ArrivalSpec arrivals;
  GangSpec gang;
  StepSpec step;
  std::optional<std::int64_t> steps;  ///< whole steps to do, when the work is a number of steps
  std::optional<std::int64_t> epoch;  ///< steps of an epoch, where work is told in epochs
  std::optional<Distribution>
      duration;  ///< seconds of stepping, when the work is a duration; neither: endless
  ProgramSplit program;
  std::optional<double> program_goodput;  ///< P as given, or ideal / step time
  ServiceSpec service;                    ///< of replicas
  CheckpointSpec checkpoint;
  LaunchSpec startup;
  RecoverySpec recovery;
  LaunchSpec preemption;       ///< relaunch after an eviction
  LaunchSpec reconfiguration;  ///< relaunch after its nodes were drained, or its size changed
  std::optional<ElasticSpec> elastic;
  NoReplacement no_replacement = NoReplacement::hold;
  std::optional<SwapPolicy> swap;  ///< absent: stragglers stay
  EvictionSpec evictions;
  std::optional<Duration> limit;     ///< held time of one attempt
  bool enforce_limits = true;        ///< a job that overruns its limit is killed
  std::optional<Duration> patience;  ///< gives up when it has not started so long after its submission
  std::optional<Duration> lease;     ///< the allocation is kept this long from gang complete (zombie)
  std::optional<std::pair<SimTime, FinalState>> end;  ///< fails or is cancelled for good at an instant
  std::optional<std::int64_t> max_restarts;           ///< failures survived; the next one ends the job
  std::uint32_t own_spares = 0;        ///< nodes' worth of devices held beside the gang for recovery
  bool preemptible = true;             ///< the scheduler may stop it for others
  std::int64_t priority = 0;           ///< larger is served earlier under order "priority"
  std::optional<std::uint32_t> quota;  ///< index into SchedulerSpec::quotas
  TopologySpec topology;
  double input_stall = 0.0;  ///< share of stepping time spent waiting, as given; for closed forms
};

enum class Admission : std::uint8_t { atomic, partial_hold };
enum class Preemption : std::uint8_t { none, kept, remade };
/// Who may stop whom: those who stand before it in the order, or those of larger priority.
enum class PreemptBy : std::uint8_t { order, priority, nobody };

/// Who may pass a job that cannot start under a strict order: nobody; whoever does not move the reservation
/// of the first that cannot start; or whoever does not move anybody's.
enum class Backfill : std::uint8_t { none, easy, conservative };
/// How long a scheduler takes a job to run: its limit where it has one, or its true length times a factor.
enum class Estimates : std::uint8_t { limit, exact };

inline constexpr std::int64_t kMostCapacity = 1'000'000'000'000;  ///< devices; more than any fleet has

/// What the jobs of a queue may hold together.
struct QuotaSpec {
  std::string name;
  Capacity capacity = Capacity::devices(kMostCapacity);  ///< never more
  std::optional<Capacity>
      guarantee{};  ///< its own, whenever it wants it; makes it a queue with its own order
  std::optional<std::uint32_t> cohort{};  ///< whose unused guarantees it may borrow
  std::optional<Capacity> lend{};         ///< of the guarantee; absent: all
  bool lend_when_head_blocked = true;     ///< also while its own jobs wait for more
  double weight = 1.0;                    ///< of its share under order "fair-share"
};

struct CohortSpec {
  std::string name;
  std::optional<std::uint32_t> parent{};
  std::optional<Capacity> limit{};  ///< of all its queues together
};

struct SchedulerSpec {
  std::string order = "fifo";
  bool strict = true;  ///< a job that cannot start blocks those behind it
  Admission admission = Admission::atomic;
  std::optional<std::uint32_t> holders;  ///< gangs that may hold at once
  std::optional<Duration> hold_timeout;
  bool interleave = false;  ///< partial hold deals nodes round-robin
  std::string placement = "first-fit";
  Backfill backfill = Backfill::none;
  std::optional<std::uint32_t> backfill_depth;  ///< queued jobs looked at behind the first that cannot start
  Estimates estimates = Estimates::limit;
  double estimate_factor = 1.0;  ///< of the true length, where that is what the scheduler goes by
  Preemption preemption = Preemption::none;
  PreemptBy preempt_by = PreemptBy::order;
  bool reclaim = false;                       ///< a queue may stop those who borrow what it is guaranteed
  std::string victims = "worst";              ///< who is stopped first
  Duration min_runtime = Duration::zero();    ///< nobody is stopped before it has run so long
  std::optional<EvictionBudget> job_budget;   ///< of every job
  std::optional<EvictionBudget> pool_budget;  ///< of every pool
  EvictionTerms eviction;                     ///< terms of evictions by order
  std::optional<Duration>
      eviction_relaunch;  ///< overrides the victim's relaunch; a move to other nodes pauses as long
  std::vector<DeviceTime> las_thresholds;  ///< attained service at which a job falls to the next queue
  std::vector<QuotaSpec> quotas;
  std::vector<CohortSpec> cohorts;
  Duration fair_share_half_life = Duration::nanoseconds(604'800'000'000'000);  ///< of what was held
};

struct WindowSpec {
  Duration warm_up = Duration::nanoseconds(0);
  std::optional<Duration> length;  ///< absent: until every job has ended
  std::optional<Duration> run_on;  ///< at most this long past the end; default one more length
};

struct FigureAssumption {
  std::string figure;
  double value = 0.0;
};

enum class Basis : std::uint8_t { closed_form, simulated };

/// A figure of one point of a study.
struct FigureOfPoint {
  std::string figure;
  std::string alternative;  ///< "" is the base
  /// Where in the sweep, an axis each, as StudyPoint::sweep has it.
  std::vector<std::pair<std::string, std::string>> at;
};

/// A figure has a value, or is above or below another by more than chance.
enum class Relation : std::uint8_t { value, above, below };

struct Expectation {
  FigureOfPoint of;
  Basis basis = Basis::simulated;
  Relation relation = Relation::value;
  double value = 0.0;
  std::optional<double> within;  ///< absolute; a simulated one may lean on its interval instead
  FigureOfPoint other;           ///< that it is above or below; without a figure it is `value`
  std::string source;
};

struct RunsSpec {
  std::uint64_t seed = 1;
  std::uint32_t replications = 1;  ///< the maximum, when `until` is given
  std::string until_figure;        ///< "" = no sequential stopping
  double until_half_width = 0.0;
  std::uint32_t batch = 16;  ///< replications between looks at `until`
};

struct Scenario {
  std::string name, about;
  std::vector<PoolSpec> pools;
  std::vector<ScriptedFault> script;
  std::vector<ScriptedSlowness> slow_script;
  std::vector<JobClass> classes;
  std::vector<HostDemand> demands{
      HostDemand{}};  ///< that gangs have of their nodes; the first asks for nothing
  std::vector<std::vector<MemberKind>> unlike{{}};  ///< members of gangs by number, widest first; 0 is none
  std::vector<std::string> device_models;  ///< by their bit in HostDemand::accepts and NodeSpec::type
  SchedulerSpec scheduler;
  WindowSpec window;
  RunsSpec runs;
  std::vector<FigureAssumption> assume;
  std::vector<Expectation> expect;
  std::string contract_gate;  ///< quality gate the workload is assumed to meet, as the user words it
};

}  // namespace fleetsim
