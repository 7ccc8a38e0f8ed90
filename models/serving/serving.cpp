#include "models/serving/serving.hpp"

#include <algorithm>
#include <cmath>

#include "models/collective/closed_form.hpp"

namespace fleetsim {
namespace {

constexpr double kFlopsPerMultiplyAdd = 2;
constexpr double kSmallKernelShare = 0.5;  // of what a product costs at least
constexpr Bytes kPerActivation{2};

double real(std::int64_t count) { return static_cast<double>(count); }

/// Collectives of the library, or kernels in which every device reads what it needs from the others: all of
/// it in one pass, or its part and then the parts, whichever is faster. A pass costs the latency of a send.
Seconds all_reduce_time(const Replica& r, Bytes message) {
  const RankGroup group{.ranks = r.tensor, .per_domain = std::min(r.tensor, r.network.domain)};
  const Seconds library = collective_time(r.network, Collective::kAllReduce, message, group);
  if (r.all_reduce == AllReduce::kLibrary || r.tensor > r.network.domain) return library;
  const RankGroup pair{.ranks = 2, .per_domain = 2};
  const Seconds latency = collective_time(r.network, Collective::kSendRecv, Bytes{1}, pair);
  const Link link{latency, r.device.nvlink_one_way};
  const Seconds one_pass = latency + real(r.tensor - 1) * message / link.bandwidth;
  return std::min({library, one_pass, direct_all_reduce(link, r.tensor, message)});
}

/// Sums up a step: products one by one, small kernels by number.
class StepSum {
 public:
  StepSum(const Replica& replica, std::int64_t tokens)
      : r_{replica},
        curve_{gemm_curve(replica.device)},
        tokens_{static_cast<double>(tokens)},
        tensor_{static_cast<double>(replica.tensor)} {}

  /// A product of the tokens whose `weights`, of which `streamed` go through memory, are split over the
  /// devices; each device has `width` columns of the result.
  void product(double weights, double streamed, double width) {
    const Bytes traffic = streamed / tensor_ * r_.per_weight;
    const double columns = std::max(1.0, width);
    step_.products += gemm_time(curve_, {.flops = Flops{kFlopsPerMultiplyAdd * tokens_ * weights / tensor_},
                                         .depth = weights / tensor_ / columns,
                                         .results = tokens_ * columns,
                                         .traffic = traffic});
    moved_ += traffic;
    ++kernels_;
  }

  /// A small kernel that moves so many elements a token.
  void small(double elements, ByteRate rate) {
    step_.other += kSmallKernelShare * curve_.each + tokens_ * elements * kPerActivation / rate;
    ++kernels_;
  }

  void attention(Seconds time, Bytes cache) {
    step_.attention += time;
    moved_ += cache;
  }

  void exchange() {
    if (r_.tensor < 2) return;
    const Bytes message = tokens_ * static_cast<double>(r_.model.hidden) * kPerActivation;
    step_.exchange += all_reduce_time(r_, message);
    ++kernels_;
  }

  ServingStep finish(Flops work) {
    const Seconds busy = step_.products + step_.attention + step_.other + step_.exchange;
    step_.waits = std::max(Seconds{}, static_cast<double>(kernels_) * launch() - busy);
    step_.time = busy + step_.waits + r_.host;
    step_.mbu = moved_ / (step_.time * r_.device.hbm_bandwidth);
    step_.mfu = work / (tensor_ * step_.time * r_.device.peak_bf16);
    return step_;
  }

  ByteRate bandwidth() const { return curve_.bandwidth; }

 private:
  Seconds launch() const {
    switch (r_.launch) {
      case Launch::kGraph:
        return Seconds{};
      case Launch::kNative:
        return r_.device.rates.kernel_launch.value;
      case Launch::kEager:
        return r_.device.rates.eager_operation.value;
    }
    return Seconds{};
  }

