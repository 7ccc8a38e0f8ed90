#include "tests/engine/random_scenario.hpp"

#include <algorithm>
#include <string>

namespace fleetsim {
namespace {

class ScenarioMaker {
 public:
  explicit ScenarioMaker(std::uint64_t number) : stream_{StreamKey{number, 0, Purpose::kBootstrap, 0}} {
    unit_ = pick<std::int64_t>({1, 1, 1'000, 1'000'000'000, 999'999'937});
  }

  Scenario make() {
    until_done_ = chance(25);
    window();
    const std::int64_t pools = between(1, 3);
    for (std::int64_t pool = 0; pool < pools; ++pool) add_pool();
    scheduler();
    const std::int64_t classes = between(1, 5);
    for (std::int64_t index = 0; index < classes; ++index) add_class();
    for (std::int64_t faults = chance(30) ? between(1, 4) : 0; faults > 0; --faults) script();
    scenario_.runs.seed = draw(1000);
    for (JobClass& job : scenario_.classes)
      if (chance(30)) sizes(job);
    for (JobClass& job : scenario_.classes)
      if (chance(12)) serve(job);
    if (chance(25)) slowness();
    return std::move(scenario_);
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return stream_() % below; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(high - low + 1)));
  }
  std::uint32_t count(std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(between(low, high));
  }
  bool chance(std::uint64_t percent) { return draw(100) < percent; }
  template <class Value>
  Value pick(std::initializer_list<Value> values) {
    return values.begin()[draw(values.size())];
  }
  Duration time(std::int64_t low, std::int64_t high) {
    return Duration::nanoseconds(between(low, high) * unit_);
  }
  /// Zero more often than not.
  Duration maybe_time(std::int64_t high) { return chance(55) ? Duration::zero() : time(1, high); }
  double in_seconds(std::int64_t low, std::int64_t high) {
    return static_cast<double>(between(low, high)) * static_cast<double>(unit_) * 1e-9;
  }
  Distribution random_time(std::int64_t low, std::int64_t high) {
    const double mean = in_seconds(low, high);
    if (chance(35)) return Distribution{Distribution::Fixed{mean}};
    if (chance(30)) return Distribution{Distribution::Weibull::with_mean(mean, pick({0.6, 1.0, 3.0}))};
    if (chance(20)) return Distribution{Distribution::Uniform{mean * 0.5, mean * 1.5}};
    return Distribution{Distribution::Exponential{mean}};
  }

  void window() {
    WindowSpec& window = scenario_.window;
    if (chance(50)) window.warm_up = time(1, 300);
    if (until_done_) return;
    window.length = chance(20) ? time(1, 20) : time(50, 1000);
    if (chance(30)) window.run_on = chance(50) ? Duration::zero() : time(1, 200);
  }

  FaultRow fault_row() {
    FaultRow row;
    row.name = "row";
    row.hits = pick({FaultScope::device, FaultScope::node, FaultScope::rack});
    row.takes_out = pick({FaultScope::nothing, FaultScope::device, FaultScope::node, FaultScope::rack});
    if (row.takes_out == FaultScope::device) row.hits = FaultScope::device;
    row.lifetime = random_time(60, 3000);
    if (row.lifetime.is_fixed()) row.lifetime = Distribution{Distribution::Exponential{in_seconds(60, 3000)}};
    if (chance(40)) row.detect = maybe_time(10);
    row.repair = random_time(1, 60);
    if (chance(25)) {
      row.lemon_share = pick({0.1, 0.5, 1.0});
      row.lemon_factor = pick({1.0, 4.0, 10.0});
    }
    return row;
  }

  void add_pool() {
    PoolSpec pool;
    pool.name = "pool" + std::to_string(scenario_.pools.size());
    pool.device_type = pool.name;
    pool.nodes = count(1, 8);
    pool.devices_per_node = count(1, 8);
    if (pool.nodes > 1 && chance(30)) pool.spares = count(1, std::min<std::int64_t>(2, pool.nodes - 1));
    const std::uint32_t in_rack = count(1, 4);
    for (std::uint32_t node = 0; node < pool.nodes; ++node) {
      pool.racks.push_back(node / in_rack);
      pool.pods.push_back(node / (2 * in_rack));
    }
    pool.teardown = maybe_time(8);
    for (std::int64_t rows = chance(60) ? between(1, 3) : 0; rows > 0; --rows)
      pool.faults.push_back(fault_row());
    for (std::int64_t drains = chance(25) ? between(1, 3) : 0; drains > 0; --drains)
      pool.drains.push_back(drain(pool));
    if (chance(20)) dates(pool);
    scenario_.pools.push_back(pool);
  }

