#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/runs/comparison.hpp"
#include "tools/runs/step_fit.hpp"
#include "tools/runs/step_words.hpp"

using namespace fleetsim;

namespace {

const std::vector<PublishedRun>& published_runs() {
  static const std::vector<PublishedRun> runs = [] {
    std::ifstream file(FLEETSIM_SOURCE_DIR "/tests/answers/published_runs.json");
    return read_run_table(nlohmann::json::parse(file)).runs;
  }();
  return runs;
}

bool is_h100_dense(const PublishedRun& run) {
  return run.input->model.experts == 1 && run.device.find("H100") != std::string::npos;
}

using Key = std::string (*)(const PublishedRun&);

/// Errors of runs predicted by a fit to all runs of other keys.
std::map<const PublishedRun*, double> held_out_errors(Key key) {
  std::vector<const PublishedRun*> runs;
  std::set<std::string> keys;
  for (const PublishedRun& run : published_runs()) {
    if (!comparable(run)) continue;
    runs.push_back(&run);
    keys.insert(key(run));
  }
  std::map<const PublishedRun*, double> errors;
  for (const std::string& out : keys) {
    std::vector<const PublishedRun*> rest;
    for (const PublishedRun* run : runs) {
      if (key(*run) != out) rest.push_back(run);
    }
    const StepConstants constants = fit_step_constants(rest);
    for (const PublishedRun* run : runs) {
      if (key(*run) == out) errors[run] = relative_error(*run, constants);
    }
  }
  return errors;
}

struct Slope {
  double value, half_width;
};

/// Of the logarithm of predicted over measured on another logarithm, with its 95 % interval.
Slope slope(const std::vector<std::pair<double, double>>& points) {
  const double n = static_cast<double>(points.size());
  double mx = 0, my = 0;
  for (const auto& [x, y] : points) mx += x / n, my += y / n;
  double sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) sxx += (x - mx) * (x - mx), sxy += (x - mx) * (y - my);
  const double b = sxy / sxx;
  double rest = 0;
  for (const auto& [x, y] : points) rest += std::pow(y - my - b * (x - mx), 2);
  return {b, 1.96 * std::sqrt(rest / (n - 2) / sxx)};
}

void check_held_out(Key key) {
  const auto errors = held_out_errors(key);
  std::vector<double> all, h100;
  std::vector<std::pair<double, double>> by_devices, by_sequence, by_size;
  for (const auto& [run, error] : errors) {
    all.push_back(error);
    if (!is_h100_dense(*run)) continue;
    h100.push_back(error);
    const double log_error = std::log1p(error);
    by_devices.emplace_back(std::log(static_cast<double>(run->input->layout.devices)), log_error);
    by_sequence.emplace_back(std::log(static_cast<double>(run->input->model.sequence)), log_error);
    by_size.emplace_back(std::log(static_cast<double>(parameter_count(run->input->model))), log_error);
  }
  CHECK(all.size() == 464);
  CHECK(h100.size() == 101);
  CHECK(summarize(h100).median <= 0.05);
  CHECK(summarize(h100).p90 <= 0.15);
  CHECK(summarize(all).median <= 0.10);
  CHECK(summarize(all).p90 <= 0.33);
  for (const auto* points : {&by_devices, &by_sequence}) {
    const Slope found = slope(*points);
    CHECK(std::abs(found.value) <= found.half_width);
  }
  // A percent for each e-fold of parameters is told from zero; models/README.md says where it is from.
  CHECK(std::abs(slope(by_size).value) <= 0.011);
}

}  // namespace

TEST_CASE(
    "published runs are predicted by a fit to all other families, without a slope on devices or sequence") {
  check_held_out([](const PublishedRun& run) { return run.family; });
}

TEST_CASE(
    "published runs are predicted by a fit to all other sources, without a slope on devices or sequence") {
  check_held_out([](const PublishedRun& run) { return run.source; });
}

TEST_CASE("the constants of the catalog are what the fit to all published runs finds") {
  std::vector<const PublishedRun*> runs;
  for (const PublishedRun& run : published_runs()) {
    if (comparable(run)) runs.push_back(&run);
  }
  const StepConstants fitted = fit_step_constants(runs);
  for (const ConstantRow& row : step_calibration().rows) {
    CAPTURE(std::string(row.name));
    CHECK(step_constants().*row.member == doctest::Approx(fitted.*row.member).epsilon(0.01));
    CHECK(row.low <= step_constants().*row.member);
    CHECK(step_constants().*row.member <= row.high);
  }
}

