#include <algorithm>
#include <sstream>

#include "models/catalog/catalog.hpp"
#include "models/catalog/fabric_shape.hpp"
#include "models/quantity/format.hpp"
#include "models/step/search.hpp"
#include "sim/step/step_model.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/step_input.hpp"
#include "tools/cli/studies.hpp"
#include "tools/runs/comparison.hpp"
#include "tools/runs/published_run.hpp"
#include "tools/runs/step_words.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kStepOptions[] = {
    {"model", "NAME", "transformer or recommender of the catalog"},
    {"gpus", "N", "devices of the job; one node unless given"},
    {"node", "NAME", "node of the catalog; dgx-h100 unless given"},
    {"fabric", "NAME", "fabric of the catalog; the usual one of the node unless given"},
    {"layout", "KEY=VALUE,...",
     "tensor, pipeline, interleave, context, expert, micro_batch, sequence_parallel, sharding (none, "
     "optimizer, gradients, full), shard_group, recompute (none, selective, full), stages (13/40/13/14), "
     "uneven, capacity, imbalance, offload; the fastest that fits unless given"},
    {"batch", "N", "sequences of a step; 4 a device unless given"},
    {"sequence", "N", "tokens of a sequence; what the model is trained with unless given"},
    {"precision", "WORD", "bf16, fp8, mxfp8 or nvfp4"},
    {"software", "KEY=VALUE,...",
     "graphs, whole_graph, fused, fused_experts, fused_products, fused_scaling, overlap, prefetch, "
     "skips_masked, attention (flash2, flash3, cudnn), release (a year such as 2025.5)"},
    {"network", "FILE", "sweeps of one's own, as `calibrate nccl --out` writes them"},
    {"gemms", "FILE", "matrix products of one's own, as `calibrate gemm --out` writes them"},
    {"best", "N", "the N fastest layouts that fit"},
    {"vary", "gpus=N,N,...",
     "the step at several sizes in place of --gpus; the whole batch of --batch at each, else 4 sequences a "
     "device"},
    {"file", "FILE", "published runs to predict and compare, instead of one step"},
    {"json", "", "the result as JSON"},
    {"csv", "", "with --file: a line for each run, to plot"},
    kAsciiOption};
constexpr Usage kStepUsage = {
    "step",
    "",
    0,
    0,
    kStepOptions,
    "Predicts the time of a training step from measured rates, and where it goes; or, with "
    "--file, compares predictions with published runs."};

/// Options that would have no effect together are refused.
bool are_together(Arguments& arguments) {
  constexpr std::string_view kWithFile[] = {"file", "json", "csv", "ascii"};
  for (const OptionRow& row : kStepOptions) {
    if (!arguments.has("file") || !arguments.has(row.name)) continue;
    if (std::find(std::begin(kWithFile), std::end(kWithFile), row.name) != std::end(kWithFile)) continue;
    arguments.reject("--" + std::string(row.name) + " has no place beside --file, whose rows say it");
    return false;
  }
  if (arguments.has("csv") && (!arguments.has("file") || arguments.has("json"))) {
    arguments.reject("--csv goes with --file, and without --json");
    return false;
  }
  if (arguments.has("best") && arguments.has("layout")) {
    arguments.reject("--best searches layouts and --layout states one; expected one of them");
    return false;
  }
  return true;
}

std::string beyond(Bytes needed, Bytes has) { return format_bytes(needed - has) + " too much"; }

constexpr std::size_t kReconsidered = 50;

/// What does not fit, in a word and at length.
struct Misfit {
  std::string brief, full;
};

/// The layout given, or the best ones found, as steps of one size; or why there is none.
struct Laid {
  LayoutSearch found;
  std::optional<Misfit> misfit{};
};

Laid state_layout(const StepInput& input) {
  Laid laid;
  std::string problems;
  for (const std::string& each : layout_problems(input.layout, input.model))
    problems += (problems.empty() ? "" : "; ") + each;
  if (!problems.empty()) return {{}, Misfit{problems, "--layout: " + problems}};
  laid.found.best.push_back({input.layout, step_breakdown(input, step_constants())});
  const Bytes needed = laid.found.best.front().step.memory, has = input.device.memory;
  if (needed > has) {
    laid.misfit =
        Misfit{"does not fit, " + beyond(needed, has),
               "--layout: " + described(input.layout) + " does not fit: a device has " + format_bytes(has) +
                   " and needs " + format_bytes(needed) + ", " + beyond(needed, has)};
  }
  return laid;
}

Laid search_layout(const StepInput& input, std::size_t keep) {
  Laid laid{search_layouts(input, step_constants(), keep)};
  const LayoutSearch& found = laid.found;
  if (!found.best.empty()) return laid;
  const Bytes has = input.device.memory;
  if (found.tried == 0) {
    const std::string problem = "no layout of " + format_integer(input.layout.devices) +
                                " devices takes a batch of " + format_integer(input.layout.global_batch);
    laid.misfit = Misfit{problem, problem};
  } else {
    laid.misfit =
        Misfit{"does not fit, " + beyond(found.least_memory, has),
               "none of " + format_integer(static_cast<std::int64_t>(found.tried)) +
                   " layouts fits: a device has " + format_bytes(has) + ", and the least of them needs " +
                   format_bytes(found.least_memory) + ", " + beyond(found.least_memory, has)};
  }
  return laid;
}

