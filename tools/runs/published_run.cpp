#include "tools/runs/published_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "models/catalog/catalog.hpp"
#include "models/catalog/network.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::json;

std::int64_t whole(const Json& row, const char* key, std::int64_t fallback) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? std::llround(found->get<double>()) : fallback;
}

std::string text(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_or(const Json& row, const char* key, bool fallback) {
  const auto found = row.find(key);
  return found != row.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The network of the first node of the catalog with that accelerator, on its usual fabric. Few: kept.
std::shared_ptr<const Network> usual_network(const std::string& accelerator) {
  static std::map<std::string, std::shared_ptr<const Network>> known;
  std::shared_ptr<const Network>& links = known[accelerator];
  if (links) return links;
  for (const std::string& name : names(CatalogKind::kNodes)) {
    const Node found = *node(name).entry;
    if (found.accelerator != accelerator) continue;
    links = std::make_shared<Network>(*network(name, found.fabric).entry);
    break;
  }
  return links;
}

double release_of(const std::string& framework) {
  std::smatch found;
  if (std::regex_search(framework, found, std::regex("(2[2-9])\\.([01][0-9])")))
    return 2000 + std::stod(found[1]) + (std::stod(found[2]) - 0.5) / 12;
  if (has(framework, "llm-foundry")) return 2026.5;
  if (has(framework, "Megatron-Core MoE")) return 2025.5;
  if (has(framework, "NVIDIA NEMO")) return 2024.75;
  return 2023.3;
}

/// The time as measured, as derived, or from a throughput; the first that is there.
std::optional<Seconds> measured_step(const Json& row, const Layout& layout, std::int64_t sequence) {
  const double tokens = static_cast<double>(layout.global_batch * sequence);
  for (const char* const part : {"measured", "derived"}) {
    const auto found = row.find(part);
    if (found == row.end() || !found->is_object()) continue;
    const auto value = [&](const char* key) {
      const auto number = found->find(key);
      return number != found->end() && number->is_number() ? number->get<double>() : 0.0;
    };
    if (value("step_time_s") > 0) return Seconds{value("step_time_s")};
    if (value("tokens_per_s") > 0) return Seconds{tokens / value("tokens_per_s")};
    if (value("tokens_per_s_per_device") > 0)
      return Seconds{tokens / value("tokens_per_s_per_device") / static_cast<double>(layout.devices)};
  }
  return std::nullopt;
}

PublishedRun read_run(const Json& row) {
  PublishedRun run;
  run.id = text(row, "id");
  run.family = text(row, "family");
  run.source = text(row, "split_rule");
  run.device = text(row, "device");
  StepInput in;
  if (const auto arch = row.find("arch"); arch != row.end() && arch->is_object()) {
    Transformer& m = in.model;
    m.layers = whole(*arch, "layers", 0);
    m.hidden = whole(*arch, "hidden", 0);
    m.heads = whole(*arch, "heads", 1);
    m.kv_heads = whole(*arch, "kv_heads", m.heads);
    m.head_dim = m.hidden / m.heads;
    m.ffn = whole(*arch, "ffn", 4 * m.hidden);
    m.vocab = whole(*arch, "vocab", 0);
    m.feed_forward = flag_or(*arch, "gated", false) ? FeedForward::kGated : FeedForward::kPlain;
  } else if (const Found<Like<Transformer>> found = transformer_like(text(row, "model"))) {
    in.model = found.entry->entry;
    if (has(found.entry->remark, "w/o MTP")) in.model.prediction_layers = in.model.prediction_passes = 0;
  } else {
    run.unsupported = found.problem;
    return run;
  }
  in.model.sequence = whole(row, "seq_len", 0);
  const Found<Like<Accelerator>> device = accelerator_like(run.device);
  if (!device) {
    run.unsupported = device.problem;
    return run;
  }
  in.device = step_device(device.entry->entry);
  in.links = usual_network(device.entry->name);
  if (!in.links) {
    run.unsupported = "no node of the catalog has a \"" + device.entry->name + "\"";
    return run;
  }
  Layout& l = in.layout;
  l.devices = whole(row, "num_devices", 1);
  l.tensor = whole(row, "tp", 1);
  l.pipeline = whole(row, "pp", 1);
  l.interleave = l.pipeline > 1 ? std::max<std::int64_t>(1, whole(row, "vp", 1)) : 1;
  l.context = whole(row, "cp", 1);
  l.expert = whole(row, "ep", 1);
  l.micro_batch = whole(row, "mbs", 1);
  l.global_batch = whole(row, "gbs", 1);
  const std::string sharding = text(row, "sharding");
  if (sharding == "FULL_SHARD") l.sharding = Sharding::kFull;
  if (sharding == "SHARD_GRAD_OP") l.sharding = Sharding::kGradients;
  if (has(sharding, "FSDP")) {
    l.sharding = Sharding::kFull;
    const std::size_t digit = sharding.find_first_of("0123456789");
    if (digit != std::string::npos) l.shard_group = std::stoll(sharding.substr(digit));
  }
  const auto act = row.find("act_ckpt");
  if (act != row.end() && act->is_boolean() && act->get<bool>()) l.recompute = Recompute::kFull;
  if (text(row, "act_ckpt") == "full") l.recompute = Recompute::kFull;
  if (has(text(row, "act_ckpt"), "norm")) l.recompute = Recompute::kSelective;
  const std::string precision = text(row, "precision");
  const std::string framework = text(row, "framework");
  std::string lower;
  for (const char c : precision) lower += static_cast<char>(std::tolower(c));
  in.number = has(lower, "nvfp4")                           ? Number::kNvfp4
              : has(lower, "mxfp8") || has(lower, "fp8-mx") ? Number::kMxfp8
              : has(lower, "fp8")                           ? Number::kFp8
                                                            : Number::kBf16;
  if (lower == "fp8-cs (fp8-mx)") in.number = Number::kFp8;
  const std::string config = text(row, "config_file");
  if (has(config, "_fp4")) in.number = Number::kNvfp4;
  Software& s = in.software;
  s.release = release_of(framework);
  const bool foundry = has(framework, "llm-foundry");
  s.attention = foundry ? AttentionKernel::kFlash2 : AttentionKernel::kCudnn;
  s.skips_masked = !foundry;
  s.fused = !foundry;
  s.prefetch = !foundry;
  s.fused_scaling = s.release > 2026.42;
  const bool drop = has(text(row, "model"), "tokendrop");
  s.graphs = drop || has(run.device, "GB");
  s.fused_experts = !(has(text(row, "model"), "GPT OSS") && s.release < 2026.45);
  for (const std::string& problem : layout_problems(l, in.model)) {
    run.infeasible += (run.infeasible.empty() ? "" : "; ") + problem;
  }
  for (const std::int64_t part :
       {l.devices, l.tensor, l.pipeline, l.interleave, l.context, l.expert, l.micro_batch, l.global_batch,
        in.model.sequence, in.model.layers, in.model.hidden}) {
    run.configuration += std::to_string(part) + " ";
  }
  run.configuration += run.family + " " + run.device + " " + precision;
  run.input = in;
  run.measured = measured_step(row, l, in.model.sequence);
  return run;
}

}  // namespace

RunTable read_run_table(const Json& table) {
  RunTable runs;
  const Json* rows = &table;
  if (table.is_object()) rows = table.contains("rows") ? &table["rows"] : nullptr;
  if (rows == nullptr || !rows->is_array()) {
    runs.problem = "expected an object with an array \"rows\"";
    return runs;
  }
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Json& row = (*rows)[i];
    if (!row.is_object()) {
      runs.problem = "/rows/" + std::to_string(i) + ": expected an object; found " + row.type_name();
      return runs;
    }
    if (flag_or(row, "use", true) && flag_or(row, "config_complete", true) &&
        (text(row, "task").empty() || text(row, "task") == "pretrain"))
      runs.runs.push_back(read_run(row));
  }
  return runs;
}

}  // namespace fleetsim
