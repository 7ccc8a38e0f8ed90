#include "models/step/step.hpp"

#include <algorithm>
#include <cmath>

#include "models/step/blocks.hpp"
#include "models/step/exchange.hpp"
#include "models/step/memory.hpp"
#include "models/step/recommender_step.hpp"

namespace fleetsim {
namespace {

constexpr double kBf16Bytes = 2;
constexpr double kFp8Bytes = 1;
constexpr double kOptimizerBytes =
    30;                               // of traffic per parameter: master weights, moments, gradient, weights
constexpr double kHostSharpness = 4;  // of the maximum of host and device time
constexpr double kStraggleFrom = 8;   // devices whose ranks do not wait for each other measurably
constexpr double kReferenceRelease = 2026.5;
// Launches of a dense layer: two norms with residuals, four products, rotation, attention and activation with
// two casts or copies forward, twice as many backward. Unfused, norms, residuals, rotations and activations
// take two or three each.
constexpr double kDenseKernels = 32;
constexpr double kUnfusedDenseKernels = 60;

struct Stage {
  Block layers;
  Block head;        // what it has of the head, or of the embedding where stages are stated
  double depth = 1;  // layers in the stage
};

/// A model's layers spread over the pipeline; the fullest stage sets the pace, and the others wait for it.
struct Stages {
  Stage fullest;
  Stage mean;
  double others = 0;  // work of all other stages over the fullest's: what a microbatch waits for elsewhere
  std::int64_t in_flight = 1;  // microbatches that the fullest holds under 1F1B: as many as stages from it on
};

/// Layers of all kinds in the proportions of the model.
Block mean_layers(const Transformer& m, const Blocks& blocks, double depth) {
  const double ahead = static_cast<double>(prediction_passes(m));  // layers more, each with a head
  const double part = depth / (static_cast<double>(m.layers) + ahead);
  const double dense = static_cast<double>(dense_feed_forward_layers(m));
  const double mixed = static_cast<double>(expert_layers(m));
  Block layers = blocks.attention() * (part * (static_cast<double>(attention_layers(m)) + ahead));
  if (mixed > 0) layers += blocks.experts() * (part * (mixed + ahead));
  if (dense > 0) {
    const double more = mixed > 0 ? 0 : ahead;
    layers += blocks.feed_forward(static_cast<double>(dense_width(m))) * (part * (dense + more));
  }
  if (m.state_space) layers += blocks.state_space() * (part * static_cast<double>(m.state_space->layers));
  return layers;
}

/// Stages as they are stated: the embedding before the first, the head after the last.
Stages stated_stages(const StepInput& in, const StepConstants& c, const Blocks& blocks) {
  const std::vector<std::int64_t>& stages = in.layout.stages;
  const double heads = 1 + static_cast<double>(prediction_passes(in.model));
  const Block one = mean_layers(in.model, blocks, 1), head = blocks.head() * heads,
              embedding = blocks.embedding();
  const auto beside = [&](std::size_t i) {
    Block block;
    if (i == 0) block += embedding;
    if (i + 1 == stages.size()) block += head;
    return block;
  };
  const auto work = [&](const Block& b) {
    return b.forward.total() + b.backward.total() + c.tensor_exposed * b.tensor +
           c.expert_exposed * b.experts;
  };
  Seconds all, most;
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Seconds here = work(one) * static_cast<double>(stages[i]) + work(beside(i));
    all += here;
    if (here > most) most = here, fullest = i;
  }
  const double share = 1 / static_cast<double>(stages.size());
  const double depth = static_cast<double>(stages[fullest]);
  const double mean = static_cast<double>(in.model.layers) * share;
  Block ends = head;
  ends += embedding;
  return {.fullest = {one * depth, beside(fullest), depth},
          .mean = {one * mean, ends * share, mean},
          .others = all / most - 1,
          .in_flight = static_cast<std::int64_t>(stages.size() - fullest)};
}

Stages stages_of(const StepInput& in, const StepConstants& c, const Blocks& blocks) {
  if (!in.layout.stages.empty()) return stated_stages(in, c, blocks);
  const Layout& l = in.layout;
  const double ahead = static_cast<double>(prediction_passes(in.model));
  const double layers = static_cast<double>(in.model.layers) + ahead;
  const double depth = static_cast<double>(layers_of_chunks(l, in.model).front() * l.interleave);
  // With several stages the head's work is partly balanced by fewer layers beside it.
  const double pipeline = static_cast<double>(l.pipeline);
  const double mean = layers / pipeline;
  const double share = pipeline > 1 ? std::max(c.last_stage, 1 / pipeline) : 1.0;
  const Block head = blocks.head() * (1 + ahead), fullest = mean_layers(in.model, blocks, depth);
  return {.fullest = {fullest, head * share, depth},
          .mean = {fullest * (mean / depth), head * (1 / pipeline), mean},
          .others = pipeline - 1,
          .in_flight = l.pipeline};
}

/// Model arithmetic of the step; what a capacity below the even share drops is not done.
Flops model_flops(const StepInput& in) {
  const Layout& l = in.layout;
  Flops token = training_flops_per_token(in.model, FlopConvention::kCausalAttention);
  if (l.capacity > 0 && l.capacity < 1) {
    constexpr double kTraining = 6;  // operations a weight: forward 2, backward 4
    const double weights = static_cast<double>(expert_weights(in.model)) *
                           static_cast<double>(in.model.top_k) * static_cast<double>(expert_layers(in.model));
    token = token - Flops{kTraining * weights * (1 - l.capacity)};
  }
  return token * (static_cast<double>(l.global_batch) * static_cast<double>(in.model.sequence));
}

RankGroup spread(const StepInput& in, std::int64_t ranks, std::int64_t inner) {
  return {ranks, std::clamp<std::int64_t>(in.network().domain / inner, 1, ranks)};
}

/// What gathering and scattering sharded weights costs, layer by layer, in one microbatch: what sticks out
/// past the compute beside it, and what the rest takes from that compute.
struct ShardExchange {
  Seconds exposed;
  Seconds contention;
};

ShardExchange shard_exchange(const StepInput& in, const StepConstants& c, const Stage& stage) {
  const Layout& l = in.layout;
  if (l.sharding != Sharding::kFull && l.sharding != Sharding::kGradients) return {};
  const RankGroup group = spread(in, l.shard_group > 0 ? l.shard_group : l.replicas(), l.tensor);
  const double held = stage.layers.parameters + stage.layers.expert_parameters;
  const Bytes weights{kBf16Bytes * held / stage.depth};
  const double slowdown = in.software.prefetch ? 1 : c.shard_slowdown;
  const Seconds gather = slowdown * exchange_time(in, Collective::kAllGather, weights, group);
  const Seconds scatter = slowdown * exchange_time(in, Collective::kReduceScatter, weights, group);
  ShardExchange cost;
  const auto run = [&](Seconds exchange, Seconds beside) {
    if (!in.software.overlap) beside = Seconds{};
    cost.exposed += stage.depth * std::max(Seconds{}, exchange - beside);
    cost.contention += stage.depth * c.shard_exposed * std::min(exchange, beside);
  };
  const Seconds forward = stage.layers.forward.total() / stage.depth;
  const Seconds backward = stage.layers.backward.total() / stage.depth;
  run(gather, forward);
  run((l.sharding == Sharding::kFull ? gather : Seconds{}) + scatter,
      l.recompute == Recompute::kFull ? forward + backward : backward);
  return cost;
}

/// Gradients scattered and weights gathered once a step.
Seconds gradient_exchange(const StepInput& in, double dense, double expert) {
  const Layout& l = in.layout;
  if (l.sharding == Sharding::kFull || l.sharding == Sharding::kGradients) return {};
  const double weight_bytes = in.number == Number::kBf16 ? kBf16Bytes : kFp8Bytes;
  const auto exchange = [&](double parameters, const RankGroup& group) {
    if (!(parameters > 0)) return Seconds{};
    return exchange_time(in, Collective::kReduceScatter, Bytes{kBf16Bytes * parameters}, group) +
           exchange_time(in, Collective::kAllGather, Bytes{weight_bytes * parameters}, group);
  };
  return exchange(dense, spread(in, l.replicas(), l.tensor)) +
         exchange(expert, spread(in, l.expert_replicas(), l.expert));
}

/// One send of a microbatch's activations, or of their gradients, from a pipeline stage to the next.
struct StageSend {
  Seconds slowest;  // over all pairs of neighbours
  Seconds mean;
};

/// Stages are the outermost ranks, so that a stage's neighbours are as far away as it has devices.
StageSend stage_send(const StepInput& in) {
  const Layout& l = in.layout;
  const auto send = [&](std::int64_t per_domain) {
    return exchange_time(in, Collective::kSendRecv, stage_message(in), {2, per_domain});
  };
  const Seconds near = send(2);
  if (l.devices <= in.network().domain) return {near, near};
  const double together = std::max(1.0, std::floor(static_cast<double>(in.network().domain * l.pipeline) /
                                                   static_cast<double>(l.devices)));
  const Seconds far = send(1);
  if (together == 1) return {far, far};
  return {std::max(near, far), near + (far - near) * (1 / together)};
}

/// Time of a device that waits for its host where the host is slower, with a smooth corner.
Seconds with_host(Seconds device, Seconds host) {
  const double slower = std::max(host, device).si;
  const double ratio = std::min(host, device).si / slower;
  return Seconds{slower * std::pow(1 + std::pow(ratio, kHostSharpness), 1 / kHostSharpness)};
}

/// How much longer a step takes for software older than the newest the constants were found on.
double age_factor(const StepInput& in, const StepConstants& c) {
  const double years = std::max(0.0, kReferenceRelease - in.software.release);
  double factor = std::pow(1 + (in.model.experts > 1 ? c.age_experts : c.age_dense), years);
  if (in.number == Number::kMxfp8 && !in.software.fused_scaling) factor *= 1 + c.block_scaling;
  return factor;
}

/// One microbatch through a stage, forward and backward.
struct Microbatch {
  Compute work;
  Compute again;  // recomputed
  ShardExchange shards;
  Seconds tensor;
  Seconds experts;
  Seconds dispatch;  // waiting for the host

