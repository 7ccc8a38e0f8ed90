#include "tests/engine/brute_force_scheduler.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace fleetsim::brute_force {
namespace {

enum class State { to_come, queued, running, gone };

/// A part of a plan: devices that are not free in [from, to).
struct Hold {
  Time from, to;
  const Counts* taken;
  int cpu;
};

void subtract(Free& free, const Counts& taken, int cpu) {
  for (std::size_t node = 0; node < taken.size(); ++node) {
    free.devices[node] -= taken[node];
    if (taken[node] > 0) free.cpus[node] -= cpu;
  }
}

Free lower(const Free& a, const Free& b) {
  Free low = a;
  for (std::size_t node = 0; node < low.devices.size(); ++node) {
    low.devices[node] = std::min(low.devices[node], b.devices[node]);
    low.cpus[node] = std::min(low.cpus[node], b.cpus[node]);
  }
  return low;
}

Free all_of(const Problem& problem) {
  const auto nodes = static_cast<std::size_t>(problem.nodes);
  return {Counts(nodes, problem.devices), Counts(nodes, problem.cpus)};
}

/// What the job would take of what is free, if `waited` so long since its submission.
std::optional<Counts> fit(const Problem& problem, const Job& job, const Free& free, bool has_waited) {
  // A node without the CPU for it has nothing for it.
  Counts with_cpu = free.devices;
  for (std::size_t node = 0; node < with_cpu.size(); ++node)
    if (free.cpus[node] < job.cpu) with_cpu[node] = 0;
  if (!job.near || problem.racks.empty()) return first_fit(job.shape, with_cpu);
  for (int rack = 0; rack <= *std::max_element(problem.racks.begin(), problem.racks.end()); ++rack) {
    Counts there(with_cpu.size(), 0);
    for (std::size_t node = 0; node < there.size(); ++node)
      if (problem.racks[node] == rack) there[node] = with_cpu[node];
    if (const auto taken = first_fit(job.shape, there)) return taken;
  }
  return has_waited ? first_fit(job.shape, with_cpu) : std::nullopt;
}

class Scheduler {
 public:
  explicit Scheduler(const Problem& problem)
      : problem_{problem}, states_(problem.jobs.size(), State::to_come), outcomes_(problem.jobs.size()) {}

  std::vector<Outcome> play() {
    while (const std::optional<Time> next = next_instant()) {
      now_ = *next;
      complete();
      check_outages();
      arrive();
      // Whom a pass stops it leaves to the next.
      while (!(problem_.policy == Policy::conservative ? plan_and_start() : start_from_the_head())) {
      }
    }
    return outcomes_;
  }

 private:
  const Job& job(std::size_t index) const { return problem_.jobs[index]; }
  Time end(std::size_t index) const { return *outcomes_[index].start + job(index).duration; }
  Time freed(std::size_t index) const { return end(index) + problem_.teardown; }
  /// Until when only a rack will do; nobody waits for a rack that no rack could be.
  std::optional<Time> waits_until(std::size_t index) const {
    const bool possible = fit(problem_, job(index), all_of(problem_), false).has_value();
    return job(index).near && job(index).wait && possible
               ? std::optional{job(index).submit + *job(index).wait}
               : std::nullopt;
  }
  std::optional<Counts> fit_at(std::size_t index, const Free& free, Time at) const {
    return fit(problem_, job(index), free, job(index).wait && at >= waits_until(index).value_or(at));
  }
  /// When its devices are taken to be free.
  Time estimated_end(std::size_t index) const {
    if (now_ >= end(index)) return freed(index);
    return std::max(now_, *outcomes_[index].start + job(index).estimate) + problem_.teardown;
  }
  Time estimated_stay(std::size_t index) const { return job(index).estimate + problem_.teardown; }
  std::vector<std::size_t> all(State state) const {
    std::vector<std::size_t> found;
    for (std::size_t index = 0; index < states_.size(); ++index)
      if (states_[index] == state) found.push_back(index);
    return found;
  }

  std::optional<Time> next_instant() const {
    std::optional<Time> next;
    const auto consider = [&](Time at) { next = std::min(next.value_or(at), at); };
    for (const std::size_t index : all(State::to_come)) consider(job(index).submit);
    for (const std::size_t index : all(State::running))
      for (const Time at : {end(index), freed(index)})
        if (at > now_ || at == freed(index)) consider(at);
    for (const std::size_t index : all(State::queued))
      if (const auto until = waits_until(index); until && *until > now_) consider(*until);
    for (const Outage& outage : problem_.outages)
      for (const Time at : {outage.from, outage.until})
        if (at > now_) consider(at);
    return next;
  }

