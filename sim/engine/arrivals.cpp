#include "sim/packing/arrivals.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "sim/engine/engine.hpp"

namespace fleetsim {
namespace {

/// Of gangs that have waited as long as they would to be placed near together.
Nearness nearness_of(const JobClass& job_class) {
  const auto& [level, wait] = job_class.topology;
  return {.needed = wait == Duration::max() ? level : TopologyLevel::pool, .wished = level};
}

}  // namespace

void Engine::schedule_arrival(std::uint32_t class_index) {
  const ArrivalSpec& arrivals = scenario_.classes[class_index].arrivals;
  Source& source = sources_[class_index];
  std::optional<SimTime> next;
  if (arrivals.drawn) {
    if (source.arrived < source.drawn.size())
      next = SimTime::zero() + arrivals.drawn->every * static_cast<std::int64_t>(source.arrived);
  } else if (!arrivals.listed.empty()) {
    if (source.arrived < arrivals.listed.size()) next = arrivals.listed[source.arrived].submit;
  } else if (arrivals.gap) {
    if (!arrivals.count || source.arrived < static_cast<std::uint64_t>(*arrivals.count)) {
      const SimTime from = source.arrived == 0 ? arrivals.submit : source.next;
      next = from + arrivals.gap->sample_duration(source.gaps);
    }
  } else if (source.arrived == 0) {
    next = arrivals.submit;
  }
  if (source.arrived == 0 && next) ++sources_open_;
  if (source.arrived > 0 && !next) --sources_open_;
  if (!next) return;
  source.next = *next;
  push(*next, Phase::kArrival, EventKind::arrival, class_index);
}

void Engine::know_gangs(std::uint32_t class_index) {
  const JobClass& job_class = scenario_.classes[class_index];
  Source& source = sources_[class_index];
  const auto know = [&](GangShape shape) {
    shape.demand = job_class.gang.demand;
    source.gangs_by_size.push_back(
        {shape, shape_index(job_class, shape, nearness_of(job_class)), size_cohort(shape.capacity())});
  };
  if (job_class.gang.shape) return know(*job_class.gang.shape);
  const std::uint32_t per_node = scenario_.pools[job_class.pools.front()].devices_per_node;
  for (const std::uint32_t size : job_class.gang.sizes) know(spread(size, per_node));
  std::partial_sum(job_class.gang.weights.begin(), job_class.gang.weights.end(),
                   std::back_inserter(source.weights));
}

/// The jobs of a class whose list is drawn from, in the order of their arrival.
void Engine::draw_jobs(std::uint32_t class_index) {
  const ArrivalSpec& arrivals = scenario_.classes[class_index].arrivals;
  const std::uint32_t per_node =
      scenario_.pools[scenario_.classes[class_index].pools.front()].devices_per_node;
  std::vector<std::int64_t> requests;
  requests.reserve(arrivals.listed.size());
  for (const ListedJob& listed : arrivals.listed)
    requests.push_back(gang_of(listed, per_node).capacity().milli());
  sources_[class_index].drawn = arrivals_up_to(requests, arrivals.drawn->milli, sources_[class_index].gaps);
}

std::size_t Engine::draw_size(std::uint32_t class_index) {
  Source& source = sources_[class_index];
  if (source.gangs_by_size.size() == 1) return 0;
  constexpr double kPerUnit = 1.0 / 9007199254740992.0;  // 2^-53
  const double at = source.weights.back() * (static_cast<double>(source.gangs() >> 11) * kPerUnit);
  // Sizes are few, and which it is cannot be foreseen: to count is faster than to search.
  return static_cast<std::size_t>(std::count_if(source.weights.begin(), source.weights.end() - 1,
                                                [at](double up_to) { return at >= up_to; }));
}

void Engine::arrive(std::uint32_t class_index) {
  const std::uint64_t arrived = sources_[class_index].arrived++;
  schedule_arrival(class_index);
  if (scenario_.classes[class_index].kind == JobKind::service) return want_replica(class_index, arrived);
  admit(bring(class_index));
}

/// A new job of the class.
Job& Engine::bring(std::uint32_t class_index) {
  const JobClass& job_class = scenario_.classes[class_index];
  Source& source = sources_[class_index];

  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.push_back(std::make_unique<Job>());
    jobs_.back()->slot = JobId{free_slots_.back()};
  }
  Job& job = *jobs_[free_slots_.back()];
  free_slots_.pop_back();
  ++live_;
  job.job_class = ClassId{class_index};
  job.spec = &job_class;
  job.number = source.brought++;
  job.sequence = next_sequence_++;
  job.listed = nullptr;
  if (!job_class.arrivals.listed.empty())
    job.listed = &job_class.arrivals.listed[source.drawn.empty() ? job.number : source.drawn[job.number]];
  job.submit = now_;

