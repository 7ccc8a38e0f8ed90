#include <sstream>

#include "models/catalog/catalog.hpp"
#include "models/catalog/measured_network.hpp"
#include "models/catalog/network.hpp"
#include "models/catalog/read_products.hpp"
#include "models/quantity/format.hpp"
#include "models/step/recommender_step.hpp"
#include "models/step/search.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/runs/comparison.hpp"
#include "tools/runs/published_run.hpp"
#include "tools/runs/step_page.hpp"
#include "tools/runs/step_words.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kOptions[] = {
    {"model", "NAME", "transformer or recommender of the catalog"},
    {"gpus", "N", "devices of the job"},
    {"node", "NAME", "node of the catalog; dgx-h100 unless given"},
    {"fabric", "NAME", "fabric of the catalog; the usual one of the node unless given"},
    {"layout", "KEY=VALUE,...",
     "tensor, pipeline, interleave, context, expert, micro_batch, sharding, recompute, "
     "...; the fastest that fits unless given"},
    {"batch", "N", "sequences of a step; 4 a device unless given"},
    {"sequence", "N", "tokens of a sequence; what the model is trained with unless given"},
    {"precision", "WORD", "bf16, fp8, mxfp8 or nvfp4"},
    {"software", "KEY=VALUE,...", "graphs, fused, overlap, prefetch, attention, release, ..."},
    {"network", "FILE", "sweeps of one's own, as `calibrate nccl --out` writes them"},
    {"gemms", "FILE", "matrix products of one's own, as `calibrate gemm --out` writes them"},
    {"best", "N", "the N fastest layouts that fit"},
    {"vary", "gpus=N,N,...", "the step at several sizes, with as many sequences a device"},
    {"file", "FILE", "published runs to predict and compare, instead of one step"},
    {"json", "", "the result as JSON"},
    {"csv", "", "with --file: a line for each run, to plot"},
    kAsciiOption};
constexpr Usage kUsage = {
    "step",
    "",
    0,
    0,
    kOptions,
    "Predicts the time of a training step from measured rates, and where it goes; or, with "
    "--file, compares predictions with published runs."};

constexpr std::int64_t kUsualSequencesPerDevice = 4;
constexpr std::uint64_t kMostDevices = 10'000'000;

/// The step that the words ask for, without its layout; what is wrong has been said to `arguments`.
std::optional<StepInput> read_input(Arguments& arguments) {
  const auto wrong = [&](const std::string& problem) {
    arguments.reject(problem);
    return std::nullopt;
  };
  StepInput input;
  const std::optional<std::string> model_name = arguments.value("model");
  if (!model_name) return wrong("expected --model, or --file");
  const Found<Like<Transformer>> model = transformer_like(*model_name);
  if (!model && !recommender(*model_name)) return wrong(model.problem);
  if (model) input.model = model.entry->entry;
  if (const auto sequence = arguments.whole("sequence", 1, 100'000'000))
    input.model.sequence = static_cast<std::int64_t>(*sequence);
  const std::string node_name = arguments.value("node").value_or("dgx-h100");
  const Found<Node> node = fleetsim::node(node_name);
  if (!node) return wrong(node.problem);
  input.device = step_device(*accelerator(node.entry->accelerator).entry);
  if (const auto file = arguments.value("gemms")) {
    const std::optional<std::string> text = file_text(*file);
    if (!text) return wrong(*file + ": cannot be read");
    const Parsed<MeasuredProducts> own = read_measured_products(*text);
    if (!own) return wrong(*file + ": " + own.problem);
    input.device.products = std::make_shared<const MeasuredProducts>(*own.value);
  }
  const Found<Network> links = network(node_name, arguments.value("fabric").value_or(node.entry->fabric));
  if (!links) return wrong(links.problem);
  Network known = *links.entry;
  if (const auto file = arguments.value("network")) {
    const std::optional<std::string> text = file_text(*file);
    if (!text) return wrong(*file + ": cannot be read");
    const Parsed<MeasuredNetwork> own = read_measured_network(*text);
    if (!own) return wrong(*file + ": " + own.problem);
    if (const auto misfit = use_measurements(*own.value, known)) return wrong(*file + ": " + *misfit);
  }
  input.links = std::make_shared<const Network>(std::move(known));
  if (const auto word = arguments.value("precision")) {
    const std::string problem = read_number_word(*word, input.number);
    if (!problem.empty()) return wrong(problem);
  }
  if (!has_products(input.device, input.number))
    return wrong(node.entry->accelerator + " has no matrix products in " +
                 std::string(to_string(input.number)));
  if (const auto words = arguments.value("software")) {
    const std::string problem = read_software_words(*words, input.software);
    if (!problem.empty()) return wrong("--software: " + problem);
  }
  const auto devices = arguments.whole("gpus", 1, kMostDevices);
  if (arguments.exit()) return std::nullopt;
  input.layout.devices =
      static_cast<std::int64_t>(devices.value_or(static_cast<std::uint64_t>(node.entry->devices)));
  const auto batch = arguments.whole("batch", 1, 1'000'000'000'000);
  if (arguments.exit()) return std::nullopt;
  input.layout.global_batch =
      batch ? static_cast<std::int64_t>(*batch) : kUsualSequencesPerDevice * input.layout.devices;
  return input;
}

