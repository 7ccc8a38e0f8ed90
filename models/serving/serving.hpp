#pragma once

#include "models/serving/replica.hpp"

namespace fleetsim {

/// Time of one step of a replica, by what takes it. Where the host launches kernels more slowly than the
/// device runs them, `waits` is what the device waits for it.
struct ServingStep {
  Seconds products;   ///< matrix products: weights through memory, and their arithmetic
  Seconds attention;  ///< scores and values, or the cache through memory
  Seconds other;      ///< norms, rotations, activations, residuals, the choice of experts
  Seconds exchange;   ///< all-reduces of tensor parallelism, two a layer
  Seconds waits;
  Seconds time;  ///< the sum, and the replica's `host`

  double mbu = 0;  ///< bytes that must move over what the memories could move in that time
  double mfu = 0;  ///< arithmetic of the model over what the devices could do in that time
};

/// One token more for every sequence of the batch, at this context. Rates are measured ones; the launch of a
/// small kernel costs half of what the launch of a product does, which is part of its curve.
ServingStep decode_step(const Replica& replica, ServingLoad load);

/// The first token of every sequence of the batch: `context` tokens each, all at once.
ServingStep prefill_step(const Replica& replica, ServingLoad load);

/// A request of a batch that starts together: prefill, and a decode step for every token but the first.
Seconds request_time(const Replica& replica, ServingLoad prompt, std::int64_t output);

/// Weights once through the memories of all devices at their data sheet rate: no decode step is faster.
/// MLSys 2, section 9.6.3.
Seconds weight_floor(const Replica& replica);

/// MFU of a decode step of one sequence at that floor: 2 N operations over 2 N bytes, the ridge point's
/// inverse at 16 bits.
double floor_mfu(const Replica& replica);

/// Experts that a batch touches in one layer when each token chooses `top_k` of them evenly:
/// E (1 - (1 - k/E)^tokens).
double touched_experts(const Transformer& model, std::int64_t tokens);

}  // namespace fleetsim