  DrainSpec drain(const PoolSpec& pool) {
    DrainSpec spec;
    spec.at = SimTime::zero() + time(0, 500);
    if (chance(85)) spec.length = time(1, 150);
    if (chance(25) && spec.length != Duration::max()) spec.every = spec.length + time(1, 300);
    for (std::uint32_t node = 0; node < pool.nodes; ++node)
      if (chance(40)) spec.nodes.push_back(node);
    spec.mode = pick({DrainMode::now, DrainMode::at_commit, DrainMode::when_released});
    return spec;
  }

  void dates(PoolSpec& pool) {
    DatedNodes early, late;
    early.until = SimTime::zero() + time(1, 700);
    late.from = SimTime::zero() + time(1, 400);
    if (chance(30)) late.until = late.from + time(1, 400);
    for (std::uint32_t node = 0; node < pool.nodes; ++node) {
      if (chance(50)) continue;
      (chance(50) ? early : late).nodes.push_back(node);
    }
    pool.dated = {early, late};
  }

  EvictionTerms terms() {
    EvictionTerms terms;
    if (chance(40)) terms.lost_work = maybe_time(40);
    if (chance(40)) terms.save = maybe_time(12);
    if (chance(40)) terms.grace = time(0, 12);
    terms.requeue_delay = maybe_time(20);
    terms.requeue = pick({RequeueAt::submit, RequeueAt::behind});
    return terms;
  }

  void scheduler() {
    SchedulerSpec& spec = scenario_.scheduler;
    spec.order = pick<const char*>({"fifo", "priority", "sjf", "srtf", "srsf", "las", "fair-share"});
    spec.strict = chance(60);
    spec.placement = pick<const char*>({"first-fit", "best-fit", "compact"});
    if (spec.order == "las") {
      for (std::int64_t level = 1; level <= 3; ++level)
        spec.las_thresholds.push_back(Capacity::devices(1) * Duration::nanoseconds(level * 100 * unit_));
    }
    if (chance(30)) {
      spec.admission = Admission::partial_hold;
      if (chance(40)) spec.holders = count(1, 3);
      spec.interleave = chance(30);
      // Gangs that give up together and begin again together may never end; nor one whose nodes never meet.
      const bool comes_and_goes =
          std::any_of(scenario_.pools.begin(), scenario_.pools.end(),
                      [](const PoolSpec& pool) { return !pool.drains.empty() || !pool.dated.empty(); });
      if (chance(50) && !(until_done_ && (spec.interleave || comes_and_goes)))
        spec.hold_timeout = time(1, 50);
    } else if (chance(50)) {
      spec.preemption = pick({Preemption::kept, Preemption::remade});
      spec.eviction = terms();
      if (chance(30)) spec.eviction_relaunch = maybe_time(10);
      if (spec.preemption == Preemption::kept && chance(60)) budgets(spec);
    }
    const bool may_backfill = spec.strict && spec.admission == Admission::atomic;
    if (may_backfill && spec.preemption != Preemption::remade && chance(50)) {
      spec.backfill = pick({Backfill::easy, Backfill::conservative});
      if (chance(30)) spec.backfill_depth = count(1, 5);
      spec.estimates = pick({Estimates::limit, Estimates::exact});
      spec.estimate_factor = pick({0.5, 1.0, 1.0, 2.0});
    }
    for (std::int64_t quotas = chance(40) ? between(1, 2) : 0; quotas > 0; --quotas) quota(spec);
  }

  void quota(SchedulerSpec& spec) {
    QuotaSpec& quota = spec.quotas.emplace_back();
    quota.name = "quota";
    quota.capacity = Capacity::devices(between(1, 24));
    if (chance(50)) return;
    quota.guarantee = Capacity::milli_devices(between(0, quota.capacity.milli()));
    if (chance(30)) quota.lend = Capacity::devices(between(0, 8));
    quota.lend_when_head_blocked = chance(60);
    quota.weight = pick({0.5, 1.0, 3.0});
    if (chance(20)) return;
    if (spec.cohorts.empty()) {
      spec.cohorts.push_back({.name = "all", .parent = {}, .limit = {}});
      spec.cohorts.push_back({.name = "part", .parent = 0, .limit = Capacity::devices(between(4, 30))});
    }
    quota.cohort = count(0, 1);
    spec.reclaim = chance(50);
  }

