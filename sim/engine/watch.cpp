#include "sim/engine/watch.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/engine/engine.hpp"

namespace fleetsim {
namespace {

constexpr std::array kStates{
    WatchStateInfo{WatchState::quota, "quota", "its quota has no room for it"},
    WatchStateInfo{WatchState::order, "order", "it would fit, but may not pass who is ahead"},
    WatchStateInfo{WatchState::reservation, "reservation", "it would fit, but might delay a reserved start"},
    WatchStateInfo{WatchState::backfill_depth, "backfill_depth",
                   "it would fit, but stands further back than backfill looks"},
    WatchStateInfo{WatchState::holders, "holders", "as many gangs assemble as may"},
    WatchStateInfo{WatchState::topology, "topology", "it would fit, but not as near together as it asks"},
    WatchStateInfo{WatchState::fragmentation, "fragmentation", "enough is free, in the wrong shape"},
    WatchStateInfo{WatchState::leaving, "leaving", "room is being made: somebody is on the way out"},
    WatchStateInfo{WatchState::out_of_service, "out_of_service",
                   "it would fit if what is out of service were back"},
    WatchStateInfo{WatchState::no_room, "no_room", "less is free than it needs"},
    WatchStateInfo{WatchState::assembling, "assembling", "holds a part of its gang"},
    WatchStateInfo{WatchState::provisioning, "provisioning", "its nodes are made ready for it"},
    WatchStateInfo{WatchState::running, "running", "its gang is complete"},
    WatchStateInfo{WatchState::detecting, "detecting", "stopped by a failure, not yet noticed"},
    WatchStateInfo{WatchState::waiting_member, "waiting_member", "survivors wait for a replacement"},
    WatchStateInfo{WatchState::saving, "saving", "saves before it gives way"},
    WatchStateInfo{WatchState::draining, "draining", "ends its requests, and takes no more"},
    WatchStateInfo{WatchState::away, "away", "sent away, to be requeued"},
    WatchStateInfo{WatchState::zombie, "zombie", "stopped for good, its lease goes on"},
};

WatchState state_of(JobPhase phase) {
  switch (phase) {
    case JobPhase::assembling:
      return WatchState::assembling;
    case JobPhase::provisioning:
      return WatchState::provisioning;
    case JobPhase::draining:
      return WatchState::draining;
    case JobPhase::detecting:
      return WatchState::detecting;
    case JobPhase::waiting_member:
      return WatchState::waiting_member;
    case JobPhase::saving:
      return WatchState::saving;
    case JobPhase::away:
      return WatchState::away;
    case JobPhase::zombie:
      return WatchState::zombie;
    case JobPhase::queued:
    case JobPhase::running:
    case JobPhase::reserved:
    case JobPhase::ended:
      break;
  }
  return WatchState::running;
}

/// The pool as it would be if all that is out of service were back.
Pool all_in_service(Pool pool) {
  for (std::uint32_t node = 0; node < pool.nodes(); ++node) {
    if (pool.rest(node) == DeviceState::maintenance) pool.rest_in(node, DeviceState::free);
    const DeviceMask failed = pool.devices_in(DeviceState::failed, node);
    if (failed != 0) pool.move(node, failed, DeviceState::failed, DeviceState::free);
  }
  return pool;
}

}  // namespace

std::span<const WatchStateInfo> watch_states() { return kStates; }

std::string_view name_of(JobPhase phase) {
  if (phase == JobPhase::queued) return "queued";
  return kStates[static_cast<std::size_t>(state_of(phase))].name;
}

/// At an arrival: whether this is the one.
void Engine::meet_watched(const Job& job) {
  Watch& watch = *options_.watch;
  if (name_of(job) != watch.id) return;
  if (watch.arrived) return void(++watch.namesakes);
  watch.arrived = true;
  watch.job_class = job.job_class.value;
  watch.submit = watch.end = now_;
  watch.shape = job.shape;
  watch.asked = allocation_shape(job).capacity();
  watched_ = job.slot;
}

/// At every instant, when all is decided: what the job does from here on.
void Engine::watch() {
  if (!watched_) return;
  const Job& job = *jobs_[watched_->value];
  std::vector<WatchSpan>& spans = options_.watch->spans;
  if (!spans.empty() && spans.back().from == now_) spans.pop_back();  // the window closed at this instant
  WatchSpan now;
  if (job.phase == JobPhase::queued) {
    now = what_keeps(job);
  } else {
    now.state = state_of(job.phase);
  }
  now.from = now.to = now_;
  now.starts = job.attempt;
  now.failures = job.failures;
  now.evictions = job.evictions;
  now.drains = job.drains;
  now.swaps = job.swaps;
  if (job.holds()) now.assigned = job.assigned;
  if (!spans.empty()) {
    WatchSpan& last = spans.back();
    last.to = now_;
    const bool changes_size = class_of(job).elastic && last.assigned != now.assigned;
    const bool goes_on = last.state == now.state && last.who == now.who && last.starts == now.starts &&
                         last.failures == now.failures && last.evictions == now.evictions &&
                         last.drains == now.drains && last.swaps == now.swaps && !changes_size;
    if (goes_on) {
      last.reserved = now.reserved;
      last.least_ahead = std::min(last.least_ahead, now.least_ahead);
      last.most_ahead = std::max(last.most_ahead, now.most_ahead);
      last.least_free = std::min(last.least_free, now.least_free);
      last.most_free = std::max(last.most_free, now.most_free);
      return;
    }
  }
  now.gave_way_to = std::exchange(gave_way_to_, {});
  if (job.holds()) {
    now.pool = job.pool.value;
    now.parts = job.parts;
    now.parts.append(job.own_spares.begin(), job.own_spares.end());
  }
  spans.push_back(std::move(now));
}

/// At its end, or the run's.
void Engine::stop_watching(const Job& job, std::optional<FinalState> state, SimTime ended) {
  if (watched_ != job.slot) return;
  Watch& watch = *options_.watch;
  if (!watch.spans.empty()) watch.spans.back().to = now_;
  if (!watch.spans.empty() && watch.spans.back().from == now_) watch.spans.pop_back();
  watch.state = state;
  watch.end = ended;
  watched_.reset();
}

WatchSpan Engine::what_keeps(const Job& job) const {
  const JobClass& job_class = class_of(job);
  const auto shares_pool = [&](const Job& other) {
    const auto& pools = class_of(other).pools;
    return std::any_of(pools.begin(), pools.end(), [&](std::uint32_t pool) {
      return std::find(job_class.pools.begin(), job_class.pools.end(), pool) != job_class.pools.end();
    });
  };
  std::vector<const Job*> ahead;
  for (const Job& other : queue_) {
    if (&other == &job) break;
    if (shares_pool(other)) ahead.push_back(&other);
  }
  WatchSpan span;
  for (const std::uint32_t pool : job_class.pools)
    span.least_free += pools_[pool].in_state(DeviceState::free);
  span.most_free = span.least_free;
  span.least_ahead = span.most_ahead = ahead.size();
  if (!quota_allows(job)) {
    span.state = WatchState::quota;
    span.who = scenario_.scheduler.quotas[*job_class.quota].name;
    return span;
  }
  for (const std::uint32_t pool : job_class.pools) {
    WatchSpan there;
    there.state = what_lacks(job, pool);
    if (there.state == WatchState::order) there = who_keeps(job, pool, ahead);
    if (there.state < span.state) {
      span.state = there.state;
      span.who = there.who;
      span.reserved = there.reserved;
    }
  }
  return span;
}

/// What the job lacks in a pool; `order` if nothing.
WatchState Engine::what_lacks(const Job& job, std::uint32_t pool_index) const {
  const Pool& pool = pools_[pool_index];
  const GangShape& shape = allocation_shape(job);
  const TopologyLevel needed = near(job).needed;
  if (!pool.could_ever_fit(shape, needed)) return WatchState::no_room;
  if (pool.fits(shape, needed)) return WatchState::order;
  if (needed != TopologyLevel::pool && pool.fits(shape, TopologyLevel::pool)) return WatchState::topology;
  const Capacity free = pool.in_state(DeviceState::free);
  if (shape.capacity() <= free) return WatchState::fragmentation;
  const bool some_leave = pool.in_state(DeviceState::transition) > Capacity::zero() ||
                          std::any_of(running_.begin(), running_.end(), [&](JobId id) {
                            const Job& other = *jobs_[id.value];
                            return other.pool.value == pool_index && other.phase == JobPhase::saving;
                          });
  if (some_leave && soon_free(PoolId{pool_index}).fits(shape, needed)) return WatchState::leaving;
  const Capacity out = pool.in_state(DeviceState::failed) + pool.in_state(DeviceState::maintenance);
  const bool may_help = out > Capacity::zero() && shape.capacity() <= free + out;
  if (may_help && all_in_service(pool).fits(shape, needed)) return WatchState::out_of_service;
  return WatchState::no_room;
}

/// Who keeps a job from a pool in which it would fit: whoever has a reservation there, or else the first in
/// the queue that wants it and may block it.
WatchSpan Engine::who_keeps(const Job& job, std::uint32_t pool, const std::vector<const Job*>& ahead) const {
  WatchSpan span;
  span.state = WatchState::order;
  if (scenario_.scheduler.admission == Admission::partial_hold) {
    span.state = WatchState::holders;
    if (!holders_.empty()) span.who = name_of(*jobs_[holders_.front().value]);
    return span;
  }
  // Whoever is in a queue of its own, or waits for its quota, blocks nobody else.
  const auto is_in_the_way = [&](const Job* other) {
    const JobClass& theirs = class_of(*other);
    const bool elsewhere = theirs.quota && theirs.quota != class_of(job).quota &&
                           (quotas_.is_queue(*theirs.quota) || !quota_allows(*other));
    return !elsewhere && std::find(theirs.pools.begin(), theirs.pools.end(), pool) != theirs.pools.end();
  };
  const Job* const head = reservations_[pool].head;
  const auto reserves = std::find(ahead.begin(), ahead.end(), head);
  const auto first =
      reserves != ahead.end() ? reserves : std::find_if(ahead.begin(), ahead.end(), is_in_the_way);
  if (first != ahead.end()) span.who = name_of(**first);
  if (!backfills()) return span;
  span.state = WatchState::reservation;
  const bool is_easy = scenario_.scheduler.backfill == Backfill::easy;
  const SimTime start = !is_easy                  ? job.planned_start
                        : reserves != ahead.end() ? reservations_[pool].start
                                                  : now_;
  if (start != SimTime::never()) span.reserved = start;
  const bool looked_at = is_easy ? !leaves_in_time(pool, job.estimate) : start != SimTime::never();
  if (!looked_at && scenario_.scheduler.backfill_depth) {
    span.state = WatchState::backfill_depth;
    span.reserved.reset();
  }
  return span;
}

}  // namespace fleetsim