/// The step as it is on nodes that stand together on their fabric, which may be narrower above its leaves
/// than below.
StepCase on_fabric(const StepInput& input, const StepNames& names) {
  const Node node = *fleetsim::node(names.node).entry;
  const std::int64_t devices = input.layout.devices;
  const FabricShape shape =
      fabric_shape(*fabric(names.fabric).entry, node, (devices + node.devices - 1) / node.devices);
  const StepModel model{input, static_cast<std::uint32_t>(node.devices), shape, Uplinks::kShare};
  StepInput placed = model.placed(static_cast<std::uint32_t>(devices));
  const StepBreakdown step = step_breakdown(placed, step_constants());
  return {std::move(placed), step};
}

/// A step of a recommender: tables and layers are spread in one way only.
std::optional<StepCase> recommender_case(Arguments& arguments, const RecommenderEntry& entry, StepInput input,
                                         const StepNames& names) {
  for (const std::string_view option : {"layout", "best", "vary", "sequence"}) {
    if (!arguments.has(option)) continue;
    arguments.reject("--" + std::string(option) + " is for transformers");
    return std::nullopt;
  }
  Layout& layout = input.layout;
  if (!arguments.value("batch")) layout.global_batch = entry.batch;
  input.recommender = entry.model;
  input.model.sequence = 1;
  for (const std::string& problem : step_problems(input)) {
    arguments.reject(problem);
    return std::nullopt;
  }
  layout.micro_batch = layout.global_batch / layout.devices;
  layout.sharding = Sharding::kNone;
  StepCase one = on_fabric(input, names);
  if (one.step.memory > input.device.memory) {
    arguments.reject("tables do not fit: a device has " + format_bytes(input.device.memory) + " and needs " +
                     format_bytes(one.step.memory) + ", " + beyond(one.step.memory, input.device.memory));
    return std::nullopt;
  }
  return one;
}

ExitCode recommender_command(Arguments& arguments, const RecommenderEntry& entry, const AskedStep& asked) {
  const std::optional<StepCase> one = recommender_case(arguments, entry, asked.input, asked.names);
  if (!one) return ExitCode::bad_input;
  if (!arguments.has("json")) return print(recommender_page(*one, asked.names, output_style(arguments)));
  const Layout& l = one->input.layout;
  return print(steps_json({{{l.devices, l.global_batch, {*one}}}}, asked.names));
}

ExitCode compare_runs(const Arguments& arguments, const std::string& path) {
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
      arguments.reject("--vary: expected whole numbers of at least 1; found \"" + word + "\"");
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

/// The steps of all sizes; nothing where no size has one, which has been said.
std::optional<StepTable> table_of(Arguments& arguments, const StepInput& input, const StepNames& names,
                                  const std::vector<std::int64_t>& sizes, std::size_t keep) {
  StepTable table;
  std::string full;
  bool any = false;
  for (const std::int64_t size : sizes) {
    StepInput sized = input;
    sized.layout.devices = size;
    if (!arguments.has("batch")) sized.layout.global_batch = kUsualSequencesPerDevice * size;
    // On a narrow fabric the order of the best may change.
    const Laid laid =
        arguments.has("layout") ? state_layout(sized) : search_layout(sized, std::max(keep, kReconsidered));
    table.tried += laid.found.tried;
    table.fitting += laid.found.fitting;
    SizedSteps& steps = table.sizes.emplace_back();
    steps.devices = size;
    steps.batch = sized.layout.global_batch;
    if (laid.misfit) {
      steps.problem = laid.misfit->brief;
      full += (full.empty() ? "" : "; ") + laid.misfit->full;
      continue;
    }
    any = true;
    for (const RankedLayout& each : laid.found.best) {
      sized.layout = each.layout;
      steps.cases.push_back(on_fabric(sized, names));
    }
    std::stable_sort(steps.cases.begin(), steps.cases.end(),
                     [](const StepCase& a, const StepCase& b) { return a.step.total() < b.step.total(); });
    if (steps.cases.size() > keep)
      steps.cases.erase(steps.cases.begin() + std::ptrdiff_t(keep), steps.cases.end());
  }
  if (any) return table;
  arguments.reject(full);
  return std::nullopt;
}

}  // namespace

ExitCode step_command(const Words& words) {
  Arguments arguments = Arguments::parse(kStepUsage, words);
  if (arguments.exit()) return *arguments.exit();
  if (!are_together(arguments)) return ExitCode::bad_input;
  if (const auto file = arguments.value("file")) return compare_runs(arguments, *file);
  std::optional<AskedStep> asked = read_step_input(arguments);
  if (!asked) return ExitCode::bad_input;
  if (const Found<RecommenderEntry> entry = recommender(asked->names.model))
    return recommender_command(arguments, *entry.entry, *asked);
  const auto best = arguments.whole("best", 1, 1000);
  if (arguments.exit()) return *arguments.exit();
  if (const auto layout = arguments.value("layout")) {
    const std::string problem = read_layout_words(*layout, asked->input.layout);
    if (!problem.empty()) {
      arguments.reject("--layout: " + problem);
      return ExitCode::bad_input;
    }
  }
  std::vector<std::int64_t> sizes{asked->input.layout.devices};
  const auto vary = arguments.value("vary");
  if (vary) {
    const auto given = sizes_of(arguments, *vary);
    if (!given) return ExitCode::bad_input;
    sizes = *given;
  }
  const auto table = table_of(arguments, asked->input, asked->names, sizes, best.value_or(1));
  if (!table) return ExitCode::bad_input;
  if (arguments.has("json")) return print(steps_json(*table, asked->names));
  const Style style = output_style(arguments);
  const std::vector<StepCase>& cases = table->sizes.front().cases;
  const bool is_one = !vary && cases.size() == 1;
  return print(is_one ? step_page(cases.front(), asked->names, style)
                      : steps_page(*table, asked->names, style));
}

}  // namespace fleetsim
