#include <algorithm>
#include <bit>

#include "sim/engine/engine.hpp"

// Gangs that change their size. A resize gives what was not committed its fate, releases or takes members at
// once, and pauses at the new size.

namespace fleetsim {
namespace {

/// As far into a step that takes `to` as `position` is into one that takes `from`.
std::int64_t same_share(std::int64_t position, const StepTimes& from, const StepTimes& to) {
  const auto scaled = [](std::int64_t part, std::int64_t of, std::int64_t into) {
    return static_cast<std::int64_t>(Int128{part} * into / of);
  };
  if (position == 0) return 0;
  if (position < from.wait) return scaled(position, from.wait, to.wait);
  return to.wait + scaled(position - from.wait, from.own, to.own);
}

/// Takes so many devices off a gang: the smallest members first, of equal ones the last, from their last
/// devices on.
Placement take_last(Placement& parts, std::int64_t devices) {
  Placement gone;
  while (devices > 0) {
    const auto member = std::min_element(parts.rbegin(), parts.rend(),
                                         [](const Part& a, const Part& b) { return a.count() < b.count(); });
    Part part{.node = member->node};
    for (; devices > 0 && member->devices != 0; --devices) {
      const DeviceMask last = std::bit_floor(member->devices);
      part.devices |= last;
      member->devices &= ~last;
    }
    gone.push_back(part);
    if (member->devices == 0) parts.erase(std::next(member).base());
  }
  return gone;
}

std::int64_t whole_devices(Capacity capacity) { return capacity.milli() / 1000; }

}  // namespace

void Engine::know_sizes(std::uint32_t class_index) {
  const JobClass& job_class = scenario_.classes[class_index];
  Elastic& known = elastic_.emplace_back();
  if (!job_class.elastic) return;
  const ElasticSpec& spec = *job_class.elastic;
  const std::uint32_t per_node = job_class.gang.shape
                                     ? job_class.gang.shape->per_node
                                     : scenario_.pools[job_class.pools.front()].devices_per_node;
  const auto sized = [&](const ElasticSize& size) {
    const GangShape shape = spread(size.devices, per_node);
    StepTimes step = step_times_[class_index];
    step.own = size.time.ns();
    step.wait = size.wait.ns();
    return SizedGang{shape, shape_index(job_class, shape, nearness_of(job_class)), step,
                     size.program.weights.empty() ? &job_class.program : &size.program};
  };
  const auto resizing = [&](const ResizeTerms& terms) {
    return Resizing{terms.state,
                    terms.pause ? LaunchSpec{.launch = *terms.pause} : job_class.reconfiguration};
  };
  known.policy = find_elastic(spec.policy);
  known.terms = resizing(spec.resize);
  for (const ElasticSize& size : spec.sizes) known.sizes.push_back(sized(size));
  for (const ScriptedResize& each : spec.script)
    known.script.push_back({each.at, sized(each.size), resizing(each.terms)});
  some_shrink_ = some_shrink_ || known.policy->shrinks;
}

/// The size at which it waits: the least at which it would start.
void Engine::take_queue_size(Job& job) {
  const Elastic& elastic = elastic_[job.job_class.value];
  if (elastic.policy->start == ElasticPolicy::Start::as_given) return;
  const bool at_most = elastic.policy->start == ElasticPolicy::Start::at_most;
  job.size = at_most ? static_cast<std::uint32_t>(elastic.sizes.size() - 1) : 0;
  set_size(job, elastic.sizes[job.size]);
}

void Engine::set_size(Job& job, const SizedGang& size) {
  const Duration had = job.held + (job.holds() ? now_ - job.gang_complete : Duration::zero());
  job.at_other_sizes += job.shape.capacity() * had - size.shape.capacity() * had;
  job.position = same_share(job.position, *job.step, size.step);
  job.step = &size.step;
  job.program = size.program;
  job.shape = size.shape;
  job.shape_index = size.shape_index;
}

/// The splits of those sizes that differ from their class's.
void Engine::record_sizes(const Job& job) {
  const ElasticSpec& spec = *class_of(job).elastic;
  std::vector<std::uint32_t> known;
  const auto add = [&](const ElasticSize& size) {
    if (std::find(known.begin(), known.end(), size.devices) != known.end()) return;
    known.push_back(size.devices);
    for (const auto& [leaf, weight] : size.program.weights)
      records_->steps.push_back({job.record, leaf, weight, Capacity::devices(size.devices)});
  };
  for (const ElasticSize& size : spec.sizes) add(size);
  for (const ScriptedResize& each : spec.script) add(each.size);
}

/// Changes of size at given instants; those of before its arrival come to nothing.
void Engine::follow_script(Job& job) {
  job.next_resize = 0;
  for (const auto& each : elastic_[job.job_class.value].script) {
    if (each.at < now_) {
      ++job.next_resize;
    } else {
      push(each.at, Phase::kLimit, EventKind::resized, job.slot.value, job.live_generation);
    }
  }
}

/// A resize comes to nothing where the gang is stopped, or lacks free members.
void Engine::follow_script_on(Job& job) {
  const ScriptedSize& what = elastic_[job.job_class.value].script[job.next_resize++];
  if (job.phase == JobPhase::queued) {
    dequeue(job);
    set_size(job, what.size);
    return enqueue(job, job.queue_time);
  }
  if (job.phase != JobPhase::running) return;
  Placement more;
  if (find_more(pools_[job.pool.value], job, what.size.shape, more)) resize(job, what.size, what.terms, more);
}

/// Members with which the gang would have this shape, from what is free in `pool`; none if it only has to
/// shrink. False if there are not enough.
bool Engine::find_more(const Pool& pool, const Job& job, const GangShape& shape, Placement& more) const {
  more.clear();
  if (shape.capacity() <= job.gang_capacity) return true;
  std::vector<std::uint32_t> wanted(shape.nodes, shape.per_node);
  if (shape.remainder > 0) wanted.push_back(shape.remainder);
  Placement odd;
  for (const Part& part : job.parts) {
    const auto same = std::find(wanted.rbegin(), wanted.rend(), part.count());
    if (same == wanted.rend()) {
      odd.push_back(part);
    } else {
      wanted.erase(std::next(same).base());
    }
  }
  for (const Part& part : odd) {
    const auto room = part.count() + static_cast<std::uint32_t>(std::popcount(pool.free_devices(part.node)));
    const auto larger = std::find_if(wanted.begin(), wanted.end(),
                                     [&](std::uint32_t size) { return size > part.count() && size <= room; });
    if (larger == wanted.end()) return false;
    more.push_back(lowest_devices(pool, part.node, *larger - part.count()));
    wanted.erase(larger);
  }
  const auto whole = std::count(wanted.begin(), wanted.end(), shape.per_node);
  GangShape members{.nodes = static_cast<std::uint32_t>(whole), .per_node = shape.per_node};
  if (std::ssize(wanted) > whole) members.remainder = wanted.back();
  return wanted.empty() || find_members(pool, job, members, more);
}

/// Adds whole members, of nodes that the gang does not use yet: as the placement chooses; where it would have
/// used ones, the first others.
bool Engine::find_members(const Pool& pool, const Job& job, const GangShape& members, Placement& more) const {
  const Domains* const domains = pool.domains(near(job).needed);
  const Within within = domains != nullptr ? domains->within(domains->of(job.parts.front().node)) : Within{};
  const auto with_at_least = [&](std::uint32_t count) {
    return domains != nullptr ? domains->nodes_with_at_least(count, within.domain)
                              : pool.nodes_with_at_least(count);
  };
  if (!can_hold(members, with_at_least)) return false;
  const auto uses = [](const Placement& parts, std::uint32_t node) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.node == node; });
  };
  Placement chosen;
  placement_->place(pool, members, within, chosen);
  const auto is_new = [&](const Part& part) { return !uses(job.parts, part.node); };
  if (std::all_of(chosen.begin(), chosen.end(), is_new)) {
    more.append(chosen.begin(), chosen.end());
    return true;
  }
  std::uint32_t whole = members.nodes;
  bool has_rest = members.remainder == 0;
  for (auto node = pool.next_with_at_least(1, within.first);
       node && *node <= within.last && (whole > 0 || !has_rest);
       node = pool.next_with_at_least(1, *node + 1)) {
    const auto room = static_cast<std::uint32_t>(std::popcount(pool.free_devices(*node)));
    if (!within.contains(*node) || uses(job.parts, *node)) continue;
    if (whole > 0 && room >= members.per_node) {
      more.push_back(lowest_devices(pool, *node, members.per_node));
      --whole;
    } else if (!has_rest && room >= members.remainder) {
      more.push_back(lowest_devices(pool, *node, members.remainder));
      has_rest = true;
    }
  }
  return whole == 0 && has_rest;
}

