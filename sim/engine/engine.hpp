#pragma once

#include <boost/intrusive/set.hpp>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/event_queue.hpp"
#include "sim/engine/event_kind.hpp"
#include "sim/engine/parts.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/result.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/fleet/pool.hpp"
#include "sim/job/job.hpp"
#include "sim/ledger/records.hpp"
#include "sim/scheduler/choose_victims.hpp"
#include "sim/scheduler/elastic.hpp"
#include "sim/scheduler/forecast.hpp"
#include "sim/scheduler/order.hpp"
#include "sim/scheduler/placement.hpp"
#include "sim/scheduler/plan.hpp"
#include "sim/scheduler/quota.hpp"
#include "sim/scheduler/victims.hpp"

namespace fleetsim {

/// A job that is stopped this often without one commit in between makes no progress.
inline constexpr std::uint32_t kHopeless = 10'000;

/// One replication in flight: the clock, the queue of events, and everything they act on. Private to the
/// room; `simulate` is the way in. Each source file is one concern: arrivals, plain, running, failures,
/// members, evictions, drains, refusals, elastic, passes, books.
class Engine {
 public:
  Engine(const Scenario& scenario, const RunOptions& options);
  RunResult run();

 private:
  using Queue = boost::intrusive::set<Job, boost::intrusive::compare<QueueOrder>>;
  using Releases = boost::intrusive::set<
      Job, boost::intrusive::member_hook<Job, boost::intrusive::set_member_hook<>, &Job::release_hook>,
      boost::intrusive::compare<ReleaseOrder>>;

  // engine.cpp: the loop.
  void dispatch(const Event& event);
  void close_window();
  void look_at_pools();
  void finish_run();
  bool is_stuck() const;
  /// That would let those go on that cannot.
  bool nothing_will_come() const { return sources_open_ == 0 || !holders_.empty(); }
  void count_pass();
  void push(SimTime at, Phase phase, EventKind kind, std::uint32_t entity, std::uint32_t generation = 0) {
    if (at != SimTime::never())
      events_.push(Event{at, phase, static_cast<std::uint8_t>(kind), entity, generation});
  }
  Job& job(std::uint32_t slot) { return *jobs_[slot]; }
  Job& job(JobId id) { return *jobs_[id.value]; }
  const std::optional<Duration>& limit_of(const Job& job) const {
    return job.listed != nullptr && job.listed->limit ? job.listed->limit : class_of(job).limit;
  }
  const JobClass& class_of(const Job& job) const { return *job.spec; }
  bool run_current(const Event& event) { return job(event.entity).run_generation == event.generation; }
  bool attempt_current(const Event& event) {
    return job(event.entity).attempt_generation == event.generation;
  }

  // arrivals.cpp
  void schedule_arrival(std::uint32_t class_index);
  void arrive(std::uint32_t class_index);
  Job& bring(std::uint32_t class_index);
  void renew(Job& job);
  void admit(Job& job);
  bool starts_at_once(Job& job);
  void know_gangs(std::uint32_t class_index);
  std::size_t draw_size(std::uint32_t class_index);
  std::uint32_t shape_index(const JobClass& job_class, const GangShape& gang, const Nearness& near,
                            std::uint32_t guess = 0);
  void wait_for_near(Job& job);
  void near_no_more(Job& job);
  void enqueue(Job& job, SimTime queue_time);
  void dequeue(Job& job);
  void requeue(Job& job);
  void draw_jobs(std::uint32_t class_index);
  void out_of_patience(const Event& event);
  void give_up_next();
  const std::optional<Duration>& patience_of(const Job& job) const {
    return job.listed != nullptr ? job.listed->patience : class_of(job).patience;
  }
  std::string name_of(const Job& job) const;

  // refusals.cpp
  bool could_ever_start(const QueuedShape& shape) const;
  std::uint32_t widest_member(const GangShape& gang) const;
  Refusal what_forbids(const QueuedShape& shape) const;
  bool is_hopeless(const Job& job) const;
  void refuse_hopeless();
  void note_refusal(const Job& job);

  // plain.cpp
  bool is_plain(const JobClass& job_class) const;
  void start_plain(Job& job);
  void complete_plain(Job& job);

