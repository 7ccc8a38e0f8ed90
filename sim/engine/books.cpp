#include <algorithm>
#include <limits>

#include "sim/engine/engine.hpp"

namespace fleetsim {

void Engine::charge(Job& job, Leaf leaf, SimTime from, SimTime to, Capacity capacity) {
  if (from >= to || capacity == Capacity::zero()) return;
  const SimTime first = clip(from), last = clip(to);
  if (first < last) result_.ledger.add(job.pool, job.job_class, leaf, capacity * (last - first));
}

void Engine::charge_held(Job& job, SimTime to) {
  charge(job, Leaf::runtime_idle_reservation, job.charged, to, job.assigned - job.gang_capacity);
  // What follows a launch is stepping, and is charged when its fate is known.
  const SimTime until = job.phase == JobPhase::running ? std::min(to, job.phase_until) : to;
  if (job.charged < until) {
    charge(job, job.phase_leaf, job.charged, until, job.gang_capacity);
    if (job.phase_leaf != Leaf::scheduling_partial_gang)
      record(job, TimelineKind::leaf, job.charged, until, job.phase_leaf, job.gang_capacity);
  }
  job.charged = std::max(job.charged, to);
}

void Engine::add_stretch(Job& job, const Stretch& stretch, SimTime from, SimTime to,
                         std::optional<Leaf> lost) {
  if (records_ != nullptr) record_stretch(job, stretch, from, to);
  const SimTime first = clip(from), last = clip(to);
  if (first >= last) return;
  if (stretch.is_plain())
    return lost ? charge(job, *lost, first, last, job.gang_capacity)
                : keep_retained(job, job.gang_capacity * (last - first));
  const Elapsed part = stretch.between(first, last);
  const auto add = [&](Leaf leaf, std::int64_t ns) {
    if (ns != 0)
      result_.ledger.add(job.pool, job.job_class, leaf, job.gang_capacity * Duration::nanoseconds(ns));
  };
  add(job.launch_leaf, part.warm_up);
  if (lost) {
    add(*lost, part.stepping() + part.pause);
    return;
  }
  add(Leaf::runtime_input_wait, part.wait);
  add(Leaf::runtime_checkpoint, part.pause);
  add(Leaf::program_checkpoint_write, part.flush_excess);
  keep_retained(job, job.gang_capacity * Duration::nanoseconds(part.own));
}

/// One row for each part of the interval that the edges of the window leave.
void Engine::record_stretch(const Job& job, const Stretch& stretch, SimTime from, SimTime to) {
  const SimTime edges[] = {from, std::clamp(window_start_, from, to), std::clamp(window_end_, from, to), to};
  for (std::size_t index = 0; index + 1 < std::size(edges); ++index) {
    if (edges[index] >= edges[index + 1]) continue;
    const Elapsed part = stretch.between(edges[index], edges[index + 1]);
    TimelineRow row{.job = job.record,
                    .attempt = job.attempt,
                    .kind = TimelineKind::stretch,
                    .from = edges[index],
                    .to = edges[index + 1],
                    .leaf = Leaf::ideal,
                    .capacity = job.gang_capacity,
                    .steps = part.steps,
                    .step = Duration::nanoseconds(part.own),
                    .wait = Duration::nanoseconds(part.wait),
                    .pause = Duration::nanoseconds(part.pause),
                    .excess = Duration::nanoseconds(part.flush_excess),
                    .excess_leaf = Leaf::program_checkpoint_write,
                    .warm_up = Duration::nanoseconds(part.warm_up),
                    .warm_up_leaf = job.launch_leaf};
    records_->timeline.push_back(row);
  }
}

void Engine::keep_retained(Job& job, DeviceTime amount) {
  const auto same = std::find_if(job.retained.begin(), job.retained.end(), [&](const auto& each) {
    return each.pool == job.pool && each.program == job.program;
  });
  if (same == job.retained.end()) {
    job.retained.push_back({job.pool, job.program, amount});
  } else {
    same->amount += amount;
  }
}

void Engine::split_retained(Job& job) {
  std::vector<std::int64_t> weights;
  for (const auto& [pool, program, amount] : job.retained) {
    if (program->weights.empty()) {
      result_.ledger.add(pool, job.job_class, Leaf::program_unmodelled, amount);
      continue;
    }
    weights.clear();
    for (const auto& [leaf, weight] : program->weights) weights.push_back(weight);
    const std::vector<DeviceTime> parts = split_by_largest_remainder(amount, weights);
    for (std::size_t index = 0; index < parts.size(); ++index)
      result_.ledger.add(pool, job.job_class, program->weights[index].first, parts[index]);
  }
  job.retained.clear();
}

void Engine::touch(PoolId pool) {
  PoolBook& book = books_[pool.value];
  if (book.since == now_) return;
  const SimTime first = clip(book.since), last = clip(now_);
  book.since = now_;
  if (first >= last) return;
  const Duration elapsed = last - first;
  const auto add = [&](DeviceState state, Leaf leaf) __attribute__((always_inline)) {
    const Capacity capacity = pools_[pool.value].in_state(state);
    if (capacity == Capacity::zero()) return;
    result_.ledger.add(pool, leaf, capacity * elapsed);
    if (records_ != nullptr) record_idle({pool.value, first, last, leaf, capacity, book.depth});
  };
  add(DeviceState::free, book.reason);
  add(DeviceState::spare, Leaf::scheduling_spare);
  add(DeviceState::transition, Leaf::scheduling_transition);
  add(DeviceState::failed, Leaf::out_of_service_failed);
  add(DeviceState::maintenance, Leaf::out_of_service_maintenance);
  if (book.depth != 0) result_.queue_depth[pool.value] += Capacity::devices(book.depth) * elapsed;
}

void Engine::record_idle(const PoolRow& row) { records_->pool_rows.push_back(row); }

void Engine::decide_reasons() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    PoolBook& book = books_[pool];
    const Leaf now = reason(PoolId{pool});
    if (now == book.reason && depth_[pool] == book.depth) continue;
    touch(PoolId{pool});
    book.reason = now;
    book.depth = depth_[pool];
  }
}