  void complete() {
    for (const std::size_t index : all(State::running))
      if (freed(index) == now_) states_[index] = State::gone;
  }

  void check_outages() const {
    for (const Outage& outage : problem_.outages)
      for (const std::size_t index : all(State::running))
        if (outage.from == now_ && outcomes_[index].taken[static_cast<std::size_t>(outage.node)] > 0)
          throw std::invalid_argument{"a node that fails is not idle"};
  }

  void arrive() {
    for (const std::size_t index : all(State::to_come))
      if (job(index).submit == now_)
        states_[index] = could_ever_fit(problem_, job(index)) ? State::queued : State::gone;
  }

  std::vector<std::size_t> queue() const {
    std::vector<std::size_t> jobs = all(State::queued);
    const auto key = [&](std::size_t index) {
      const Time first = problem_.order == Order::sjf        ? job(index).estimate
                         : problem_.order == Order::priority ? -job(index).priority
                                                             : 0;
      return std::tuple{first, job(index).submit, index};
    };
    std::sort(jobs.begin(), jobs.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return jobs;
  }

  void start(std::size_t index, const Counts& taken) {
    states_[index] = State::running;
    outcomes_[index].start = now_;
    outcomes_[index].taken = taken;
  }

  void promise(std::size_t index, std::optional<Time> at) {
    if (!outcomes_[index].first_promise) outcomes_[index].first_promise = at;
  }

  void subtract(Free& free, std::size_t index) const {
    brute_force::subtract(free, outcomes_[index].taken, job(index).cpu);
  }
  /// Of the nodes that are in service now, with no job on them.
  Free in_service() const {
    Free free = all_of(problem_);
    for (const Outage& outage : problem_.outages)
      if (outage.from <= now_ && now_ < outage.until) free.devices[static_cast<std::size_t>(outage.node)] = 0;
    return free;
  }
  Free free_now() const {
    Free free = in_service();
    for (const std::size_t index : all(State::running)) subtract(free, index);
    return free;
  }
  /// If everybody who runs left at the estimated end, and nobody else started.
  Free expected_free(Time at) const {
    Free free = in_service();
    for (const std::size_t index : all(State::running))
      if (estimated_end(index) > at) subtract(free, index);
    return free;
  }

  std::optional<Time> shadow_time(std::size_t head) const {
    std::vector<Time> instants;
    for (const std::size_t index : all(State::running)) instants.push_back(estimated_end(index));
    if (const auto until = waits_until(head); until && *until > now_) instants.push_back(*until);
    std::optional<Time> shadow;
    for (const Time at : instants)
      if (fit_at(head, expected_free(at), at)) shadow = std::min(shadow.value_or(at), at);
    return shadow;
  }

  bool may_pass(std::size_t head, std::optional<Time> shadow, std::size_t index, const Counts& taken) const {
    if (problem_.policy == Policy::greedy || !shadow || now_ + estimated_stay(index) <= *shadow) return true;
    Free left = expected_free(*shadow);
    brute_force::subtract(left, taken, job(index).cpu);
    return fit_at(head, left, *shadow).has_value();
  }

  /// Stops others of smaller priority for a job, if that makes room: of the smallest priority, and of those
  /// the last in the order of the queue, first; nobody without need.
  bool stop_others_for(std::size_t index) {
    if (problem_.order != Order::priority) return false;
    std::vector<std::size_t> others = all(State::running);
    std::erase_if(others, [&](std::size_t other) { return job(other).priority >= job(index).priority; });
    std::sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple{job(a).priority, -job(a).submit, b} < std::tuple{job(b).priority, -job(b).submit, a};
    });
    const auto is_enough = [&](const std::vector<std::size_t>& victims) {
      Free free = in_service();
      for (const std::size_t other : all(State::running))
        if (std::find(victims.begin(), victims.end(), other) == victims.end()) subtract(free, other);
      return fit_at(index, free, now_).has_value();
    };
    std::vector<std::size_t> victims;
    for (const std::size_t other : others)
      if (!is_enough(victims)) victims.push_back(other);
    if (!is_enough(victims)) return false;
    for (std::size_t last = victims.size(); last-- > 0;) {
      std::vector<std::size_t> fewer;
      for (const std::size_t victim : victims)
        if (victim != victims[last]) fewer.push_back(victim);
      if (is_enough(fewer)) victims.swap(fewer);
    }
    for (const std::size_t victim : victims) {
      states_[victim] = State::queued;
      ++outcomes_[victim].stops;
    }
    start(index, *fit_at(index, free_now(), now_));
    return true;
  }