/// Gives a running gang another size: with `more` members, or without its last ones. What was left of a
/// launch follows the pause; a gang that has started at this very instant only starts at the other size.
void Engine::resize(Job& job, const SizedGang& size, const Resizing& terms, const Placement& more) {
  const bool has_just_started = job.gang_complete == now_;
  const Duration left_of_launch = std::max(job.phase_until - now_, Duration::zero());
  charge_held(job, now_);
  if (!has_just_started) {
    const SimTime cover = covered(job, now_);
    const bool committed = terms.state == ResizeState::committed;
    const bool commits = committed && has_provisional(job) && cover < now_;
    settle(job, committed ? now_ : cover, Leaf::runtime_reconfiguration);
    if (commits) {
      ++job.commits;
      if (in_window()) ++result_.classes[job.job_class.value].commits;
    }
    if (!committed && ++job.stops_since_commit >= kHopeless)
      return stop_for_good(job, FinalState::no_progress);
    count_resize(job);
    job.relaunch = &terms.phases;
    job.relaunch_leaf = Leaf::runtime_reconfiguration;
  }
  record_allocation(job, "resized");
  if (size.shape.capacity() < job.gang_capacity)
    give_up_members(job, whole_devices(job.gang_capacity - size.shape.capacity()));
  for (const Part& part : more) take_part(job, part, DeviceState::free);
  take_size(job, size);
  const Duration rest = has_just_started ? Duration::zero() : left_of_launch;
  const bool by_limit = limit_of(job) && scenario_.scheduler.estimates == Estimates::limit;
  if (job.release_hook.is_linked() && !by_limit) expect_release(job, now_ + rest + estimate(job));
  schedule_jump(job);
  launch(job, rest, *job.relaunch, job.relaunch_leaf);
  job.pauses_at_new_size = !has_just_started;
}