  // running.cpp
  void start(Job& job);
  void launch(Job& job, Duration extra, const LaunchSpec& phases, Leaf leaf);
  void begin_stretch(Job& job, std::int64_t slow_steps, const Stretch::Start& from);
  bool is_built(const Job& job) const;
  void built(const Job& job);
  void change_speed(Job& job);
  void completed(Job& job);
  void release(Job& job, const char* reason);
  void end(Job& job, FinalState state);
  static FinalState last_state(const Job& job);
  void stop_for_good(Job& job, FinalState state);
  void lease_over(Job& job);
  SimTime covered(const Job& job, SimTime at) const;
  void retain(Job& job, SimTime to);
  /// Gives everything provisional its fate at `now_`: retained up to `retained_to`, the rest to `lost`.
  void settle(Job& job, SimTime retained_to, Leaf lost);
  bool has_provisional(const Job& job) const;
  void count_commits(Job& job);
  void tear_down(PoolId pool, const Part& part);
  void keep_progress(Job& job, SimTime at);
  void drop_stretch(Job& job);

  // failures.cpp
  void start_faults();
  void schedule_strike(std::uint32_t process);
  void struck(std::uint32_t process);
  void age(std::uint32_t aged);
  void torn_down(std::uint32_t teardown);
  /// When the entity is back in service; nothing if it was out already and the strike is void.
  std::optional<SimTime> strike(std::uint32_t pool, std::uint32_t entity, const FaultRow& row,
                                Duration repair, FaultOutcome& outcome);
  bool gang_has(Job& victim, const FaultRow& row, std::uint32_t node, std::uint32_t device);
  void take_out(PoolId pool, std::uint32_t node, DeviceMask devices, DeviceState from, Duration repair);
  void repair_later(PoolId pool, std::uint32_t node, DeviceMask devices, Duration repair);
  void break_shares(PoolId pool, std::uint32_t node, DeviceMask devices, Duration repair);
  void repair_shares();
  void lose_devices(Job& job, std::uint32_t node, DeviceMask devices, Duration repair);
  void add_broken(Job& job, Part part, Duration repair);
  void fail(Job& job, std::optional<Duration> detect);
  void detected(Job& job);
  void repaired(std::uint32_t part);
  void forget_teardown(PoolId pool, std::uint32_t node, DeviceMask devices);
  void end_teardowns_of_shares(PoolId pool, std::uint32_t node, DeviceMask devices);
  void scripted(const ScriptedFault& fault);
  void clear_broken(Job& job) {
    if (!job.broken.empty()) lose_broken(job);
  }
  void lose_broken(Job& job);

  // members.cpp
  /// The job's part on a node; it has at most one. Where it was seen last is tried first.
  Part* find_part(Job& job, std::uint32_t node) {
    std::vector<Part>& parts = job.parts.list();
    const std::uint32_t hint = part_hints_[job.pool.value][node];
    return hint < parts.size() && parts[hint].node == node ? &parts[hint] : seek_part(job, node);
  }
  Part* seek_part(Job& job, std::uint32_t node);
  void add_member(Job& job, const Part& part);
  DeviceMask part_with(Job& job, std::uint32_t node, DeviceMask devices, DeviceState to, const char* reason);
  void lack_members(Job& job);
  bool fill_members(Job& job);
  std::optional<StandIn> find_stand_in(const Job& job, std::uint32_t devices, Soundness which) const;
  std::optional<StandIn> find_stand_in(const Job& job, std::uint32_t devices) const;
  std::optional<Part> find_free_member(const Job& job, std::uint32_t devices, Soundness which) const;
  DeviceMask known_slow(std::uint32_t pool, std::uint32_t node) const;
  bool fill_member(Job& job, std::uint32_t devices);
  void take_part(Job& job, const Part& part, DeviceState from);
  void fill_waiting();
  void serve_again(PoolId pool, std::uint32_t node, DeviceMask devices);

  // evictions.cpp
  void run_eviction_clock(Job& job);
  void stop_eviction_clock(Job& job);
  void pause_productive_clock(Job& job);
  void draw_eviction(Job& job);
  void eviction_due(Job& job);
  void evict_from_outside(Job& job);
  void evict(Job& job, const EvictionTerms& terms);
  void saved(Job& job);
  void leave(Job& job);

  // drains.cpp
  void start_withdrawals();
  void withdraw(std::uint32_t withdrawal);
  void reinstate(std::uint32_t withdrawal);
  DeviceMask follow_plan(PoolId pool, std::uint32_t node);
  void vacate();
  void give_up_unused(Job& job);
  void leave_withdrawn(Job& job);
  void leave_shared(Job& job);
  bool stop_for_drain(Job& job);
  bool stop_to_reconfigure(Job& job, StopCause cause);
  void schedule_leaving(Job& job);
  void foresee_returns(std::uint32_t pool, std::vector<OutPart>& returns) const;

