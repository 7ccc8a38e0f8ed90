#include "models/step/kernels.hpp"

#include <cmath>

namespace fleetsim {
namespace {

constexpr double kDepthReferenceRate = 794e12;  // the constant of depth was found on an H100 of this rate
constexpr double kOutputTile = 128 * 256;
constexpr double kBf16Bytes = 2;
constexpr double kShortSequence = 450;  // keys at which attention runs at half its long-sequence rate
constexpr double kNarrowHead = 0.87;    // of the rate, for heads of 64 against heads of 128

double bytes_of(Number number) {
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

const MeasuredFormat* measured_format(const StepDevice& device, Number number) {
  if (!device.products) return nullptr;
  const MeasuredProducts& all = *device.products;
  const std::optional<MeasuredFormat>& format = number == Number::kBf16    ? all.bf16
                                                : number == Number::kNvfp4 ? all.fp4
                                                                           : all.fp8;
  return format ? &*format : nullptr;
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
      quantized_bytes_{number == Number::kBf16 ? 0 : 4 * c.quantization},
      attention_per_flop_{1 / attention_rate(device, software.attention, c)},
      skips_masked_{software.skips_masked} {
  main_ = format_of(device, number, c);
  bf16_ = format_of(device, Number::kBf16, c);
}

Kernels::Format Kernels::format_of(const StepDevice& device, Number number, const StepConstants& c) const {
  if (const MeasuredFormat* own = measured_format(device, number))
    return {own->curve, bytes_of(number), &own->surface};
  const double rate = best_rate(device, number, c);
  const GemmCurve curve{.rate = FlopRate{rate},
                        .bandwidth = copy_,
                        .each = Seconds{c.gemm_overhead_us * 1e-6},
                        .small_result = c.gemm_area * device.multiprocessors * kOutputTile,
                        .short_depth = c.gemm_depth * rate / kDepthReferenceRate};
  return {curve, bytes_of(number), nullptr};
}

Seconds Kernels::gemm(const Gemm& g, const Format& format) {
  if (format.measured != nullptr && g.count == 1) {
    const auto rate =
        format.measured->rate({.m = std::llround(g.m), .n = std::llround(g.n), .k = std::llround(g.k)});
    if (rate) return g.flops() / rate->rate;
  }
  return gemm_time(format.curve, g, {.factors = format.input_bytes, .result = kBf16Bytes});
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
