#include "models/step/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "models/step/exchange.hpp"

namespace fleetsim {
namespace {

constexpr double kBf16Bytes = 2;
constexpr double kNormBytes = 10;         // per element of norm and residual, forward: five BF16 passes
constexpr double kRotationBytes = 4;      // per rotated element: read and written
constexpr double kRaggedRows = 64;        // half a tile of rows that an expert's share leaves empty
constexpr double kPermutationPasses = 6;  // over the tokens, into expert order and back
constexpr double kUnfusedKernels = 2;     // such as a norm and a residual, or a copy and a rotation
constexpr double kUnfusedActivation = 3;  // passes of an unfused expert activation over a fused one's
constexpr double kLossBytes = 8;          // per logit: FP32, read and written

constexpr double kLogitBytes = 4;  // kept per logit: BF16, and its gradient; one kernel makes both

double wide(std::int64_t count) { return static_cast<double>(count); }

/// Rows that the fullest expert computes over the even share: its capacity, whether full or not, or all that
/// come. All-to-all and activations follow.
double computed_share(const Layout& l) { return l.capacity > 0 ? l.capacity : l.imbalance; }

}  // namespace

Compute& Compute::operator+=(const Compute& other) {
  gemm += other.gemm;
  memory += other.memory;
  flops += other.flops;
  bytes += other.bytes;
  return *this;
}

Block& Block::operator+=(const Block& other) {
  forward += other.forward;
  backward += other.backward;
  tensor += other.tensor;
  experts += other.experts;
  parameters += other.parameters;
  expert_parameters += other.expert_parameters;
  padding += other.padding;
  waiting += other.waiting;
  activations += other.activations;
  cheap += other.cheap;
  return *this;
}

Blocks::Blocks(const StepInput& input, const StepConstants& constants)
    : in_{input},
      m_{input.model},
      l_{input.layout},
      c_{constants},
      kernels_{input.device, input.software, input.number, constants},
      tensor_{wide(l_.tensor)},
      tokens_{wide(l_.micro_batch) * wide(m_.sequence) / wide(l_.context)},
      hidden_{wide(m_.hidden)},
      gates_{m_.feed_forward == FeedForward::kGated ? 2.0 : 1.0} {}

/// The forward product, and in the backward pass the gradients of its input and of its weights; casts of what
/// goes in and of the gradient that comes back.
void Blocks::products(Block& block, const Gemm& f) const {
  block.forward.gemm += kernels_.gemm(f);
  block.backward.gemm += kernels_.gemm({f.m, f.k, f.n, f.count}) + kernels_.gemm({f.k, f.n, f.m, f.count});
  block.forward.memory += kernels_.quantization(f.m * f.k * f.count);
  block.backward.memory += kernels_.quantization(f.m * f.n * f.count);
  block.forward.flops += f.flops();
  block.backward.flops += 2 * f.flops();
  const Bytes moved{kBf16Bytes * f.count * (f.m * f.k + f.k * f.n + f.m * f.n)};
  block.forward.bytes += moved;
  block.backward.bytes += 2 * moved;
}

void Blocks::project(Block& block, double rows, double from, double to, Input input) const {
  products(block, {rows, to, from, 1});
  block.parameters += from * to;
  // Sequence parallelism keeps a rank's own rows of the input and gathers the others again for the backward
  // pass.
  const double kept = input == Input::kNorm && l_.sequence_parallel ? rows / tensor_ : rows;
  // In the format of the product: what was cast for the forward pass serves the backward pass.
  const Bytes bytes{kernels_.input_bytes() * kept * from};
  block.activations += bytes;
  if (input != Input::kOther) block.cheap += bytes;
}

void Blocks::grouped_project(Block& block, double rows, double from, double to, double count) const {
  Block grouped;
  products(grouped, {rows, to, from, count});
  const double casts = in_.software.fused_products ? 1 : c_.expert_pointwise;
  for (Compute* pass : {&grouped.forward, &grouped.backward}) {
    pass->gemm = pass->gemm * c_.grouped;
    pass->memory = pass->memory * casts;
  }
  grouped.expert_parameters = from * to * count;
  grouped.activations = Bytes{kernels_.input_bytes() * rows * from * count};
  block += grouped;
}

/// Pointwise kernels: so many bytes forward, twice as many backward.
void Blocks::pointwise(Block& block, double bytes) const {
  const double kernels = in_.software.fused ? 1 : kUnfusedKernels;
  const Seconds forward = kernels_.pointwise(Bytes{bytes}, kernels);
  block.forward.memory += forward;
  block.backward.memory += 2 * forward;
  block.forward.bytes += Bytes{bytes};
  block.backward.bytes += Bytes{2 * bytes};
}

/// Norm and residual around a block, and the tensor-parallel exchange before and after it.
void Blocks::surround(Block& block) const {
  const double split = l_.sequence_parallel ? tensor_ : 1;
  pointwise(block, kNormBytes * hidden_ * tokens_ / split);
  block.activations += Bytes{kBf16Bytes * hidden_ * tokens_ / split};
  if (l_.tensor == 1) return;
  const Bytes exchanged{kBf16Bytes * tokens_ * hidden_};
  const RankGroup group{l_.tensor, near_tensor(in_)};
  // A gather and a scatter each way move what an all-reduce moves.
  block.tensor += 2 * (exchange_time(in_, Collective::kAllGather, exchanged, group) +
                       exchange_time(in_, Collective::kReduceScatter, exchanged, group));
}

/// Attention proper: the whole context for most layers, a window for some. Context parallelism passes keys
/// and values round.
void Blocks::attend(Block& block, double score_width, double value_width, double key_bytes) const {
  const double sequence = wide(m_.sequence);
  const double head_dim = m_.latent ? 128 : wide(m_.head_dim);
  const double windowed = wide(m_.window_layers) / wide(attention_layers(m_));
  const double reach = (1 - windowed) * sequence / 2 + windowed * std::min(sequence / 2, wide(m_.window));
  const double widths = (score_width + value_width) / tensor_;
  const Seconds forward = kernels_.attention_forward(tokens_, reach, widths, head_dim, sequence);
  block.forward.gemm += forward;
  block.backward.gemm += Kernels::kAttentionBackward * forward;
  const Flops flops{2 * tokens_ * reach * widths};
  block.forward.flops += flops;
  block.backward.flops += Kernels::kAttentionBackward * flops;
  // Queries, keys and values; the output is the input of a product, but in BF16 for attention itself.
  const double output = in_.number == Number::kBf16 ? 0 : kBf16Bytes * value_width;
  block.activations += Bytes{tokens_ * (kBf16Bytes * score_width + key_bytes + output) / tensor_};
  if (l_.context == 1) return;
  const std::int64_t near = std::clamp<std::int64_t>(in_.network().domain / l_.tensor, 1, l_.context);
  const Bytes keys{key_bytes * tokens_ / tensor_ * wide(l_.context)};
  constexpr double kPasses = 3;  // forward, backward, and gradients back
  block.tensor += kPasses * exchange_time(in_, Collective::kAllGather, keys, {l_.context, near});
}

Block Blocks::latent_attention() const {
  Block block;
  const LatentAttention& a = *m_.latent;
  const double heads = wide(m_.heads);
  const double score = wide(a.plain_dim + a.rotary_dim);
  const double value = wide(a.value_dim);
  const double query_rank = wide(a.query_rank);
  const double kv_rank = wide(a.kv_rank);
  if (a.query_rank > 0) project(block, tokens_, hidden_, query_rank, Input::kNorm);
  if (a.query_rank > 0) project(block, tokens_, query_rank, heads * score / tensor_);
  if (a.query_rank == 0) project(block, tokens_, hidden_, heads * score / tensor_, Input::kNorm);
  project(block, tokens_, hidden_, kv_rank + wide(a.rotary_dim), Input::kNorm);
  project(block, tokens_, kv_rank, heads * (wide(a.plain_dim) + value) / tensor_);
  project(block, tokens_, heads * value / tensor_, hidden_);
  pointwise(block, tokens_ * kRotationBytes * (2 * heads * score / tensor_ + query_rank + kv_rank));
  attend(block, heads * score, heads * value, kBf16Bytes * heads * (score + value));
  surround(block);
  return block;
}

Block Blocks::attention() const {
  if (m_.latent) return latent_attention();
  Block block;
  const double queries = wide(m_.heads * m_.head_dim);
  const double keys = wide(m_.kv_heads * m_.head_dim);
  const double gate = wide(m_.heads * m_.gate_dim);
  project(block, tokens_, hidden_, (queries + 2 * keys + gate) / tensor_, Input::kNorm);
  project(block, tokens_, queries / tensor_, hidden_);
  pointwise(block, tokens_ * kRotationBytes * (queries + keys) / tensor_);
  attend(block, queries, queries, kBf16Bytes * 2 * keys);
  surround(block);
  return block;
}

Block Blocks::feed_forward(double width) const {
  Block block;
  project(block, tokens_, hidden_, gates_ * width / tensor_, Input::kNorm);
  project(block, tokens_, width / tensor_, hidden_, Input::kActivation);
  pointwise(block, kBf16Bytes * tokens_ * width * (gates_ + 1) / tensor_);
  block.activations += Bytes{kBf16Bytes * tokens_ * width * gates_ / tensor_};
  surround(block);
  return block;
}

/// What leaves a rank's NVLink domain crosses its share of the network, once for each other domain in which
/// one of a token's experts sits; the rest goes over NVLink at the same time.
Seconds Blocks::all_to_all(double rows, double width) const {
  const std::int64_t inside = std::min(l_.expert, in_.network().domain);
  const double domains = wide(l_.expert) / wide(inside);
  const double chosen = wide(m_.top_k);
  const double bytes = rows / chosen * width;
  // Of n places, `chosen` draws meet n (1 - (1 - 1/n)^chosen) different ones.
  const auto met = [&](double places) { return places * (1 - std::pow(1 - 1 / places, chosen)); };
  const Seconds over_nvlink =
      exchange_time(in_, Collective::kAllToAll, Bytes{bytes * met(wide(l_.expert))}, {inside, inside});
  if (domains <= 1) return over_nvlink;
  const std::int64_t apart = l_.expert / inside;
  const Seconds over_network =
      exchange_time(in_, Collective::kAllToAll, Bytes{bytes * met(domains)}, {apart, 1});
  return Seconds{std::hypot(over_nvlink.si, over_network.si)};
}

Block Blocks::experts() const {
  Block block;
  const double width = wide(m_.ffn);
  const double input = m_.expert_input > 0 ? wide(m_.expert_input) : hidden_;
  const double local = wide(m_.experts) / wide(l_.expert);
  // Tokens are spread over the tensor ranks; an expert keeps its full width.
  const double mine = tokens_ / tensor_;
  const double rows = mine * wide(m_.top_k) * computed_share(l_);
  const double each = rows / local + kRaggedRows;
  if (m_.expert_input > 0) {
    project(block, mine, hidden_, input, Input::kNorm);
    project(block, mine, input, hidden_);
  }
  Block grouped;
  grouped_project(grouped, each, input, gates_ * width, local);
  grouped_project(grouped, each, width, input, local);
  // Rows that hold no token: ends of tiles, and room that the routing leaves empty.
  const Seconds products = grouped.forward.gemm + grouped.backward.gemm;
  const double filled = rows / local / each * (l_.capacity > 1 ? 1 / l_.capacity : 1);
  grouped.padding = products * (1 - filled);
  if (l_.capacity == 0) grouped.waiting = products * (filled * (1 - 1 / l_.imbalance));
  grouped.cheap = Bytes{kernels_.input_bytes() * rows * width};
  block += grouped;
  const double unfused = in_.software.fused_experts ? 1 : kUnfusedActivation;
  const double passes = in_.software.fused_products ? 1 : unfused * c_.expert_pointwise;
  pointwise(block, kBf16Bytes * rows * width * (gates_ + 1) * passes);
  const Bytes moved{c_.permutation * kPermutationPasses * kBf16Bytes * rows * input};
  for (Compute* pass : {&block.forward, &block.backward}) {
    pass->memory += kernels_.copy(moved);
    pass->bytes += moved;
  }
  block.activations += Bytes{kBf16Bytes * rows * width * gates_};
  if (m_.shared_ffn > 0) {
    const double shared = wide(m_.shared_ffn);
    project(block, tokens_, hidden_, gates_ * shared / tensor_, Input::kNorm);
    project(block, tokens_, shared / tensor_, hidden_, Input::kActivation);
    pointwise(block, kBf16Bytes * tokens_ * shared * (gates_ + 1) / tensor_);
  }
  if (l_.expert > 1) block.experts = 4 * all_to_all(rows, input * kBf16Bytes);
  surround(block);
  return block;
}

/// The scan's products are small beside the traffic of its states, which a constant covers.
Block Blocks::state_space() const {
  Block block;
  const StateSpace& s = *m_.state_space;
  const double inner = wide(s.heads * s.head_dim);
  const double mixed = 2 * inner + 2 * wide(s.groups * s.state) + wide(s.heads);
  project(block, tokens_, hidden_, mixed / tensor_, Input::kNorm);
  project(block, tokens_, inner / tensor_, hidden_);
  pointwise(block, c_.state_space * kBf16Bytes * tokens_ * mixed / tensor_);
  block.activations += Bytes{kBf16Bytes * tokens_ * mixed / tensor_};
  surround(block);
  return block;
}

/// In BF16, whatever the rest of the step runs in.
Block Blocks::head() const {
  Block block;
  const double vocab = wide(m_.vocab) / tensor_;
  const Gemm logits{tokens_, vocab, hidden_, 1};
  block.forward.gemm = kernels_.gemm_bf16(logits);
  block.backward.gemm =
      kernels_.gemm_bf16({tokens_, hidden_, vocab, 1}) + kernels_.gemm_bf16({hidden_, vocab, tokens_, 1});
  block.forward.flops = logits.flops();
  block.backward.flops = 2 * logits.flops();
  const Bytes loss{kLossBytes * vocab * tokens_};
  for (Compute* pass : {&block.forward, &block.backward}) {
    pass->memory = kernels_.copy(c_.loss * loss);
    pass->bytes = loss;
  }
  block.parameters = hidden_ * vocab;
  block.activations = Bytes{kLogitBytes * vocab * tokens_};
  return block;
}

/// A row of the table read and written for each token, and its gradient added to one.
Block Blocks::embedding() const {
  Block block;
  const Bytes rows{2 * kBf16Bytes * tokens_ * hidden_ / tensor_};
  for (Compute* pass : {&block.forward, &block.backward}) {
    pass->memory = kernels_.copy(rows);
    pass->bytes = rows;
  }
  block.parameters = wide(m_.vocab) / tensor_ * hidden_;
  return block;
}

}  // namespace fleetsim
