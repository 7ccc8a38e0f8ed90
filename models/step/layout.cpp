#include "models/step/layout.hpp"

#include <algorithm>
#include <numeric>

namespace fleetsim {
namespace {

constexpr double kMostSkew = 1e6;

void divides(std::vector<std::string>& problems, std::int64_t part, std::string_view part_name,
             std::int64_t whole, std::string_view whole_name) {
  if (part >= 1 && whole % part == 0) return;
  problems.push_back(std::string(part_name) + " " + std::to_string(part) + " does not divide " +
                     std::string(whole_name) + " " + std::to_string(whole));
}

/// A schedule of chunks fills the pipeline with microbatches before its first backward pass.
void check_interleaving(std::vector<std::string>& problems, const Layout& l, const Transformer& model) {
  if (l.interleave == 1) return;
  if (l.pipeline == 1) {
    problems.push_back("interleave needs pipeline parallelism");
    return;
  }
  const bool is_too_many = l.pipeline * l.interleave > model.layers + 2;  // said already
  if (!is_too_many && !l.uneven && l.stages.empty() && !divides_layers(l.pipeline * l.interleave, model))
    problems.push_back("pipeline " + std::to_string(l.pipeline) + " x interleave " +
                       std::to_string(l.interleave) + " does not divide the " + std::to_string(model.layers) +
                       " layers, alone or with embedding and head, and the layout is not said to be uneven");
  if (const std::int64_t most = l.accumulation(); most > 0 && most < l.pipeline)
    problems.push_back("interleave " + std::to_string(l.interleave) + " needs as many microbatches as the " +
                       std::to_string(l.pipeline) + " stages; there are " + std::to_string(most));
}

/// Ranks that share out state or tokens divide what they share.
void check_sharing(std::vector<std::string>& problems, const Layout& l, const Transformer& model) {
  if (l.shard_group > 0)
    divides(problems, l.shard_group, "shard group", l.replicas(), "the ranks that hold the same weights");
  if (l.sequence_parallel && model.sequence % l.context == 0)
    divides(problems, l.tensor, "tensor parallelism", model.sequence / l.context,
            "the sequence of a context rank, which sequence parallelism splits,");
}

}  // namespace

bool divides_layers(std::int64_t chunks, const Transformer& model) {
  const std::int64_t layers = model.layers + prediction_passes(model);
  for (const std::int64_t beside : {0, 1, 2}) {
    if ((layers + beside) % chunks == 0) return true;
  }
  return false;
}

std::vector<std::int64_t> layers_of_chunks(const Layout& l, const Transformer& model) {
  const std::int64_t chunks = l.pipeline * l.interleave, layers = model.layers + prediction_passes(model);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(chunks), layers / chunks);
  std::fill_n(counts.begin(), layers % chunks, layers / chunks + 1);
  return counts;
}

bool fills(const Layout& l) {
  // Step by step, so that no product overflows.
  return l.tensor > 0 && l.pipeline > 0 && l.context > 0 && l.devices > 0 && l.devices % l.tensor == 0 &&
         l.devices / l.tensor % l.pipeline == 0 && l.devices / l.tensor / l.pipeline % l.context == 0;
}

std::vector<std::string> layout_problems(const Layout& l, const Transformer& model) {
  std::vector<std::string> problems;
  const std::int64_t sizes[] = {l.devices, l.tensor, l.pipeline,    l.interleave,
                                l.context, l.expert, l.micro_batch, l.global_batch};
  for (const std::int64_t size : sizes) {
    if (size < 1) return {"every degree, the micro-batch and the global batch are at least 1"};
  }
  if (!fills(l)) {
    return {"tensor " + std::to_string(l.tensor) + " x pipeline " + std::to_string(l.pipeline) +
            " x context " + std::to_string(l.context) + " does not divide the number of devices " +
            std::to_string(l.devices)};
  }
  divides(problems, l.micro_batch * l.data(), "micro-batch x data-parallel ranks", l.global_batch,
          "the global batch");
  divides(problems, l.tensor, "tensor parallelism", model.heads, "the number of heads");
  divides(problems, l.context, "context parallelism", model.sequence, "the sequence");
  // The embedding and the head may each take a layer's place.
  if (l.pipeline * l.interleave > model.layers + 2) {
    problems.push_back("pipeline " + std::to_string(l.pipeline) + " x interleave " +
                       std::to_string(l.interleave) + " is more than the " + std::to_string(model.layers) +
                       " layers with embedding and head");
  }
  if (!l.stages.empty()) {
    const std::int64_t layers = std::accumulate(l.stages.begin(), l.stages.end(), std::int64_t{0});
    if (std::int64_t(l.stages.size()) != l.pipeline || layers != model.layers)
      problems.push_back(std::to_string(l.stages.size()) + " stages of " + std::to_string(layers) +
                         " layers together are not " + std::to_string(l.pipeline) + " of " +
                         std::to_string(model.layers));
  }
  if (!(l.capacity >= 0 && l.capacity <= kMostSkew) || !(l.imbalance >= 1 && l.imbalance <= kMostSkew))
    problems.push_back("capacity of experts is at least 0 and their imbalance at least 1");
  check_interleaving(problems, l, model);
  check_sharing(problems, l, model);
  if (l.expert > 1) {
    divides(problems, l.expert, "expert parallelism", model.experts, "the number of experts");
    divides(problems, l.expert, "expert parallelism", l.devices / l.pipeline, "the devices of a stage");
  }
  return problems;
}

std::vector<std::string> layout_warnings(const Layout& l) {
  const std::int64_t microbatches = l.accumulation();
  if (l.pipeline == 1 || microbatches >= l.pipeline) return {};
  return {std::to_string(microbatches) + (microbatches == 1 ? " microbatch does" : " microbatches do") +
          " not fill " + std::to_string(l.pipeline) +
          " pipeline stages: most devices wait most of the time; more sequences a step, or smaller "
          "micro-batches, fill them"};
}

}  // namespace fleetsim