Leaf Engine::reason(PoolId pool_id) const {
  const Pool& pool = pools_[pool_id.value];
  const Capacity free = pool.in_state(DeviceState::free);
  if (queue_.empty() || free == Capacity::zero()) return Leaf::scheduling_no_demand;
  if (depth_[pool_id.value] == 0) return Leaf::scheduling_capability;
  // Constraints are lifted one after the other; the first that lets some queued job start is the reason.
  Leaf found = Leaf::scheduling_shortfall;
  const auto consider = [&](Leaf leaf) { found = std::min(found, leaf); };
  for (const QueuedShape& each : shapes_) {
    if (each.queued == 0) continue;
    const JobClass& job_class = *each.job_class;
    if (std::find(job_class.pools.begin(), job_class.pools.end(), pool_id.value) == job_class.pools.end())
      continue;
    if (!pool.could_ever_fit(each.shape, job_class.within_rack)) continue;
    if (pool.fits(each.shape, job_class.within_rack)) {
      const bool quota_forbids = job_class.quota && !quotas_.allows(*job_class.quota, each.shape.capacity());
      consider(quota_forbids ? Leaf::scheduling_quota : Leaf::scheduling_reservation);
    } else if (job_class.within_rack && pool.fits(each.shape, false)) {
      consider(Leaf::scheduling_topology_wait);
    } else if (each.shape.capacity() <= free) {
      consider(Leaf::scheduling_fragmentation);
    }
    if (found == Leaf::scheduling_reservation) return found;
  }
  for (const JobId id : holders_) {
    const Job& each = *jobs_[id.value];
    if (each.pool == pool_id && allocation_shape(each).capacity() - each.assigned <= free)
      consider(Leaf::scheduling_fragmentation);
  }
  return found;
}

void Engine::write_allocation(const Job& job, const char* reason) {
  if (job.allocation_from == now_ || job.assigned == Capacity::zero()) return;
  const bool complete = job.phase != JobPhase::assembling && job.phase != JobPhase::waiting_member;
  records_->allocations.push_back(
      {.job = job.record,
       .attempt = std::max(job.attempt, 1U),
       .pool = job.pool.value,
       .from = job.allocation_from,
       .to = now_,
       .gang_complete = complete ? std::optional{job.gang_complete} : std::nullopt,
       .capacity = job.gang_capacity,
       .spare = job.assigned - job.gang_capacity,
       .reason = reason});
}