  void budgets(SchedulerSpec& spec) {
    spec.preempt_by = pick({PreemptBy::order, PreemptBy::priority, PreemptBy::nobody});
    spec.victims = pick<const char*>(
        {"worst", "youngest", "lowest-priority", "cheapest", "fewest", "least-fragmentation"});
    spec.min_runtime = maybe_time(30);
    if (chance(40)) spec.job_budget = {between(0, 3), time(1, 100)};
    if (chance(40)) spec.pool_budget = {between(0, 5), time(1, 100)};
    if (chance(40)) spec.eviction.requeue_backoff = pick({1.5, 2.0});
  }

  LaunchSpec launch(bool steps) {
    LaunchSpec spec;
    spec.launch = maybe_time(10);
    spec.load = maybe_time(5);
    spec.warmup = maybe_time(5);
    if (steps && chance(40)) {
      spec.slow_steps = between(1, 6);
      spec.slow_excess = time(1, 9);
    }
    return spec;
  }

  void checkpoints(JobClass& job) {
    CheckpointSpec& spec = job.checkpoint;
    if (chance(30)) return;
    spec.mode = pick({CheckpointMode::synchronous, CheckpointMode::asynchronous});
    spec.interval = time(1, 60);
    spec.pause = maybe_time(6);
    if (spec.mode == CheckpointMode::synchronous) return;
    spec.flush = maybe_time(40);
    if (!job.step.continuous) spec.step_excess = maybe_time(4);
    spec.interval_from = pick({IntervalFrom::stage, IntervalFrom::commit});
  }

  void arrivals(JobClass& job) {
    ArrivalSpec& spec = job.arrivals;
    spec.submit = SimTime::zero() + maybe_time(200);
    if (chance(25)) return;
    if (chance(20)) {
      SimTime submit = spec.submit;
      for (std::int64_t index = between(1, 6); index > 0; --index) {
        ListedJob listed;
        listed.id = job.name + "-" + std::to_string(index);
        listed.submit = submit += maybe_time(60);
        listed.devices = count(1, 12);
        listed.duration = time(0, 120);
        if (chance(30)) listed.limit = time(1, 100);
        listed.priority = between(0, 3);
        spec.listed.push_back(listed);
      }
      job.gang = GangSpec{};
      job.steps.reset();
      job.duration.reset();
      return;
    }
    spec.gap = random_time(10, 200);
    if (until_done_ || chance(30)) spec.count = between(1, 8);
  }

  void work(JobClass& job) {
    if (chance(60)) {
      job.step.continuous = false;
      job.step.time = time(1, 7);
      job.step.wait = maybe_time(4);
    }
    if (!job.step.continuous && chance(60)) {
      job.steps = between(1, 60);
    } else if (until_done_ || chance(85)) {
      job.duration = random_time(1, 250);
    }
  }

  void gang(JobClass& job) {
    if (chance(15) && scenario_.scheduler.backfill != Backfill::conservative) {
      job.gang.shape = GangShape{.milli = static_cast<std::uint32_t>(pick({100, 300, 500, 1000}))};
    } else if (chance(50)) {
      const std::uint32_t nodes = count(1, 4), per_node = count(1, 8);
      job.gang.shape = GangShape{.nodes = nodes, .per_node = per_node};
      if (per_node > 1 && chance(30)) job.gang.shape->remainder = count(1, per_node - 1);
    } else {
      for (std::int64_t sizes = between(1, 3); sizes > 0; --sizes) {
        job.gang.sizes.push_back(count(1, 16));
        job.gang.weights.push_back(static_cast<double>(between(1, 3)));
      }
    }
  }

