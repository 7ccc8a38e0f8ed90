#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/catalog/fabric_shape.hpp"
#include "models/step/on_node.hpp"
#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/limits.hpp"

namespace fleetsim {

const PoolSpec* modelled_pool(const Reader& step, const ClassContext& context, const JobClass& job) {
  const PoolSpec* first = context.first_pool(job);
  if (first == nullptr) return nullptr;  // reported where the pools are
  for (const std::uint32_t index : job.pools) {
    const PoolSpec& pool = context.scenario.pools[index];
    if (pool.node.empty()) {
      step.problem("model",
                   "needs pools with a \"node\" of the catalog; pool \"" + pool.name + "\" has none");
      return nullptr;
    }
    if (pool.node == first->node && pool.fabric == first->fabric) continue;
    step.problem("model", "needs pools of one \"node\" and \"fabric\"; \"" + first->name + "\" and \"" +
                              pool.name + "\" differ");
    return nullptr;
  }
  return first;
}

namespace {

constexpr std::int64_t kMostDegree = 1'000'000;

std::optional<std::vector<std::int64_t>> read_stages(const Reader& layout) {
  const Json* const listed = layout.find("stages");
  if (listed == nullptr) return std::nullopt;
  if (!listed->is_array()) {
    layout.expected("stages", "a list of whole numbers, the layers of each stage");
    return std::nullopt;
  }
  const WholeRange range{1, kMostDegree};
  std::vector<std::int64_t> stages;
  for (std::size_t i = 0; i < listed->size(); ++i) {
    const std::optional<std::int64_t> layers = whole_of((*listed)[i], range);
    if (!layers)
      report_not_in(range, (*listed)[i], child_pointer(layout.pointer_of("stages"), i), layout.problems());
    stages.push_back(layers.value_or(1));
  }
  return stages;
}

Layout read_layout(const Reader& in, std::uint32_t devices) {
  Layout layout{.devices = devices};
  const auto given = in.object("layout");
  if (!given) return layout;
  const WholeRange degree{1, kMostDegree};
  assign(layout.tensor, given->whole("tensor", degree));
  assign(layout.pipeline, given->whole("pipeline", degree));
  assign(layout.interleave, given->whole("interleave", degree));
  assign(layout.context, given->whole("context", degree));
  assign(layout.expert, given->whole("expert", degree));
  assign(layout.micro_batch, given->whole("micro_batch", degree));
  assign(layout.sequence_parallel, given->flag("sequence_parallel"));
  assign(layout.sharding, given->choice("sharding", {Sharding::kNone, Sharding::kOptimizer,
                                                     Sharding::kGradients, Sharding::kFull}));
  assign(layout.shard_group, given->whole("shard_group", degree));
  assign(layout.recompute,
         given->choice("recompute", {Recompute::kNone, Recompute::kSelective, Recompute::kFull}));
  assign(layout.offload, given->flag("offload"));
  assign(layout.stages, read_stages(*given));
  assign(layout.capacity, given->positive_number("capacity"));
  assign(layout.uneven, given->flag("uneven"));
  assign(layout.imbalance, given->positive_number("imbalance"));
  const auto data = given->whole("data", degree);
  const std::int64_t others = layout.tensor * layout.pipeline * layout.context;
  if (data && *data * others != devices)
    given->problem("data",
                   "expected degrees of tensor, pipeline, data and context whose product is the gang, " +
                       std::to_string(devices) + "; found " + std::to_string(*data * others));
  return layout;
}

Software read_software(const Reader& step) {
  Software software;
  const auto given = step.object("software");
  if (!given) return software;
  assign(software.release, given->positive_number("release"));
  if (!(software.release > 2000 && software.release < 2100))
    given->expected("release", "a year such as 2025.5");
  assign(software.attention, given->choice("attention", {AttentionKernel::kFlash2, AttentionKernel::kFlash3,
                                                         AttentionKernel::kCudnn}));
  assign(software.skips_masked, given->flag("skips_masked"));
  assign(software.fused, given->flag("fused"));
  assign(software.fused_experts, given->flag("fused_experts"));
  assign(software.fused_products, given->flag("fused_products"));
  assign(software.fused_scaling, given->flag("fused_scaling"));
  assign(software.overlap, given->flag("overlap"));
  assign(software.prefetch, given->flag("prefetch"));
  assign(software.graphs, given->flag("graphs"));
  assign(software.whole_graph, given->flag("whole_graph"));
  return software;
}

Number read_precision(const Reader& step, const PoolSpec& pool, const StepDevice& device) {
  const Number number =
      step.choice("precision", {Number::kBf16, Number::kFp8, Number::kMxfp8, Number::kNvfp4})
          .value_or(Number::kBf16);
  if (!has_products(device, number))
    step.problem("precision",
                 pool.device_type + " has no matrix products in " + step.text("precision").value_or(""));
  return number;
}

/// What the model needs of the catalog and of the class; nothing where something is wrong, and reported.
std::optional<StepModel> make_model(const Reader& in, const Reader& step, const ClassContext& context,
                                    const JobClass& job, std::uint32_t devices) {
  const std::size_t before = in.problems().size();
  const PoolSpec* const pool = modelled_pool(step, context, job);
  if (!in.has("model")) step.problem("model", "needs a key \"model\" of the class, to know what is trained");
  const auto batch = step.whole("global_batch", {1, kMostDegree * kMostDegree});
  if (!step.has("global_batch"))
    step.problem("missing key \"global_batch\", which goes with \"model\": true");
  const auto sequence = step.whole("sequence", {1, kMostDegree * kMostDegree});
  const Layout layout = read_layout(in, devices);
  const Software software = read_software(step);
  if (context.recommender && in.has("layout"))
    in.problem("layout", "is for transformers: tables of a recommender are spread over all devices");
  if (pool == nullptr || !(context.model || context.recommender) || !batch) return std::nullopt;
  const Node node = *fleetsim::node(pool->node).entry;
  const std::string& fabric_name = pool->fabric.empty() ? node.fabric : pool->fabric;
  StepInput input = step_on(node, fabric_name);
  input.layout = layout;
  input.software = software;
  if (context.model) input.model = *context.model;
  if (sequence) input.model.sequence = *sequence;
  if (context.recommender) input.model.sequence = 1;  // tokens of a step are samples
  input.recommender = context.recommender;
  input.layout.global_batch = *batch;
  input.number = read_precision(step, *pool, input.device);
  if (in.problems().size() > before) return std::nullopt;
  return StepModel{std::move(input), static_cast<std::uint32_t>(node.devices),
                   fabric_shape(*fabric(fabric_name).entry, node, pool->nodes),
                   pool->shared_links ? Uplinks::kAll : Uplinks::kShare};
}

}  // namespace

void read_step_model(const Reader& in, const ClassContext& context, JobClass& job) {
  const auto step = in.object("step");
  if (!step || step->flag("model") != true) return;
  for (const std::string_view key :
       step->present({"time", "tokens", "ideal", "flops", "parts", "neighbour_share"}))
    step->problem(key, "excluded by \"model\": true, which predicts it");
  if (in.has("program_goodput")) in.problem("program_goodput", "excluded by \"step\" with \"model\": true");
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!gang || gang->milli() % 1000 != 0) {
    step->problem("model", "needs a gang of one size, in whole devices");
    return;
  }
  const auto devices = static_cast<std::uint32_t>(gang->milli() / 1000);
  const std::optional<StepModel> model = make_model(in, *step, context, job, devices);
  if (!model) return;
  const std::vector<std::string> problems = model->problems(devices);
  const Reader& place = in;
  for (const std::string& problem : problems) {
    if (in.has("layout")) place.problem("layout", problem);
    if (!in.has("layout")) step->problem("model", problem);
  }
  if (!problems.empty()) return;
  const StepInput& input = model->input();
  const StepBreakdown breakdown = model->breakdown(devices);
  const StepProfile profile = step_profile(breakdown);
  job.step.time = profile.time;
  job.step.tokens =
      static_cast<double>(input.layout.global_batch) * static_cast<double>(input.model.sequence);
  job.program.weights = profile.weights;
  job.program_goodput = model_flops_utilization(breakdown);
  job.step.model = *model;
  if (!input.recommender) {
    for (const std::string& warning : layout_warnings(input.layout))
      context.notes.push_back("workload " + job.name + ": " + warning);
  }
  if (input.number != Number::kBf16)
    context.notes.push_back("workload " + job.name + ": its ideal is the peak in " +
                            step->text("precision").value_or("") + "; P does not compare with that in bf16");
  // A slow member stretches all but exposed exchange; what others take from links the model is asked itself.
  const Seconds exchange = breakdown.tensor_comm + breakdown.data_comm + breakdown.expert_comm;
  job.step.stretched[static_cast<std::size_t>(SlowCause::straggler)] = 1 - exchange / breakdown.total();
}

