#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "models/collective/collective.hpp"
#include "models/quantity/quantity.hpp"
#include "models/step/constants.hpp"
#include "models/step/device.hpp"
#include "models/step/layout.hpp"
#include "models/transformer/recommender.hpp"
#include "models/transformer/transformer.hpp"

namespace fleetsim {

/// How many times longer traffic between NVLink domains takes than if its links were wide enough and its own,
/// and what more switches on the way add to each message.
struct SlowLinks {
  double ring = 1;  ///< gathers, scatters and reductions
  double all_to_all = 1;
  double sends = 1;  ///< from a pipeline stage to the next
  Seconds hops{};
};

/// Everything a step's time depends on.
struct StepInput {
  Transformer model;  ///< `sequence` is the run's
  StepDevice device;
  std::shared_ptr<const Network> links;  ///< never null
  Layout layout;
  Number number = Number::kBf16;
  Software software;
  SlowLinks slow_links{};
  std::optional<Recommender> recommender{};  ///< in place of `model`; of the layout it has devices and batch

  const Network& network() const { return *links; }
};

/// Where the time of a step goes on the rank that sets its pace, by the ledger's `program.*` losses.
struct StepBreakdown {
  Seconds ideal;  ///< model arithmetic at the peak of the number format; causal attention counts half
  Seconds gemm_below_peak;
  Seconds memory_bound;
  Seconds recompute;
  Seconds padding;
  Seconds tensor_comm;
  Seconds data_comm;
  Seconds expert_comm;
  Seconds overlap_contention;
  Seconds pipeline_bubble;
  Seconds dispatch;
  Seconds straggler;
  Seconds unattributed;

  Seconds stage_sends;   ///< of `tensor_comm`: between pipeline stages
  Flops model_flops;     ///< of the whole step, all devices
  Flops executed_flops;  ///< with recomputation
  Bytes moved;           ///< to and from the memory of one device
  Bytes memory;          ///< that one device must hold

  Seconds total() const;
};

/// One part of a step, named as its loss is in the ledger, without "program.".
struct StepPart {
  std::string_view name;
  Seconds StepBreakdown::*time;
};

/// All parts in the order of the ledger, the ideal last. They add up to the step.
std::span<const StepPart> step_parts();

/// What keeps the input from being a step, but for memory. Empty if nothing does.
std::vector<std::string> step_problems(const StepInput& input);

/// Time and memory of one training step of an input that has no problems.
///
/// Sources: Megatron-LM (Narayanan et al., SC 2021; Korthikanti et al., MLSys 2023) for the shapes of layers,
/// pipelines and activations; ZeRO (Rajbhandari et al., SC 2020) for state; the catalog for rates; the
/// constants for what no data sheet says.
StepBreakdown step_breakdown(const StepInput& input, const StepConstants& constants);

/// Share of the peak that the model's arithmetic reaches: MFU.
double model_flops_utilization(const StepBreakdown& step);
/// ... with recomputation counted: HFU.
double hardware_flops_utilization(const StepBreakdown& step);
/// Share of memory bandwidth, as its data sheet states it, that the step's traffic reaches: MBU.
double memory_bandwidth_utilization(const StepBreakdown& step, ByteRate peak);

}  // namespace fleetsim