  void add_class() {
    JobClass job;
    job.name = "class" + std::to_string(scenario_.classes.size());
    job.pools = {count(0, static_cast<std::int64_t>(scenario_.pools.size()) - 1)};
    for (std::uint32_t other = 0; other < scenario_.pools.size(); ++other)
      if (other != job.pools.front() && chance(40)) job.pools.push_back(other);
    gang(job);
    if (chance(8)) {
      job.kind = JobKind::reservation;
      job.duration = random_time(1, 200);
    } else {
      work(job);
      checkpoints(job);
    }
    arrivals(job);
    if (chance(50)) job.program.weights = {{Leaf::program_tensor_comm, 3}, {Leaf::ideal, between(1, 7)}};
    if (job.kind == JobKind::work) lifecycle(job);
    if (chance(20)) job.limit = time(20, 200);
    if (chance(10))
      job.end = {SimTime::zero() + time(1, 800), pick({FinalState::failed, FinalState::cancelled})};
    job.priority = between(0, 3);
    if (!scenario_.scheduler.quotas.empty() && chance(60))
      job.quota = count(0, static_cast<std::int64_t>(scenario_.scheduler.quotas.size()) - 1);
    if (chance(25)) {
      job.topology.level = pick({TopologyLevel::node, TopologyLevel::rack, TopologyLevel::pod});
      if (chance(50)) job.topology.wait = maybe_time(100);
    }
    job.preemptible = chance(85);
    job.enforce_limits = chance(60);
    scenario_.classes.push_back(job);
  }

  void lifecycle(JobClass& job) {
    const bool steps = !job.step.continuous, whole = !job.gang.shape || job.gang.shape->milli == 0;
    job.startup = launch(steps);
    job.recovery.detect = maybe_time(10);
    job.recovery.replace = maybe_time(5);
    job.recovery.relaunch = launch(steps);
    job.preemption = launch(steps);
    job.reconfiguration = launch(steps);
    job.no_replacement = pick({NoReplacement::hold, NoReplacement::release});
    if (chance(35)) {
      EvictionSpec& evictions = job.evictions;
      const std::int64_t way = between(0, 2);
      if (way == 0) evictions.rate = PerSecond{1.0 / in_seconds(40, 400)};
      if (way == 1) evictions.every = time(15, 300);
      if (way == 2 || chance(20))
        for (std::int64_t times = between(1, 3); times > 0; --times)
          evictions.at.push_back(SimTime::zero() + time(1, 600));
      std::sort(evictions.at.begin(), evictions.at.end());
      evictions.clock = pick({EvictionClock::held, EvictionClock::productive, EvictionClock::wall});
      evictions.terms = terms();
    }
    if (chance(15)) job.lease = time(1, 300);
    if (chance(15)) job.max_restarts = between(0, 4);
    if (whole && chance(15)) job.own_spares = count(1, 2);
  }

  void sizes(JobClass& job) {
    const bool one_size = job.gang.shape ? job.gang.shape->milli == 0 && job.gang.shape->remainder == 0
                                         : job.gang.sizes.size() == 1;
    if (!one_size || job.step.continuous || !job.arrivals.listed.empty()) return;
    ElasticSpec& spec = job.elastic.emplace();
    const auto sized = [&](std::uint32_t devices) {
      return ElasticSize{.devices = devices, .time = time(1, 7), .wait = maybe_time(3)};
    };
    const auto resizing = [&] {
      ResizeTerms out;
      out.state = pick({ResizeState::committed, ResizeState::discarded});
      if (chance(70)) out.pause = maybe_time(8);
      return out;
    };
    spec.resize = resizing();
    spec.grow = pick({GrowAt::now, GrowAt::commit});
    const SchedulerSpec& scheduler = scenario_.scheduler;
    const bool by_policy =
        scheduler.admission == Admission::atomic && scheduler.preemption != Preemption::remade;
    if (by_policy && chance(75)) {
      spec.policy = pick<const char*>({"wait", "immediate", "step-up", "fill-and-shrink", "fill-and-shrink"});
      std::uint32_t devices = 0;
      for (std::int64_t count = between(1, 6); count > 0; --count)
        spec.sizes.push_back(sized(devices += this->count(1, 4)));
      for (ElasticSize& size : spec.sizes)
        if (chance(30))
          size.program.weights = {{Leaf::program_unattributed, between(0, 5)}, {Leaf::ideal, 7}};
      return;
    }
    SimTime at = SimTime::zero();
    for (std::int64_t times = between(1, 3); times > 0; --times)
      spec.script.push_back({at = at + time(1, 200), sized(count(1, 16)), resizing()});
  }

