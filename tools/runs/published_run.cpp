#include "tools/runs/published_run.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "models/catalog/catalog.hpp"
#include "models/catalog/network.hpp"
#include "tools/runs/step_words.hpp"

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

/// The shape of the model that a row states; nothing where a width or a count is missing or not positive.
std::optional<Transformer> stated_model(const Json& arch) {
  Transformer m;
  m.layers = whole(arch, "layers", 0);
  m.hidden = whole(arch, "hidden", 0);
  m.heads = whole(arch, "heads", 1);
  m.kv_heads = whole(arch, "kv_heads", m.heads);
  m.ffn = whole(arch, "ffn", 4 * m.hidden);
  m.vocab = whole(arch, "vocab", 0);
  m.feed_forward = flag_or(arch, "gated", false) ? FeedForward::kGated : FeedForward::kPlain;
  for (const std::int64_t count : {m.layers, m.hidden, m.heads, m.kv_heads, m.ffn, m.vocab}) {
    if (count < 1) return std::nullopt;
  }
  m.head_dim = m.hidden / m.heads;
  return m;
}

/// The model of a row, as stated there or from the catalog; nothing, and why in `problem`, where it is
/// neither.
std::optional<Transformer> read_model(const Json& row, std::string& problem) {
  std::optional<Transformer> model;
  if (const auto arch = row.find("arch"); arch != row.end() && arch->is_object()) {
    model = stated_model(*arch);
    if (!model) problem = "\"arch\" needs layers, hidden, heads, kv_heads, ffn and vocab of at least 1";
  } else if (const Found<Like<Transformer>> found = transformer_like(text(row, "model"))) {
    model = found.entry->entry;
    if (has(found.entry->remark, "w/o MTP")) model->prediction_layers = model->prediction_passes = 0;
  } else {
    problem = found.problem;
  }
  if (model) model->sequence = whole(row, "seq_len", 0);
  return model;
}

void read_sharding(const std::string& sharding, Layout& layout) {
  if (sharding == "FULL_SHARD") layout.sharding = Sharding::kFull;
  if (sharding == "SHARD_GRAD_OP") layout.sharding = Sharding::kGradients;
  if (!has(sharding, "FSDP")) return;
  layout.sharding = Sharding::kFull;
  const std::size_t digit = sharding.find_first_of("0123456789");
  if (digit == std::string::npos) return;
  std::from_chars(sharding.data() + digit, sharding.data() + sharding.size(), layout.shard_group);
}

Layout read_layout(const Json& row) {
  Layout l;
  l.devices = whole(row, "num_devices", 1);
  l.tensor = whole(row, "tp", 1);
  l.pipeline = whole(row, "pp", 1);
  l.interleave = l.pipeline > 1 ? std::max<std::int64_t>(1, whole(row, "vp", 1)) : 1;
  l.context = whole(row, "cp", 1);
  l.expert = whole(row, "ep", 1);
  l.micro_batch = whole(row, "mbs", 1);
  l.global_batch = whole(row, "gbs", 1);
  read_sharding(text(row, "sharding"), l);
  const std::string recomputed = text(row, "act_ckpt");
  if (flag_or(row, "act_ckpt", false) || recomputed == "full") l.recompute = Recompute::kFull;
  if (has(recomputed, "norm")) l.recompute = Recompute::kSelective;
  return l;
}

Number read_number(const Json& row) {
  if (has(text(row, "config_file"), "_fp4")) return Number::kNvfp4;
  std::string precision = text(row, "precision");
  for (char& c : precision) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (precision == "fp8-cs (fp8-mx)") return Number::kFp8;
  if (has(precision, "nvfp4")) return Number::kNvfp4;
  if (has(precision, "mxfp8") || has(precision, "fp8-mx")) return Number::kMxfp8;
  return has(precision, "fp8") ? Number::kFp8 : Number::kBf16;
}

/// What frameworks of these releases did by default, where the row does not say.
Software read_software(const Json& row) {
  Software s;
  const std::string framework = text(row, "framework"), model = text(row, "model");
  s.release = release_of(framework);
  const bool foundry = has(framework, "llm-foundry");
  s.attention = foundry ? AttentionKernel::kFlash2 : AttentionKernel::kCudnn;
  s.skips_masked = !foundry;
  s.fused = !foundry;
  s.prefetch = !foundry;
  s.fused_scaling = s.release > 2026.42;
  s.graphs = has(model, "tokendrop") || has(text(row, "device"), "GB");
  s.fused_experts = !(has(model, "GPT OSS") && s.release < 2026.45);
  return s;
}

std::string configuration_of(const StepInput& in, const PublishedRun& run, const std::string& precision) {
  const Layout& l = in.layout;
  std::string text;
  for (const std::int64_t part :
       {l.devices, l.tensor, l.pipeline, l.interleave, l.context, l.expert, l.micro_batch, l.global_batch,
        in.model.sequence, in.model.layers, in.model.hidden}) {
    text += std::to_string(part) + " ";
  }
  return text + run.family + " " + run.device + " " + precision;
}

PublishedRun read_run(const Json& row) {
  PublishedRun run;
  run.id = text(row, "id");
  run.family = text(row, "family");
  run.source = text(row, "split_rule");
  run.device = text(row, "device");
  const std::optional<Transformer> model = read_model(row, run.unsupported);
  if (!model) return run;
  const Found<Like<Accelerator>> device = accelerator_like(run.device);
  if (!device) {
    run.unsupported = device.problem;
    return run;
  }
  StepInput in{.model = *model,
               .device = step_device(device.entry->entry),
               .links = usual_network(device.entry->name),
               .layout = read_layout(row),
               .number = read_number(row),
               .software = read_software(row)};
  if (in.model.sequence < 1) run.unsupported = "\"seq_len\" is not a number of at least 1";
  if (!in.links) run.unsupported = "no node of the catalog has a \"" + device.entry->name + "\"";
  if (!has_products(in.device, in.number))
    run.unsupported = device.entry->name + " has no matrix products in " + std::string(to_string(in.number));
  if (!run.unsupported.empty()) return run;
  for (const std::string& problem : layout_problems(in.layout, in.model))
    run.infeasible += (run.infeasible.empty() ? "" : "; ") + problem;
  run.configuration = configuration_of(in, run, text(row, "precision"));
  run.measured = measured_step(row, in.layout, in.model.sequence);
  run.input = std::move(in);
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

RunTable read_run_text(std::string_view text) {
  try {
    return read_run_table(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return {{}, "expected JSON; what is wrong is at byte " + std::to_string(error.byte)};
  }
}

}  // namespace fleetsim