/// The size that its members have come to make.
void Engine::take_size(Job& job, const SizedGang& size) {
  set_size(job, size);
  if (!preempts() || !class_of(job).preemptible) return;
  preemptible_[job.pool.value][priority_of(job)] += job.assigned - job.preemptible;
  job.preemptible = job.assigned;
}

void Engine::count_resize(Job& job) {
  ++job.resizes;
  if (in_window()) ++result_.classes[job.job_class.value].resizes;
}

/// A gang that has lost a member goes on at the largest size that the others make, if its class says so; what
/// it lost is given its fate already. False if they make none.
bool Engine::go_on_smaller(Job& job) {
  if (class_of(job).no_replacement != NoReplacement::shrink) return false;
  const Elastic& elastic = elastic_[job.job_class.value];
  const auto is_left = [&](const GangShape& shape) {
    if (shape.capacity() > job.gang_capacity) return false;
    Placement kept = job.parts;
    take_last(kept, whole_devices(job.gang_capacity - shape.capacity()));
    const auto whole = std::count_if(kept.begin(), kept.end(),
                                     [&](const Part& part) { return part.count() == shape.per_node; });
    return whole >= shape.nodes && std::ssize(kept) == shape.nodes + (shape.remainder > 0 ? 1 : 0);
  };
  std::uint32_t size = job.size + 1;
  do {
    if (size == 0) return false;
    --size;
  } while (!is_left(elastic.sizes[size].shape));
  if (job.phase == JobPhase::waiting_member) {
    job.member_wait = job.member_wait + (now_ - job.member_wait_from);
    std::erase(waiting_, job.slot);
  }
  record_allocation(job, "resized");
  job.missing.clear();
  give_up_members(job, whole_devices(job.gang_capacity - elastic.sizes[size].shape.capacity()));
  count_resize(job);
  job.size = size;
  take_size(job, elastic.sizes[size]);
  launch(job, Duration::zero(), *job.relaunch, job.relaunch_leaf);
  return true;
}

