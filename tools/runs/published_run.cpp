#include "tools/runs/published_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "models/catalog/catalog.hpp"
#include "models/catalog/network.hpp"
#include "tools/runs/row_layout.hpp"
#include "tools/runs/run_row.hpp"
#include "tools/runs/software_of.hpp"
#include "tools/runs/step_words.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::json;

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

/// The time as measured, as derived, or from a throughput; the first that is there.
std::optional<Seconds> measured_step(RunRow& row, const Layout& layout, std::int64_t sequence) {
  const double tokens = static_cast<double>(layout.global_batch) * static_cast<double>(sequence);
  std::optional<Seconds> measured;
  for (const char* const part : {"measured", "derived"}) {
    std::optional<RunRow> times = row.only_object(part);
    if (!times) continue;
    const std::optional<double> step = times->above_zero("step_time_s"),
                                rate = times->above_zero("tokens_per_s"),
                                device_rate = times->above_zero("tokens_per_s_per_device");
    const double seconds = step          ? *step
                           : rate        ? tokens / *rate
                           : device_rate ? tokens / *device_rate / static_cast<double>(layout.devices)
                                         : 0;
    if (!measured && seconds > 0 && std::isfinite(seconds)) measured = Seconds{seconds};
    row.take_problems(*times);
  }
  return measured;
}