  // links.cpp
  void know_links();
  Spread spread_of(const Job& job, const FabricShape& fabric);
  std::int64_t modelled_excess(const Job& job, double slower);
  void share_links();
  void share_links(std::uint32_t pool, const FabricGraph& fabric);

  // slowness.cpp
  static bool some_are_slow(const Scenario& scenario);
  void start_slowness();
  void schedule_episode(std::uint32_t process);
  void slowed(std::uint32_t process);
  void begin_episode(const SlowProcess& process, const SlowProcess::Episode& episode);
  void begin_episode(const ScriptedSlowness& what);
  void end_episode(std::uint32_t place);
  void meet_slowness(const ScriptedSlowness& what);
  void meet_speed(const Job& job);
  void slow_down(const Job& job, StepTimes& step);
  std::int64_t neighbour_excess(const Job& job, const StepTimes& step, double speed);
  void watch_stragglers(Job& job, SimTime from);
  bool wants_swap(const Job& job) const;
  void swap_due(Job& job);
  void swap_wanted();
  bool swap_stragglers(Job& job);

  // services.cpp
  bool is_service(const Job& job) const { return class_of(job).kind == JobKind::service; }
  bool is_ready(const Job& job) const {
    return job.phase == JobPhase::running && job.stepping && now_ >= job.phase_until;
  }
  static bool can_fail(const Job& job) {
    return job.phase == JobPhase::running || job.phase == JobPhase::detecting ||
           job.phase == JobPhase::saving || job.phase == JobPhase::draining;
  }
  void requeue_unprovisioned(Job& job);
  void start_services();
  void bring_warm(std::uint32_t class_index);
  void draw_life(Job& job, std::uint64_t wish);
  void want_replica(std::uint32_t class_index, std::uint64_t wish);
  void replace_replica(std::uint32_t class_index);
  Job* next_warm(std::uint32_t class_index);
  void promote(Job& job, std::uint64_t wish);
  void provision(Job& job);
  void begin_life(Job& job);
  void count_ready(Job& job, SimTime at);
  void begin_drain(Job& job);
  void drained(Job& job);
  void life_over(Job& job);
  void end_service(Job& job);
  void leave_gently(Job& job);

  // elastic.cpp
  void know_sizes(std::uint32_t class_index);
  void take_queue_size(Job& job);
  void set_size(Job& job, const SizedGang& size);
  void record_sizes(const Job& job);
  void follow_script(Job& job);
  void follow_script_on(Job& job);
  bool find_more(const Pool& pool, const Job& job, const GangShape& shape, Placement& more) const;
  bool find_members(const Pool& pool, const Job& job, const GangShape& members, Placement& more) const;
  void resize(Job& job, const SizedGang& size, const Resizing& terms, const Placement& more);
  void take_size(Job& job, const SizedGang& size);
  void count_resize(Job& job);
  bool go_on_smaller(Job& job);
  void give_up_members(Job& job, std::int64_t count);
  void grow();
  bool grow_to(Job& job, std::uint32_t index);
  bool commits_now(const Job& job) const;
  SimTime next_commit(const Job& job) const;
  bool shrink_for(const Job& job, std::uint32_t pool);
  template <class Fits, class MayShrink>
  bool shrink(std::uint32_t pool, const Job& beneficiary, StopCause cause, Fits&& fits,
              MayShrink&& may_shrink);
  void pass_with_shrinking();

  // passes.cpp
  bool pass();
  void serve_queue();
  void pass_atomic();
  void pass_partial_hold();
  void pass_remade();
  bool try_start(Job& job);
  bool find_place(const Pool& pool, const Job& job, Placement& out) const;
  void assign(Job& job, PoolId pool, Placement& parts);
  bool gang_is_complete(const Job& job) const;
  void complete_gang(Job& job);
  bool quota_allows(const Job& job) const;
  void count_in_quota(const Job& job, Capacity change) {
    if (class_of(job).quota) count_in_quota(*class_of(job).quota, change);
  }
  void count_in_quota(std::uint32_t quota, Capacity change);
  bool stands_behind_its_queue(const Job& job) const {
    return class_of(job).quota && queue_blocked_[*class_of(job).quota];
  }
  bool block_queue(const Job& job);
  bool blocks_only_its_own(const Job& job);
  void decay_shares();
  void rank_queues();
  template <class MayUse>
  std::optional<std::uint32_t> node_to_hold(const Pool& pool, const Job& job, std::uint32_t devices,
                                            MayUse&& may_use) const;
  bool hold_next(Job& job);
  void hold_timeout(Job& job);
  JobView view(const Job& job) const;
  Int128 key_of(const Job& job) const {
    return order_->key == nullptr ? Int128{0} : order_->key(view(job), scenario_.scheduler);
  }
  void schedule_jump(Job& job);
  const GangShape& allocation_shape(const Job& job) const { return shapes_[job.shape_index].shape; }
  const Nearness& near(const Job& job) const { return shapes_[job.shape_index].near; }

