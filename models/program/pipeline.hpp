#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

// Pipelines of one-forward-one-backward schedules without communication, counted by hand. Source: Narayanan
// et al., SC 2021, arXiv:2104.04473, section 2.2.

/// Stages of equal work. All counts >= 1; interleaving wants a multiple of `stages` micro-batches.
struct Pipeline {
  std::int64_t stages = 1;
  std::int64_t micro_batches = 1;
  std::int64_t interleave = 1;  ///< chunks of layers that each stage holds
};

/// m t + (p - 1) t / v, where t is what a stage takes for one micro-batch, forward and backward.
Seconds pipeline_time(const Pipeline& pipeline, Seconds micro_batch);

/// Share of the step in which a stage waits: (p - 1) / (v m + p - 1).
double pipeline_bubble(const Pipeline& pipeline);

/// Layers of each stage, as even as they can be, the fuller stages first; nothing for more stages than
/// layers.
std::optional<std::vector<std::int64_t>> stage_layers(std::int64_t layers, std::int64_t stages);

/// Time of stages that are not equal: the first micro-batch passes all, the others follow at the pace of the
/// fullest. Nothing for more stages than layers.
std::optional<Seconds> uneven_pipeline_time(std::int64_t layers, const Pipeline& pipeline, Seconds layer);

}  // namespace fleetsim
