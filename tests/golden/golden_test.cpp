#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/engine/simulate.hpp"
#include "sim/ledger/records.hpp"

// Tiny scenarios whose ledgers were worked out by hand from the rules of accounting, to the nanosecond. Their
// times are whole numbers of `unit_ns`; what a job does not state is zero, none, or the first choice.
namespace fleetsim {
namespace {

using Json = nlohmann::json;

class Adapter {
 public:
  explicit Adapter(const Json& source)
      : source_{source}, unit_{source.value("unit_ns", std::int64_t{1'000'000'000})} {}

  Scenario scenario() const {
    Scenario out;
    const Json& window = source_.at("window");
    out.window.warm_up = duration(window[0]);
    out.window.length = duration(window[1].get<std::int64_t>() - window[0].get<std::int64_t>());
    out.window.run_on = duration(window[2].get<std::int64_t>() - window[1].get<std::int64_t>());
    std::vector<std::string> pools;
    for (const auto& [name, pool] : source_.at("pools").items()) {
      PoolSpec spec;
      spec.name = name;
      spec.device_type = pool.at("type");
      spec.nodes = pool.at("nodes");
      spec.devices_per_node = pool.at("devices_per_node");
      spec.spares = pool.value("spares", 0U);
      spec.teardown = duration(pool.value("teardown", Json(0)));
      spec.racks = pool.at("racks").get<std::vector<std::uint32_t>>();
      out.pools.push_back(spec);
    }
    const Json scheduler = source_.value("scheduler", Json::object());
    out.scheduler.admission =
        scheduler.value("admission", "atomic") == "atomic" ? Admission::atomic : Admission::partial_hold;
    out.scheduler.interleave = scheduler.value("interleave", false);
    const Json quotas = scheduler.value("quotas", Json::object());
    for (const auto& [name, milli] : quotas.items())
      out.scheduler.quotas.push_back({name, Capacity::milli_devices(milli)});
    const Json jobs = source_.value("jobs", Json::array()), events = source_.value("script", Json::array());
    for (const Json& job : jobs) out.classes.push_back(job_class(job, out));
    for (const Json& event : events) script(event, out);
    return out;
  }

 private:
  Duration duration(const Json& units) const {
    return Duration::nanoseconds(units.get<std::int64_t>() * unit_);
  }
  SimTime instant(const Json& units) const { return SimTime::zero() + duration(units); }
  static bool given(const Json& job, const char* key) { return job.contains(key) && !job.at(key).is_null(); }

  JobClass job_class(const Json& job, Scenario& out) const {
    JobClass spec;
    spec.name = job.at("id");
    const auto accepts = job.value("accepts", std::vector<std::string>{"x"});
    for (std::uint32_t pool = 0; pool < out.pools.size(); ++pool)
      if (std::find(accepts.begin(), accepts.end(), out.pools[pool].device_type) != accepts.end())
        spec.pools.push_back(pool);
    spec.arrivals.submit = instant(job.value("submit", Json(0)));
    const Json& gang = job.at("gang");
    GangShape shape;
    if (gang.contains("milli")) {
      shape.milli = gang.at("milli");
    } else {
      shape.nodes = gang.at("nodes");
      shape.per_node = gang.at("devices_per_node");
    }
    spec.gang.shape = shape;
    const std::string kind = job.value("kind", "steps");
    for (const Json& slow : job.value("slow", Json::array()))
      out.slow_script.push_back(slowness(slow, spec.pools.front(), job.at("step").get<double>()));
    if (kind == "steps") {
      spec.step.continuous = false;
      spec.step.time = duration(job.at("step"));
      spec.step.wait = duration(job.value("wait", Json(0)));
      spec.steps = job.at("steps");
    } else if (kind == "service") {
      const auto fixed = [&](const char* key) {
        return Distribution{Distribution::Fixed{to_seconds(duration(job.at(key))).si}};
      };
      spec.kind = JobKind::service;
      spec.service.provision = duration(job.at("provision"));
      spec.service.ready = fixed("ready");
      spec.service.drain = fixed("drain");
    } else {
      spec.kind = kind == "reservation" ? JobKind::reservation : JobKind::work;
      spec.steps = duration(job.at("duration")).ns();
    }
    if (given(job, "program")) program(job.at("program"), spec);
    if (given(job, "checkpoint")) checkpoint(job.at("checkpoint"), spec.checkpoint);
    spec.startup.launch = duration(job.value("startup", Json(0)));
    if (given(job, "recovery")) {
      spec.recovery.replace = duration(job.at("recovery").at("replace"));
      spec.recovery.relaunch.launch = duration(job.at("recovery").at("relaunch"));
    }
    if (given(job, "preemption")) spec.preemption.launch = duration(job.at("preemption").at("relaunch"));
    if (given(job, "reconfiguration"))
      spec.reconfiguration.launch = duration(job.at("reconfiguration").at("pause"));
    if (job.value("no_replacement", "hold") == "release") spec.no_replacement = NoReplacement::release;
    if (given(job, "limit")) spec.limit = duration(job.at("limit"));
    if (given(job, "lease_end")) spec.lease = duration(job.at("lease_end"));
    spec.own_spares = job.value("own_spares", 0U);
    if (given(job, "compact")) spec.topology.level = TopologyLevel::rack;
    if (given(job, "quota")) {
      for (std::uint32_t quota = 0; quota < out.scheduler.quotas.size(); ++quota)
        if (out.scheduler.quotas[quota].name == job.at("quota")) spec.quota = quota;
    }
    return spec;
  }

  /// The cases give the excess of a step; the pool's first node is as slow as makes it so.
  ScriptedSlowness slowness(const Json& slow, std::uint32_t pool, double step) const {
    ScriptedSlowness spec;
    spec.at = instant(slow.at("from"));
    spec.length = instant(slow.at("to")) - spec.at;
    spec.pool = pool;
    spec.hits = FaultScope::node;
    spec.speed = step / (step + slow.at("excess").get<double>());
    return spec;
  }

  void program(const Json& program, JobClass& spec) const {
    std::array<std::int64_t, kLeafCount> weights{};
    const auto at = [&](Leaf leaf) -> std::int64_t& { return weights[static_cast<std::size_t>(leaf)]; };
    if (program.contains("P")) {
      constexpr std::int64_t kParts = 1'000'000'000;
      at(Leaf::ideal) = std::llround(std::stod(program.at("P").get<std::string>()) * kParts);
      at(Leaf::program_unattributed) = kParts - at(Leaf::ideal);
    } else {
      at(Leaf::program_unattributed) = spec.step.time.ns();
      const auto part = [&](Leaf leaf, const Json& units) {
        at(leaf) = duration(units).ns();
        at(Leaf::program_unattributed) -= at(leaf);
      };
      part(Leaf::ideal, program.at("ideal"));
      for (const auto& [name, units] : program.at("parts").items()) part(*leaf_by_name(name), units);
    }
    for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf)
      if (weights[leaf] != 0) spec.program.weights.emplace_back(static_cast<Leaf>(leaf), weights[leaf]);
  }

  void checkpoint(const Json& source, CheckpointSpec& spec) const {
    const std::string mode = source.at("mode");
    if (mode == "none") return;
    spec.mode = mode == "sync" ? CheckpointMode::synchronous : CheckpointMode::asynchronous;
    spec.interval = duration(source.at("interval"));
    spec.pause = duration(source.at("pause"));
    if (mode != "async") return;
    spec.flush = duration(source.at("flush"));
    spec.step_excess = duration(source.at("flush_excess"));
    if (source.at("interval_from") == "commit") spec.interval_from = IntervalFrom::commit;
  }

  void script(const Json& event, Scenario& out) const {
    const std::string what = event.at("do");
    if (what == "fail") {
      ScriptedFault fault;
      fault.at = instant(event.at("at"));
      fault.node = event.at("node");
      fault.device = event.at("device");
      fault.hits = scope(event.at("hits"));
      fault.takes_out = scope(event.at("takes_out"));
      fault.detect = duration(event.at("detect"));
      fault.repair = duration(event.at("repair"));
      out.script.push_back(fault);
      return;
    }
    if (what == "drain") {
      const auto pool = std::find_if(out.pools.begin(), out.pools.end(),
                                     [&](const PoolSpec& each) { return each.name == event.at("pool"); });
      pool->drains.push_back({.at = instant(event.at("at")),
                              .length = instant(event.at("until")) - instant(event.at("at")),
                              .every = std::nullopt,
                              .nodes = {event.at("node").get<std::uint32_t>()}});
      return;
    }
    const auto spec = std::find_if(out.classes.begin(), out.classes.end(),
                                   [&](const JobClass& each) { return each.name == event.at("job"); });
    if (what == "end") {
      spec->end = {instant(event.at("at")),
                   event.at("reason") == "failed" ? FinalState::failed : FinalState::cancelled};
      return;
    }
    if (what == "resize") {
      const std::uint32_t nodes = event.at("nodes");
      spec->elastic.emplace();
      spec->elastic->script.push_back(
          {instant(event.at("at")),
           {.devices = nodes * spec->gang.shape->per_node, .time = duration(event.at("step"))},
           {.state = event.at("state") == "committed" ? ResizeState::committed : ResizeState::discarded,
            .pause = duration(event.at("pause"))}});
      return;
    }
    REQUIRE(what == "evict");
    spec->evictions.at.push_back(instant(event.at("at")));
    EvictionTerms& terms = spec->evictions.terms;
    if (event.at("lost_work").is_number()) terms.lost_work = duration(event.at("lost_work"));
    if (given(event, "grace_save")) terms.save = duration(event.at("grace_save"));
    terms.requeue_delay = duration(event.at("requeue_delay"));
    terms.requeue = event.at("requeue_key") == "submit" ? RequeueAt::submit : RequeueAt::behind;
  }

  static FaultScope scope(const std::string& name) {
    return name == "nothing" ? FaultScope::nothing : name == "device" ? FaultScope::device : FaultScope::node;
  }

  const Json& source_;
  std::int64_t unit_;
};

std::map<std::string, std::string> as_text(const LeafTotals& leaves) {
  std::map<std::string, std::string> out;
  for (const LeafInfo& row : leaf_table()) {
    const DeviceTime amount = leaves[static_cast<std::size_t>(row.leaf)];
    if (amount != DeviceTime::zero()) out[std::string{row.name}] = to_string(amount);
  }
  return out;
}

void check_outcome(const Json& expected, const JobOutcome& job) {
  const char* const states[] = {"completed",     "failed",      "cancelled", "killed_at_limit",
                                "unsatisfiable", "no_progress", "gave_up"};
  if (!job.state) return;  // the run ended before the job did: its window was settled
  CHECK(expected.at("state") == states[static_cast<std::size_t>(*job.state)]);
  CHECK(expected.at("queue_wait") == job.queue_wait.ns());
  CHECK(expected.at("requeue_wait") == job.requeue_wait.ns());
  CHECK(expected.at("held") == job.held.ns());
  CHECK(expected.at("interruptions") == job.failures + job.evictions + job.drains);
  if (!expected.at("first_start").is_null()) CHECK(expected.at("first_start") == job.first_start->ns());
  if (!expected.at("end").is_null()) CHECK(expected.at("end") == job.end->ns());
}

TEST_CASE(
    "golden: ledgers worked out by hand come out integer by integer, from the run and from its records") {
  std::ifstream file{FLEETSIM_SOURCE_DIR "/tests/golden/ledgers.json"};
  const Json cases = Json::parse(file);
  int reached = 0;
  for (const Json& each : cases) {
    const std::string id = each.at("id");
    CAPTURE(id);
    ++reached;
    const Json& expected = each.at("expected");
    const Scenario scenario = Adapter{each.at("scenario")}.scenario();
    Records records;
    const RunResult result =
        simulate(scenario, RunOptions{.replication = 0, .records = &records, .jobs = RunOptions::Jobs::each});

    CHECK(as_text(result.ledger.total()) == expected.at("ledger").get<std::map<std::string, std::string>>());
    for (std::uint32_t index = 0; index < scenario.classes.size(); ++index) {
      const std::string& job = scenario.classes[index].name;
      CAPTURE(job);
      const auto of_job = expected.at("job_ledger").value(job, std::map<std::string, std::string>{});
      CHECK(as_text(result.ledger.of_class(ClassId{index})) == of_job);
      for (const JobOutcome& outcome : result.jobs)
        if (outcome.id == job) check_outcome(expected.at("jobs").at(job), outcome);
    }
    const char* const run_states[] = {"completed", "bound", "stalled", "out_of_time"};
    CHECK(expected.at("run_state") == run_states[static_cast<std::size_t>(result.state)]);
    CHECK(expected.at("holders") == result.holders);

    const Accounting accounting = account(records);
    CHECK(accounting.problems == std::vector<std::string>{});
    CHECK(accounting.ledger == result.ledger);
  }
  CHECK(reached == 41);
}

}  // namespace
}  // namespace fleetsim