  // preemption.cpp
  bool preempts() const { return scenario_.scheduler.preemption != Preemption::none; }
  std::int64_t priority_of(const Job& job) const {
    return job.listed != nullptr ? job.listed->priority.value_or(class_of(job).priority)
                                 : class_of(job).priority;
  }
  bool holds_withdrawn(const Job& job) const;
  static void free_up(Pool& pool, const Job& job);
  Pool soon_free(PoolId id) const;
  std::int64_t left_of(const EvictionBudget& budget, const std::vector<SimTime>& spent) const;
  bool within(const std::optional<EvictionBudget>& budget, const std::vector<SimTime>& spent) const;
  std::optional<StopCause> why_stop(const Job& victim, const Job& beneficiary, Capacity given) const;
  Int128 victim_key(const Job& job) const;
  void forecast_leavers(std::uint32_t pool);
  Placement staying(std::uint32_t pool, const Placement& parts) const;
  bool room_is_thinkable(std::uint32_t pool, const Job& job) const;
  class RoomInPool;
  Quotas quotas_without_leavers() const;
  std::vector<VictimCandidate> candidates(std::uint32_t pool, const Job& beneficiary);
  bool stop_for(const Job& job, std::uint32_t pool);
  Room make_room(Job& job);
  bool goes_before(const Job& promised, const Job& other) const;
  void keep_promises_before(const Job& other, QueueLook& look);
  void keep_promise(Job& job, QueueLook& look);
  void forget_room(Job& job);
  void preempt(Job& victim, const Job& beneficiary, StopCause cause);
  DeviceTime lost_to_stops(PoolId pool, ClassId job_class) const;
  PreemptionRow before_stop(const Job& victim, const Job* beneficiary, StopCause cause) const;
  void log_stop(PreemptionRow row, const Job& victim);
  void can_be_stopped(Job& job, bool can);

  // backfill.cpp
  Duration estimate(const Job& job) const;
  void expect_release(Job& job, SimTime at);
  void expect_no_release(Job& job, std::uint64_t version_before);
  bool backfills() const { return scenario_.scheduler.backfill != Backfill::none; }
  void pass_with_reservations();
  void look_at_everybody();
  bool look_at_queue();
  bool is_known_hopeless(const QueuedShape& shape, QueueLook& look) const;
  enum class Looked : std::uint8_t { started, others_stopped, stays };
  Looked look_at(Job& job, QueueLook& look);
  Looked look_past_quota(Job& job);
  bool others_make_room(Job& job);
  void note_start(QueueLook& look);
  bool has_room_kept(const Job& job) const { return job.room_in && reservations_[*job.room_in].head == &job; }
  void keep_place(Job& job, QueueLook& look);
  bool only_newcomers_matter() const;
  void look_behind(Queue::iterator next);
  void rank_running();
  enum class Backfilled : std::uint8_t { started, too_long, no_room };
  void note_hopeless(QueuedShape& shape, Backfilled outcome, QueueLook& look);
  Backfilled backfill(Job& job);
  Backfilled backfill_in(Job& job, std::uint32_t pool);
  void reserve(const Job& job);
  void reserve_room(const Job& job, std::uint32_t pool);
  void block_pools(const Job& job);
  Reservation forecast_start(std::uint32_t pool, const Job& job);
  bool may_look(const Job& job);
  bool all_reserved(const Job& job) const;
  bool leaves_in_time(std::uint32_t pool, Duration estimate) const;
  bool too_long_for_all(const JobClass& job_class, Duration estimate) const;
  template <class Visit>
  void for_each_release(std::uint32_t pool, Visit&& visit) const;
  void pass_conservative();
  bool as_planned() const;
  void start_as_planned();
  void reset_plans();
  bool plan_anew();
  bool some_make_room() const;
  Looked plan_or_make_room(Job& job);
  bool plan_promised(Job& job, std::uint32_t pool);
  Plan::Slot choose_start(Job& job, std::span<const std::uint32_t> pools);
  bool start_or_plan(Job& job, const Plan::Slot& slot);
  bool plan(Job& job);
  std::optional<Plan::Slot> earliest_start(std::uint32_t pool, const Job& job);
  std::uint64_t free_version() const;
  void remember_what_was_looked_at();