/// The layout given, or the best ones found; nothing where there is none, which has been said.
std::optional<LayoutSearch> layouts_of(Arguments& arguments, StepInput& input, std::size_t keep) {
  LayoutSearch found;
  if (const auto words = arguments.value("layout")) {
    std::string problem = read_layout_words(*words, input.layout);
    for (const std::string& each :
         problem.empty() ? layout_problems(input.layout, input.model) : std::vector<std::string>{})
      problem += (problem.empty() ? "" : "; ") + each;
    if (!problem.empty()) {
      arguments.reject("--layout: " + problem);
      return std::nullopt;
    }
    found.best.push_back({input.layout, step_breakdown(input, step_constants())});
    const Bytes needed = found.best.front().step.memory;
    if (needed > input.device.memory) {
      arguments.reject("--layout: " + described(input.layout) + " does not fit: a device has " +
                       format_bytes(input.device.memory) + " and needs " + format_bytes(needed) + ", " +
                       format_bytes(needed - input.device.memory) + " too much");
      return std::nullopt;
    }
    return found;
  }
  found = search_layouts(input, step_constants(), keep);
  if (!found.best.empty()) return found;
  arguments.reject(found.tried == 0
                       ? "no layout of " + format_integer(input.layout.devices) +
                             " devices takes a batch of " + format_integer(input.layout.global_batch)
                       : "none of " + format_integer(static_cast<std::int64_t>(found.tried)) +
                             " layouts fits: a device has " + format_bytes(input.device.memory) +
                             ", and the least of them needs " + format_bytes(found.least_memory) + ", " +
                             format_bytes(found.least_memory - input.device.memory) + " too much");
  return std::nullopt;
}

/// A step of a recommender: tables and layers are spread in one way only.
std::optional<StepCase> recommender_case(Arguments& arguments, const RecommenderEntry& entry,
                                         StepInput input) {
  for (const std::string_view option : {"layout", "best", "vary", "sequence"}) {
    if (!arguments.value(option)) continue;
    arguments.reject("--" + std::string(option) + " is for transformers");
    return std::nullopt;
  }
  Layout& layout = input.layout;
  if (!arguments.value("batch")) layout.global_batch = entry.batch;
  if (layout.global_batch % layout.devices != 0) {
    arguments.reject("the number of devices " + std::to_string(layout.devices) +
                     " does not divide the global batch " + std::to_string(layout.global_batch));
    return std::nullopt;
  }
  layout.micro_batch = layout.global_batch / layout.devices;
  layout.sharding = Sharding::kNone;
  input.model.sequence = 1;
  const StepBreakdown step = recommender_step({.model = entry.model,
                                               .device = input.device,
                                               .links = input.links,
                                               .devices = layout.devices,
                                               .batch = layout.global_batch,
                                               .number = input.number,
                                               .software = input.software},
                                              step_constants());
  if (step.memory > input.device.memory) {
    arguments.reject("tables do not fit: a device has " + format_bytes(input.device.memory) + " and needs " +
                     format_bytes(step.memory) + ", " + format_bytes(step.memory - input.device.memory) +
                     " too much");
    return std::nullopt;
  }
  return StepCase{std::move(input), step};
}

