#include "models/program/pipeline.hpp"

namespace fleetsim {

Seconds pipeline_time(const Pipeline& pipeline, Seconds micro_batch) {
  const double fill = static_cast<double>(pipeline.stages - 1) / static_cast<double>(pipeline.interleave);
  return (static_cast<double>(pipeline.micro_batches) + fill) * micro_batch;
}

double pipeline_bubble(const Pipeline& pipeline) {
  const double fill = static_cast<double>(pipeline.stages - 1);
  return fill / (static_cast<double>(pipeline.interleave * pipeline.micro_batches) + fill);
}

std::optional<std::vector<std::int64_t>> stage_layers(std::int64_t layers, std::int64_t stages) {
  if (stages < 1 || stages > layers) return std::nullopt;
  std::vector<std::int64_t> held(static_cast<std::size_t>(stages), layers / stages);
  for (std::int64_t stage = 0; stage < layers % stages; ++stage) ++held[static_cast<std::size_t>(stage)];
  return held;
}

std::optional<Seconds> uneven_pipeline_time(std::int64_t layers, const Pipeline& pipeline, Seconds layer) {
  const auto held = stage_layers(layers, pipeline.stages);
  if (!held) return std::nullopt;
  const std::int64_t paced = (pipeline.micro_batches - 1) * held->front();
  return static_cast<double>(layers + paced) * layer;
}

}  // namespace fleetsim
