#include <cmath>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "sim/scenario/class_sections.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kPartsOfTime = 1'000'000'000;

/// What one step of decoding takes at least, of all devices of the gang.
struct DecodeFloor {
  Seconds arithmetic, bandwidth;
};

/// Peaks that all accepted pools share.
std::optional<PoolSpec> common_pool(const ClassContext& context, const JobClass& job) {
  std::optional<PoolSpec> common;
  for (const std::uint32_t index : job.pools) {
    const PoolSpec& pool = context.scenario.pools[index];
    if (!pool.peak || !pool.memory_bandwidth) return std::nullopt;
    if (common && (*common->peak != *pool.peak || *common->memory_bandwidth != *pool.memory_bandwidth))
      return std::nullopt;
    if (!common) common = pool;
  }
  return common;
}

std::optional<DecodeFloor> read_floor(const Reader& decode, const ClassContext& context,
                                      const JobClass& job) {
  const std::int64_t batch = decode.whole("batch", {1, 1'000'000'000}).value_or(1);
  const std::optional<Bytes> given = decode.bytes("weights"), cache = decode.bytes("cache");
  const std::optional<PoolSpec> pool = common_pool(context, job);
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!context.model || !pool || !gang) {
    decode.problem(
        "needs a \"model\", a gang of one size, and pools with one \"peak\" and \"memory_bandwidth\"");
    return std::nullopt;
  }
  const double devices = static_cast<double>(gang->milli()) / 1000;
  const Flops work =
      forward_flops_per_token(*context.model, FlopConvention::kSixN) * static_cast<double>(batch);
  const Bytes moved = given.value_or(weight_bytes(*context.model)) + cache.value_or(Bytes{0});
  return DecodeFloor{work / (*pool->peak * devices), moved / (*pool->memory_bandwidth * devices)};
}

void drop_nothing(JobClass& job) {
  std::erase_if(job.program.weights, [](const auto& entry) { return entry.second == 0; });
}

/// A step that is given. What it takes beyond its arithmetic is streaming from memory up to the floor, and
/// not known above it.
void read_decode(const Reader& decode, const ClassContext& context, JobClass& job) {
  if (decode.flag("model") == true) return read_decode_model(decode, context, job);
  for (const std::string_view key : decode.present({"context", "launch", "host"}))
    decode.problem(key, "goes with \"model\": true, which is not there");
  const std::optional<Duration> step = decode.duration("step", Sign::positive);
  if (!decode.has("step")) decode.problem("missing key \"step\", or \"model\": true");
  const std::optional<DecodeFloor> floor = read_floor(decode, context, job);
  if (!step || !floor) return;
  const Seconds time = to_seconds(*step), least = std::max(floor->arithmetic, floor->bandwidth);
  if (*step < round_to_duration(least)) {
    decode.expected(
        "step", "at least the " + format_duration(least) + " that its arithmetic and its bytes take at peak");
    return;
  }
  const auto share = [&](Seconds part) {
    return std::llround(part / time * job.service.busy * static_cast<double>(kPartsOfTime));
  };
  job.service.mbu = std::min(1.0, floor->bandwidth / time);
  job.program_goodput = job.service.busy * (floor->arithmetic / time);
  const std::int64_t ideal = share(floor->arithmetic), busy = share(time);
  const std::int64_t streaming = std::max<std::int64_t>(share(floor->bandwidth) - ideal, 0);
  job.program.weights = {{Leaf::program_memory_bound, streaming},
                         {Leaf::program_headroom, kPartsOfTime - busy},
                         {Leaf::program_unattributed, busy - ideal - streaming},
                         {Leaf::ideal, ideal}};
  drop_nothing(job);
}

/// P as given is of busy time.
void share_of_busy(JobClass& job) {
  const std::int64_t busy = std::llround(job.service.busy * static_cast<double>(kPartsOfTime));
  if (!job.program_goodput) {
    job.program.weights = {{Leaf::program_headroom, kPartsOfTime - busy}, {Leaf::program_unmodelled, busy}};
    return;
  }
  job.program_goodput = *job.program_goodput * job.service.busy;
  const std::int64_t ideal = std::llround(*job.program_goodput * static_cast<double>(kPartsOfTime));
  job.program.weights = {{Leaf::program_headroom, kPartsOfTime - busy},
                         {Leaf::program_unattributed, busy - ideal},
                         {Leaf::ideal, ideal}};
  drop_nothing(job);
}

void read_replicas(const Reader& service, const Reader& in, JobClass& job) {
  const std::optional<std::int64_t> replicas = service.whole("replicas", {1, 1'000'000});
  if (!replicas) return;
  if (in.has("arrivals")) {
    service.problem("replicas", "excluded by \"arrivals\", which say when a replica is wanted");
    return;
  }
  job.service.kept = true;
  job.arrivals.gap = Distribution{Distribution::Fixed{0}};
  job.arrivals.count = *replicas;
}

void check_service(const Reader& in) {
  for (const std::string_view key :
       in.present({"jobs", "trace", "steps", "epoch", "tokens", "duration", "device_time", "step",
                   "input_stall", "input", "checkpoint", "elastic", "lease", "limit", "stragglers"}))
    in.problem(key, "means nothing to a service, which is ready for as long as it is wanted");
}

}  // namespace

void read_service(const Reader& in, const ClassContext& context, JobClass& job) {
  const std::optional<Reader> service = in.object("service");
  if (job.kind != JobKind::service) {
    if (service) in.problem("service", "needs \"kind\": \"service\"");
    return;
  }
  check_service(in);
  if (job.gang.shape && job.gang.shape->milli != 0)
    in.problem("gang", "a replica takes whole devices; found a part of one");
  if (in.has("evictions") && in.object("evictions")->has("save"))
    in.object("evictions")->problem("save", "means nothing to a service, which has nothing to save");
  if (!service) return;
  ServiceSpec& spec = job.service;
  read_replicas(*service, in, job);
  assign(spec.provision, service->duration("provision"));
  service->at_most_one({"life", "ready"});
  assign(spec.life, service->distribution("life"));
  assign(spec.ready, service->distribution("ready"));
  assign(spec.drain, service->distribution("drain"));
  if (const auto& lasts = spec.life ? spec.life : spec.ready; lasts && !(lasts->mean() > 0))
    service->expected(spec.life ? "life" : "ready", "times with a mean above zero");
  assign(spec.warm, service->count("warm", 0, 1'000'000));
  if (assign(spec.busy, service->share("busy")) && !(spec.busy > 0))
    service->expected("busy", "a share above 0");
  if (service->has("decode") && in.has("program_goodput"))
    in.problem("program_goodput", "excluded by \"service\" with \"decode\": give one of them");
  if (const auto decode = service->object("decode")) return read_decode(*decode, context, job);
  if (spec.busy < 1) share_of_busy(job);
}

}  // namespace fleetsim