  void serve(JobClass& job) {
    const bool whole = !job.gang.shape || job.gang.shape->milli == 0;
    if (job.kind != JobKind::work || !whole || !job.arrivals.listed.empty()) return;
    job.kind = JobKind::service;
    job.step = StepSpec{};
    job.checkpoint = CheckpointSpec{};
    job.steps.reset();
    job.duration.reset();
    job.elastic.reset();
    job.lease.reset();
    job.limit.reset();
    job.evictions.terms.save.reset();
    for (LaunchSpec* launch : {&job.startup, &job.recovery.relaunch, &job.preemption, &job.reconfiguration})
      launch->slow_steps = 0;
    ServiceSpec& spec = job.service;
    spec.provision = maybe_time(8);
    if (until_done_ || chance(70)) (chance(50) ? spec.life : spec.ready) = random_time(1, 200);
    if (chance(60)) spec.drain = random_time(1, 20);
    if (until_done_) return;
    if (chance(40)) spec.warm = count(1, 2);
    spec.kept = chance(30);
  }

  void slowness() {
    for (PoolSpec& pool : scenario_.pools) {
      for (std::int64_t rows = between(0, 2); rows > 0; --rows) {
        SlowRow& row = pool.slow.emplace_back();
        row.hits = pick({FaultScope::device, FaultScope::node, FaultScope::rack});
        row.cause = pick({SlowCause::straggler, SlowCause::straggler, SlowCause::noisy_neighbour});
        row.share = pick({0.0, 0.2, 0.6});
        if (chance(70)) row.rate = PerSecond{1.0 / in_seconds(60, 2000)};
        if (chance(70)) row.length = random_time(1, 200);
        row.least_speed = pick({0.1, 0.5, 0.9});
        row.most_speed = pick({row.least_speed, 0.95});
        row.repair = random_time(1, 60);
      }
    }
    for (JobClass& job : scenario_.classes) {
      if (job.step.continuous) continue;
      job.step.stretched = {pick({1.0, 0.3}), pick({1.0, 0.1, 0.0})};
      if (chance(40)) job.swap = SwapPolicy{maybe_time(40), pick({SwapAt::now, SwapAt::commit})};
    }
  }

  void script() {
    ScriptedFault fault;
    fault.at = SimTime::zero() + time(0, 600);
    fault.pool = count(0, static_cast<std::int64_t>(scenario_.pools.size()) - 1);
    const PoolSpec& pool = scenario_.pools[fault.pool];
    fault.node = count(0, pool.nodes - 1);
    fault.device = count(0, pool.devices_per_node - 1);
    fault.hits = pick({FaultScope::device, FaultScope::node, FaultScope::rack});
    fault.takes_out = pick({FaultScope::nothing, FaultScope::device, FaultScope::node, FaultScope::rack});
    if (fault.takes_out == FaultScope::device) fault.hits = FaultScope::device;
    if (chance(40)) fault.detect = maybe_time(10);
    fault.repair = maybe_time(60);
    scenario_.script.push_back(fault);
  }

  RandomStream stream_;
  std::int64_t unit_ = 1;
  bool until_done_ = false;
  Scenario scenario_;
};

}  // namespace

Scenario random_scenario(std::uint64_t number) { return ScenarioMaker{number}.make(); }

Scenario random_calm_scenario(std::uint64_t number) {
  Scenario scenario = random_scenario(number);
  scenario.script.clear();
  scenario.slow_script.clear();
  scenario.scheduler.preemption = Preemption::none;
  for (PoolSpec& pool : scenario.pools) {
    pool.faults.clear();
    pool.slow.clear();
    pool.drains.clear();
    pool.dated.clear();
    pool.teardown = Duration::zero();
  }
  for (std::size_t index = number % 2; index < scenario.classes.size(); index += 2) {
    JobClass& job = scenario.classes[index];
    if (job.kind != JobKind::work) continue;
    job.elastic.reset();
    job.quota.reset();
    job.own_spares = 0;
    job.enforce_limits = false;
    job.evictions = EvictionSpec{};
    job.checkpoint = CheckpointSpec{};
    job.step.wait = Duration::zero();
    job.startup = LaunchSpec{};
  }
  return scenario;
}

}  // namespace fleetsim