  if (job.listed != nullptr && !job_class.gang.shape) {
    const std::uint32_t per_node = scenario_.pools[job_class.pools.front()].devices_per_node;
    job.shape = gang_of(*job.listed, per_node);
    job.shape_index = shape_index(job_class, job.shape, nearness_of(job_class), job.shape_index);
    job.size_cohort = size_cohort(job.shape.capacity());
  } else {
    const Source::Gang& gang = source.gangs_by_size[draw_size(class_index)];
    job.shape = gang.shape;
    job.shape_index = gang.index;
    job.size_cohort = gang.size_cohort;
  }

  const StepTimes& step = step_times_[class_index];
  const auto steps_in = [&](Duration duration) {
    if (job_class.step.continuous) return duration.ns();  // a job of no length ends where it starts
    const std::int64_t stepping = step.wait + step.own;
    return std::max<std::int64_t>((duration.ns() + stepping / 2) / stepping, 1);
  };
  if (job_class.steps) {
    job.steps = *job_class.steps;
  } else if (job_class.arrivals.drawn) {
    job.steps = std::numeric_limits<std::int64_t>::max();
  } else if (job.listed != nullptr) {
    job.steps = steps_in(job.listed->duration);
  } else if (job_class.duration) {
    job.steps = steps_in(job_class.duration->sample_duration(source.durations));
  } else {
    job.steps = std::numeric_limits<std::int64_t>::max();
  }
  job.step = &step;
  job.program = &job_class.program;
  job.relaunch = &job_class.startup;
  job.relaunch_leaf = Leaf::runtime_startup;
  job.first_start.reset();
  job.attempt = 0;
  job.steps_done = job.commits = 0;
  job.held = job.longest_wait = Duration::zero();
  if (!job.is_plain) renew(job);
  job.is_plain = source.is_plain;
  if (job_class.elastic) take_queue_size(job);
  if (job_class.evictions.rate || job_class.evictions.every) {
    job.eviction_stream.emplace(StreamKey{scenario_.runs.seed, options_.replication, Purpose::kEviction,
                                          (std::uint64_t{class_index} << 40) | job.number});
    draw_eviction(job);
    if (job_class.evictions.clock == EvictionClock::wall) run_eviction_clock(job);
  }

  if (records_ != nullptr) {
    job.record = static_cast<std::uint32_t>(records_->jobs.size());
    records_->jobs.push_back({name_of(job), class_index, now_});
    for (const auto& [leaf, weight] : job_class.program.weights)
      records_->steps.push_back({job.record, leaf, weight, {}});
    if (job_class.elastic) record_sizes(job);
  }
  if (job.submit >= window_start_ && job.submit < window_end_) ++result_.classes[class_index].submitted;

  if (options_.watch != nullptr) meet_watched(job);

  return job;
}

