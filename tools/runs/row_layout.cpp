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
void read_sharding(RunRow& row, std::int64_t node, Layout& layout) {
  const std::string words = row.lower_word("sharding");
  row.only_words("sharding", words, " /+,;",
                 {"no_shard", "ddp",   "dist-optimizer", "optimizer", "zero-1",       "zero1",
                  "zero-2",   "zero2", "shard_grad_op",  "gradients", "zero-3",       "zero3",
                  "fsdp",     "fsdp2", "full_shard",     "full",      "hybrid_shard", "group",
                  "cpu",      "adam",  "adamw",          "offload"},
                 "a ZeRO stage or an FSDP strategy");
  const bool is_optimizer = says(words, {"optimizer", "zero-1", "zero1"});
  if (says(words, {"no_shard"}) || (says(words, {"ddp"}) && !is_optimizer)) layout.sharding = Sharding::kNone;
  if (says(words, {"zero-2", "zero2", "shard_grad_op", "gradients"})) layout.sharding = Sharding::kGradients;
  layout.offload = says(words, {"offload"});
  if (!says(words, {"fsdp", "full", "hybrid_shard", "zero-3", "zero3"})) return;
  layout.sharding = Sharding::kFull;
  // State is spread over a node and copied to the others.
  if (says(words, {"hybrid_shard"})) layout.shard_group = node;
  constexpr std::string_view kGroup = "group ";
  const std::size_t at = words.find(kGroup);
  if (at == std::string::npos) return;
  std::from_chars(words.data() + at + kGroup.size(), words.data() + words.size(), layout.shard_group);
}

/// "full" or yes is whole layers; a list of modules is those that are cheap to compute again.
Recompute read_recomputation(RunRow& row) {
  const std::string words = row.lower_word("act_ckpt");
  if (words.empty() || words == "no" || words == "false" || words == "0") return Recompute::kNone;
  if (words == "yes" || words == "true" || words == "full" || words == "1") return Recompute::kFull;
  row.only_words("act_ckpt", words, " ,;+",
                 {"selective", "norm", "layernorm", "act", "moe_act", "mlp", "moe", "attn", "core_attn",
                  "shared_expert", "shared_experts", "mla_up_proj"},
                 "true, false, \"full\", \"selective\" or modules");
  return Recompute::kSelective;
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
  const auto degree = [&](const char* key) { return row.positive(key, kMostDegree); };
  const auto data = degree("dp"), accumulated = degree("ga"), micro_batch = degree("mbs");
  const auto batch = row.positive("gbs", kMostBatch);
  Layout l;
  l.tensor = degree("tp").value_or(1);
  l.pipeline = degree("pp").value_or(1);
  const std::int64_t chunks = degree("vp").value_or(1);
  l.interleave = l.pipeline > 1 ? chunks : 1;
  l.context = degree("cp").value_or(1);
  l.expert = degree("ep").value_or(1);
  const auto devices = degree("num_devices"), nodes = degree("num_nodes"),
             per_node = degree("devices_per_node");
  const std::int64_t node = per_node.value_or(8);
  l.devices = devices ? *devices
              : nodes ? product({nodes, per_node}, kMostDegree)
                      : product({data, l.tensor, l.pipeline, l.context}, kMostDegree);
  if (!devices && l.devices < 1) row.problem("\"num_devices\" is not stated");

  const std::int64_t others = product({l.tensor, l.pipeline, l.context}, kMostDegree);
  const std::int64_t ranks = others > 0 ? l.devices / others : 0;
  const std::int64_t each = product({ranks, accumulated}, kMostBatch);
  l.micro_batch = micro_batch.value_or(batch && each > 0 ? std::max<std::int64_t>(1, *batch / each) : 1);
  l.global_batch = batch.value_or(product({l.micro_batch, each}, kMostBatch));
  if (!batch && l.global_batch < 1) row.problem("\"gbs\" is not stated");
  if (data && ranks > 0 && *data != ranks && fills(l))
    row.problem("\"dp\": " + std::to_string(*data) + " is not the " + std::to_string(ranks) +
                " that the devices leave");
  read_sharding(row, std::min(node, std::max<std::int64_t>(1, ranks * l.context)), l);
  l.recompute = read_recomputation(row);
  return l;
}

}  // namespace fleetsim
