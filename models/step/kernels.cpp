#include "models/step/kernels.hpp"

#include <cmath>

namespace fleetsim {
namespace {

constexpr double kDepthReferenceRate = 794e12;  // the constant of depth was found on an H100 of this rate
constexpr double kOutputTile = 128 * 256;
constexpr double kBf16Bytes = 2;
constexpr double kShortSequence = 450;  // keys at which attention runs at half its long-sequence rate
constexpr double kNarrowHead = 0.87;    // of the rate, for heads of 64 against heads of 128

double input_bytes(Number number) {
  switch (number) {
    case Number::kBf16:
      return 2;
    case Number::kFp8:
    case Number::kMxfp8:
      return 1;
    case Number::kNvfp4:
      return 0.5;
  }
  return 2;
}

FlopRate peak_of(const StepDevice& device, Number number) {
  switch (number) {
    case Number::kBf16:
      return device.peak_bf16;
    case Number::kFp8:
    case Number::kMxfp8:
      return device.peak_fp8;
    case Number::kNvfp4:
      return device.peak_fp4;
  }
  return device.peak_bf16;
}

double best_rate(const StepDevice& device, Number number, const StepConstants& c) {
  switch (number) {
    case Number::kBf16:
      return c.gemm_rate * device.gemm_bf16.si;
    case Number::kFp8:
    case Number::kMxfp8:
      return c.gemm_rate_fp8 * device.gemm_fp8.si;
    case Number::kNvfp4:
      return c.gemm_rate_fp8 * c.gemm_rate_fp4 * device.gemm_fp8.si;
  }
  return 0;
}

double attention_rate(const StepDevice& device, AttentionKernel kernel, const StepConstants& c) {
  switch (kernel) {
    case AttentionKernel::kFlash2:
      return c.attention_flash * device.attention_flash2.si;
    case AttentionKernel::kFlash3:
      return c.attention_flash * device.attention_flash3.si;
    case AttentionKernel::kCudnn:
      return c.attention_cudnn * device.attention_cudnn.si;
  }
  return 0;
}

}  // namespace

Kernels::Kernels(const StepDevice& device, const Software& software, Number number, const StepConstants& c)
    : peak_{peak_of(device, number)},
      copy_{device.copy},
      pointwise_{device.copy / (software.fused ? c.pointwise : c.pointwise_unfused)},
      area_{c.gemm_area * device.multiprocessors * kOutputTile},
      overhead_{c.gemm_overhead_us * 1e-6},
      quantized_bytes_{number == Number::kBf16 ? 0 : 4 * c.quantization},
      attention_per_flop_{1 / attention_rate(device, software.attention, c)},
      skips_masked_{software.skips_masked} {
  const auto rate_of = [&](Number format) {
    const double rate = best_rate(device, format, c);
    return Rate{1 / rate, c.gemm_depth * rate / kDepthReferenceRate, input_bytes(format)};
  };
  main_ = rate_of(number);
  bf16_ = rate_of(Number::kBf16);
}

Seconds Kernels::gemm(const Gemm& g, const Rate& rate) const {
  const double arithmetic =
      g.flops().si * rate.per_flop * (1 + rate.depth / g.k) * (1 + area_ / (g.m * g.n * g.count));
  const double bytes = g.count * (rate.input_bytes * (g.m * g.k + g.k * g.n) + kBf16Bytes * g.m * g.n);
  const double memory = bytes / copy_.si;
  return Seconds{std::sqrt(arithmetic * arithmetic + memory * memory) + overhead_};
}

Seconds Kernels::attention_forward(double tokens, double reach, double widths, double head_dim,
                                   double sequence) const {
  // A causal mask leaves half of a full square: what is not skipped is computed and thrown away.
  const double computed = skips_masked_ || reach < sequence / 2 ? reach : 2 * reach;
  const double flops = 2 * tokens * computed * widths;
  double per_flop = attention_per_flop_ * (1 + kShortSequence / sequence);
  if (head_dim < 128) per_flop /= kNarrowHead;
  return Seconds{flops * per_flop};
}

}  // namespace fleetsim