void Engine::write_record(Job& job, TimelineKind kind, SimTime from, SimTime to, Leaf leaf,
                          Capacity capacity) {
  TimelineRow row;
  row.job = job.record;
  row.attempt = std::max(job.attempt, 1U);
  row.kind = kind;
  row.from = from;
  row.to = to;
  row.leaf = leaf;
  row.capacity = capacity;
  records_->timeline.push_back(row);
}

void Engine::count_outcome(const Job& job, std::optional<FinalState> state) {
  const SimTime ended = state == job.final_state && job.phase == JobPhase::zombie ? job.stopped : now_;
  if (state && *state != FinalState::unsatisfiable)
    result_.makespan = std::max(result_.makespan.value_or(ended), ended);
  const bool queued_first = !job.first_start.has_value();
  if (job.submit >= window_start_ && job.submit < window_end_) {
    ClassOutcome& sums = result_.classes[job.job_class.value];
    if (!queued_first) ++sums.started;
    if (!state) {
      ++sums.unfinished;
    } else {
      switch (*state) {
        case FinalState::completed:
          ++sums.completed;
          break;
        case FinalState::failed:
          ++sums.failed;
          break;
        case FinalState::cancelled:
          ++sums.cancelled;
          break;
        case FinalState::killed_at_limit:
          ++sums.killed_at_limit;
          break;
        case FinalState::unsatisfiable:
          ++sums.unsatisfiable;
          break;
        case FinalState::no_progress:
          ++sums.no_progress;
          break;
      }
    }
    if (state == FinalState::completed) {
      const Capacity one = Capacity::devices(1);
      const Duration total = ended - job.submit;
      sums.time_to_result += one * total;
      sums.queue_wait += one * (*job.first_start - job.submit);
      sums.requeue_wait += one * job.requeue_wait;
      sums.held += one * job.held;
      sums.member_wait += one * job.member_wait;
      constexpr double kShort = 10e9;  // ns
      const double run = std::max(static_cast<double>(job.held.ns()), kShort);
      sums.bounded_slowdown += std::max(1.0, static_cast<double>(total.ns()) / run);
    }
  }
  if (options_.jobs != RunOptions::Jobs::each) return;
  JobOutcome outcome;
  outcome.id = name_of(job);
  outcome.sequence = job.sequence;
  outcome.job_class = job.job_class.value;
  outcome.submit = job.submit;
  outcome.first_start = job.first_start;
  outcome.state = state;
  if (state && *state != FinalState::unsatisfiable) outcome.end = ended;
  outcome.queue_wait = job.first_start ? *job.first_start - job.submit : Duration::zero();
  outcome.requeue_wait = job.requeue_wait;
  outcome.held = job.held;
  outcome.member_wait = job.member_wait;
  outcome.commits = job.commits;
  outcome.failures = job.failures;
  outcome.evictions = job.evictions;
  outcome.drains = job.drains;
  outcome.steps = job.steps_done;
  outcome.resizes = job.resizes;
  outcome.capacity = job.shape.capacity();
  result_.jobs.push_back(std::move(outcome));
}

void Engine::watch_resolution(Job& job) {
  if (job.phase != JobPhase::running && job.phase != JobPhase::saving) return;
  const bool running = job.phase == JobPhase::running && job.stepping;
  const SimTime first = job.pieces.empty() ? (running ? std::max(job.committed, job.stretch.start()) : now_)
                                           : job.pieces.front().from;
  if (first >= window_end_ || covered(job, now_) >= window_end_) return;
  if (!job.unresolved) {
    job.unresolved = true;
    ++unresolved_;
  }
  if (!running) return;
  SimTime when = job.stretch.when_covered(window_end_);
  if (job.pending_durable != SimTime::never() && job.pending_cover >= window_end_)
    when = std::min(when, job.pending_durable);
  push(when, Phase::kCompletion, EventKind::resolved, job.slot.value, job.run_generation);
}

void Engine::resolve(Job& job) {
  if (!job.unresolved) return;
  job.unresolved = false;
  --unresolved_;
}

}  // namespace fleetsim