  // fragmentation.cpp
  void start_fragmentation();
  void measure_fragmentation();
  void book_fragmentation(std::uint32_t pool, FragmentationBook& book);
  void sample_fragmentation(std::uint32_t pool, const FragmentationBook& book, SimTime first, SimTime last);
  void measure_by_queue(std::uint32_t pool, FragmentationBook& book) const;

  // books.cpp
  SimTime clip(SimTime t) const {
    return t < window_start_ ? window_start_ : t > window_end_ ? window_end_ : t;
  }
  bool in_window() const { return now_ >= window_start_ && now_ < window_end_; }
  /// What a job holds, to the ledger and to the gangs of its size.
  void add(const Job& job, PoolId pool, Leaf leaf, DeviceTime amount) {
    result_.ledger.add(pool, job.job_class, leaf, amount);
    SizeTime& size = result_.by_size[job.size_cohort];
    const bool is_complete = leaf != Leaf::scheduling_partial_gang && leaf != Leaf::scheduling_transition;
    (is_complete ? size.held : size.partial) += amount;
  }
  void charge(Job& job, Leaf leaf, SimTime from, SimTime to, Capacity capacity);
  void charge_held(Job& job, SimTime to);
  void record_stretch(const Job& job, const Stretch& stretch, SimTime from, SimTime to);
  void add_stretch(Job& job, const Stretch& stretch, SimTime from, SimTime to, std::optional<Leaf> lost);
  void touch(PoolId pool) {
    if (books_[pool.value].since != now_) book_unheld(pool);
  }
  void book_unheld(PoolId pool);
  void book_otherwise(PoolId pool, SimTime first, SimTime last);
  void decide_reasons();
  void decide_reason(PoolId pool);
  void change_queued_sizes(PoolId pool, std::uint32_t sizes);
  Leaf reason(PoolId pool) const;
  void record_allocation(Job& job, const char* reason) {
    if (records_ != nullptr) write_allocation(job, reason);
    job.allocation_from = now_;
  }
  void write_allocation(const Job& job, const char* reason);
  void record(Job& job, TimelineKind kind, SimTime from, SimTime to, Leaf leaf, Capacity capacity) {
    if (records_ != nullptr) write_record(job, kind, from, to, leaf, capacity);
  }
  void write_record(Job& job, TimelineKind kind, SimTime from, SimTime to, Leaf leaf, Capacity capacity);
  void keep_retained(Job& job, DeviceTime amount);
  void split_retained(Job& job);
  void split(const Job& job, PoolId pool, const ProgramSplit& program, DeviceTime amount) {
    if (!program.weights.empty()) return split_by_weights(job, pool, program, amount);
    add(job, pool, Leaf::program_unmodelled, amount);
  }
  void split_by_weights(const Job& job, PoolId pool, const ProgramSplit& program, DeviceTime amount);
  void count_outcome(const Job& job, std::optional<FinalState> state);
  JobOutcome outcome_of(const Job& job, std::optional<FinalState> state, SimTime ended) const;
  void count_waits(const Job& job, ClassOutcome& sums) const;
  void find_percentiles();
  void watch_resolution(Job& job);
  void resolve(Job& job);

  // watch.cpp
  void meet_watched(const Job& job);
  void watch();
  void stop_watching(const Job& job, std::optional<FinalState> state, SimTime ended);
  WatchSpan what_keeps(const Job& job) const;
  WatchState what_lacks(const Job& job, std::uint32_t pool) const;
  WatchSpan who_keeps(const Job& job, std::uint32_t pool, const std::vector<const Job*>& ahead) const;

  const Scenario& scenario_;
  RunOptions options_;
  SimTime now_, window_start_, window_end_;
  EventQueue events_;
  std::vector<Pool> pools_;
  bool any_packed_ = false;
  std::vector<std::unique_ptr<Job>> jobs_;  ///< slots; addresses are stable
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t next_sequence_ = 0;

