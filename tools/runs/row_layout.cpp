#include "tools/runs/row_layout.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace fleetsim {
namespace {

constexpr std::int64_t kMostDegree = 10'000'000;
constexpr std::int64_t kMostBatch = 1'000'000'000;

bool says(const std::string& text, std::initializer_list<std::string_view> any) {
  return std::any_of(any.begin(), any.end(),
                     [&](std::string_view each) { return text.find(each) != std::string::npos; });
}

/// ZeRO stages and FSDP strategies, by any of their names. What is not said is a distributed optimizer.
void read_sharding(const std::string& words, Layout& layout) {
  if (says(words, {"no_shard"})) layout.sharding = Sharding::kNone;
  if (says(words, {"zero-2", "zero2", "shard_grad_op"})) layout.sharding = Sharding::kGradients;
  layout.offload = says(words, {"offload"});
  if (!says(words, {"fsdp", "full_shard", "hybrid_shard", "zero-3", "zero3"})) return;
  layout.sharding = Sharding::kFull;
  constexpr std::string_view kGroup = "group ";
  const std::size_t at = words.find(kGroup);
  if (at == std::string::npos) return;
  std::from_chars(words.data() + at + kGroup.size(), words.data() + words.size(), layout.shard_group);
}

/// "full" or yes is whole layers; a list of modules is those that are cheap to compute again.
Recompute read_recomputation(const std::string& words) {
  if (words.empty() || words == "no" || words == "false") return Recompute::kNone;
  return words == "yes" || words == "true" || words == "full" ? Recompute::kFull : Recompute::kSelective;
}

/// Zero where a factor is not stated or the product is not one that a run can have.
std::int64_t product(std::initializer_list<std::optional<std::int64_t>> factors, std::int64_t most) {
  std::int64_t product = 1;
  for (const std::optional<std::int64_t>& factor : factors) {
    if (!factor || *factor < 1 || product > most / *factor) return 0;
    product *= *factor;
  }
  return product;
}

}  // namespace

Layout row_layout(RunRow& row) {
  const auto degree = [&](const char* key) { return row.whole(key, kMostDegree); };
  const auto data = degree("dp"), accumulated = degree("ga"), micro_batch = degree("mbs");
  const auto batch = row.whole("gbs", kMostBatch);
  Layout l;
  l.tensor = degree("tp").value_or(1);
  l.pipeline = degree("pp").value_or(1);
  const std::int64_t chunks = degree("vp").value_or(1);
  l.interleave = l.pipeline > 1 ? std::max<std::int64_t>(1, chunks) : 1;
  l.context = degree("cp").value_or(1);
  l.expert = degree("ep").value_or(1);
  const auto devices = degree("num_devices"), nodes = degree("num_nodes");
  l.devices = devices ? *devices
              : nodes ? product({nodes, degree("devices_per_node")}, kMostDegree)
                      : product({data, l.tensor, l.pipeline, l.context}, kMostDegree);
  if (!devices && l.devices < 1) row.problem("\"num_devices\" is not stated");

  const std::int64_t others = product({l.tensor, l.pipeline, l.context}, kMostDegree);
  const std::int64_t ranks = others > 0 ? l.devices / others : 0;
  const std::int64_t each = product({ranks, accumulated}, kMostBatch);
  l.micro_batch = micro_batch.value_or(batch && each > 0 ? std::max<std::int64_t>(1, *batch / each) : 1);
  l.global_batch = batch.value_or(product({l.micro_batch, each}, kMostBatch));
  if (!batch && l.global_batch < 1) row.problem("\"gbs\" is not stated");
  read_sharding(row.lower_text("sharding"), l);
  if (ranks < 1 || l.shard_group < 1 || (ranks * l.context) % l.shard_group != 0) l.shard_group = 0;
  const std::string recomputed = row.lower_text("act_ckpt");
  l.recompute = read_recomputation(recomputed.empty() ? row.word("act_ckpt") : recomputed);
  return l;
}

}  // namespace fleetsim