TEST_CASE("rows that are not understood say why, and the others are predicted") {
  const nlohmann::json table = nlohmann::json::parse(R"({"rows": [
    {"id": "a", "model": "no such model", "device": "DGX-H100"},
    {"id": "b", "model": "Llama 3 8B", "device": "abacus"},
    {"id": "c", "model": "Llama 3 8B", "device": "DGX-H100", "num_devices": 8, "tp": 3, "gbs": 8, "mbs": 1, "seq_len": 8192},
    {"id": "d", "model": "Llama 3 8B", "device": "DGX-H100", "num_devices": 8, "tp": 2, "gbs": 8, "mbs": 1, "seq_len": 8192,
     "precision": "bf16", "measured": {"tokens_per_s_per_device": 8192}},
    {"id": "e", "use": false}]})");
  const RunComparison compared = compare(read_run_table(table).runs, step_constants());
  REQUIRE(compared.rows.size() == 4);
  CHECK(compared.rows[0].unsupported.find("no such model") != std::string::npos);
  CHECK(compared.rows[1].unsupported.find("abacus") != std::string::npos);
  CHECK(compared.rows[2].infeasible.find("3") != std::string::npos);
  CHECK(compared.rows[3].predicted.has_value());
  CHECK(compared.rows[3].measured->si == doctest::Approx(1.0));
  CHECK(compared.all.rows == 1);
}

TEST_CASE("numbers that no run can have make a row unsupported or infeasible, and stop nothing") {
  const nlohmann::json table = nlohmann::json::parse(R"({"rows": [
    {"device": "DGX-H100", "seq_len": 8, "arch": {"layers": 1, "hidden": 64, "heads": 0, "vocab": 9}},
    {"device": "DGX-H100", "model": "Llama 3 8B"},
    {"device": "A100-SXM-80GB", "model": "Llama 3 8B", "seq_len": 8192, "gbs": 8, "num_devices": 8, "precision": "fp8"},
    {"device": "DGX-H100", "model": "Llama 3 8B", "seq_len": 8192, "gbs": 8, "num_devices": 0},
    {"device": "DGX-H100", "model": "Llama 3 8B", "seq_len": 8192, "num_devices": 8, "gbs": 8,
     "sharding": "FSDP group 99999999999999999999999"}]})");
  const RunComparison compared = compare(read_run_table(table).runs, step_constants());
  REQUIRE(compared.rows.size() == 5);
  CHECK(compared.rows[0].unsupported.find("heads") != std::string::npos);
  CHECK(compared.rows[1].unsupported.find("seq_len") != std::string::npos);
  CHECK(compared.rows[2].unsupported.find("no matrix products in fp8") != std::string::npos);
  CHECK(compared.rows[3].unsupported.find("at least 1") != std::string::npos);
  CHECK(compared.rows[4].unsupported.find("\"sharding\"") != std::string::npos);
  CHECK_FALSE(read_run_text("{").problem.empty());
}

TEST_CASE("a row's own words on its software come before what is known of its framework") {
  const nlohmann::json table = nlohmann::json::parse(R"({"rows": [
    {"model": "Qwen3_30B_a3B", "device": "DGX-GB200", "num_devices": 8, "ep": 8, "gbs": 512, "seq_len": 4096,
     "precision": "MXFP8", "framework": "Megatron-Bridge 26.06 NeMo Container"},
    {"model": "Qwen3_30B_a3B", "device": "DGX-GB200", "num_devices": 8, "ep": 8, "gbs": 512, "seq_len": 4096,
     "precision": "MXFP8", "framework": "Megatron-Bridge 26.06 NeMo Container", "graphs": false,
     "whole_graph": "no", "fused_products": null, "release": "2024.5", "attention": "flash3"},
    {"model": "Qwen3_30B_a3B", "device": "DGX-GB200", "num_devices": 8, "ep": 8, "gbs": 512, "seq_len": 4096,
     "attention": "flash9"}]})");
  const std::vector<PublishedRun> runs = read_run_table(table).runs;
  REQUIRE(runs[0].input);
  CHECK(runs[0].input->software.release == doctest::Approx(2026 + 5.5 / 12));
  CHECK(runs[0].input->software.whole_graph);
  CHECK(runs[0].input->software.fused_products);
  REQUIRE(runs[1].input);
  CHECK(runs[1].input->software.release == 2024.5);
  CHECK(runs[1].input->software.attention == AttentionKernel::kFlash3);
  CHECK_FALSE(runs[1].input->software.graphs);
  CHECK_FALSE(runs[1].input->software.whole_graph);
  CHECK(runs[1].input->software.fused_products);  // null is not there
  CHECK(runs[2].unsupported.find("flash9") != std::string::npos);
}

