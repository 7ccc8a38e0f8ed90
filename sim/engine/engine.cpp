#include "sim/engine/engine.hpp"

#include <algorithm>
#include <limits>

#include "sim/scenario/installed.hpp"

namespace fleetsim {
namespace {

/// More scheduling passes than this at one instant mean that time stands still.
constexpr std::uint64_t kPassesAtOneInstant = 1'000'000;

/// A run without an end in which so much happens and no job starts or ends will go on so for ever.
constexpr std::uint64_t kEventsWithoutProgress = 5'000'000;

StepTimes step_times(const StepSpec& step) { return {.wait = step.wait.ns(), .own = step.time.ns()}; }

CheckpointCycle checkpoint_cycle(const CheckpointSpec& spec) {
  // An interval that no run can reach is none.
  constexpr std::int64_t kNoInterval = std::numeric_limits<std::int64_t>::max() / 4;
  if (spec.mode == CheckpointMode::none || spec.interval.ns() > kNoInterval) return {};
  CheckpointCycle cycle{.interval = spec.interval.ns(), .pause = spec.pause.ns()};
  if (spec.mode == CheckpointMode::asynchronous) {
    cycle.flush = spec.flush.ns();
    cycle.interval_from_commit = spec.interval_from == IntervalFrom::commit;
  }
  return cycle;
}

/// Neither its size nor its shape depends on how long it waits.
bool queues_as_it_is(const JobClass& job_class) {
  const Duration wait = job_class.topology.wait;
  return !job_class.elastic && (wait == Duration::zero() || wait == Duration::max());
}

PackedNodes::Setup packing_setup(const Scenario& scenario, const PoolSpec& pool, const StreamKey& draws) {
  const PackingPolicy* const policy = find_packing(scenario.scheduler.placement);
  return {.nodes = pool.packed,
          .policy = policy != nullptr ? *policy : *find_packing("first-fit"),
          .typical = pool.typical,
          .demands = scenario.demands,
          .unlike = scenario.unlike,
          .draws = draws};
}

}  // namespace

RunResult simulate(const Scenario& scenario, const RunOptions& options) {
  return Engine{scenario, options}.run();
}

Engine::Engine(const Scenario& scenario, const RunOptions& options)
    : scenario_{scenario},
      options_{options},
      window_start_{SimTime::zero() + scenario.window.warm_up},
      window_end_{scenario.window.length ? window_start_ + *scenario.window.length : SimTime::never()},
      order_{find_order(scenario.scheduler.order)},
      placement_{find_placement(scenario.scheduler.placement)},
      quotas_{scenario.scheduler},
      queue_blocked_(scenario.scheduler.quotas.size()),
      fair_share_{std::vector<double>(scenario.scheduler.quotas.size()),
                  std::vector<std::int64_t>(scenario.scheduler.quotas.size()), SimTime::zero()},
      depth_(scenario.pools.size()),
      queued_sizes_(scenario.pools.size()),
      preemptible_(scenario.pools.size()),
      pool_preempted_at_(scenario.pools.size()),
      victims_{find_victims(scenario.scheduler.victims)},
      blocked_(scenario.pools.size()),
      first_comes_first_{scenario.scheduler.admission == Admission::atomic &&
                         scenario.scheduler.preemption == Preemption::none &&
                         scenario.scheduler.backfill != Backfill::conservative &&
                         scenario.scheduler.quotas.empty() &&
                         std::all_of(scenario.classes.begin(), scenario.classes.end(), queues_as_it_is)},
      reservations_(scenario.pools.size()),
      books_(scenario.pools.size()),
      result_{.replication = options.replication,
              .ledger = Ledger{scenario.pools.size(), scenario.classes.size()},
              .window_start = window_start_,
              .window_end = window_end_,
              .ended = SimTime::zero(),
              .state = RunState::completed,
              .holders = {},
              .classes = std::vector<ClassOutcome>(scenario.classes.size()),
              .faults = {},
              .episodes = {},
              .preemptions = {},
              .waiting = std::vector<LeafTotals>(scenario.pools.size()),
              .pool_ends = std::vector<PoolEnd>(scenario.pools.size()),
              .fragmentation = std::vector<FragmentationSums>(scenario.pools.size()),
              .percentiles = {},
              .makespan = std::nullopt,
              .jobs = {},
              .events = 0},
      records_{options.records},
      times_(scenario.classes.size()) {
  for (const PoolSpec& pool : scenario.pools) {
    const bool may_go_out = !pool.faults.empty() || !scenario.script.empty() || !pool.drains.empty() ||
                            !pool.dated.empty() || some_are_slow(scenario);
    const auto stream = [&](Purpose purpose) {
      return StreamKey{scenario.runs.seed, options.replication, purpose, pools_.size()};
    };
    std::optional<PackedNodes::Setup> packing;
    if (!pool.packed.empty()) packing.emplace(packing_setup(scenario, pool, stream(Purpose::kPlacement)));
    any_packed_ = any_packed_ || packing;
    if (pool.shuffled) packing->order = stream(Purpose::kNodeOrder);
    pools_.emplace_back(Pool::Shape{pool.nodes, pool.devices_per_node, pool.spares, pool.racks,
                                    may_go_out ? Pool::Shape::Holders::known : Pool::Shape::Holders::unknown,
                                    packing ? &*packing : nullptr, stream(Purpose::kPlacement), pool.pods,
                                    pool.spines});
    result_.faults.emplace_back(pool.faults.size());
    part_hints_.emplace_back(pool.nodes);
    if (scenario.scheduler.backfill == Backfill::easy || preempts()) forecasts_.emplace_back(pools_.back());
  }
  move_ = scenario.scheduler.eviction;
  move_.requeue_delay = Duration::zero();
  move_.requeue = RequeueAt::submit;
  if (scenario.scheduler.eviction_relaunch) eviction_relaunch_.launch = *scenario.scheduler.eviction_relaunch;
  for (std::uint32_t index = 0; index < scenario.classes.size(); ++index) {
    const JobClass& job_class = scenario.classes[index];
    const auto stream = [&](Purpose purpose) {
      return RandomStream{StreamKey{scenario.runs.seed, options.replication, purpose, index}};
    };
    sources_.push_back(Source{.arrived = 0,
                              .brought = 0,
                              .replaced = 0,
                              .is_plain = false,
                              .next = SimTime::zero(),
                              .gaps = stream(Purpose::kArrival),
                              .gangs = stream(Purpose::kGang),
                              .durations = stream(Purpose::kDuration),
                              .gangs_by_size = {},
                              .drawn = {}});
    know_gangs(index);
    if (job_class.arrivals.drawn) draw_jobs(index);
    step_times_.push_back(step_times(job_class.step));
    step_times_.back().flush_excess =
        job_class.checkpoint.mode == CheckpointMode::asynchronous ? job_class.checkpoint.step_excess.ns() : 0;
    know_sizes(index);
    cycles_.push_back(checkpoint_cycle(job_class.checkpoint));
  }
  know_links();
  for (std::uint32_t index = 0; index < scenario.classes.size(); ++index)
    sources_[index].is_plain = is_plain(scenario.classes[index]);
  built_.resize(scenario.classes.size());
  if (records_ != nullptr) {
    *records_ = Records{};
    for (const PoolSpec& pool : scenario.pools) records_->pools.push_back(pool.name);
    for (const JobClass& job_class : scenario.classes) records_->classes.push_back(job_class.name);
  }
}

RunResult Engine::run() {
  start_fragmentation();
  start_withdrawals();
  start_faults();
  start_slowness();
  start_services();
  for (std::uint32_t index = 0; index < sources_.size(); ++index) schedule_arrival(index);

  const SimTime bound = window_end_ == SimTime::never()
                            ? SimTime::never()
                            : window_end_ + scenario_.window.run_on.value_or(*scenario_.window.length);
  for (;;) {
    const SimTime next = events_.empty() ? SimTime::never() : events_.next_time();
    if (next > now_) {
      if (pass_wanted_) {
        pass_wanted_ = false;
        if (pass()) continue;
      }
      if (!impatient_.empty()) {
        give_up_next();
        continue;
      }
      if (links_.changed) {
        share_links();
        continue;
      }
      if (!queue_.empty() || somebody_was_queued_) decide_reasons();
      if (!fragmentation_books_.empty()) measure_fragmentation();
      if (options_.watch != nullptr) watch();
      if (window_end_ == SimTime::never()) {
        if (nothing_will_come() && (live_ == 0 || is_stuck())) break;
        if (result_.events - progress_at_event_ > kEventsWithoutProgress) {
          result_.state = RunState::stalled;
          break;
        }
      }
      if (!window_closed_ && next > window_end_) {
        close_window();
        continue;  // it may have scheduled something before `next`
      }
      if (window_closed_ && unresolved_ == 0) break;
      if (next > bound) {
        result_.state = RunState::bound;
        now_ = bound;
        break;
      }
      if (next == SimTime::never()) {
        if (window_end_ == SimTime::never()) result_.state = RunState::out_of_time;
        break;
      }
      now_ = next;
      passes_at_instant_ = 0;
    }
    ++result_.events;
    dispatch(events_.pop());
  }
  finish_run();
  return std::move(result_);
}

void Engine::dispatch(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case EventKind::arrival:
      return arrive(event.entity);
    case EventKind::completed:
      return run_current(event) ? completed(job(event.entity)) : void();
    case EventKind::speed_changes:
      return run_current(event) ? change_speed(job(event.entity)) : void();
    case EventKind::detected:
      return run_current(event) ? detected(job(event.entity)) : void();
    case EventKind::saved:
      return run_current(event) ? saved(job(event.entity)) : void();
    case EventKind::resolved:
      return run_current(event) ? resolve(job(event.entity)) : void();
    case EventKind::repaired:
      return repaired(event.entity);
    case EventKind::scripted:
      return scripted(scenario_.script[event.entity]);
    case EventKind::struck:
      return struck(event.entity);
    case EventKind::aged:
      return age(event.entity);
    case EventKind::evicted:
      return job(event.entity).eviction_generation == event.generation ? eviction_due(job(event.entity))
                                                                       : void();
    case EventKind::evicted_at:
      if (job(event.entity).live_generation == event.generation) evict_from_outside(job(event.entity));
      return;
    case EventKind::requeued:
      if (job(event.entity).live_generation == event.generation && job(event.entity).phase == JobPhase::away)
        requeue(job(event.entity));
      return;
    case EventKind::limit:
      return attempt_current(event) ? stop_for_good(job(event.entity), FinalState::killed_at_limit) : void();
    case EventKind::lease_end:
      return attempt_current(event) ? lease_over(job(event.entity)) : void();
    case EventKind::ends:
      if (job(event.entity).live_generation == event.generation)
        stop_for_good(job(event.entity), class_of(job(event.entity)).end->second);
      return;
    case EventKind::hold_timeout:
      return attempt_current(event) ? hold_timeout(job(event.entity)) : void();
    case EventKind::torn_down:
      return torn_down(event.entity);
    case EventKind::withdrawn:
      return withdraw(event.entity);
    case EventKind::reinstated:
      return reinstate(event.entity);
    case EventKind::vacated:
      return vacate();
    case EventKind::leaves:
      return run_current(event) ? leave_gently(job(event.entity)) : void();
    case EventKind::refused:
      return refuse_hopeless();
    case EventKind::out_of_patience:
      return out_of_patience(event);
    case EventKind::resized:
      if (job(event.entity).live_generation == event.generation) follow_script_on(job(event.entity));
      return;
    case EventKind::provisioned:
      if (!attempt_current(event)) return;
      charge_held(job(event.entity), now_);
      record_allocation(job(event.entity), "provisioned");
      return start(job(event.entity));
    case EventKind::life_over:
      return job(event.entity).live_generation == event.generation ? life_over(job(event.entity)) : void();
    case EventKind::drained:
      return run_current(event) ? drained(job(event.entity)) : void();
    case EventKind::warm_replica:
      return bring_warm(event.entity);
    case EventKind::replaced:
      return replace_replica(event.entity);
    case EventKind::built:
      return run_current(event) ? built(job(event.entity)) : void();
    case EventKind::slowed:
      return slowed(event.entity);
    case EventKind::slowed_by_script:
      return begin_episode(scenario_.slow_script[event.entity]);
    case EventKind::slowness_ends:
      return end_episode(event.entity);
    case EventKind::swap_due:
      return job(event.entity).live_generation == event.generation ? swap_due(job(event.entity)) : void();
    case EventKind::near_no_more:
      if (job(event.entity).live_generation == event.generation) near_no_more(job(event.entity));
      return;
    case EventKind::look_again:
      looked_at_ = kNeverLooked;
      pass_wanted_ = true;
      return;
    case EventKind::jump:
      return attempt_current(event) ? void(pass_wanted_ = true) : void();
  }
}

