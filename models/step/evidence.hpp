#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/step/step.hpp"

namespace fleetsim {

/// How well the time of one kind of exchange of a step is known, by the worst of its collectives.
struct ExchangeEvidence {
  std::string_view kind;  ///< "tensor", "context", "experts", "stages", "data"
  std::int64_t ranks = 1;
  Evidence evidence = Evidence::kMeasured;
  bool is_extrapolated = false;
};

/// Of the kinds that the layout has. Messages are those of an even share of the weights.
std::vector<ExchangeEvidence> exchange_evidence(const StepInput& input);

/// Where one of the device's rates is from.
struct RateEvidence {
  std::string_view kind;    ///< "products", "attention", "copies"
  std::string scaled_from;  ///< an entry of accelerators; empty: measured on the device itself
};

/// Of the rates that a step in that format uses.
std::vector<RateEvidence> rate_evidence(const Accelerator& accelerator, Number number,
                                        AttentionKernel kernel);

}  // namespace fleetsim