TEST_CASE("what follows from other fields of a row need not be there, and numbers may be texts") {
  const nlohmann::json table = nlohmann::json::parse(R"({"rows": [
    {"model": "Llama 3 8B", "device": "DGX-H100", "num_nodes": 2, "devices_per_node": 8, "tp": "2", "pp": null,
     "vp": "n/a", "mbs": 1, "ga": 4, "seq_len": 8192.0, "act_ckpt": ["layernorm", "moe_act"],
     "sharding": "ZeRO-3 + CPU AdamW offload"},
    {"model": "Llama 3 8B", "device": "DGX-H100", "dp": 4, "tp": 2, "gbs": 32, "ga": 2, "seq_len": 8192},
    {"model": "Llama 3 8B", "device": "DGX-H100", "num_devices": 8, "gbs": "many", "seq_len": 8192},
    {"model": "Llama 3 8B", "device": "DGX-H100", "num_devices": 8, "gbs": 8, "seq_len": 8192, "precision": "int4"}
  ]})");
  const std::vector<PublishedRun> runs = read_run_table(table).runs;
  REQUIRE(runs[0].input);
  const Layout& first = runs[0].input->layout;
  CHECK(first.devices == 16);
  CHECK(first.tensor == 2);
  CHECK(first.global_batch == 32);  // 8 data ranks of 4 microbatches
  CHECK(first.sharding == Sharding::kFull);
  CHECK(first.offload);
  CHECK(first.recompute == Recompute::kSelective);
  REQUIRE(runs[1].input);
  CHECK(runs[1].input->layout.devices == 8);
  CHECK(runs[1].input->layout.micro_batch == 4);
  CHECK(runs[2].unsupported.find("\"gbs\"") != std::string::npos);
  CHECK(runs[3].unsupported.find("int4") != std::string::npos);
}

TEST_CASE("a run that ran is not refused for a micro-batch that does not divide its batch") {
  const nlohmann::json table = nlohmann::json::parse(R"({"rows": [
    {"model": "MPT-7b", "device": "A100-SXM-80GB", "num_devices": 8, "gbs": 384, "mbs": 11, "seq_len": 2048,
     "measured": {"step_time_s": 10}},
    {"model": "MPT-7b", "device": "A100-SXM-80GB", "num_devices": 8, "gbs": 384, "mbs": 11, "seq_len": 2048}]})");
  const std::vector<PublishedRun> runs = read_run_table(table).runs;
  CHECK(comparable(runs[0]));
  CHECK(runs[0].input->layout.micro_batch == 8);  // of the 48 sequences of a rank
  CHECK(runs[1].infeasible.find("does not divide the global batch 384") != std::string::npos);
}

TEST_CASE("a row that was not measured has to fit in memory") {
  const nlohmann::json table = nlohmann::json::parse(R"({"rows": [
    {"model": "Llama 3 70B", "device": "DGX-H100", "num_devices": 8, "gbs": 8, "seq_len": 8192},
    {"model": "Llama 3 70B", "device": "DGX-H100", "num_devices": 8, "gbs": 8, "seq_len": 8192,
     "measured": {"step_time_s": 10}}]})");
  const RunComparison compared = compare(read_run_table(table).runs, step_constants());
  CHECK(compared.rows[0].infeasible.find("GB too much") != std::string::npos);
  CHECK(compared.rows[1].predicted.has_value());  // it ran, so something else made it fit
}

TEST_CASE("words of a layout are read, and what is wrong with them is said") {
  Layout layout;
  CHECK(read_layout_words("tensor=8,sharding=full,recompute=selective,offload=yes", layout).empty());
  CHECK(layout.tensor == 8);
  CHECK(layout.sharding == Sharding::kFull);
  CHECK(layout.offload);
  CHECK(read_layout_words("tensr=8", layout).find("\"tensor\"") != std::string::npos);
  CHECK(read_layout_words("tensor=-8", layout).find("at least 1") != std::string::npos);
  CHECK(read_layout_words("tensor", layout).find("KEY=VALUE") != std::string::npos);
  CHECK(read_layout_words("sharding=ful", layout).find("\"full\"") != std::string::npos);
  Software software;
  CHECK(read_software_words("graphs=no,release=2024.5", software).empty());
  CHECK_FALSE(software.graphs);
  CHECK(read_software_words("release=1970", software).find("year") != std::string::npos);
}

