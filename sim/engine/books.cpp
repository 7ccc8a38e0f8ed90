#include <algorithm>
#include <bit>
#include <limits>

#include "sim/engine/engine.hpp"

namespace fleetsim {
namespace {

/// Held for less than this, a job's slowdown and starvation are measured against this.
constexpr Duration kShort = Duration::nanoseconds(10'000'000'000);

/// Scatters numbers (the end of SplitMix64), so that sums of different sets of them differ.
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace

void Engine::charge(Job& job, Leaf leaf, SimTime from, SimTime to, Capacity capacity) {
  if (from >= to || capacity == Capacity::zero()) return;
  const SimTime first = clip(from), last = clip(to);
  if (first < last) add(job, job.pool, leaf, capacity * (last - first));
}

void Engine::charge_held(Job& job, SimTime to) {
  charge(job, Leaf::runtime_idle_reservation, job.charged, to, job.assigned - job.gang_capacity);
  // What follows a launch is stepping, and is charged when its fate is known.
  const SimTime until = job.phase == JobPhase::running ? std::min(to, job.phase_until) : to;
  if (job.charged < until) {
    charge(job, job.phase_leaf, job.charged, until, job.gang_capacity);
    if (job.pauses_at_new_size && job.phase == JobPhase::running) {
      const SimTime first = clip(job.charged), last = clip(until);
      result_.classes[job.job_class.value].resize_pauses += job.gang_capacity * (last - first);
    }
    if (job.phase_leaf != Leaf::scheduling_partial_gang && job.phase_leaf != Leaf::scheduling_transition)
      record(job, TimelineKind::leaf, job.charged, until, job.phase_leaf, job.gang_capacity);
  }
  job.charged = std::max(job.charged, to);
}

void Engine::add_stretch(Job& job, const Stretch& stretch, SimTime from, SimTime to,
                         std::optional<Leaf> lost) {
  if (records_ != nullptr) record_stretch(job, stretch, from, to);
  const SimTime first = clip(from), last = clip(to);
  if (first >= last) return;
  if (job.standby) return charge(job, Leaf::program_headroom, first, last, job.gang_capacity);
  if (stretch.is_plain())
    return lost ? charge(job, *lost, first, last, job.gang_capacity)
                : keep_retained(job, job.gang_capacity * (last - first));
  const Elapsed part = stretch.between(first, last);
  const auto add_ns = [&](Leaf leaf, std::int64_t ns) {
    if (ns != 0) add(job, job.pool, leaf, job.gang_capacity * Duration::nanoseconds(ns));
  };
  add_ns(job.launch_leaf, part.warm_up);
  if (lost) {
    add_ns(*lost, part.stepping() + part.pause);
    return;
  }
  add_ns(Leaf::runtime_input_wait, part.wait);
  add_ns(Leaf::runtime_checkpoint, part.pause);
  add_ns(Leaf::program_straggler, part.straggler);
  add_ns(Leaf::program_noisy_neighbour, part.neighbour);
  add_ns(Leaf::program_placement, part.placement);
  add_ns(Leaf::program_checkpoint_write, part.flush_excess);
  keep_retained(job, job.gang_capacity * Duration::nanoseconds(part.own));
}

/// One row for each part of the interval that the edges of the window leave.
void Engine::record_stretch(const Job& job, const Stretch& stretch, SimTime from, SimTime to) {
  if (job.gang_capacity == Capacity::zero()) return;
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
                    .straggler = Duration::nanoseconds(part.straggler),
                    .neighbour = Duration::nanoseconds(part.neighbour),
                    .placement = Duration::nanoseconds(part.placement),
                    .warm_up = Duration::nanoseconds(part.warm_up),
                    .warm_up_leaf = job.launch_leaf};
    if (job.standby) {
      row.excess = row.step;
      row.excess_leaf = Leaf::program_headroom;
      row.step = Duration::zero();
    }
    records_->timeline.push_back(row);
  }
}

void Engine::keep_retained(Job& job, DeviceTime amount) {
  Job::Retained& last = job.retained;
  if (last.program != job.program || last.pool != job.pool) {
    if (last.program != nullptr) job.retained_before.push_back(last);
    last = {job.program, job.pool, DeviceTime::zero()};
    const auto same =
        std::find_if(job.retained_before.begin(), job.retained_before.end(),
                     [&](const auto& each) { return each.pool == job.pool && each.program == job.program; });
    if (same != job.retained_before.end()) {
      last = *same;
      job.retained_before.erase(same);
    }
  }
  last.amount += amount;
}

/// The splits round once for all that was retained in one pool and by one split.
void Engine::split_retained(Job& job) {
  for (const auto& [program, pool, amount] : job.retained_before) split(job, pool, *program, amount);
  if (job.retained.program != nullptr)
    split(job, job.retained.pool, *job.retained.program, job.retained.amount);
  job.retained_before.clear();
  job.retained.program = nullptr;
}

void Engine::split_by_weights(const Job& job, PoolId pool, const ProgramSplit& program, DeviceTime amount) {
  std::vector<std::int64_t> weights;
  for (const auto& [leaf, weight] : program.weights) weights.push_back(weight);
  const std::vector<DeviceTime> parts = split_by_largest_remainder(amount, weights);
  for (std::size_t index = 0; index < parts.size(); ++index)
    add(job, pool, program.weights[index].first, parts[index]);
}

/// What nobody has held since the pool was last looked at.
void Engine::book_unheld(PoolId pool) {
  PoolBook& book = books_[pool.value];
  const SimTime first = clip(book.since), last = clip(now_);
  book.since = now_;
  if (first >= last) return;
  const Duration elapsed = last - first;
  result_.ledger.add(pool, book.reason, pools_[pool.value].in_state(DeviceState::free) * elapsed);
  if (book.depth != 0)
    result_.waiting[pool.value][static_cast<std::size_t>(book.reason)] +=
        Capacity::devices(book.depth) * elapsed;
  if (records_ != nullptr || pools_[pool.value].some_neither_free_nor_held())
    book_otherwise(pool, first, last);
}

/// Devices that were neither free nor held; and all of them, on record.
void Engine::book_otherwise(PoolId pool, SimTime first, SimTime last) {
  const PoolBook& book = books_[pool.value];
  const auto in_state = [&](DeviceState state, Leaf leaf) {
    const Capacity capacity = pools_[pool.value].in_state(state);
    if (capacity == Capacity::zero()) return;
    if (state != DeviceState::free) result_.ledger.add(pool, leaf, capacity * (last - first));
    if (records_ != nullptr)
      records_->pool_rows.push_back({pool.value, first, last, leaf, capacity, book.depth});
  };
  in_state(DeviceState::free, book.reason);
  in_state(DeviceState::spare, Leaf::scheduling_spare);
  in_state(DeviceState::transition, Leaf::scheduling_transition);
  in_state(DeviceState::failed, Leaf::out_of_service_failed);
  in_state(DeviceState::maintenance, Leaf::out_of_service_maintenance);
}

void Engine::decide_reasons() {
  for (std::uint32_t pool = 0; pool < books_.size(); ++pool) decide_reason(PoolId{pool});
  somebody_was_queued_ = !queue_.empty();
}

void Engine::decide_reason(PoolId pool) {
  PoolBook& book = books_[pool.value];
  const Leaf now = queue_.empty() ? Leaf::scheduling_no_demand : reason(pool);
  const std::int64_t depth = depth_[pool.value];
  const std::uint32_t sizes = queued_sizes_[pool.value].present;
  if (now == book.reason && depth == book.depth && sizes == book.queued_sizes) return;
  touch(pool);
  book.reason = now;
  book.depth = depth;
  if (sizes != book.queued_sizes) change_queued_sizes(pool, sizes);
}

/// What is free while gangs of a size are queued: all that was free by the end of each such time, less all
/// that was by its beginning.
void Engine::change_queued_sizes(PoolId pool, std::uint32_t sizes) {
  PoolBook& book = books_[pool.value];
  const LeafTotals& unheld = result_.ledger.unheld(pool);
  DeviceTime all_free;
  for (auto leaf = static_cast<std::size_t>(Leaf::scheduling_no_demand);
       leaf <= static_cast<std::size_t>(Leaf::scheduling_shortfall); ++leaf)
    all_free += unheld[leaf];
  for (std::uint32_t changed = book.queued_sizes ^ sizes; changed != 0; changed &= changed - 1) {
    const int cohort = std::countr_zero(changed);
    DeviceTime& free = result_.by_size[static_cast<std::size_t>(cohort)].free;
    if ((sizes >> cohort & 1) != 0) {
      free -= all_free;
    } else {
      free += all_free;
    }
  }
  book.queued_sizes = sizes;
}

Leaf Engine::reason(PoolId pool_id) const {
  const Pool& pool = pools_[pool_id.value];
  const Capacity free = pool.in_state(DeviceState::free);
  if (free == Capacity::zero()) return Leaf::scheduling_no_demand;
  if (depth_[pool_id.value] == 0) return Leaf::scheduling_capability;
  // Constraints are lifted one after the other; the first that lets some queued job start is the reason.
  Leaf found = Leaf::scheduling_shortfall;
  const auto consider = [&](Leaf leaf) { found = std::min(found, leaf); };
  for (const QueuedShape& each : shapes_) {
    if (each.queued == 0) continue;
    const JobClass& job_class = *each.job_class;
    if (std::find(job_class.pools.begin(), job_class.pools.end(), pool_id.value) == job_class.pools.end())
      continue;
    const TopologyLevel needed = each.near.needed;
    if (!pool.could_ever_fit(each.shape, needed)) continue;
    if (pool.fits(each.shape, needed)) {
      const bool quota_forbids = job_class.quota && !quotas_.allows(*job_class.quota, each.shape.capacity());
      consider(quota_forbids ? Leaf::scheduling_quota : Leaf::scheduling_reservation);
    } else if (needed != TopologyLevel::pool && pool.fits(each.shape, TopologyLevel::pool)) {
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
  const bool provisioning = job.phase == JobPhase::provisioning;
  const bool complete =
      job.phase != JobPhase::assembling && job.phase != JobPhase::waiting_member && !provisioning;
  records_->allocations.push_back(
      {.job = job.record,
       .attempt = std::max(job.attempt, 1U),
       .pool = job.pool.value,
       .from = job.allocation_from,
       .to = now_,
       .gang_complete = complete ? std::optional{job.gang_complete} : std::nullopt,
       .capacity = job.gang_capacity,
       .spare = job.assigned - job.gang_capacity,
       .incomplete = provisioning ? Leaf::scheduling_transition : Leaf::scheduling_partial_gang,
       .reason = reason});
}

void Engine::write_record(Job& job, TimelineKind kind, SimTime from, SimTime to, Leaf leaf,
                          Capacity capacity) {
  if (capacity == Capacity::zero()) return;  // CPU and memory are not in the books
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

void Engine::count_waits(const Job& job, ClassOutcome& sums) const {
  Duration waited = job.requeue_wait + (job.first_start ? *job.first_start - job.submit : Duration::zero());
  Duration longest = job.longest_wait;
  if (!job.holds() || job.phase == JobPhase::assembling || job.phase == JobPhase::provisioning) {
    const Duration so_far = now_ - (job.first_start ? job.released : job.submit);
    waited = waited + so_far;
    longest = std::max(longest, so_far);
  }
  sums.longest_wait = std::max(sums.longest_wait, longest);
  if (waited <= kShort * kStarvedAfter || job.steps == std::numeric_limits<std::int64_t>::max()) return;
  const StepTimes& step = step_times_[job.job_class.value];
  if (waited.ns() > Int128{step.wait + step.own} * job.steps * kStarvedAfter) ++sums.starved;
}

void Engine::find_percentiles() {
  for (const std::vector<JobTimes>& times : times_) result_.percentiles.push_back(percentiles({&times, 1}));
  result_.percentiles.push_back(times_.size() == 1 ? result_.percentiles.front() : percentiles(times_));
  times_.clear();
}

void Engine::count_outcome(const Job& job, std::optional<FinalState> state) {
  const SimTime ended = state == job.final_state && job.phase == JobPhase::zombie ? job.stopped : now_;
  if (state && *state != FinalState::unsatisfiable)
    result_.makespan = std::max(result_.makespan.value_or(ended), ended);
  if (options_.watch != nullptr) stop_watching(job, state, ended);
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
          sums.completed_set += mixed(job.number);
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
        case FinalState::gave_up:
          ++sums.gave_up;
          break;
      }
    }
    const bool has_result = class_of(job).kind != JobKind::service;
    if (state == FinalState::completed && has_result) {
      const Capacity one = Capacity::devices(1);
      const Duration total = ended - job.submit;
      sums.time_to_result += one * total;
      sums.queue_wait += one * (*job.first_start - job.submit);
      sums.requeue_wait += one * job.requeue_wait;
      sums.held += one * job.held;
      sums.member_wait += one * job.member_wait;
      const Duration run = std::max(job.held, kShort);
      const double slowdown =
          total <= run ? 1.0 : static_cast<double>(total.ns()) / static_cast<double>(run.ns());
      sums.bounded_slowdown += slowdown;
      if (options_.jobs != RunOptions::Jobs::sums_only)
        times_[job.job_class.value].push_back({*job.first_start - job.submit, total, slowdown});
    }
    if (state != FinalState::unsatisfiable) count_waits(job, sums);
  }
  if (options_.jobs != RunOptions::Jobs::each) return;
  result_.jobs.push_back(outcome_of(job, state, ended));
}

JobOutcome Engine::outcome_of(const Job& job, std::optional<FinalState> state, SimTime ended) const {
  JobOutcome outcome;
  outcome.id = name_of(job);
  outcome.sequence = job.sequence;
  outcome.job_class = job.job_class.value;
  outcome.submit = job.submit;
  outcome.first_start = job.first_start;
  outcome.state = state;
  if (state && *state != FinalState::unsatisfiable) outcome.end = ended;
  outcome.queue_wait = job.first_start.value_or(ended) - job.submit;
  outcome.requeue_wait = job.requeue_wait;
  outcome.held = job.held;
  outcome.member_wait = job.member_wait;
  if (!state) {
    outcome.doing = fleetsim::name_of(job.phase);
    const bool complete =
        job.holds() && job.phase != JobPhase::assembling && job.phase != JobPhase::provisioning;
    if (complete) outcome.held += now_ - job.gang_complete;
    if (!complete && job.first_start) outcome.requeue_wait += now_ - job.released;
    if (job.phase == JobPhase::waiting_member) outcome.member_wait += now_ - job.member_wait_from;
  }
  outcome.commits = job.commits;
  outcome.failures = job.failures;
  outcome.evictions = job.evictions;
  outcome.drains = job.drains;
  outcome.steps = job.steps_done;
  outcome.resizes = job.resizes;
  outcome.swaps = job.swaps;
  outcome.capacity = job.shape.capacity();
  return outcome;
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
