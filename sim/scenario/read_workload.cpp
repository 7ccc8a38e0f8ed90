#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "models/catalog/catalog.hpp"
#include "models/quantity/format.hpp"
#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/installed.hpp"
#include "sim/scenario/limits.hpp"
#include "sim/scenario/packing.hpp"
#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

/// Pools that a name stands for: the pool itself, or all of a device type.
std::vector<std::uint32_t> pools_named(const std::string& name, const Scenario& scenario) {
  std::vector<std::uint32_t> pools;
  for (std::uint32_t i = 0; i < scenario.pools.size(); ++i) {
    if (scenario.pools[i].name == name) return {i};
    if (scenario.pools[i].device_type == name) pools.push_back(i);
  }
  return pools;
}

/// Pools that have nodes with this model of devices.
std::vector<std::uint32_t> pools_with_model(DeviceTypes model, const Scenario& scenario) {
  std::vector<std::uint32_t> pools;
  for (std::uint32_t i = 0; i < scenario.pools.size(); ++i) {
    const auto& nodes = scenario.pools[i].packed;
    if (std::any_of(nodes.begin(), nodes.end(), [&](const NodeSpec& node) { return node.type == model; }))
      pools.push_back(i);
  }
  return pools;
}

DeviceTypes known_model(const std::string& name, const Scenario& scenario) {
  const auto& models = scenario.device_models;
  const auto found = std::find(models.begin(), models.end(), name);
  return found == models.end() ? 0 : DeviceTypes{1} << (found - models.begin());
}

/// @param models  gets the models that are named as such, of listed nodes
void accept(const Reader& in, const Json& name, const std::string& pointer, const Scenario& scenario,
            JobClass& job, DeviceTypes& models) {
  if (!name.is_string()) {
    report_expected(name, pointer, "the name of a pool or of a device type", in.problems());
    return;
  }
  std::vector<std::uint32_t> pools = pools_named(name.get<std::string>(), scenario);
  if (const DeviceTypes model = known_model(name.get<std::string>(), scenario); pools.empty() && model != 0) {
    pools = pools_with_model(model, scenario);
    models |= model;
  }
  for (const std::uint32_t pool : pools) {
    if (std::find(job.pools.begin(), job.pools.end(), pool) == job.pools.end()) job.pools.push_back(pool);
  }
  if (!pools.empty()) return;
  std::vector<std::string_view> known;
  for (const PoolSpec& pool : scenario.pools) known.push_back(pool.name);
  for (const PoolSpec& pool : scenario.pools) {
    const bool listed = std::find(known.begin(), known.end(), pool.device_type) != known.end();
    if (!listed && !pool.device_type.empty()) known.push_back(pool.device_type);
  }
  known.insert(known.end(), scenario.device_models.begin(), scenario.device_models.end());
  in.problems().push_back(
      {pointer, pointer, unknown_name("pool or device type", name.get<std::string>(), known)});
}

/// Calls `visit(name, pointer)` for the name, or the names, under a key of type "accepts".
template <class Visit>
void for_each_accepted(const Reader& in, std::string_view what, Visit&& visit) {
  const Json& names = *in.find("accepts");
  if (!names.is_array()) return visit(names, in.pointer_of("accepts"));
  if (names.empty()) in.expected("accepts", what);
  for (std::size_t i = 0; i < names.size(); ++i) visit(names[i], child_pointer(in.pointer_of("accepts"), i));
}

/// @returns the models of devices that are named as such
DeviceTypes read_accepts(const Reader& in, const Scenario& scenario, JobClass& job) {
  DeviceTypes models = 0;
  if (!in.has("accepts")) {
    for (std::uint32_t i = 0; i < scenario.pools.size(); ++i) job.pools.push_back(i);
    return models;
  }
  for_each_accepted(in, "at least one pool or device type",
                    [&](const Json& name, const std::string& pointer) {
                      accept(in, name, pointer, scenario, job, models);
                    });
  return models;
}

/// CPUs, memory and models of devices of each node; `demand` holds what is so where nothing is said.
HostDemand read_demand(const Reader& in, HostDemand demand) {
  assign(demand.cpu_milli, read_cpus(in, "cpus"));
  assign(demand.memory_bytes, read_memory(in, "memory"));
  return demand;
}