void Engine::count_pass() {
  if (++passes_at_instant_ > kPassesAtOneInstant)
    throw RunFault{"time stands still at " + std::to_string(now_.ns()) +
                   " ns: the scheduler starts and stops jobs without end"};
}

void Engine::close_window() {
  window_closed_ = true;
  now_ = window_end_;
  look_at_pools();
  // From here on only what is already held and undecided matters.
  for (const auto& each : jobs_) watch_resolution(*each);
}

void Engine::look_at_pools() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    Capacity installed;
    for (std::size_t state = 0; state < kDeviceStates; ++state)
      if (static_cast<DeviceState>(state) != DeviceState::absent)
        installed += pools_[pool].in_state(static_cast<DeviceState>(state));
    result_.pool_ends[pool] = {pools_[pool].in_state(DeviceState::held), installed};
  }
}

bool Engine::is_stuck() const {
  if (!nothing_will_come()) return false;
  const auto idle = static_cast<std::int64_t>(queue_.size() + waiting_.size());
  const bool something_will_happen = live_ > idle || parts_out_ > 0 || tearing_down_ > 0 ||
                                     patience_left_ > 0 || !drains_.ends_to_come.empty() ||
                                     (scenario_.scheduler.hold_timeout && !holders_.empty());
  return live_ > 0 && !something_will_happen;
}

