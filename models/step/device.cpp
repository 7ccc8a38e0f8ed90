#include "models/step/device.hpp"

#include "models/catalog/catalog.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kLong = 1'000'000;  // tokens: as good as without end

FlopRate long_rate(const std::optional<AttentionRate>& rate) { return rate ? rate->at(kLong) : FlopRate{}; }

FlopRate first_known(std::initializer_list<FlopRate> rates) {
  for (const FlopRate rate : rates) {
    if (rate.si > 0) return rate;
  }
  return {};
}

}  // namespace

StepDevice step_device(const Accelerator& a) {
  const KernelRates& r = a.rates;
  const FlopRate cudnn = long_rate(r.cudnn);
  const FlopRate flash2 = long_rate(r.flash2);
  const FlopRate flash3 = long_rate(r.flash3);
  const FlopRate flash4 = long_rate(r.flash4);
  StepDevice device;
  device.peak_bf16 = a.peak_bf16;
  device.peak_fp8 = a.peak_fp8.value_or(FlopRate{});
  device.peak_fp4 = a.peak_fp4.value_or(FlopRate{});
  device.gemm_bf16 = r.gemm_bf16.value;
  device.gemm_fp8 = r.gemm_fp8 ? r.gemm_fp8->value : FlopRate{};
  device.attention_flash2 = first_known({flash2, flash3, flash4, cudnn});
  device.attention_flash3 = first_known({flash3, flash4, cudnn, flash2});
  device.attention_cudnn = first_known({cudnn, flash4, flash3, flash2});
  device.copy = r.copy.value;
  device.eager_operation = r.eager_operation.value;
  device.memory_bandwidth = a.hbm_bandwidth;
  device.memory = a.hbm;
  device.multiprocessors = static_cast<double>(r.multiprocessors);
  return device;
}

bool has_products(const StepDevice& device, Number number) {
  switch (number) {
    case Number::kBf16:
      return true;
    case Number::kFp8:
    case Number::kMxfp8:
      return device.peak_fp8.si > 0 && device.gemm_fp8.si > 0;
    case Number::kNvfp4:
      return device.peak_fp4.si > 0;
  }
  return false;
}

}  // namespace fleetsim