DeviceTypes read_models(const Reader& in, const Scenario& scenario) {
  DeviceTypes models = 0;
  for_each_accepted(in, "at least one model of devices", [&](const Json& name, const std::string& pointer) {
    const DeviceTypes model = name.is_string() ? known_model(name.get<std::string>(), scenario) : 0;
    models |= model;
    if (model != 0) return;
    const std::vector<std::string_view> known(scenario.device_models.begin(), scenario.device_models.end());
    if (!name.is_string()) report_expected(name, pointer, "the name of a model of devices", in.problems());
    if (name.is_string())
      in.problems().push_back({pointer, pointer, unknown_name("model", name.get<std::string>(), known)});
  });
  return models;
}

/// Members of a gang that differ. Whatever the order in which they are given, the widest is placed first.
void read_members(const Reader& in, Scenario& scenario, JobClass& job) {
  const Json* const gang = in.find("gang");
  if (gang == nullptr || !gang->is_object() || !gang->contains("members")) return;
  const Reader shape = in.object("gang", "gang");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t, std::greater<>>
      kinds;  // by devices, demand
  std::int64_t members = 0, devices = 0;
  for (const Reader& entry : shape.list("members")) {
    HostDemand demand = read_demand(entry, scenario.demands[job.gang.demand]);
    if (entry.has("accepts")) demand.accepts = read_models(entry, scenario);
    const std::uint32_t each = entry.count("devices", 0, kMostPerNode).value_or(0);
    const std::uint32_t count = entry.count("count", 1, kMostNodes).value_or(1);
    kinds[{each, demand_number(demand, scenario)}] += count;
    members += count;
    devices += std::int64_t{count} * each;
  }
  if (devices == 0 || members > kMostNodes) return shape.expected("members", "members with devices");
  if (kinds.size() > kMostMemberKinds)
    return shape.problem("members", "more than " + std::to_string(kMostMemberKinds) + " kinds of members");
  std::vector<MemberKind>& list = scenario.unlike.emplace_back();
  for (const auto& [kind, count] : kinds)
    list.push_back({.count = count, .devices = kind.first, .demand = kind.second});
  job.gang.shape = GangShape{.nodes = static_cast<std::uint32_t>(members),
                             .per_node = 0,
                             .remainder = static_cast<std::uint32_t>(devices),
                             .milli = 0,
                             .demand = 0,
                             .unlike = static_cast<std::uint32_t>(scenario.unlike.size() - 1)};
}

/// A class whose list is empty has no jobs, where one without a list has one.
void set_listed(std::vector<ListedJob> jobs, ArrivalSpec& arrivals) {
  arrivals.listed = std::move(jobs);
  if (!arrivals.listed.empty()) return;
  arrivals.gap = Distribution{Distribution::Fixed{1}};
  arrivals.count = 0;
}

void read_jobs(const Reader& in, Scenario& scenario, JobClass& job) {
  std::vector<ListedJob> jobs;
  for (const Reader& entry : in.list("jobs")) {
    ListedJob listed;
    listed.id = job.name + "/" + std::to_string(jobs.size() + 1);
    if (assign(listed.id, entry.text("id")) && listed.id.empty()) entry.expected("id", "a name");
    assign(listed.submit, entry.instant("submit"));
    entry.at_most_one({"devices", "milli"});
    assign(listed.devices, entry.count("devices", 1, kMostDevices));
    assign(listed.milli, entry.count("milli", 1, 1000));
    HostDemand demand = read_demand(entry, scenario.demands[job.gang.demand]);
    if (entry.has("accepts")) demand.accepts = read_models(entry, scenario);
    if (entry.present({"devices", "milli", "cpus", "memory"}).empty())
      entry.problem("missing key \"devices\"");
    listed.demand = demand_number(demand, scenario);
    listed.patience = job.patience;
    assign(listed.patience, entry.duration("patience"));
    assign(listed.duration, entry.duration("duration"));
    if (entry.has_limit("limit")) assign(listed.limit, entry.duration("limit", Sign::positive));
    assign(listed.priority, entry.integer("priority"));
    jobs.push_back(std::move(listed));
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const ListedJob& a, const ListedJob& b) { return a.submit < b.submit; });
  set_listed(std::move(jobs), job.arrivals);
}

