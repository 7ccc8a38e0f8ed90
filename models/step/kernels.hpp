#pragma once

#include "models/gemm/gemm.hpp"
#include "models/quantity/quantity.hpp"
#include "models/step/constants.hpp"
#include "models/step/device.hpp"

namespace fleetsim {

/// The rates of one device with the constants applied, so that a step's kernels cost a few operations each.
class Kernels {
 public:
  Kernels(const StepDevice& device, const Software& software, Number number, const StepConstants& constants);

  /// Time of a product in the step's number format, or in BF16: as measured on this device where it was, else
  /// by the curve fitted to those measurements, else by a curve of the constants and the device's best rate.
  Seconds gemm(const Gemm& shape) const { return gemm(shape, main_); }
  Seconds gemm_bf16(const Gemm& shape) const { return gemm(shape, bf16_); }

  /// Forward attention of `tokens` queries over `reach` keys each, in so many score and value dimensions over
  /// all heads.
  Seconds attention_forward(double tokens, double reach, double widths, double head_dim,
                            double sequence) const;

  /// Backward attention takes 2.5 times the products of forward.
  static constexpr double kAttentionBackward = 2.5;

  /// Kernels that read and write so many bytes, in the ideal; each starts as late after the one before it as
  /// a product does.
  Seconds pointwise(Bytes ideal, double kernels) const {
    return ideal / pointwise_ + kernels * main_.curve.each;
  }

  /// Casting so many elements to the step's number format; nothing for BF16.
  Seconds quantization(double elements) const { return Bytes{elements * quantized_bytes_} / copy_; }

  Seconds copy(Bytes bytes) const { return bytes / copy_; }

  FlopRate peak() const { return peak_; }

  /// Bytes of an element that a product reads, in the step's number format.
  double input_bytes() const { return main_.input_bytes; }

 private:
  struct Format {
    GemmCurve curve;
    double input_bytes;
    const GemmSurface* measured;  // of the device's own products; may be null
  };

  static Seconds gemm(const Gemm& shape, const Format& format);
  Format format_of(const StepDevice& device, Number number, const StepConstants& constants) const;

  Format main_;
  Format bf16_;
  FlopRate peak_;
  ByteRate copy_;
  ByteRate pointwise_;
  double quantized_bytes_;
  double attention_per_flop_;
  bool skips_masked_;
};

}  // namespace fleetsim