ExitCode compare_runs(Arguments& arguments, const std::string& path) {
  const std::optional<std::string> text = file_text(path);
  if (!text) return fail("step", path + ": cannot be read", ExitCode::bad_input);
  const RunTable runs = read_run_text(*text);
  if (!runs.problem.empty()) return fail("step", path + ": " + runs.problem, ExitCode::bad_input);
  const RunComparison comparison = compare(runs.runs, step_constants());
  if (arguments.has("json")) return print(comparison_json(comparison));
  return print(arguments.has("csv") ? comparison_csv(comparison) : comparison_page(comparison));
}

/// "gpus=8,16" into sizes; nothing where it is not that, which has been said.
std::optional<std::vector<std::int64_t>> sizes_of(Arguments& arguments, const std::string& words) {
  std::vector<std::int64_t> sizes;
  std::istringstream list{words.starts_with("gpus=") ? words.substr(5) : std::string()};
  for (std::string word; std::getline(list, word, ',');) {
    Layout one;
    if (const std::string problem = read_layout_words("micro_batch=" + word, one); !problem.empty()) {
      arguments.reject("--vary: expected whole numbers; found \"" + word + "\"");
      return std::nullopt;
    }
    sizes.push_back(one.micro_batch);
  }
  if (sizes.empty()) {
    arguments.reject("--vary: expected gpus=N,N,...; found \"" + words + "\"");
    return std::nullopt;
  }
  return sizes;
}

}  // namespace

ExitCode step_command(const Words& words) {
  Arguments arguments = Arguments::parse(kUsage, words);
  if (arguments.exit()) return *arguments.exit();
  if (const auto file = arguments.value("file")) return compare_runs(arguments, *file);
  std::optional<StepInput> input = read_input(arguments);
  if (!input) return arguments.exit().value_or(ExitCode::bad_input);
  if (const Found<RecommenderEntry> entry = recommender(*arguments.value("model"))) {
    const std::optional<StepCase> one = recommender_case(arguments, *entry.entry, *input);
    if (!one) return ExitCode::bad_input;
    return print(arguments.has("json") ? steps_json({*one}) : step_page(*one, output_style(arguments)));
  }
  const auto best = arguments.whole("best", 1, 1000);
  if (arguments.exit()) return *arguments.exit();

  std::vector<std::int64_t> sizes{input->layout.devices};
  if (const auto vary = arguments.value("vary")) {
    const auto given = sizes_of(arguments, *vary);
    if (!given) return ExitCode::bad_input;
    sizes = *given;
  }
  const std::int64_t batch = input->layout.global_batch, devices = input->layout.devices;
  std::vector<StepCase> cases;
  LayoutSearch found;
  for (const std::int64_t size : sizes) {
    StepInput sized = *input;
    sized.layout.devices = size;
    sized.layout.global_batch = std::max<std::int64_t>(1, batch * size / devices);
    const auto layouts = layouts_of(arguments, sized, best.value_or(1));
    if (!layouts) return ExitCode::bad_input;
    found = *layouts;
    for (const RankedLayout& each : layouts->best) {
      sized.layout = each.layout;
      cases.push_back({sized, each.step});
    }
  }
  if (arguments.has("json")) return print(steps_json(cases));
  const Style style = output_style(arguments);
  if (cases.size() == 1) return print(step_page(cases.front(), style));
  return print(steps_page(cases, found, style));
}

}  // namespace fleetsim