  Seconds time() const {
    return work.total() + again.total() + tensor + experts + shards.exposed + shards.contention + dispatch;
  }
};

Microbatch microbatch_of(const StepInput& in, const StepConstants& c, const Stage& stage) {
  const Layout& l = in.layout;
  Microbatch one;
  for (const Block* block : {&stage.layers, &stage.head}) {
    one.work += block->forward;
    one.work += block->backward;
  }
  if (l.recompute == Recompute::kFull) one.again = stage.layers.forward;
  if (l.recompute == Recompute::kSelective) one.again.memory = stage.layers.forward.memory;
  one.shards = shard_exchange(in, c, stage);
  const double exchanges = l.recompute == Recompute::kFull ? 1.5 : 1.0;  // the forward's once more
  one.tensor = c.tensor_exposed * exchanges * stage.layers.tensor;
  one.experts = c.expert_exposed * exchanges * stage.layers.experts;
  const double mixed =
      stage.depth * static_cast<double>(expert_layers(in.model)) / static_cast<double>(in.model.layers);
  const double launched = in.software.whole_graph ? 0 : in.software.graphs ? c.host_graphs : 1;
  const double passes = l.recompute == Recompute::kFull ? 4.0 / 3 : 1;
  const double kernels = in.software.fused ? kDenseKernels : kUnfusedDenseKernels;
  const bool replays = in.software.graphs || in.software.whole_graph;
  const double plain = replays ? 0 : kernels * passes * (stage.depth - mixed);
  const Seconds host = Seconds{c.host_ms * 1e-3 * launched * mixed} + plain * in.device.eager_operation;
  const Seconds device = one.time();
  one.dispatch = with_host(device, host) - device;
  return one;
}

/// What a step waits for sends between stages. Under 1F1B without chunks a stage has nothing to do meanwhile:
/// a microbatch is waited for once each way, in both at once where there are only two stages. With chunks a
/// send goes beside another chunk's pass, both ways over one link, and shows where the first microbatch runs
/// through all chunks, forward and back, and where sends take longer than passes.
Seconds exposed_sends(const StepInput& in, const Microbatch& longest) {
  const Layout& l = in.layout;
  if (l.pipeline == 1) return {};
  const StageSend send = stage_send(in);
  const double stages = static_cast<double>(l.pipeline), chunks = static_cast<double>(l.interleave),
               microbatches = static_cast<double>(l.accumulation());
  if (l.interleave == 1)
    return (l.pipeline == 2 ? 1 : 2) * (microbatches - 1) * send.slowest + 2 * (stages - 1) * send.mean;
  const Seconds all = 2 * chunks * send.slowest;  // of a microbatch
  if (!in.software.overlap) return microbatches * all + 2 * (stages - 1) * send.mean;
  return 2 * (stages * chunks - 1) * send.mean +
         (microbatches - stages) * std::max(Seconds{}, all - longest.time());
}

/// Of stated stages an earlier one may hold more, since more of its microbatches are under way.
StepMemory most_memory(const StepInput& in, const Blocks& blocks, const Stages& stages) {
  const Layout& l = in.layout;
  StepMemory most = step_memory(l, in.model, stages.fullest.layers, stages.fullest.head, stages.in_flight);
  for (std::size_t i = 0; i < l.stages.size(); ++i) {
    const Block layers = mean_layers(in.model, blocks, static_cast<double>(l.stages[i]));
    const Block beside = i == 0 ? blocks.embedding() : i + 1 == l.stages.size() ? blocks.head() : Block{};
    const auto in_flight = static_cast<std::int64_t>(l.stages.size() - i);
    const StepMemory here = step_memory(l, in.model, layers, beside, in_flight);
    if (here.total() > most.total()) most = here;
  }
  return most;
}

/// All exchange is exposed where nothing runs beside it.
StepConstants with_overlap(const Software& software, StepConstants c) {
  if (!software.overlap) c.data_exposed = c.tensor_exposed = c.expert_exposed = 1;
  return c;
}

constexpr StepPart kParts[] = {{"tensor_comm", &StepBreakdown::tensor_comm},
                               {"data_comm", &StepBreakdown::data_comm},
                               {"expert_comm", &StepBreakdown::expert_comm},
                               {"pipeline_bubble", &StepBreakdown::pipeline_bubble},
                               {"straggler", &StepBreakdown::straggler},
                               {"recompute", &StepBreakdown::recompute},
                               {"padding", &StepBreakdown::padding},
                               {"memory_bound", &StepBreakdown::memory_bound},
                               {"gemm_below_peak", &StepBreakdown::gemm_below_peak},
                               {"dispatch", &StepBreakdown::dispatch},
                               {"overlap_contention", &StepBreakdown::overlap_contention},
                               {"unattributed", &StepBreakdown::unattributed},
                               {"ideal", &StepBreakdown::ideal}};

}  // namespace