/// The shape of the model that a row states; nothing where a width or a count is missing. What is no model's
/// is a problem.
std::optional<Transformer> stated_model(RunRow& arch) {
  struct Bound {
    const char* key;
    std::int64_t most;  // so that no product of them overflows
  };
  const auto count = [&](const Bound& bound, std::int64_t fallback) {
    return arch.positive(bound.key, bound.most).value_or(fallback);
  };
  Transformer m;
  m.layers = count({"layers", 10'000}, 0);
  m.hidden = count({"hidden", 1'000'000}, 0);
  m.heads = count({"heads", 100'000}, 0);
  m.kv_heads = count({"kv_heads", 100'000}, m.heads);
  m.ffn = count({"ffn", 10'000'000}, 4 * m.hidden);
  m.vocab = count({"vocab", 100'000'000}, 0);
  m.head_dim = count({"head_dim", 100'000}, m.heads > 0 ? m.hidden / m.heads : 0);
  m.feed_forward = arch.flag("gated").value_or(false) ? FeedForward::kGated : FeedForward::kPlain;
  if (m.heads > 0 && m.heads % m.kv_heads != 0)
    arch.problem("\"arch\": kv_heads " + std::to_string(m.kv_heads) + " does not divide heads " +
                 std::to_string(m.heads));
  for (const std::int64_t each : {m.layers, m.hidden, m.heads, m.vocab, m.head_dim}) {
    if (each < 1) return std::nullopt;
  }
  return m;
}

/// The model of a row, as stated there in full, else from the catalog; nothing where it is neither.
std::optional<Transformer> read_model(RunRow& row) {
  std::optional<Transformer> model;
  std::optional<RunRow> arch = row.only_object("arch");
  if (arch) model = stated_model(*arch);
  if (const Found<Like<Transformer>> found = transformer_like(row.text("model")); !model && found) {
    model = found.entry->entry;
    if (has(found.entry->remark, "w/o MTP")) model->prediction_layers = model->prediction_passes = 0;
  } else if (!model) {
    row.problem(found.problem);
    if (arch) row.problem("\"arch\" needs layers, hidden, heads and vocab");
  }
  if (arch) row.take_problems(*arch);
  const std::int64_t sequence = row.whole("seq_len").value_or(0);
  if (sequence < 1) row.problem("\"seq_len\" is not a number of at least 1");
  if (model) model->sequence = sequence;
  return model;
}

/// The format of products. Remarks in parentheses do not count; a configuration named "..._fp4" says so.
Number read_number(RunRow& row) {
  if (has(row.text("config_file"), "_fp4")) return Number::kNvfp4;
  const std::string precision = row.lower_word("precision");
  row.only_words("precision", precision.substr(0, precision.find(" (")), " -_/+,",
                 {"amp", "mixed", "bf16", "fp16", "bfloat16", "float16", "fp8", "mxfp8", "mx", "cs", "ds",
                  "te", "hybrid", "current", "delayed", "scaling", "e4m3", "fp4", "nvfp4"},
                 "bf16, fp8, mxfp8 or nvfp4");
  const std::string stated = precision.substr(0, precision.find(" ("));
  if (has(stated, "fp4")) return Number::kNvfp4;
  if (has(stated, "mxfp8") || has(stated, "fp8-mx")) return Number::kMxfp8;
  return has(stated, "fp8") ? Number::kFp8 : Number::kBf16;
}

/// Rows that say so are not to be used, are incomplete, or are no pre-training.
bool is_to_be_used(const Json& json) {
  RunRow row(json);
  const std::string task = row.text("task");
  return row.flag("use").value_or(true) && row.flag("config_complete").value_or(true) &&
         (task.empty() || task == "pretrain");
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

/// Microbatches of a run that ran although they do not divide its batch: the last was smaller (Composer), or
/// the table has another size than the run had. Taken as the next smaller size that does.
void even_out_batches(Layout& l) {
  if (l.micro_batch < 1 || l.devices < 1 || !fills(l) || l.global_batch % l.data() != 0) return;
  const std::int64_t each = l.global_batch / l.data();
  l.micro_batch = std::min(l.micro_batch, each);
  while (l.micro_batch > 1 && each % l.micro_batch != 0) --l.micro_batch;
}

/// The name of a source, or the group of sources that the table puts it in.
std::string source_of(const RunRow& row) {
  for (const char* const key : {"split_rule", "source"}) {
    if (std::string text = row.text(key); !text.empty()) return text;
  }
  const std::optional<RunRow> source = row.object("source");
  return source ? source->text("repo") : "";
}

PublishedRun read_run(const Json& json) {
  RunRow row(json);
  PublishedRun run;
  run.id = row.word("id");
  run.family = row.text(row.text("family").empty() ? "model" : "family");
  run.source = source_of(row);
  run.device = row.text("device");
  const std::optional<Transformer> model = read_model(row);
  const Found<Like<Accelerator>> device = accelerator_like(run.device);
  if (!device) row.problem(device.problem);
  const Layout layout = row_layout(row);
  const Number number = read_number(row);
  const Found<Like<Transformer>> known = transformer_like(row.text("model"));
  const RunSoftware ran = software_of(row, number, known ? known.entry->name : "");
  if (ran.inferred) run.stated = ran.stated;
  run.unsupported = row.problems();
  if (!run.unsupported.empty()) return run;
  StepInput in{.model = *model,
               .device = step_device(device.entry->entry),
               .links = usual_network(device.entry->name),
               .layout = layout,
               .number = number,
               .software = ran.software};
  if (!in.links) run.unsupported = "no node of the catalog has a \"" + device.entry->name + "\"";
  if (!has_products(in.device, in.number))
    run.unsupported = device.entry->name + " has no matrix products in " + std::string(to_string(in.number));
  if (!run.unsupported.empty()) return run;
  run.measured = measured_step(row, in.layout, in.model.sequence);
  run.unsupported = row.problems();
  if (!run.unsupported.empty()) return run;
  if (run.measured) even_out_batches(in.layout);
  in.layout.uneven = run.measured.has_value();  // what ran did divide its layers somehow
  for (const std::string& problem : layout_problems(in.layout, in.model))
    run.infeasible += (run.infeasible.empty() ? "" : "; ") + problem;
  run.configuration = configuration_of(in, run, row.text("precision"));
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
      PublishedRun& run = runs.runs.emplace_back();
      run.id = "/rows/" + std::to_string(i);
      run.unsupported = std::string("expected an object; found ") + row.type_name();
    } else if (is_to_be_used(row)) {
      runs.runs.push_back(read_run(row));
    }
  }
  if (rows->empty()) runs.problem = "there are no rows";
  if (!rows->empty() && runs.runs.empty())
    runs.problem = "none of " + std::to_string(rows->size()) +
                   " rows is of use: all are marked as not to be used, incomplete, or no pre-training";
  return runs;
}

RunTable read_run_text(std::string_view text) {
  try {
    return read_run_table(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return {{}, "expected JSON; what is wrong is at byte " + std::to_string(error.byte)};
  } catch (const Json::out_of_range&) {
    return {{}, "a number is too large to be one"};
  }
}

}  // namespace fleetsim