  /// False if somebody was stopped.
  bool start_from_the_head() {
    std::optional<std::size_t> head;
    std::optional<Time> shadow;
    int behind = 0;
    for (const std::size_t index : queue()) {
      if (head && (problem_.policy == Policy::fcfs || behind++ == problem_.depth)) return true;
      const std::optional<Counts> taken = fit_at(index, free_now(), now_);
      if (taken && (!head || may_pass(*head, shadow, index, *taken))) {
        start(index, *taken);
      } else if (!head) {
        if (stop_others_for(index)) return false;
        head = index;
        shadow = shadow_time(index);
        if (problem_.policy == Policy::easy) promise(index, shadow);
      }
    }
    return true;
  }

  /// The least of each node's free devices over the job's whole estimated stay. A stay of no length needs its
  /// instant.
  Free lowest_free(const std::vector<Hold>& plan, Time from, Time estimate) const {
    std::vector<Time> instants{from};
    for (const Hold& hold : plan)
      if (hold.from > from && hold.from < from + estimate) instants.push_back(hold.from);
    Free lowest = in_service();
    for (const Time at : instants) {
      Free free = in_service();
      for (const Hold& hold : plan)
        if (hold.from <= at && at < hold.to) brute_force::subtract(free, *hold.taken, hold.cpu);
      lowest = lower(lowest, free);
    }
    return lowest;
  }

  /// False if somebody was stopped.
  bool plan_and_start() {
    std::vector<Hold> plan;
    std::vector<Counts> reserved(states_.size());
    for (const std::size_t index : all(State::running))
      plan.push_back({now_, estimated_end(index), &outcomes_[index].taken, job(index).cpu});
    bool blocked = false;
    int behind = 0;
    for (const std::size_t index : queue()) {
      if (blocked && behind++ == problem_.depth) return true;
      const Time estimate = estimated_stay(index);
      // Who is overdue has left the plan, but not yet its devices.
      const Free lowest = lower(free_now(), lowest_free(plan, now_, estimate));
      if (const auto taken = fit_at(index, lowest, now_)) {
        start(index, *taken);
        plan.push_back({now_, now_ + estimate, &outcomes_[index].taken, job(index).cpu});
        continue;
      }
      if (!blocked && stop_others_for(index)) return false;
      blocked = true;
      std::vector<Time> instants;
      for (const Hold& hold : plan) instants.push_back(hold.to);
      if (const auto until = waits_until(index); until && *until > now_) instants.push_back(*until);
      std::sort(instants.begin(), instants.end());
      for (const Time at : instants) {
        const auto taken = fit_at(index, lowest_free(plan, at, estimate), at);
        if (!taken) continue;
        promise(index, at);
        reserved[index] = *taken;
        plan.push_back({at, at + estimate, &reserved[index], job(index).cpu});
        break;
      }
    }
    return true;
  }

  const Problem& problem_;
  std::vector<State> states_;
  std::vector<Outcome> outcomes_;
  Time now_ = std::numeric_limits<Time>::min();
};

}  // namespace

std::optional<Counts> first_fit(const Shape& shape, const Counts& free) {
  Counts taken(free.size(), 0);
  int members = 0;
  for (std::size_t node = 0; node < free.size() && members < shape.nodes; ++node) {
    if (free[node] < shape.per_node) continue;
    taken[node] = shape.per_node;
    ++members;
  }
  if (members < shape.nodes) return std::nullopt;
  if (shape.remainder == 0) return taken;
  for (std::size_t node = 0; node < free.size(); ++node) {
    if (taken[node] != 0 || free[node] < shape.remainder) continue;
    taken[node] = shape.remainder;
    return taken;
  }
  return std::nullopt;
}

bool could_ever_fit(const Problem& problem, const Job& job) {
  return fit(problem, job, all_of(problem), job.wait.has_value()).has_value();
}

std::vector<Outcome> schedule(const Problem& problem) { return Scheduler{problem}.play(); }

}  // namespace fleetsim::brute_force
