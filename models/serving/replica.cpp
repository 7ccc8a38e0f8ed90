#include "models/serving/replica.hpp"

#include <algorithm>
#include <cmath>

#include "models/quantity/format.hpp"

namespace fleetsim {
namespace {

constexpr double kFilled = 0.9;
constexpr Bytes kPerStateElement{4};  // kept in FP32
constexpr std::string_view kReference = "h100-sxm";

/// Devices that share one copy of the cache.
double cache_shards(const Replica& r) {
  return static_cast<double>(r.model.latent ? 1 : std::min(r.tensor, r.model.kv_heads));
}

}  // namespace

GemmCurve gemm_curve(const Accelerator& device) {
  const auto measured = [](std::string_view name) { return gemm_table(std::string(name) + "-fp16").entry; };
  if (const auto own = measured(device.name)) return own->curve;
  const Accelerator reference = accelerator(kReference).entry.value();
  GemmCurve curve = measured(kReference).value().curve;
  curve.rate = curve.rate * (device.rates.gemm_bf16.value / reference.rates.gemm_bf16.value);
  curve.bandwidth = curve.bandwidth * (device.hbm_bandwidth / reference.hbm_bandwidth);
  return curve;
}

Bytes cache_bytes_per_token(const Replica& r) {
  const std::int64_t full = attention_layers(r.model) - r.model.window_layers;
  return static_cast<double>(full * cache_width(r.model)) * r.per_cache_element;
}

Bytes cache_bytes(const Replica& r, std::int64_t context) {
  const std::int64_t windowed = r.model.window_layers * std::min(context, r.model.window);
  const Bytes window = static_cast<double>(windowed * cache_width(r.model)) * r.per_cache_element;
  Bytes state{};
  if (r.model.state_space) {
    const StateSpace& s = *r.model.state_space;
    state = static_cast<double>(s.layers * s.heads * s.head_dim * s.state) * kPerStateElement;
  }
  return static_cast<double>(context) * cache_bytes_per_token(r) + window + state;
}

ReplicaMemory replica_memory(const Replica& r, ServingLoad load) {
  ReplicaMemory memory;
  memory.weights = weight_bytes(r.model, r.per_weight) / static_cast<double>(r.tensor);
  memory.cache = static_cast<double>(load.batch) * cache_bytes(r, load.context) / cache_shards(r);
  memory.headroom = kFilled * r.device.hbm - memory.weights - memory.cache;
  return memory;
}

std::vector<std::string> replica_problems(const Replica& r, ServingLoad load) {
  std::vector<std::string> problems;
  const std::string found = "; found " + std::to_string(r.tensor) + " devices";
  const std::int64_t domain = r.network.domain;
  if (r.model.heads % r.tensor != 0)
    problems.push_back("needs a number of devices that divides the " + std::to_string(r.model.heads) +
                       " heads of the model" + found);
  if (r.tensor > domain && r.tensor % domain != 0)
    problems.push_back("needs whole NVLink domains of " + std::to_string(domain) + " devices" + found);
  const Bytes headroom = replica_memory(r, load).headroom;
  if (headroom.si < 0)
    problems.push_back("does not fit: weights and cache are " + format_bytes(Bytes{-headroom.si}) +
                       " more than the 90 % of its memory that a device may fill");
  return problems;
}

std::int64_t largest_batch(const Replica& r, std::int64_t context) {
  const Bytes room = replica_memory(r, {.batch = 0, .context = context}).headroom;
  const Bytes each = replica_memory(r, {.batch = 1, .context = context}).cache;
  if (!(room.si > 0) || !(each.si > 0)) return 0;
  return static_cast<std::int64_t>(std::floor(room / each));
}

}  // namespace fleetsim