TEST_CASE("a word or number of a row that is not understood makes the row unsupported, and names it") {
  const nlohmann::json good = nlohmann::json::parse(
      R"({"model": "Llama 3 8B", "device": "H100", "num_devices": 8, "tp": 2, "gbs": 8, "mbs": 1, "seq_len": 8192,
          "measured": {"step_time_s": 1.5}})");
  const std::pair<std::string_view, std::string_view> bad[] = {
      {"sharding", R"("FULL_SHRAD")"},
      {"act_ckpt", R"("sometimes")"},
      {"precision", R"("int16")"},
      {"precision", "16"},
      {"software", R"("graps=no")"},
      {"arch", R"("abc")"},
      {"arch", R"({"layers": -3})"},
      {"arch", R"({"layers": 2, "hidden": 64, "heads": 8, "kv_heads": 3, "ffn": 128, "vocab": 100})"},
      {"tp", "-2"},
      {"pp", "0"},
      {"vp", "-1"},
      {"dp", "3"},
      {"mbs", "-1"},
      {"measured", R"({"step_time_s": -1})"},
      {"measured", R"({"step_time_s": "soon"})"},
      {"measured", "7"}};
  CHECK(read_run_table(nlohmann::json::array({good})).runs.at(0).unsupported.empty());
  for (const auto& [key, value] : bad) {
    nlohmann::json row = good;
    row[key] = nlohmann::json::parse(value);
    CAPTURE(row.dump());
    const PublishedRun run = read_run_table(nlohmann::json::array({row})).runs.at(0);
    CHECK_FALSE(run.unsupported.empty());
    CHECK(run.unsupported.find(key) != std::string::npos);
  }
}

TEST_CASE("errors are in their column beside refused rows, whose reasons are below, whatever they are") {
  const nlohmann::json table = nlohmann::json::parse(R"([7,
    {"id": "good", "model": "Llama 3 8B", "device": "DGX-H100", "num_devices": 8, "tp": 2, "gbs": 8, "mbs": 1,
     "seq_len": 8192, "measured": {"step_time_s": 1.5}},
    {"id": "bad", "model": "a model of which nobody has heard before today, nor will hear", "device": "x"}])");
  const RunComparison compared = compare(read_run_table(table).runs, step_constants());
  const std::string page = comparison_page(compared);
  CAPTURE(page);
  const std::size_t good = page.find("  good ");
  REQUIRE(good != std::string::npos);
  const std::string line = page.substr(good, page.find('\n', good) - good);
  CHECK(line.ends_with(" %"));
  CHECK(page.find("/rows/0  unsupported: expected an object; found number") != std::string::npos);
  CHECK(page.find("bad  unsupported: unknown transformer") > good);
  CHECK(read_run_text("[]").problem == "there are no rows");
}

TEST_CASE("hybrid sharding is within a node, and bare DDP shares nothing out") {
  const nlohmann::json table = nlohmann::json::parse(R"([
    {"model": "Llama 3 8B", "device": "H100", "num_devices": 32, "devices_per_node": 8, "gbs": 32, "seq_len": 8192,
     "sharding": "HYBRID_SHARD"},
    {"model": "Llama 3 8B", "device": "H100", "num_devices": 32, "gbs": 32, "seq_len": 8192, "sharding": "DDP"}])");
  const std::vector<PublishedRun> runs = read_run_table(table).runs;
  REQUIRE(runs[0].input);
  CHECK(runs[0].input->layout.sharding == Sharding::kFull);
  CHECK(runs[0].input->layout.shard_group == 8);
  REQUIRE(runs[1].input);
  CHECK(runs[1].input->layout.sharding == Sharding::kNone);
}

TEST_CASE("what is known of software hangs on the model, however the row spells it") {
  const auto run_of = [](const std::string& model) {
    return read_run_table(nlohmann::json::array({{{"model", model},
                                                  {"device", "GB200"},
                                                  {"num_devices", 64},
                                                  {"ep", 64},
                                                  {"gbs", 1280},
                                                  {"seq_len", 4096},
                                                  {"framework", "Megatron-Bridge 26.02"}}}))
        .runs.at(0);
  };
  for (const std::string model : {"GPT OSS 120B", "gpt-oss-120b", "openai/gpt-oss-120b"}) {
    const PublishedRun run = run_of(model);
    CAPTURE(model);
    REQUIRE(run.input);
    CHECK_FALSE(run.input->software.fused_experts);
    REQUIRE(run.stated);
    CHECK(run.stated->fused_experts);
  }
}

TEST_CASE("layouts and software come back from the words that describe them") {
  Layout layout, again;
  REQUIRE(read_layout_words(
              "tensor=2,pipeline=4,stages=13/40/13/14,sharding=full,shard_group=4,capacity=1.25", layout)
              .empty());
  CHECK(read_layout_words(joined(layout_values(layout)), again).empty());
  CHECK(layout_values(again) == layout_values(layout));
  CHECK(again.stages == layout.stages);
  CHECK(read_layout_words("tensor=2,tensor=4", layout) == "\"tensor\" is given twice");
}
