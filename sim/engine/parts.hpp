#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "models/fabric/fabric_graph.hpp"
#include "sim/core/random_stream.hpp"
#include "sim/core/topology_level.hpp"
#include "sim/faults/fault_process.hpp"
#include "sim/faults/slow_process.hpp"
#include "sim/faults/slow_spots.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/job/job.hpp"
#include "sim/scheduler/elastic.hpp"

/// What the engine keeps beside jobs and pools, of the concern that the comment names.
namespace fleetsim {

// Arrivals and the queue.

struct Source {
  std::uint64_t arrived = 0;
  std::uint64_t brought = 0;  ///< with replicas that are kept warm, or take the place of others
  std::uint64_t replaced = 0;
  bool is_plain = false;  ///< its jobs start, step, and end
  SimTime next;
  RandomStream gaps, gangs, durations;
  std::vector<double> weights{};  ///< of the gang sizes up to each
  struct Gang {
    GangShape shape;
    std::uint32_t index;  ///< in `shapes_`
    std::uint32_t size_cohort;
  };
  std::vector<Gang> gangs_by_size;   ///< as many as sizes, or the one given as a shape
  std::vector<std::uint32_t> drawn;  ///< of jobs that are drawn: which of the list they are
};
struct Impatient {
  JobId job;
  std::uint32_t generation;
};
struct FairShare {
  std::vector<double> held;         ///< by quota: device-time, milli-device-ns, decayed by half-lives
  std::vector<std::int64_t> ranks;  ///< by quota
  SimTime since;
};

// Faults.

/// Out of service, or in teardown, until then.
struct OutPart {
  PoolId pool;
  std::uint32_t node;
  DeviceMask devices;
  SimTime until;
  std::uint16_t milli = 0;  ///< of a shared device
  Part part() const { return {.node = node, .milli = milli, .devices = devices}; }
};
struct BrokenShare {
  PoolId pool;
  std::uint32_t node, device;
  Duration repair;
};
struct Faults {
  std::vector<FaultProcess> processes;
  std::vector<FaultProcess::Strike> next_strike;  ///< by process, memoryless rows
  std::vector<FaultProcess::Strike> ageing;       ///< next strike of every entity of every row that ages
  std::vector<std::uint32_t> ageing_from;         ///< by process: its first entity in `ageing`
  std::vector<OutPart> out_parts;
  std::vector<std::uint32_t> free_out_parts;
  std::vector<BrokenShare> broken_shares;  ///< failed devices that somebody still holds a part of
  std::vector<OutPart> teardowns;
  std::vector<std::uint32_t> free_teardowns;
  std::vector<JobId> struck;
  std::vector<Job::Broken> losing;
};

// Links.

/// Where a gang sits, and how many times longer its traffic takes for that of others.
struct PlacedStep {
  std::uint32_t devices;
  Spread spread;
  double slower;
  auto operator<=>(const PlacedStep&) const = default;
};
struct Links {
  /// By class: what the model has said a step is longer for its place or, where traffic is slower, for that.
  std::vector<std::map<PlacedStep, std::int64_t>> placed;
  std::vector<std::uint32_t> nodes_in_place;  ///< of the gang that is looked at; zero between looks
  std::vector<std::uint32_t> used_places;
  std::vector<std::optional<FabricGraph>> graphs;  ///< by pool; empty where no links are shared
  bool changed = false;
};

// Slowness.

/// All empty where nothing is ever slow.
struct SlowDevices {
  std::vector<SlowSpots> spots;  ///< by pool
  std::vector<SlowProcess> processes;
  std::vector<SlowProcess::Episode> next;  ///< by process
  std::vector<ScriptedSlowness> episodes;  ///< under way
  std::vector<std::uint32_t> free_episodes;
  std::vector<JobId> swaps_wanted;  ///< gangs that found no other node for a straggler
};

// Members.

/// What takes the place of a member: of the job's own spares (held), of the pool's, or what is free.
struct StandIn {
  Part part;
  DeviceState from = DeviceState::free;
};
/// Whether devices that are known to be slow count.
enum class Soundness : std::uint8_t { any, sound };

// Drains.

/// A drain, or nodes that are not installed.
struct Withdrawal {
  PoolId pool;
  std::span<const std::uint32_t> nodes;
  DeviceState to;
  DrainMode mode = DrainMode::now;
  Duration length = Duration::max();
  std::optional<Duration> every{};
};
/// What is planned for a node: drains in effect, whether it is not installed, or never comes back, and when
/// it serves again.
struct NodePlan {
  std::uint32_t drains = 0;
  bool absent = false, gone = false;
  SimTime back;
};
struct ToVacate {
  PoolId pool;
  std::uint32_t node;
  DrainMode mode;
};
struct Drains {
  std::vector<Withdrawal> withdrawals;
  std::vector<std::vector<NodePlan>> plans;  ///< by pool, by node; empty where nothing is planned
  std::vector<ToVacate> to_vacate;           ///< withdrawn at this instant
  std::vector<std::uint32_t> ends_to_come;   ///< withdrawals in effect that will end
};

// Preemption.

struct Room {
  std::optional<std::uint32_t> pool;  ///< where there is room, or will be
  bool stopped = false;               ///< somebody was stopped for it just now
};

// Elastic gangs.

struct SizedGang {
  GangShape shape;
  std::uint32_t shape_index;
  StepTimes step;
  const ProgramSplit* program;
};
struct Resizing {
  ResizeState state = ResizeState::committed;
  LaunchSpec phases;
};
struct ScriptedSize {
  SimTime at;
  SizedGang size;
  Resizing terms;
};
/// Of a class; without a policy where its gangs are rigid.
struct Elastic {
  const ElasticPolicy* policy = nullptr;
  std::vector<SizedGang> sizes;
  Resizing terms;
  std::vector<ScriptedSize> script;
};

// Backfill.

struct Reservation {
  const Job* head = nullptr;  ///< the first job that cannot start; nobody yet
  SimTime start;              ///< when it could, if all ended when expected; never if it could not
  bool vacated = false;       ///< room is being made for it, and nobody may come between
  TopologyLevel level = TopologyLevel::pool;  ///< how near together it will have to be
};

/// How far a look at the queue has come: jobs still to be met, and those among them that are known to find no
/// room, or to be too long.
struct QueueLook {
  std::int64_t ahead = 0, without_room = 0, too_long = 0;
  bool anybody_too_long = false;
  std::optional<std::uint32_t> depth{};  ///< how many more are looked at, from the first that cannot start on
};

// Books.

struct PoolBook {
  SimTime since;
  Leaf reason = Leaf::scheduling_no_demand;
  std::int64_t depth = 0;
  std::uint32_t queued_sizes = 0;
};

// Fragmentation.

/// Capacities that hold from one instant to the next.
struct FragmentationBook {
  SimTime since;
  std::uint64_t version = ~std::uint64_t{0};  ///< of the pool, when nobody was queued
  Capacity free, device, node, rack, pod, typical;
  struct Gang {
    GangShape shape;
    TopologyLevel needed;
    double jobs;
  };
  std::vector<Gang> expected{};
};

}  // namespace fleetsim