const TraceFormat* read_format(const Reader& in) {
  std::vector<std::string_view> known;
  for (const TraceFormat& format : trace_formats()) known.push_back(format.name);
  const std::optional<std::string> name = in.name("format", "trace format", known);
  return name ? trace_format(*name) : nullptr;
}

/// Puts the demands of a trace among those of the scenario, and its jobs into the class.
void take_trace(const Reader& in, const TraceReading& reading, Scenario& scenario, JobClass& job) {
  std::vector<DeviceTypes> bits;
  for (const std::string& model : reading.device_models)
    bits.push_back(model_bit(in, "file", model, scenario));
  std::vector<std::uint32_t> numbers;
  for (HostDemand demand : reading.demands) {
    DeviceTypes accepts = 0;
    for (std::size_t model = 0; model < bits.size(); ++model)
      if ((demand.accepts >> model & 1) != 0) accepts |= bits[model];
    const HostDemand& of_class = scenario.demands[job.gang.demand];
    if (demand.cpu_milli == 0) demand.cpu_milli = of_class.cpu_milli;
    if (demand.memory_bytes == 0) demand.memory_bytes = of_class.memory_bytes;
    demand.accepts = accepts != 0 ? accepts : of_class.accepts;
    numbers.push_back(demand_number(demand, scenario));
  }
  std::vector<ListedJob> jobs = reading.jobs;
  for (ListedJob& listed : jobs) {
    listed.demand = numbers[listed.demand];
    if (!listed.patience) listed.patience = job.patience;
  }
  set_listed(std::move(jobs), job.arrivals);
}

/// Jobs drawn out of the trace until they ask for a multiple of the devices there are.
void read_drawn(const Reader& in, const Scenario& scenario, JobClass& job) {
  const auto times = in.positive_number("arrivals_up_to");
  const auto every = in.duration("every", Sign::positive);
  if (in.has("every") && !in.has("arrivals_up_to"))
    in.problem("every", "goes with \"arrivals_up_to\", which is not there");
  if (!times) return;
  constexpr double kMostTimes = 1000;
  if (*times > kMostTimes) in.expected("arrivals_up_to", "at most 1000 times the devices there are");
  std::int64_t devices = 0;
  for (const std::uint32_t pool : job.pools) devices += devices_of(scenario.pools[pool]);
  DrawnJobs drawn;
  drawn.milli = std::llround(*times * static_cast<double>(1000 * devices));
  assign(drawn.every, every);
  if (job.arrivals.listed.empty()) return;
  job.arrivals.drawn = drawn;
  for (ListedJob& listed : job.arrivals.listed)
    listed.patience = job.patience;  // times of the list do not count
}

void read_trace_jobs(const Reader& in, Scenario& scenario, Traces& traces, std::vector<std::string>& notes,
                     JobClass& job) {
  const TraceFormat* format = read_format(in);
  const std::optional<std::string> file = in.text("file");
  in.text("about");
  in.text("source");
  TraceOptions options;
  options.machine_devices = 0;
  for (const PoolSpec& pool : scenario.pools)
    *options.machine_devices +=
        static_cast<std::uint32_t>(std::min<std::int64_t>(devices_of(pool), kMostDevices));
  assign(options.first_jobs, in.whole("limit_jobs", {1}));
  assign(options.strict, in.flag("strict"));
  if (in.has("strict") && !options.strict && format != nullptr && !format->skips_rows)
    in.problem("strict", "false means nothing to format \"" + std::string(format->name) +
                             "\": a row that cannot be read is always an error");
  assign(options.recorded_status, in.flag("completed_only"));
  // A recorded run time is what happened; an estimate that it overran was not enforced.
  job.enforce_limits = in.flag("enforce_limits").value_or(false);
  if (format == nullptr || !file) return;
  const Traces::File* trace = traces.read(*format, *file, options);
  if (trace == nullptr) {
    in.problem("file", missing_file(in, "trace", *file, traces));
    return;
  }
  for (const std::string& problem : trace->reading.problems) in.problem("file", *file + ": " + problem);
  for (const std::string& note : trace->reading.notes) notes.push_back(*file + ": " + note);
  if (const auto& waits = trace->reading.recorded_waits)
    notes.push_back(*file + ": waits recorded in it, mean " + format_number(waits->mean.si) + " s, median " +
                    format_number(waits->median.si) + " s, mean bounded slowdown " +
                    format_number(waits->bounded_slowdown) +
                    ", are its own scheduler's, on its own machine: to stand beside, no answer");
  take_trace(in, trace->reading, scenario, job);
  read_drawn(in, scenario, job);
}

