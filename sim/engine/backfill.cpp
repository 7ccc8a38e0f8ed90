#include <algorithm>
#include <limits>

#include "sim/engine/engine.hpp"
#include "sim/engine/releases.hpp"

namespace fleetsim {

/// What the scheduler takes the job to hold its devices for: its limit, or the true length of an attempt
/// without interruptions, times a factor.
Duration Engine::estimate(const Job& job) const {
  const SchedulerSpec& scheduler = scenario_.scheduler;
  const auto& limit = limit_of(job);
  if (limit && scheduler.estimates == Estimates::limit) return *limit;
  if (job.life) return *job.life;
  if (job.steps == std::numeric_limits<std::int64_t>::max()) return Duration::max();
  if (class_of(job).kind == JobKind::reservation) return Duration::nanoseconds(job.steps);
  const LaunchSpec& launch = *job.relaunch;
  const std::int64_t left = job.steps - job.steps_done;
  const Stretch stretch{*job.step, cycles_[job.job_class.value],
                        Stretch::Start{.at = SimTime::zero(), .position = job.position}};
  const Duration steps = stretch.end_of_step(left) - SimTime::zero();
  const Duration exact = launch.total() + launch.slow_excess * std::min(left, launch.slow_steps) + steps;
  if (scheduler.estimate_factor == 1.0) return exact;
  return round_to_duration(Seconds{to_seconds(exact).si * scheduler.estimate_factor});
}

void Engine::expect_release(Job& job, SimTime at) {
  if (job.release_hook.is_linked()) releases_.erase(releases_.iterator_to(job));
  job.expected_end = at;
  releases_.insert(job);
}

/// It has given back what it held; `version_before` is that of its pool until then.
void Engine::expect_no_release(Job& job, std::uint64_t version_before) {
  const bool as_foreseen = scenario_.scheduler.backfill == Backfill::conservative && job.expected_end == now_;
  if (as_foreseen) looked_at_ += pools_[job.pool.value].version() - version_before;
  releases_.erase(releases_.iterator_to(job));
}

std::uint64_t Engine::free_version() const {
  std::uint64_t version = 0;
  for (const Pool& pool : pools_) version += pool.version();
  return version;
}

void Engine::remember_what_was_looked_at() {
  newcomers_.clear();
  // What somebody overdue holds is free a teardown from now, whenever that is.
  bool recedes = false;
  auto next = releases_.begin();
  for (; next != releases_.end() && next->expected_end <= now_; ++next)
    recedes = recedes || scenario_.pools[next->pool.value].teardown > Duration::zero();
  looked_at_ = look_again_ || recedes ? kNeverLooked : free_version();
  overdue_from_ = next == releases_.end() ? SimTime::never() : next->expected_end;
}

// Who cannot start may make room by stopping others. If nobody gives way it waits, and keeps its place: under
// a strict order nobody else starts in the pools that it accepts. EASY (Lifka, JSSPP 1995) gives it instead
// the earliest start that it could have if everybody left when expected, in one pool; whoever stands behind
// may start there if it is expected to have left by then, or if the first could start all the same with it
// there.

void Engine::pass_with_reservations() {
  look_again_ = false;
  if (only_newcomers_matter()) {
    // Nothing has become free, so that whoever was looked at before still cannot start.
    std::sort(newcomers_.begin(), newcomers_.end(),
              [](const Job* a, const Job* b) { return QueueOrder{}(*a, *b); });
    for (Job* const job : newcomers_) {
      if (job->phase != JobPhase::queued || stands_behind_its_queue(*job) || !may_look(*job)) continue;
      const auto behind = std::next(queue_.iterator_to(*job));
      if (backfill(*job) != Backfilled::started || whole_nodes_) continue;
      look_again_ = true;
      look_behind(behind);
      break;
    }
  } else {
    look_at_everybody();
  }
  remember_what_was_looked_at();
}

/// Whoever stands behind one that has started might be given other devices now.
void Engine::look_behind(Queue::iterator next) {
  while (next != queue_.end()) {
    Job& job = *next++;
    if (!stands_behind_its_queue(job) && may_look(job)) backfill(job);
  }
}

/// Keys of those who run, as they are now.
void Engine::rank_running() {
  for (const JobId id : running_) job(id).key = key_of(job(id));
}

void Engine::look_at_everybody() {
  if (preempts() && scenario_.scheduler.preempt_by == PreemptBy::order) rank_running();
  // Whoever is stopped goes back into the queue: it is gone through again.
  while (!look_at_queue()) count_pass();
}

bool Engine::only_newcomers_matter() const {
  const SchedulerSpec& scheduler = scenario_.scheduler;
  if (looked_at_ != free_version() || now_ >= overdue_from_ || scheduler.backfill_depth) return false;
  if (preempts() && scheduler.preempt_by == PreemptBy::order) return false;  // keys change as jobs run
  const auto stands_behind = [this](const Job* job) {
    const auto& pools = class_of(*job).pools;
    return job->phase == JobPhase::queued && std::all_of(pools.begin(), pools.end(), [&](std::uint32_t pool) {
             const Job* const head = reservations_[pool].head;
             return head != nullptr && QueueOrder{}(*head, *job);
           });
  };
  return std::all_of(newcomers_.begin(), newcomers_.end(), stands_behind);
}

/// One look at everybody in the queue; false if somebody was stopped.
bool Engine::look_at_queue() {
  ++pass_number_;
  for (Reservation& reservation : reservations_) reservation.head = nullptr;
  QueueLook look{.ahead = static_cast<std::int64_t>(queue_.size())};
  for (auto next = queue_.begin(); next != queue_.end() && look.ahead > look.without_room + look.too_long;) {
    if (!promised_.empty()) keep_promises_before(*next, look);
    Job& job = *next++;
    if (look.depth && (*look.depth)-- == 0) return true;
    QueuedShape& shape = shapes_[job.shape_index];
    shape.enter_pass(pass_number_);
    --look.ahead;
    const bool is_next = !is_known_hopeless(shape, look) && !stands_behind_its_queue(job);
    const Looked looked = !is_next        ? Looked::stays
                          : may_look(job) ? look_at(job, look)
                                          : look_past_quota(job);
    if (looked == Looked::others_stopped) return false;
    if (looked == Looked::started) continue;
    ++shape.met;
    shape.least_met = std::min(shape.least_met, job.estimate);
    if (shape.met == shape.queued) shape.least_estimate = shape.least_met;
  }
  return true;
}

/// Whether nobody of the shape can start any more, as was found at another; it is not counted again.
bool Engine::is_known_hopeless(const QueuedShape& shape, QueueLook& look) const {
  if (shape.hopeless == Hopeless::no_room) {
    --look.without_room;
    return true;
  }
  if (shape.hopeless == Hopeless::too_long && shape.hopeless_at == starts_) {
    --look.too_long;
    return true;
  }
  return false;
}

/// Whoever was too long may be given other devices now.
void Engine::note_start(QueueLook& look) {
  if (whole_nodes_) return;
  ++starts_;
  look.too_long = 0;
  look_again_ = look_again_ || look.anybody_too_long;
}

/// Starts the job, or makes room for it, or keeps its place.
Engine::Looked Engine::look_at(Job& job, QueueLook& look) {
  if (has_room_kept(job)) return Looked::stays;
  const Backfilled outcome = backfill(job);
  if (outcome == Backfilled::started) {
    note_start(look);
    return Looked::started;
  }
  if (!all_reserved(job)) {
    if (others_make_room(job)) return Looked::others_stopped;
    if (scenario_.scheduler.strict && !all_reserved(job)) keep_place(job, look);
  }
  look.anybody_too_long = look.anybody_too_long || outcome == Backfilled::too_long;
  if (all_reserved(job)) note_hopeless(shapes_[job.shape_index], outcome, look);
  return Looked::stays;
}

/// What its quota forbids may be allowed when others have given back what they hold of it, or of its cohort.
Engine::Looked Engine::look_past_quota(Job& job) {
  const bool may_stop = preempts() && !has_room_kept(job) && !all_reserved(job);
  return may_stop && others_make_room(job) ? Looked::others_stopped : Looked::stays;
}

/// Stops others for the job, or lets them shrink, where no place is reserved; false if nobody has to go now.
bool Engine::others_make_room(Job& job) {
  if (preempts()) {
    const Room room = make_room(job);
    // Room that is still being made is kept for whom it is made.
    if (room.pool && !room.stopped) reserve_room(job, *room.pool);
    if (room.stopped && quota_allows(job)) backfill_in(job, *room.pool);
    if (room.pool && job.phase == JobPhase::queued && !job.room_in) {
      job.room_in = room.pool;
      promised_.push_back(job.slot);
    }
    return room.stopped;
  }
  if (!some_shrink_) return false;
  for (const std::uint32_t pool : class_of(job).pools) {
    if (reservations_[pool].head != nullptr || !shrink_for(job, pool)) continue;
    backfill_in(job, pool);
    return true;
  }
  return false;
}

/// Under a strict order nobody passes the job but by backfill.
void Engine::keep_place(Job& job, QueueLook& look) {
  if (backfills()) {
    reserve(job);
  } else if (!block_queue(job)) {
    block_pools(job);
  }
  if (!look.depth) look.depth = scenario_.scheduler.backfill_depth;
}

/// Where every place is reserved: whether what keeps a job keeps all of its shape.
void Engine::note_hopeless(QueuedShape& shape, Backfilled outcome, QueueLook& look) {
  const std::int64_t others = shape.queued - shape.met - 1;
  if (outcome == Backfilled::no_room) {
    shape.hopeless = Hopeless::no_room;
    look.without_room += others;
  } else if (too_long_for_all(*shape.job_class, shape.least_estimate)) {
    shape.hopeless = Hopeless::too_long;
    shape.hopeless_at = starts_;
    look.too_long += others;
  }
}

/// Whether its quota lets the job start. If not, under a strict order nobody else of its queue starts either.
bool Engine::may_look(const Job& job) {
  if (quota_allows(job)) return true;
  if (scenario_.scheduler.strict) block_queue(job);
  return false;
}

bool Engine::all_reserved(const Job& job) const {
  const auto& pools = class_of(job).pools;
  return std::all_of(pools.begin(), pools.end(),
                     [&](std::uint32_t pool) { return reservations_[pool].head != nullptr; });
}

/// Whether a stay that begins now is expected to be over when the reservation begins. While somebody is
/// overdue that is any moment now.
bool Engine::leaves_in_time(std::uint32_t pool, Duration estimate) const {
  if (!backfills() || reservations_[pool].vacated) return false;
  return now_ + estimate + scenario_.pools[pool].teardown <= std::max(reservations_[pool].start, now_);
}

bool Engine::too_long_for_all(const JobClass& job_class, Duration estimate) const {
  const auto& pools = job_class.pools;
  return std::all_of(pools.begin(), pools.end(),
                     [&](std::uint32_t pool) { return !leaves_in_time(pool, estimate); });
}

Engine::Backfilled Engine::backfill(Job& job) {
  Backfilled best = Backfilled::no_room;
  for (const std::uint32_t pool : class_of(job).pools) {
    const Backfilled outcome = backfill_in(job, pool);
    if (outcome == Backfilled::started) return outcome;
    if (outcome == Backfilled::too_long) best = outcome;
  }
  return best;
}

Engine::Backfilled Engine::backfill_in(Job& job, std::uint32_t pool) {
  if (!backfills() && reservations_[pool].head != nullptr) return Backfilled::too_long;
  scratch_.clear();
  if (!find_place(pools_[pool], job, scratch_)) return Backfilled::no_room;
  const Reservation& reservation = reservations_[pool];
  if (reservation.head != nullptr) {
    Forecast& forecast = forecasts_[pool];
    if (leaves_in_time(pool, job.estimate)) {
      forecast.lend(scratch_, job.slot);
    } else {
      forecast.take(scratch_, job.slot);
      if (!forecast.fits(allocation_shape(*reservation.head), reservation.level)) {
        forecast.give_back(scratch_, job.slot);
        return Backfilled::too_long;
      }
    }
  }
  dequeue(job);
  assign(job, PoolId{pool}, scratch_);
  start(job);
  return Backfilled::started;
}

/// Reserves the earliest start among the pools where nobody has a reservation. Where it could never start,
/// because too much is out of service, it keeps nobody from starting.
void Engine::reserve(const Job& job) {
  const JobClass& job_class = class_of(job);
  std::optional<std::uint32_t> best;
  Reservation earliest;
  for (const std::uint32_t pool : job_class.pools) {
    if (reservations_[pool].head != nullptr) continue;
    const Reservation found = forecast_start(pool, job);
    if (best && found.start >= earliest.start) continue;
    best = pool;
    earliest = found;
  }
  reservations_[*best] = earliest;
}

/// Keeps a pool for a job for which room is being made in it.
void Engine::reserve_room(const Job& job, std::uint32_t pool) {
  forecast_leavers(pool);
  reservations_[pool] = {.head = &job, .start = now_, .vacated = true, .level = near(job).needed};
}

/// Under a strict order without backfill nobody passes the job, wherever it might start.
void Engine::block_pools(const Job& job) {
  for (const std::uint32_t pool : class_of(job).pools)
    if (reservations_[pool].head == nullptr) reservations_[pool] = {.head = &job, .start = now_};
}

/// When a job could start if everybody left when expected; leaves the pool as it will be then in its
/// forecast.
Reservation Engine::forecast_start(std::uint32_t pool, const Job& job) {
  Forecast& forecast = forecasts_[pool];
  forecast.reset(pools_[pool]);
  Reservation found{.head = &job, .start = now_};
  const auto fits = [&] {
    found.level = found.start < job.near_until ? near(job).needed : TopologyLevel::pool;
    return forecast.fits(allocation_shape(job), found.level);
  };
  // Also the instant at which it stops waiting for a place near together may be the earliest.
  const auto fits_before = [&](SimTime next) {
    if (fits()) return true;
    if (found.start >= job.near_until || job.near_until >= next) return false;
    found.start = job.near_until;
    return fits();
  };
  bool is_found = false;
  for_each_release(pool, [&](SimTime at, const Placement& parts, std::optional<JobId> by) {
    if (at > found.start) is_found = fits_before(at);
    if (is_found) return false;
    by ? forecast.give_back(parts, *by) : forecast.give_back(parts.front());
    found.start = at;
    return true;
  });
  if (!is_found && !fits_before(SimTime::never())) found.start = SimTime::never();
  return found;
}

}  // namespace fleetsim
