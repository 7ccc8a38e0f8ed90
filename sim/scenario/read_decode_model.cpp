#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/catalog/network.hpp"
#include "models/serving/serving.hpp"
#include "sim/scenario/class_sections.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::int64_t kPartsOfTime = 1'000'000'000;

/// The replica that a gang is; nothing where something is wrong, and reported.
std::optional<Replica> read_replica(const Reader& decode, const ClassContext& context, const JobClass& job) {
  const std::size_t before = decode.problems().size();
  const PoolSpec* const pool = modelled_pool(decode, context, job);
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!context.model || !gang)
    decode.problem("model", "needs a key \"model\" of the class, a transformer, and a gang of one size");
  const std::optional<Bytes> weights = decode.bytes("weights");
  const auto launch = decode.choice("launch", {Launch::kGraph, Launch::kNative, Launch::kEager});
  const std::optional<Duration> host = decode.duration("host");
  if (decode.problems().size() > before || pool == nullptr) return std::nullopt;
  const Node node = *fleetsim::node(pool->node).entry;
  const std::string& fabric = pool->fabric.empty() ? node.fabric : pool->fabric;
  Replica replica{.model = *context.model,
                  .device = *accelerator(node.accelerator).entry,
                  .network = *network(pool->node, fabric).entry,
                  .tensor = gang->milli() / 1000};
  if (weights) replica.per_weight = Bytes{*weights / weight_bytes(replica.model, Bytes{1})};
  replica.launch = launch.value_or(Launch::kGraph);
  if (host) replica.host = to_seconds(*host);
  return replica;
}

/// Where the time of a step goes, in the order of the table of leaves.
std::vector<std::pair<Leaf, Seconds>> parts_of(const ServingStep& step) {
  const Seconds ideal = step.mfu * step.time, kernels = step.products + step.attention + step.other;
  const Seconds below_peak = std::max(Seconds{}, kernels - ideal);
  const bool streams = step.mbu >= step.mfu;
  const Seconds waits = step.time - std::max(kernels, ideal) - step.exchange;
  return {{Leaf::program_gemm_below_peak, streams ? Seconds{} : below_peak},
          {Leaf::program_memory_bound, streams ? below_peak : Seconds{}},
          {Leaf::program_tensor_comm, step.exchange},
          {Leaf::program_dispatch, std::max(Seconds{}, waits)},
          {Leaf::ideal, ideal}};
}

}  // namespace

void read_decode_model(const Reader& decode, const ClassContext& context, JobClass& job) {
  for (const std::string_view key : decode.present({"step", "cache"}))
    decode.problem(key, "excluded by \"model\": true, which predicts it");
  const ServingLoad load{.batch = decode.whole("batch", {1, kMostTokens}).value_or(1),
                         .context = decode.whole("context", {0, kMostTokens}).value_or(0)};
  const std::optional<Replica> replica = read_replica(decode, context, job);
  if (!replica) return;
  const std::vector<std::string> problems = replica_problems(*replica, load);
  for (const std::string& problem : problems) decode.problem("model", problem);
  if (!problems.empty()) return;
  const ServingStep step = decode_step(*replica, load);
  job.service.predicted = {step.time, load.batch, load.context};
  job.service.mbu = step.mbu;
  job.program_goodput = job.service.busy * step.mfu;
  std::int64_t left = kPartsOfTime;
  std::vector<std::pair<Leaf, std::int64_t>> weights;
  for (const auto& [leaf, time] : parts_of(step)) {
    const std::int64_t weight = std::llround(time / step.time * job.service.busy * kPartsOfTime);
    if (weight > 0) weights.emplace_back(leaf, weight);
    left -= std::max<std::int64_t>(weight, 0);
  }
  if (job.service.busy < 1 && left > 0) weights.emplace_back(Leaf::program_headroom, left);
  std::sort(weights.begin(), weights.end());
  job.program.weights = std::move(weights);
}

}  // namespace fleetsim