void Engine::give_up_members(Job& job, std::int64_t count) {
  touch(job.pool);
  const bool torn_down = scenario_.pools[job.pool.value].teardown > Duration::zero();
  for (const Part& part : take_last(job.parts, count)) {
    pools_[job.pool.value].give_back(part, job.slot, torn_down ? DeviceState::transition : DeviceState::free);
    if (torn_down) tear_down(job.pool, part);
    job.gang_capacity -= part.capacity();
    job.assigned -= part.capacity();
    count_in_quota(job, Capacity::zero() - part.capacity());
  }
  pass_wanted_ = true;
}

/// Gangs that may grow do, in the order of their arrival, into what is free: while nobody waits for it, or at
/// their start, or within what their queue is guaranteed.
void Engine::grow() {
  if (!waiting_.empty()) return;
  std::vector<Job*> jobs;
  for (const JobId id : elastic_running_) jobs.push_back(&job(id));
  std::sort(jobs.begin(), jobs.end(), [](const Job* a, const Job* b) { return a->sequence < b->sequence; });
  for (Job* const job : jobs) {
    const Elastic& elastic = elastic_[job->job_class.value];
    const bool starts =
        job->gang_complete == now_ && elastic.policy->start == ElasticPolicy::Start::with_free;
    if (!elastic.policy->grows && !starts) continue;
    for (auto size = static_cast<std::uint32_t>(elastic.sizes.size() - 1);
         job->phase == JobPhase::running && size > job->size; --size)
      if (grow_to(*job, size)) break;
  }
}

bool Engine::commits_now(const Job& job) const {
  return job.pending_durable == now_ ||
         job.stretch.durable(now_) > job.stretch.durable(now_ + Duration::nanoseconds(-1));
}

/// The first commit after now if the job steps on; never if there is none.
SimTime Engine::next_commit(const Job& job) const {
  const auto cover = job.stretch.covered(now_);
  const SimTime next =
      job.stretch.when_covered(cover ? *cover + Duration::nanoseconds(1) : job.stretch.start());
  return job.pending_durable > now_ ? std::min(next, job.pending_durable) : next;
}

bool Engine::grow_to(Job& job, std::uint32_t index) {
  const Elastic& elastic = elastic_[job.job_class.value];
  const SizedGang& size = elastic.sizes[index];
  const Capacity more = size.shape.capacity() - job.gang_capacity;
  const auto quota = class_of(job).quota;
  if (quota && !quotas_.allows(*quota, more)) return false;
  const bool entitled = quota && elastic.policy->grows && quotas_.is_guaranteed(*quota, more);
  if (depth_[job.pool.value] > 0) {
    const bool is_reserved = backfills() || (preempts() && reservations_[job.pool.value].head != nullptr);
    if (is_reserved || !(entitled || job.gang_complete == now_)) return false;
  }
  Placement members;
  const auto fits = [&](const Pool& pool) { return find_more(pool, job, size.shape, members); };
  const bool free = fits(pools_[job.pool.value]);
  const bool waits = class_of(job).elastic->grow == GrowAt::commit && has_provisional(job) &&
                     job.gang_complete < now_ && !commits_now(job);
  if (waits) {
    if (free) push(next_commit(job), Phase::kLimit, EventKind::look_again, 0);
    return free;
  }
  if (!free) {
    if (!entitled || !elastic.policy->shrinks || !scenario_.scheduler.reclaim) return false;
    const auto may_shrink = [&](const Job& other, Capacity given) {
      const auto borrower = class_of(other).quota;
      return borrower && quotas_.may_reclaim(*quota, more, *borrower, given);
    };
    if (!shrink(job.pool.value, job, StopCause::reclaim, fits, may_shrink) || !fits(pools_[job.pool.value]))
      return false;
  }
  job.size = index;
  resize(job, size, elastic.terms, members);
  return true;
}