void Engine::finish_run() {
  result_.ended = now_;
  if (!window_closed_) look_at_pools();
  if (result_.state == RunState::completed && is_stuck()) result_.state = RunState::stalled;
  if (result_.state == RunState::stalled) {
    const auto& stuck_jobs = holders_.empty() ? waiting_ : holders_;
    for (const JobId id : stuck_jobs) result_.holders.push_back(name_of(job(id)));
    if (stuck_jobs.empty())
      for (const Job& each : queue_) result_.holders.push_back(name_of(each));
  }

  for (const auto& slot : jobs_) {
    Job& each = *slot;
    if (each.phase == JobPhase::ended) continue;
    if (result_.state == RunState::out_of_time) result_.holders.push_back(name_of(each));
    if (each.holds()) {
      charge_held(each, now_);
      settle(each, covered(each, now_), Leaf::runtime_unresolved);
      record_allocation(each, "open");
    }
    split_retained(each);
    count_outcome(each, std::nullopt);
  }
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    touch(PoolId{pool});
    change_queued_sizes(PoolId{pool}, 0);
  }
  for (auto& [pool, book] : fragmentation_books_) book_fragmentation(pool, book);
  if (options_.jobs != RunOptions::Jobs::sums_only) find_percentiles();
  // Only now: whoever was submitted at the very end of such a run is counted with the others.
  if (window_end_ == SimTime::never()) {
    window_end_ = std::max(now_, window_start_);
    result_.window_end = window_end_;
  }

  DeviceTime expected;
  for (const PoolSpec& pool : scenario_.pools) expected += installed(pool, window_start_, window_end_);
  if (sum(result_.ledger.total()) != expected)
    throw RunFault{"the ledger does not close: " + to_string(sum(result_.ledger.total())) + " of " +
                   to_string(expected) + " milli-device-ns"};
  if (options_.jobs == RunOptions::Jobs::each)
    std::sort(result_.jobs.begin(), result_.jobs.end(),
              [](const JobOutcome& a, const JobOutcome& b) { return a.sequence < b.sequence; });
  if (options_.watch != nullptr)
    for (const Source& source : sources_) options_.watch->arrivals.push_back(source.arrived);
  if (records_ != nullptr) {
    records_->window_start = window_start_;
    records_->window_end = window_end_;
  }
}

}  // namespace fleetsim