void read_stream(const Reader& in, ArrivalSpec& arrivals) {
  if (in.at_most_one({"poisson", "every", "gap"}) == 0) {
    in.problem("expected one of \"poisson\", \"every\" and \"gap\"; found none");
  }
  assign(arrivals.count, in.whole("count"));
  if (const auto rate = in.rate("poisson")) {
    arrivals.gap = Distribution{Distribution::Fixed{1}};
    constexpr double kLongestMean = 1e100;  // seconds: nothing comes of a rate that is next to nothing
    if (rate->si > 0) {
      arrivals.gap = Distribution{Distribution::Exponential{std::min((1.0 / *rate).si, kLongestMean)}};
    }
    if (!(rate->si > 0)) arrivals.count = 0;  // nothing ever arrives
  }
  if (const auto every = in.duration("every", Sign::positive)) {
    arrivals.gap = Distribution{Distribution::Fixed{to_seconds(*every).si}};
  }
  if (assign(arrivals.gap, in.distribution("gap")) && !(arrivals.gap->mean() > 0)) {
    in.expected("gap", "times with a mean above zero");
  }
}

void read_arrivals(const Reader& in, Scenario& scenario, Traces& traces, std::vector<std::string>& notes,
                   JobClass& job) {
  in.at_most_one({"arrivals", "jobs", "trace"});
  assign(job.arrivals.submit, in.instant("submit"));
  if (const auto stream = in.object("arrivals")) read_stream(*stream, job.arrivals);
  if (in.has("jobs")) read_jobs(in, scenario, job);
  if (const auto trace = in.object("trace")) read_trace_jobs(*trace, scenario, traces, notes, job);
  const std::vector<std::string_view> lists = in.present({"jobs", "trace"});
  for (const std::string_view key :
       in.present({"submit", "gang", "steps", "tokens", "duration", "device_time"})) {
    if (!lists.empty())
      in.problem(key, "excluded by \"" + std::string(lists.front()) + "\", whose jobs bring their own");
  }
}

/// Reports keys of a class that mean nothing to an allocation without steps.
void check_reservation(const Reader& in) {
  for (const std::string_view key :
       in.present({"steps", "epoch", "tokens", "device_time", "step", "program_goodput", "input_stall",
                   "input", "checkpoint", "layout"})) {
    in.problem(key, "means nothing to a reservation, which does no work");
  }
}

void read_ending(const Reader& in, const Scenario& scenario, JobClass& job) {
  if (in.has_limit("limit")) assign(job.limit, in.duration("limit", Sign::positive));
  assign(job.enforce_limits, in.flag("enforce_limits"));
  assign(job.lease, in.duration("lease"));
  if (const auto end = in.object("end")) {
    const SimTime at = end->instant("at").value_or(SimTime::zero());
    job.end = {at,
               end->choice("as", {FinalState::failed, FinalState::cancelled}).value_or(FinalState::failed)};
  }
  assign(job.max_restarts, in.whole("max_restarts"));
  assign(job.no_replacement,
         in.choice("no_replacement", {NoReplacement::hold, NoReplacement::release, NoReplacement::shrink}));
  if (job.no_replacement == NoReplacement::shrink && (!job.elastic || job.elastic->policy == "fixed"))
    in.problem("no_replacement", "\"shrink\" goes with an elastic gang whose policy is not \"fixed\"");
  assign(job.own_spares, in.count("own_spares", 0, kMostNodes));
  assign(job.priority, in.integer("priority"));
  assign(job.preemptible, in.flag("preemptible"));
  if (!job.preemptible && scenario.scheduler.preemption == Preemption::remade)
    in.problem("preemptible", "false goes with placements that are kept, and not with \"remade\"");
  std::vector<std::string_view> quotas;
  for (const QuotaSpec& quota : scenario.scheduler.quotas) quotas.push_back(quota.name);
  if (quotas.empty() && in.has("quota")) {
    in.expected("quota", "a quota of the scheduler, which has none");
  } else if (const auto quota = in.name("quota", "quota", quotas)) {
    job.quota = static_cast<std::uint32_t>(std::find(quotas.begin(), quotas.end(), *quota) - quotas.begin());
  }
}

