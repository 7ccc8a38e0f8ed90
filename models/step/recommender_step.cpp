#include "models/step/recommender_step.hpp"

#include <algorithm>

#include "models/step/exchange.hpp"
#include "models/step/kernels.hpp"

namespace fleetsim {
namespace {

constexpr double kRowElement = 4;     // tables are FP32
constexpr double kPooledElement = 2;  // pooled rows travel in BF16
constexpr double kRowState = 4;       // row-wise Adagrad: one FP32 number a row
constexpr double kDenseState = 16;    // bytes a weight of the layers: weights, gradients, Adam
constexpr double kUpdateBytes = 30;   // of traffic a weight of the layers
constexpr double kPasses = 2;         // over each layer's output: written, and read by the next
constexpr Bytes kRuntime{4e9};

class RecommenderSum {
 public:
  RecommenderSum(const StepInput& in, const StepConstants& c)
      : in_{in},
        m_{*in.recommender},
        kernels_{in.device, in.software, in.number, c},
        devices_{static_cast<double>(in.layout.devices)},
        samples_{static_cast<double>(in.layout.global_batch) / devices_} {}

  StepBreakdown run() {
    const Recommender& m = m_;
    chain(m.bottom.front(), {m.bottom.begin() + 1, m.bottom.end()});
    for (std::int64_t i = 0; i < m.crosses; ++i) chain(m.interaction(), {m.cross_rank, m.interaction()});
    chain(m.interaction(), m.top);
    const double weights = static_cast<double>(dense_parameters(m));
    const double batch = static_cast<double>(in_.layout.global_batch);
    step_.model_flops = training_flops_per_sample(m) * batch;
    step_.executed_flops = step_.model_flops;
    step_.ideal = step_.model_flops / (kernels_.peak() * devices_);
    step_.gemm_below_peak = products_ - step_.ideal;
    memory(lookup_bytes());
    memory(Bytes{kUpdateBytes * weights});
    // Each device has a pooled row of every table for its samples.
    const Bytes pooled{samples_ * static_cast<double>(m.tables * m.width) * kPooledElement};
    const std::int64_t ranks = in_.layout.devices;
    const RankGroup all{ranks, std::min(ranks, in_.network().domain)};
    if (ranks > 1) {
      step_.expert_comm = 2 * exchange_time(in_, Collective::kAllToAll, pooled, all);
      step_.data_comm = exchange_time(in_, Collective::kAllReduce, Bytes{4 * weights}, all);
    }
    const double rows =
        static_cast<double>(m.rows) * (static_cast<double>(m.width) * kRowElement + kRowState);
    step_.memory = Bytes{rows / devices_ + kDenseState * weights} + kept_ + pooled + kRuntime;
    return step_;
  }

 private:
  /// Rows read and summed, and in the backward pass read, changed and written, with their state.
  Bytes lookup_bytes() const {
    const double looked_up = samples_ * m_.lookups;
    const double row = static_cast<double>(m_.width) * kRowElement;
    const double pooled = samples_ * static_cast<double>(m_.tables * m_.width) * kRowElement;
    return Bytes{looked_up * (3 * row + 2 * kRowState) + 2 * pooled};
  }

  void memory(Bytes bytes) {
    step_.memory_bound += kernels_.copy(bytes);
    step_.moved += bytes;
  }

  void chain(std::int64_t from, const std::vector<std::int64_t>& widths) {
    for (const std::int64_t to : widths) {
      const double k = static_cast<double>(from), n = static_cast<double>(to);
      products_ += kernels_.gemm({samples_, n, k, 1}) + kernels_.gemm({samples_, k, n, 1}) +
                   kernels_.gemm({k, n, samples_, 1});
      memory(Bytes{3 * kPasses * kPooledElement * samples_ * n});
      kept_ += Bytes{kPooledElement * samples_ * n};
      from = to;
    }
  }

  const StepInput& in_;
  const Recommender& m_;
  Kernels kernels_;
  double devices_;
  double samples_;  // of one device
  StepBreakdown step_;
  Seconds products_;
  Bytes kept_;
};

}  // namespace

StepBreakdown recommender_step(const StepInput& input, const StepConstants& constants) {
  return RecommenderSum(input, constants).run();
}

}  // namespace fleetsim