/// Forgets what a job that had the slot before it, and was not plain, has lived through.
void Engine::renew(Job& job) {
  job.at_other_sizes = DeviceTime::zero();
  job.position = 0;
  job.standby = job.was_ready = job.life_is_over = false;
  job.life.reset();
  job.life_ends = SimTime::never();
  job.drain = Duration::zero();
  job.requeue_wait = job.member_wait = Duration::zero();
  job.failures = job.evictions = job.drains = job.resizes = job.swaps = 0;
  job.stops_since_commit = job.preemptions = job.cascade = 0;
  job.preempted_at.clear();
  job.eviction = nullptr;
  job.eviction_left.reset();
  job.eviction_clock_runs = false;
  job.eviction_stream.reset();
}

void Engine::admit(Job& job) {
  const JobClass& job_class = class_of(job);
  if (!shapes_[job.shape_index].satisfiable) {
    note_refusal(job);
    end(job, FinalState::unsatisfiable);
    return;
  }
  for (const SimTime at : job_class.evictions.at)
    push(at, Phase::kEviction, EventKind::evicted_at, job.slot.value, job.live_generation);
  if (job_class.end)
    push(job_class.end->first, Phase::kLimit, EventKind::ends, job.slot.value, job.live_generation);
  if (const auto& patience = patience_of(job)) {
    ++patience_left_;
    push(now_ + *patience, Phase::kScheduling, EventKind::out_of_patience, job.slot.value,
         job.live_generation);
  }
  if (any_packed_)
    for (const std::uint32_t pool : job_class.pools) pools_[pool].know(job.slot, allocation_shape(job));
  if (job_class.elastic) follow_script(job);
  if (!starts_at_once(job)) enqueue(job, now_);
}

/// Where nobody waits and nothing else happens at this instant, the pass at its end would give the job the
/// first place there is, and so it has it now.
bool Engine::starts_at_once(Job& job) {
  if (!first_comes_first_ || !queue_.empty() || pass_wanted_) return false;
  if (!waiting_.empty() || !slow_.swaps_wanted.empty()) return false;
  if (!events_.empty() && events_.next_time() == now_) return false;
  job.queue_time = now_;
  job.near_until = SimTime::never();
  if (backfills()) job.estimate = estimate(job);
  for (const std::uint32_t pool : class_of(job).pools) blocked_[pool] = false;
  return try_start(job);
}

void Engine::out_of_patience(const Event& event) {
  --patience_left_;
  const Job& job = this->job(event.entity);
  if (job.live_generation == event.generation && !job.first_start)
    impatient_.push_back({job.slot, event.generation});
}

/// The pass of the instant has been: whoever it has not started goes, one at a time, since others may start
/// then.
void Engine::give_up_next() {
  const Impatient next = impatient_.front();
  impatient_.erase(impatient_.begin());
  Job& job = this->job(next.job);
  if (job.live_generation == next.generation && !job.first_start && job.phase != JobPhase::provisioning)
    stop_for_good(job, FinalState::gave_up);
}

std::string Engine::name_of(const Job& job) const {
  const JobClass& job_class = class_of(job);
  if (job_class.arrivals.drawn) return job.listed->id + "#" + std::to_string(job.number);
  if (job.listed != nullptr) return job.listed->id;
  if (!job_class.arrivals.gap && job_class.service.warm == 0) return job_class.name;
  return job_class.name + "#" + std::to_string(job.number);
}

