#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// A scheduler of one pool that recomputes everything at every instant: an independent reading of the rules
/// of backfill, for a few nodes and jobs. It shares no code with what it is compared with.
namespace fleetsim::brute_force {

/// Ticks of any unit.
using Time = std::int64_t;
/// Devices by node.
using Counts = std::vector<int>;

/// `nodes` distinct nodes with `per_node` devices each, and `remainder` more on one further node.
struct Shape {
  int nodes = 0, per_node = 0, remainder = 0;
};

/// A limit is an estimate only: a job that is over it runs on, and is taken to end at any moment.
struct Job {
  Time submit = 0;
  Shape shape;
  Time duration = 0, estimate = 0;
  bool near = false;  ///< all of it in one rack, the first that has room ...
  std::optional<Time>
      wait{};        ///< ... or, so long after its submission, anywhere if no rack has; never: nullopt
  int cpu = 0;       ///< of each node that it has devices of
  int priority = 0;  ///< larger first, under Order::priority
};

/// The node is out in [from, until), and must be idle at `from`. Nobody knows when it returns.
struct Outage {
  int node = 0;
  Time from = 0, until = 0;
};

enum class Policy {
  fcfs,          ///< strict: nobody passes a job that does not fit
  greedy,        ///< whoever fits starts, in the order of the queue
  easy,          ///< who is behind the head may start when that does not move the head's shadow time
  conservative,  ///< everybody has a reservation, planned anew at every instant in the order of the queue
};

enum class Order {
  fifo,  ///< submission, then index
  sjf,   ///< estimate, then submission, then index
  /// Priority, then submission, then index. Who is first in this order and cannot start may stop others of
  /// smaller priority; they begin again from nothing, at their place in the queue.
  priority,
};

struct Problem {
  int nodes = 1, devices = 1;  ///< devices of each node
  int cpus = 0;                ///< of each node
  std::vector<int> racks{};    ///< of each node; empty: all in one
  std::vector<Job> jobs;
  std::vector<Outage> outages;
  Policy policy = Policy::fcfs;
  Order order = Order::fifo;
  /// How many jobs behind the head, the first that does not start in a pass, are looked at; nullopt means
  /// all.
  std::optional<int> depth;
  Time teardown = 0;  ///< for so long after its end what a job held is not free yet, as is known
};

struct Outcome {
  std::optional<Time> start;  ///< never: it does not fit on the whole cluster, or the nodes never return
  Counts taken;               ///< what it holds on each node; empty when it never starts
  /// The first start that a pass found for it when it could not start at once: its shadow time as a head
  /// under `easy`, its reservation under `conservative`. Not set by a pass in which it would never fit.
  std::optional<Time> first_promise;
  int stops = 0;  ///< how often it was stopped; `start` is its last
};

/// Whole members take, in ascending number, nodes with at least `per_node` free until `nodes` are found; then
/// the remainder takes the first other node with room. What is taken on each node, or nullopt.
std::optional<Counts> first_fit(const Shape& shape, const Counts& free);

/// What is free of each node.
struct Free {
  Counts devices, cpus;
};

/// Whether the whole cluster could hold the job as it asks.
bool could_ever_fit(const Problem& problem, const Job& job);

/// One outcome for each job, in the order of `problem.jobs`. At each instant at which something happens:
/// completions, then outages and returns, then arrivals, then one pass; jobs that end where they start are
/// followed by a further round. Throws std::invalid_argument when a node that fails is not idle.
std::vector<Outcome> schedule(const Problem& problem);

}  // namespace fleetsim::brute_force