StepProfile compiled(StepProfile profile, const JobClass& job) {
  if (!job.step.compile) return profile;
  std::int64_t saved = 0;
  for (auto& [leaf, weight] : profile.weights) {
    for (const auto& [part, share] : job.step.compile->keeps) {
      if (part != leaf) continue;
      const std::int64_t left = std::llround(static_cast<double>(weight) * share);
      saved += weight - left;
      weight = left;
    }
  }
  std::erase_if(profile.weights, [](const auto& entry) { return entry.second == 0; });
  profile.time = profile.time - Duration::nanoseconds(saved);
  return profile;
}

StepProfile profile_at(const JobClass& job, std::uint32_t devices) {
  return compiled(step_profile(job.step.model->breakdown(devices)), job);
}

namespace {

/// Shares that are left of parts that the step has.
std::vector<std::pair<Leaf, double>> read_keeps(const Reader& compile, const JobClass& job) {
  std::vector<std::pair<Leaf, double>> keeps;
  const Json* const given = compile.find("keeps");
  if (given == nullptr) return keeps;
  if (!given->is_object()) {
    compile.expected("keeps", "an object of shares by part");
    return keeps;
  }
  const Reader in(*given, compile.pointer_of("keeps"), "", compile.problems());
  for (const auto& [name, ignored] : given->items()) {
    const std::optional<double> share = in.share(name);
    const std::optional<Leaf> leaf = leaf_by_name("program." + name);
    const bool is_part = leaf && std::any_of(job.program.weights.begin(), job.program.weights.end(),
                                             [&](const auto& entry) { return entry.first == *leaf; });
    if (!is_part)
      in.problem(name, "the step has no such part; parts come with \"model\": true or in \"parts\"");
    if (is_part && share) keeps.emplace_back(*leaf, *share);
  }
  return keeps;
}

}  // namespace

void read_compile(const Reader& in, JobClass& job) {
  const auto step = in.object("step");
  const auto compile = step ? step->object("compile") : std::nullopt;
  if (!compile) return;
  CompileSpec spec;
  assign(spec.build, compile->duration("build"));
  assign(spec.is_shared, compile->flag("shared"));
  spec.keeps = read_keeps(*compile, job);
  job.step.compile = spec;
  if (spec.keeps.empty()) return;
  const Duration before = job.step.time;
  const StepProfile after = compiled({before, job.program.weights}, job);
  job.step.time = after.time;
  job.program.weights = after.weights;
  if (job.program_goodput) *job.program_goodput *= to_seconds(before) / to_seconds(after.time);
  job.step.wait = wait_of_step(job, job.step.time);
}

}  // namespace fleetsim