  const Replica& r_;
  GemmCurve curve_;
  double tokens_;
  double tensor_;
  ServingStep step_;
  std::int64_t kernels_ = 0;
  Bytes moved_;  // by one device
};

/// What every block has: a norm ahead of it, a residual behind it, and the sum over the devices.
void add_frame(StepSum& sum, const Replica& r) {
  const double hidden = real(r.model.hidden);
  sum.small(2 * hidden, r.device.rates.norm.value);
  sum.small(3 * hidden, r.device.rates.add.value);
  sum.exchange();
}

void add_attention(StepSum& sum, const Replica& r) {
  const Transformer& m = r.model;
  const double tensor = real(r.tensor);
  const double out = real(m.hidden * value_width(m));
  const double in = real(attention_weights(m)) - out;
  sum.product(in, in, in / real(m.hidden) / tensor);
  sum.product(out, out, real(m.hidden));
  sum.small(2 * real(query_width(m) + m.kv_heads * m.head_dim) / tensor, r.device.rates.rotary.value);
  add_frame(sum, r);
}

void add_state_space(StepSum& sum, const Replica& r) {
  const StateSpace& s = *r.model.state_space;
  const double inner = real(s.heads * s.head_dim);
  const double out = inner * real(r.model.hidden);
  const double in = real(state_space_weights(r.model)) - out;
  sum.product(in, in, in / real(r.model.hidden) / real(r.tensor));
  sum.product(out, out, real(r.model.hidden));
  sum.small(4 * inner / real(r.tensor), r.device.rates.activation.value);
  add_frame(sum, r);
}

/// Into the block, the activation, and out of it; `weights` for one token, `streamed` for all.
void add_block(StepSum& sum, const Replica& r, double weights, double streamed, double width) {
  const double out_share = r.model.feed_forward == FeedForward::kGated ? 1.0 / 3 : 1.0 / 2;
  const double local = width / real(r.tensor);
  const double in_width = (1 / out_share - 1) * local;
  sum.product((1 - out_share) * weights, (1 - out_share) * streamed, in_width);
  sum.small(in_width + local, r.device.rates.activation.value);
  sum.product(out_share * weights, out_share * streamed, real(r.model.hidden));
}

void add_experts(StepSum& sum, const Replica& r, std::int64_t tokens) {
  const Transformer& m = r.model;
  const double one = real(expert_weights(m));
  const double router = real(m.hidden * m.experts);
  sum.product(router, router, real(m.experts));
  sum.small(2 * real(m.experts), r.device.rates.activation.value);           // the choice
  sum.small(2 * real(m.top_k * m.hidden), r.device.rates.activation.value);  // each token to its experts
  add_block(sum, r, real(m.top_k) * one, touched_experts(m, tokens) * one, real(m.top_k * m.ffn));
  sum.small(real((m.top_k + 1) * m.hidden), r.device.rates.activation.value);  // and back
  const double shared = real(shared_weights(m));
  if (shared > 0) add_block(sum, r, shared, shared, real(m.shared_ffn));
}

/// All layers but their scores and values.
void add_layers(StepSum& sum, const Replica& r, std::int64_t tokens) {
  const Transformer& m = r.model;
  for (std::int64_t layer = 0; layer < attention_layers(m); ++layer) add_attention(sum, r);
  for (std::int64_t layer = 0; m.state_space && layer < m.state_space->layers; ++layer)
    add_state_space(sum, r);
  const double dense = real(block_weights(m, dense_width(m)));
  for (std::int64_t layer = 0; layer < dense_feed_forward_layers(m); ++layer) {
    add_block(sum, r, dense, dense, real(dense_width(m)));
    add_frame(sum, r);
  }
  for (std::int64_t layer = 0; layer < expert_layers(m); ++layer) {
    add_experts(sum, r, tokens);
    add_frame(sum, r);
  }
}

void add_logits(StepSum& sum, const Replica& r) {
  const double logits = real(r.model.vocab * r.model.hidden);
  sum.product(logits, logits, real(r.model.vocab) / real(r.tensor));
  sum.small(2 * real(r.model.hidden), r.device.rates.norm.value);
  sum.small(2 * real(r.model.vocab), r.device.rates.activation.value);  // the choice of a token
}

}  // namespace

double touched_experts(const Transformer& m, std::int64_t tokens) {
  const double experts = real(m.experts);
  return experts * (1 - std::pow(1 - real(m.top_k) / experts, real(tokens)));
}

ServingStep decode_step(const Replica& r, ServingLoad load) {
  StepSum sum(r, load.batch);
  add_layers(sum, r, load.batch);
  const Bytes cache = replica_memory(r, load).cache;
  sum.attention(cache / sum.bandwidth(), cache);
  add_logits(sum, r);
  Transformer at_context = r.model;
  at_context.sequence = std::max<std::int64_t>(load.context, 1);
  const Flops token = forward_flops_per_token(at_context, FlopConvention::kDenseAttention);
  return sum.finish(real(load.batch) * token);
}

ServingStep prefill_step(const Replica& r, ServingLoad load) {
  StepSum sum(r, load.batch * load.context);
  add_layers(sum, r, load.batch * load.context);
  Transformer at_context = r.model;
  at_context.sequence = load.context;
  const Flops scores = score_flops_per_token(at_context, FlopConvention::kCausalAttention);
  const double tokens = real(load.batch * load.context);
  const KernelRates& rates = r.device.rates;
  const AttentionRate attention = rates.flash2 ? *rates.flash2 : rates.cudnn.value();
  sum.attention(tokens * scores / real(r.tensor) / attention.at(load.context), replica_memory(r, load).cache);
  StepSum logits(r, load.batch);
  add_logits(logits, r);
  const Flops token = forward_flops_per_token(at_context, FlopConvention::kCausalAttention);
  const ServingStep last = logits.finish(Flops{});
  ServingStep step = sum.finish(tokens * token);
  // Logits of the last tokens alone; both shares of peak are those of the longer step.
  const double stretched = step.time / (step.time + last.time);
  step.products += last.products;
  step.other += last.other;
  step.time += last.time;
  step.mbu *= stretched;
  step.mfu *= stretched;
  return step;
}

Seconds request_time(const Replica& r, ServingLoad prompt, std::int64_t output) {
  // Context grows by one a step: the mean step is that of the mean context.
  const ServingLoad mean{.batch = prompt.batch, .context = prompt.context + output / 2};
  return prefill_step(r, prompt).time + real(output - 1) * decode_step(r, mean).time;
}

Seconds weight_floor(const Replica& r) {
  return weight_bytes(r.model, r.per_weight) / (real(r.tensor) * r.device.hbm_bandwidth);
}

double floor_mfu(const Replica& r) {
  const Flops token = forward_flops_per_token(r.model, FlopConvention::kSixN);
  return token / (real(r.tensor) * weight_floor(r) * r.device.peak_bf16);
}

}  // namespace fleetsim
