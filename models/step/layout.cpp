#include "models/step/layout.hpp"

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

}  // namespace

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
  if (l.interleave > 1 && l.pipeline == 1) problems.push_back("interleave needs pipeline parallelism");
  if (l.expert > 1) {
    divides(problems, l.expert, "expert parallelism", model.experts, "the number of experts");
    divides(problems, l.expert, "expert parallelism", l.devices / l.pipeline, "the devices of a stage");
  }
  return problems;
}

}  // namespace fleetsim
