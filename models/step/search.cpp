#include "models/step/search.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

constexpr std::int64_t kMostMicroBatch = 16;
constexpr std::int64_t kMostContext = 8;

std::vector<std::int64_t> divisors(std::int64_t of, std::int64_t most) {
  std::vector<std::int64_t> found;
  for (std::int64_t each = 1; each <= std::min(of, most); ++each) {
    if (of % each == 0) found.push_back(each);
  }
  return found;
}

/// Chunks of a rank that leave equally many layers in each; one where there is no pipeline.
std::vector<std::int64_t> interleavings(std::int64_t pipeline, const Transformer& model) {
  std::vector<std::int64_t> found{1};
  const std::int64_t most = pipeline > 1 ? (model.layers + 2) / pipeline : 1;
  for (std::int64_t each = 2; each <= most; ++each) {
    if (divides_layers(pipeline * each, model)) found.push_back(each);
  }
  return found;
}

class Search {
 public:
  Search(const StepInput& input, const StepConstants& constants, std::size_t keep)
      : in_{input}, constants_{constants}, keep_{keep} {}

  LayoutSearch run() {
    const std::int64_t devices = in_.layout.devices;
    for (const std::int64_t tensor : divisors(devices, std::min(in_.network().domain, in_.model.heads))) {
      for (const std::int64_t pipeline : divisors(devices / tensor, in_.model.layers)) {
        for (const std::int64_t context : divisors(devices / tensor / pipeline, kMostContext))
          with_degrees(tensor, pipeline, context);
      }
    }
    return std::move(found_);
  }

 private:
  void with_degrees(std::int64_t tensor, std::int64_t pipeline, std::int64_t context) {
    Layout& l = in_.layout;
    l.tensor = tensor;
    l.pipeline = pipeline;
    l.context = context;
    if (l.global_batch % l.data() != 0) return;
    const std::vector<std::int64_t> chunks = interleavings(pipeline, in_.model),
                                    batches = divisors(l.global_batch / l.data(), kMostMicroBatch);
    const std::int64_t experts = in_.model.experts > 1 ? l.devices / pipeline : 1;
    for (const std::int64_t expert : divisors(in_.model.experts, experts)) {
      l.expert = expert;
      for (const std::int64_t interleave : chunks) {
        l.interleave = interleave;
        for (const std::int64_t micro_batch : batches) {
          l.micro_batch = micro_batch;
          if (layout_problems(l, in_.model).empty()) with_state();
        }
      }
    }
  }

  void with_state() {
    Layout& l = in_.layout;
    for (const Sharding sharding :
         {Sharding::kOptimizer, Sharding::kNone, Sharding::kGradients, Sharding::kFull}) {
      if (sharding != Sharding::kOptimizer && l.replicas() == 1) continue;  // nobody to share with
      l.sharding = sharding;
      for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
        l.recompute = recompute;
        consider(step_breakdown(in_, constants_));
      }
    }
  }

  void consider(const StepBreakdown& step) {
    found_.least_memory = found_.tried == 0 ? step.memory : std::min(found_.least_memory, step.memory);
    ++found_.tried;
    if (step.memory > in_.device.memory) return;
    ++found_.fitting;
    const auto faster = [](const RankedLayout& a, const RankedLayout& b) {
      return a.step.total() < b.step.total();
    };
    RankedLayout ranked{in_.layout, step};
    const auto place = std::upper_bound(found_.best.begin(), found_.best.end(), ranked, faster);
    found_.best.insert(place, std::move(ranked));
    if (found_.best.size() > keep_) found_.best.pop_back();
  }

  StepInput in_;
  const StepConstants& constants_;
  std::size_t keep_;
  LayoutSearch found_;
};

}  // namespace

LayoutSearch search_layouts(const StepInput& input, const StepConstants& constants, std::size_t keep) {
  return Search(input, constants, keep).run();
}

}  // namespace fleetsim