std::span<const StepPart> step_parts() { return kParts; }

Seconds StepBreakdown::total() const {
  Seconds sum;
  for (const StepPart& part : kParts) sum += this->*part.time;
  return sum;
}

std::vector<std::string> step_problems(const StepInput& in) {
  const Layout& l = in.layout;
  if (!in.recommender) return layout_problems(l, in.model);
  if (l.devices > 0 && l.global_batch > 0 && l.global_batch % l.devices == 0) return {};
  return {"the number of devices " + std::to_string(l.devices) + " does not divide the global batch " +
          std::to_string(l.global_batch)};
}

StepBreakdown step_breakdown(const StepInput& in, const StepConstants& constants) {
  if (in.recommender) return recommender_step(in, constants);
  const StepConstants c = with_overlap(in.software, constants);
  const Layout& l = in.layout;
  const Blocks blocks(in, c);
  const Kernels& kernels = blocks.kernels();
  const Stages stages = stages_of(in, c, blocks);
  const Microbatch mean = microbatch_of(in, c, stages.mean), longest = microbatch_of(in, c, stages.fullest);
  const double microbatches = static_cast<double>(l.accumulation());
  const double fill = stages.others / static_cast<double>(l.interleave);

  StepBreakdown step;
  step.model_flops = model_flops(in);
  step.executed_flops = step.model_flops + mean.again.flops * (microbatches * static_cast<double>(l.devices));
  step.ideal = step.model_flops / (kernels.peak() * static_cast<double>(l.devices));
  step.padding = microbatches * stages.mean.layers.padding;
  const Seconds waiting = microbatches * stages.mean.layers.waiting;
  step.gemm_below_peak = microbatches * mean.work.gemm - step.ideal - step.padding - waiting;
  step.memory_bound = microbatches * mean.work.memory;
  step.recompute = microbatches * mean.again.total();
  step.stage_sends = exposed_sends(in, longest);
  step.tensor_comm = microbatches * mean.tensor + step.stage_sends;
  step.expert_comm = microbatches * mean.experts;
  step.overlap_contention = microbatches * mean.shards.contention;
  step.dispatch = microbatches * mean.dispatch;
  // Filling and draining, and in between what the fullest stage takes beyond the mean.
  step.pipeline_bubble = fill * longest.time() + microbatches * (longest.time() - mean.time());

  // Once a step.
  const Stage& fullest = stages.fullest;
  const double dense = fullest.layers.parameters + fullest.head.parameters;
  const double expert = fullest.layers.expert_parameters;
  const Seconds exchange = gradient_exchange(in, dense, expert);
  // The chunks of an interleaved schedule are done one after the other.
  const double chunks = in.software.overlap ? static_cast<double>(l.interleave) : 1;
  const Seconds last = exchange * (1 / chunks), others = exchange - last;
  const Seconds window = (1 + fill) * longest.time();
  const Seconds rounds = static_cast<double>(l.pipeline) * (1 - 1 / chunks) * longest.time();
  step.data_comm = microbatches * mean.shards.exposed + c.data_exposed * std::min(last, window) +
                   std::max(Seconds{}, last - window) + std::max(Seconds{}, others - rounds);
  step.overlap_contention += c.shard_exposed * std::min(others, rounds);
  const StateShares shares = state_shares(l);
  const Bytes update{kOptimizerBytes * (dense * shares.optimizer + expert * shares.expert_optimizer)};
  step.memory_bound += l.offload ? update / in.device.host_link : kernels.copy(c.optimizer * update);
  step.moved = (longest.work.bytes + longest.again.bytes) * microbatches + update;
  step.memory = most_memory(in, blocks, stages).total();

  const Seconds even = step.total();
  const double doublings = std::log2(std::max(1.0, static_cast<double>(l.devices) / kStraggleFrom));
  step.straggler = waiting + (even + waiting) * (c.straggling * doublings);
  step.unattributed = (even + waiting) * (age_factor(in, c) - 1);
  return step;
}

double model_flops_utilization(const StepBreakdown& step) { return step.ideal / step.total(); }

double hardware_flops_utilization(const StepBreakdown& step) {
  return model_flops_utilization(step) * (step.executed_flops / step.model_flops);
}

double memory_bandwidth_utilization(const StepBreakdown& step, ByteRate peak) {
  return step.moved / peak / step.total();
}

}  // namespace fleetsim
