#include "models/step/evidence.hpp"

#include <algorithm>
#include <initializer_list>

#include "models/catalog/catalog.hpp"
#include "models/step/exchange.hpp"

namespace fleetsim {
namespace {

constexpr double kBf16Bytes = 2;

double wide(std::int64_t count) { return static_cast<double>(count); }

/// Ranks of a group whose neighbours are `inner` devices apart.
RankGroup group_of(const StepInput& in, std::int64_t ranks, std::int64_t inner) {
  return {ranks, std::clamp<std::int64_t>(in.network().domain / inner, 1, ranks)};
}

void add(std::vector<ExchangeEvidence>& all, const StepInput& in, std::string_view kind,
         std::initializer_list<Collective> collectives, Bytes message, RankGroup group) {
  if (group.ranks < 2) return;
  ExchangeEvidence worst{.kind = kind, .ranks = group.ranks};
  for (const Collective collective : collectives) {
    const CollectiveEstimate one = estimate_collective(in.network(), collective, message, group);
    worst.evidence = std::max(worst.evidence, one.evidence);
    worst.is_extrapolated |= one.is_extrapolated;
  }
  all.push_back(worst);
}

std::string attention_origin(const KernelRates& r, AttentionKernel kernel) {
  using Rates = std::initializer_list<const std::optional<AttentionRate>*>;
  const auto first = [](Rates rates) {
    for (const auto* rate : rates) {
      if (*rate) return (*rate)->scaled_from;
    }
    return std::string();
  };
  switch (kernel) {
    case AttentionKernel::kFlash2:
      return first({&r.flash2, &r.flash3, &r.flash4, &r.cudnn});
    case AttentionKernel::kFlash3:
      return first({&r.flash3, &r.flash4, &r.cudnn, &r.flash2});
    case AttentionKernel::kCudnn:
      return first({&r.cudnn, &r.flash4, &r.flash3, &r.flash2});
  }
  return {};
}

}  // namespace

std::vector<ExchangeEvidence> exchange_evidence(const StepInput& in) {
  const Layout& l = in.layout;
  const Transformer& m = in.model;
  const double tokens = wide(l.micro_batch) * wide(m.sequence) / wide(l.context);
  constexpr auto kGather = Collective::kAllGather, kScatter = Collective::kReduceScatter;
  std::vector<ExchangeEvidence> all;
  add(all, in, "tensor", {kGather, kScatter}, Bytes{kBf16Bytes * tokens * wide(m.hidden)},
      {l.tensor, near_tensor(in)});
  add(all, in, "context", {kGather},
      Bytes{kBf16Bytes * tokens * wide(l.context) * wide(cache_width(m)) / wide(l.tensor)},
      group_of(in, l.context, l.tensor));
  add(all, in, "experts", {Collective::kAllToAll},
      Bytes{kBf16Bytes * tokens * wide(m.hidden) * wide(m.top_k) / wide(l.tensor)},
      {l.expert, std::min(l.expert, in.network().domain)});
  if (l.pipeline > 1) {
    add(all, in, "stages", {Collective::kSendRecv}, stage_message(in),
        {2, l.devices <= in.network().domain ? 2 : 1});
  }
  const bool is_by_layer = l.sharding == Sharding::kFull || l.sharding == Sharding::kGradients;
  const double parts = wide(l.tensor * l.pipeline) * (is_by_layer ? wide(m.layers) / wide(l.pipeline) : 1);
  const std::int64_t ranks = l.shard_group > 0 && is_by_layer ? l.shard_group : l.replicas();
  add(all, in, "data", {kGather, kScatter}, Bytes{kBf16Bytes * wide(active_parameter_count(m)) / parts},
      group_of(in, ranks, l.tensor));
  return all;
}

std::vector<RateEvidence> rate_evidence(const Accelerator& a, Number number, AttentionKernel kernel) {
  const KernelRates& r = a.rates;
  const Measured<FlopRate>& products =
      number != Number::kBf16 && r.gemm_fp8 ? *r.gemm_fp8 : r.gemm_bf16;  // FP4 is scaled from FP8
  return {{"products", products.scaled_from},
          {"attention", attention_origin(r, kernel)},
          {"copies", r.copy.scaled_from}};
}

}  // namespace fleetsim