/// The entry of `shapes_` for gangs of this class and shape; `guess` is tried first.
std::uint32_t Engine::shape_index(const JobClass& of_class, const GangShape& gang, const Nearness& near,
                                  std::uint32_t guess) {
  GangShape shape = gang;
  shape.nodes += of_class.own_spares;
  const JobClass* const job_class = &of_class;
  const auto alike = [&](const QueuedShape& each) {
    if (each.shape != shape || each.near != near) return false;
    return each.job_class == job_class ||
           (each.job_class->quota == job_class->quota && each.job_class->pools == job_class->pools);
  };
  if (guess < shapes_.size() && alike(shapes_[guess])) return guess;
  const auto found = std::find_if(shapes_.begin(), shapes_.end(), alike);
  if (found != shapes_.end()) return static_cast<std::uint32_t>(found - shapes_.begin());
  QueuedShape made{.shape = shape, .job_class = job_class, .near = near};
  made.satisfiable = could_ever_start(made);
  for (const std::uint32_t pool : job_class->pools) pools_[pool].expect(shape, near.wished);
  const bool whole_nodes =
      shape.milli == 0 && shape.remainder == 0 && near == Nearness{} &&
      std::all_of(job_class->pools.begin(), job_class->pools.end(), [&](std::uint32_t pool) {
        return pools_[pool].packed() == nullptr && pools_[pool].devices_per_node() == shape.per_node;
      });
  whole_nodes_ = whole_nodes_ && (whole_nodes || !made.satisfiable);
  shapes_.push_back(made);
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

/// A job that would rather be placed near together waits for that, unless no pool could ever do so.
void Engine::wait_for_near(Job& job) {
  const TopologySpec& topology = class_of(job).topology;
  if (topology.wait == Duration::zero() || topology.wait == Duration::max()) return;
  if (near(job).needed == TopologyLevel::pool) job.later_shape = job.shape_index;
  job.shape_index = shape_index(class_of(job), job.shape, {topology.level, topology.level});
  if (!shapes_[job.shape_index].satisfiable) {
    job.shape_index = job.later_shape;
    return;
  }
  job.near_until = now_ + topology.wait;
  push(job.near_until, Phase::kLimit, EventKind::near_no_more, job.slot.value, job.live_generation);
}

/// It has waited long enough to be placed anywhere.
void Engine::near_no_more(Job& job) {
  if (job.phase != JobPhase::queued || job.near_until != now_) return;
  job.near_until = SimTime::never();
  --shapes_[job.shape_index].queued;
  job.shape_index = job.later_shape;
  QueuedShape& shape = shapes_[job.shape_index];
  ++shape.queued;
  shape.least_estimate = std::min(shape.least_estimate, job.estimate);
  looked_at_ = kNeverLooked;
  pass_wanted_ = true;
}

void Engine::enqueue(Job& job, SimTime queue_time) {
  job.phase = JobPhase::queued;
  job.queue_time = queue_time;
  if (class_of(job).elastic) take_queue_size(job);
  job.near_until = SimTime::never();
  wait_for_near(job);
  job.key = key_of(job);
  queue_.insert(queue_.end(), job);
  ++shapes_[job.shape_index].queued;
  if (backfills()) {
    job.estimate = estimate(job);
    job.planned_start = SimTime::never();
    job.is_newcomer = true;
    shapes_[job.shape_index].least_estimate = std::min(shapes_[job.shape_index].least_estimate, job.estimate);
  }
  if (backfills() || scenario_.scheduler.preemption == Preemption::kept) newcomers_.push_back(&job);
  for (const std::uint32_t pool : class_of(job).pools) {
    ++depth_[pool];
    queued_sizes_[pool].add(job.size_cohort);
  }
  if (class_of(job).quota) quotas_.wait(*class_of(job).quota, 1);
  if (!shapes_[job.shape_index].satisfiable) push(now_, Phase::kLimit, EventKind::refused, 0);
  pass_wanted_ = true;
}

void Engine::dequeue(Job& job) {
  queue_.erase(queue_.iterator_to(job));
  forget_room(job);
  looked_at_ = kNeverLooked;
  if (job.phase == JobPhase::queued) --shapes_[job.shape_index].queued;
  for (const std::uint32_t pool : class_of(job).pools) {
    --depth_[pool];
    queued_sizes_[pool].remove(job.size_cohort);
  }
  if (class_of(job).quota) quotas_.wait(*class_of(job).quota, -1);
}

void Engine::requeue(Job& job) {
  const EvictionTerms* const terms = job.eviction;
  job.eviction = nullptr;
  enqueue(job, terms != nullptr && terms->requeue == RequeueAt::behind ? now_ : job.submit);
}

}  // namespace fleetsim
