#pragma once

#include <cstddef>
#include <vector>

#include "models/step/step.hpp"

namespace fleetsim {

struct RankedLayout {
  Layout layout;
  StepBreakdown step;
};

struct LayoutSearch {
  std::vector<RankedLayout> best;  ///< that fit in memory, fastest first; equal ones in the order tried
  std::size_t tried = 0;           ///< layouts without problems
  std::size_t fitting = 0;
  Bytes least_memory;  ///< of one device, over all tried
};

/// Tries every combination of degrees that divide the devices, of chunks that divide the layers, of
/// micro-batches up to 16 that divide the batch, of all shardings and recomputations, for the devices and the
/// global batch of `input`, and keeps the `keep` fastest that fit. Tensor ranks stay within an NVLink domain,
/// context ranks are eight at most; shard groups, uneven stages and offload are not tried.
LayoutSearch search_layouts(const StepInput& input, const StepConstants& constants, std::size_t keep);

}  // namespace fleetsim