/// Lets gangs that shrink give up as much as a queued job needs to start in the pool, the largest first;
/// nobody does if all that they can give up would not be enough.
/// @returns whether somebody did
bool Engine::shrink_for(const Job& job, std::uint32_t pool) {
  const GangShape& shape = allocation_shape(job);
  return shrink(
      pool, job, StopCause::shrink, [&](const Pool& then) { return then.fits(shape, near(job).needed); },
      [](const Job&, Capacity) { return true; });
}

/// @param fits  whether what is free in a pool is enough
/// @param may_shrink  whether a job may be asked for more when its queue is to give up so much already
template <class Fits, class MayShrink>
bool Engine::shrink(std::uint32_t pool, const Job& beneficiary, StopCause cause, Fits&& fits,
                    MayShrink&& may_shrink) {
  std::vector<Job*> others;
  for (const JobId id : elastic_running_) {
    Job& other = job(id);
    if (other.pool.value == pool && other.phase == JobPhase::running && other.size > 0 &&
        elastic_[other.job_class.value].policy->shrinks)
      others.push_back(&other);
  }
  if (others.empty()) return false;
  Pool then = soon_free(PoolId{pool});
  if (fits(then)) return false;  // room is being made already
  std::sort(others.begin(), others.end(), [](const Job* a, const Job* b) {
    if (a->gang_capacity != b->gang_capacity) return a->gang_capacity > b->gang_capacity;
    return a->sequence > b->sequence;
  });
  struct Shrinking {
    Job* job;
    std::uint32_t size;
    Placement gone;
  };
  std::vector<Shrinking> shrinking;
  std::vector<Capacity> given(scenario_.scheduler.quotas.size());
  bool enough = false;
  for (Job* const other : others) {
    const Elastic& elastic = elastic_[other->job_class.value];
    const auto quota = class_of(*other).quota;
    Shrinking each{other, other->size, {}};
    Placement kept = other->parts;
    while (!enough && each.size > 0 && may_shrink(*other, quota ? given[*quota] : Capacity::zero())) {
      const Capacity less =
          elastic.sizes[each.size].shape.capacity() - elastic.sizes[each.size - 1].shape.capacity();
      --each.size;
      if (quota) given[*quota] += less;
      for (const Part& part : take_last(kept, whole_devices(less))) {
        then.give_back(part, other->slot, DeviceState::free);
        each.gone.push_back(part);
      }
      enough = fits(then);
    }
    if (!each.gone.empty()) shrinking.push_back(std::move(each));
    if (enough) break;
  }
  if (!enough) return false;
  // Whoever is not needed after all keeps its size.
  std::erase_if(shrinking, [&](const Shrinking& each) {
    const auto all_free = [&](const Part& part) { return then.is_free(part); };
    if (!std::all_of(each.gone.begin(), each.gone.end(), all_free)) return false;
    then.take(each.gone, each.job->slot);
    if (fits(then)) return true;
    then.give_back(each.gone, each.job->slot, DeviceState::free);
    return false;
  });
  for (const Shrinking& each : shrinking) {
    const Elastic& elastic = elastic_[each.job->job_class.value];
    each.job->size = each.size;
    PreemptionRow row = before_stop(*each.job, &beneficiary, cause);
    resize(*each.job, elastic.sizes[each.size], elastic.terms, {});
    row.capacity -= each.job->assigned;
    row.extent = StopExtent::part;
    log_stop(row, *each.job);
  }
  return true;
}

/// The queue in its order, where running gangs may shrink for whoever cannot start.
void Engine::pass_with_shrinking() {
  std::fill(blocked_.begin(), blocked_.end(), false);
  for (auto next = queue_.begin(); next != queue_.end();) {
    Job& head = *next++;
    if (stands_behind_its_queue(head) || try_start(head)) continue;
    bool shrank = false;
    if (quota_allows(head))
      for (const std::uint32_t pool : class_of(head).pools)
        shrank = shrank || (!blocked_[pool] && shrink_for(head, pool));
    if (shrank && try_start(head)) continue;
    if (!scenario_.scheduler.strict || blocks_only_its_own(head)) continue;
    for (const std::uint32_t pool : class_of(head).pools) blocked_[pool] = true;
  }
}

}  // namespace fleetsim