  // Arrivals.
  std::vector<Source> sources_;
  std::vector<StepTimes> step_times_;    ///< by class
  std::vector<CheckpointCycle> cycles_;  ///< by class

  // Sizes.
  std::vector<Elastic> elastic_;        ///< by class
  std::vector<JobId> elastic_running_;  ///< gang complete
  bool some_shrink_ = false;

  // Queue.
  Queue queue_;
  const OrderPolicy* order_;
  const PlacementPolicy* placement_;
  LaunchSpec eviction_relaunch_;
  EvictionTerms move_;  ///< of a job that gives up its nodes for others: it is not sent away
  Quotas quotas_;
  std::vector<bool> queue_blocked_;  ///< by quota, during a pass: the first of the queue keeps its place
  FairShare fair_share_;
  std::vector<QueuedShape> shapes_;
  std::vector<std::int64_t> depth_;        ///< by pool: queued jobs that accept it
  std::vector<QueuedSizes> queued_sizes_;  ///< by pool
  std::vector<JobId> holders_;             ///< assembling, in the order in which they began
  std::vector<JobId> promised_;            ///< queued, and room is being made for them
  std::vector<JobId> running_;             ///< gang complete; kept where jobs may be preempted
  std::vector<std::map<std::int64_t, Capacity>> preemptible_;  ///< by pool: held by running_, by priority
  std::vector<std::vector<SimTime>> pool_preempted_at_;        ///< by pool, as far as a budget has to know
  const VictimPolicy* victims_;
  std::vector<JobId> waiting_;  ///< for a member, first come first served
  Placement scratch_;
  std::vector<std::uint8_t> blocked_;  ///< by pool, during a pass: whether it is
  std::vector<Impatient> impatient_;   ///< whose patience ends at this instant
  std::int64_t patience_left_ = 0;     ///< jobs whose patience may still end
  bool pass_wanted_ = false;
  bool first_comes_first_;  ///< whoever meets no queue, and fits, starts

  // Backfill.
  Releases releases_;                      ///< whoever holds devices, by expected end
  std::vector<Reservation> reservations_;  ///< by pool
  std::vector<Forecast> forecasts_;        ///< by pool: when its reservation begins
  std::vector<Plan> plans_;                ///< by pool
  bool some_take_no_time_ = false;         ///< in the plans: others may be planned for the same instant
  Placement places_, other_places_, chosen_places_;
  std::vector<Job*> newcomers_;  ///< queued since the last pass
  static constexpr std::uint64_t kNeverLooked = ~std::uint64_t{0};
  std::uint64_t looked_at_ = kNeverLooked;  ///< version of what is free that the last pass left behind
  SimTime overdue_from_;                    ///< when the next job that is still expected to end will not have
  std::uint64_t pass_number_ = 0, starts_ = 0;
  bool whole_nodes_ = true;  ///< every gang takes whole nodes, from anywhere: nodes are alike
  bool look_again_ = false;  ///< whoever could not start in the last pass might be given other nodes now

  // Failures, links, slowness, drains.
  Faults faults_;
  Links links_;
  SlowDevices slow_;
  Drains drains_;
  std::vector<std::vector<std::uint32_t>> part_hints_;  ///< by pool, by node: where its holder has the part

  std::vector<std::vector<Capacity>> built_;  ///< by class: sizes that a shared build is there for

  // Books.
  std::vector<PoolBook> books_;
  bool somebody_was_queued_ = false;  ///< when the reasons were decided
  std::vector<std::pair<std::uint32_t, FragmentationBook>>
      fragmentation_books_;  ///< of pools that are measured
  RunResult result_;
  Records* records_;
  std::vector<std::vector<JobTimes>> times_;  ///< by class, when asked for
  std::int64_t live_ = 0;                     ///< jobs that have arrived and not ended
  std::int64_t sources_open_ = 0;             ///< classes with arrivals to come
  std::int64_t unresolved_ = 0;
  std::int64_t parts_out_ = 0, tearing_down_ = 0;
  bool window_closed_ = false;
  std::uint64_t passes_at_instant_ = 0;
  std::uint64_t progress_at_event_ = 0;  ///< when a job last started or ended
  std::optional<JobId> watched_;         ///< from its arrival to its end
  std::string gave_way_to_;              ///< for whom the scheduler stopped it at this instant
};

}  // namespace fleetsim