enum class TopologyRule : std::uint8_t { required, preferred };

void read_topology(const Reader& in, const Scenario& scenario, JobClass& job) {
  const auto given = in.object("topology");
  if (!given) return;
  assign(job.topology.level, given->choice("level", {TopologyLevel::node, TopologyLevel::rack,
                                                     TopologyLevel::pod, TopologyLevel::spine}));
  const auto rule = given->choice("rule", {TopologyRule::required, TopologyRule::preferred});
  const auto wait = given->duration("wait");
  const bool preferred = rule == TopologyRule::preferred;
  if (preferred) job.topology.wait = wait.value_or(Duration::zero());
  if (wait && !preferred)
    given->problem("wait",
                   "goes with rule \"preferred\": what is required is waited for as long as it takes");
  if (preferred && scenario.scheduler.admission == Admission::partial_hold)
    given->problem("rule",
                   "\"preferred\" goes with admission \"atomic\": a gang that assembles takes what it can");
  if (preferred && job.topology.level == TopologyLevel::node)
    given->problem("rule",
                   "\"preferred\" means nothing at level \"node\": a gang takes as few nodes as hold it");
  const auto unknown = [&](std::uint32_t pool) {
    const PoolSpec& spec = scenario.pools[pool];
    return (job.topology.level == TopologyLevel::pod && spec.pods.empty()) ||
           (job.topology.level == TopologyLevel::spine && spec.spines.empty());
  };
  if (!job.pools.empty() && std::all_of(job.pools.begin(), job.pools.end(), unknown))
    given->problem("level",
                   job.topology.level == TopologyLevel::pod
                       ? "no pool that it accepts has pods; they come with \"nodes_per_pod\" or \"pods\""
                       : "no pool that it accepts has spines; they come with \"nodes_per_spine\" or "
                         "\"spines\"");
}

/// A transformer or a recommender of the catalog.
void read_model(const Reader& in, ClassContext& context) {
  const auto name = in.text("model");
  if (!name) return;
  const Found<Transformer> known = transformer(*name);
  context.model = known.entry;
  if (known) return;
  if (const Found<RecommenderEntry> entry = recommender(*name)) {
    context.recommender = entry.entry->model;
    if (const auto step = in.object("step")) {
      for (const std::string_view key : step->present({"sequence", "flops"}))
        step->problem(key, "is for transformers, and " + *name + " is a recommender");
    }
    return;
  }
  in.problem("model", known.problem);
}

JobClass read_class(const Reader& in, const std::string& name, Scenario& scenario, Traces& traces,
                    std::vector<std::string>& notes) {
  JobClass job;
  job.name = name;
  check_name(in, "workload", name);
  ClassContext context{
      .scenario = scenario, .model = {}, .recommender = {}, .notes = notes, .names_model = in.has("model")};
  read_model(in, context);
  assign(job.kind, in.choice("kind", {JobKind::work, JobKind::reservation, JobKind::service}));
  if (job.kind == JobKind::reservation) check_reservation(in);
  HostDemand demand;
  demand.accepts = read_accepts(in, scenario, job);
  job.gang.demand = demand_number(read_demand(in, demand), scenario);
  assign(job.patience, in.duration("patience"));
  read_arrivals(in, scenario, traces, notes, job);
  read_gang(in, job);
  read_members(in, scenario, job);
  read_step_model(in, context, job);
  read_step(in, job);
  read_program(in, context, job);
  read_compile(in, job);
  read_work(in, job);
  read_evictions(in, job);
  read_checkpoint(in, context, job);
  read_launches(in, job);
  check_recovery(context, job);
  read_swap(in, context, job);
  read_service(in, context, job);
  read_elastic(in, context, job);
  read_ending(in, scenario, job);
  read_topology(in, scenario, job);
  return job;
}

}  // namespace

const PoolSpec* ClassContext::first_pool(const JobClass& job) const {
  return job.pools.empty() ? nullptr : &scenario.pools[job.pools.front()];
}

void read_workload(const Reader& root, Scenario& scenario, Traces& traces, std::vector<std::string>& notes) {
  for (const auto& [name, in] : root.objects("workload")) {
    scenario.classes.push_back(read_class(in, name, scenario, traces, notes));
  }
}

}  // namespace fleetsim
