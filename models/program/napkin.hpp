#pragma once

#include <cstdint>
#include <span>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

// What levers on a program are worth, on ideal hardware. Equation and section numbers are those of Machine
// Learning Systems, volume 2, chapter 9.

/// Operations per byte above which arithmetic and below which memory bounds a kernel. Section 9.6.3.
double ridge_point(FlopRate peak, ByteRate bandwidth);

/// Memory traffic of a linear layer followed by so many element-wise kernels, over that of one fused kernel:
/// each follower reads and writes the activations once more. Section 9.7.3.
double fusion_ratio(Bytes weights, Bytes activations, std::int64_t followers);

/// Memory traffic of attention that writes its scores out and reads them back, over that of a kernel which
/// keeps them on the chip: 1 + s / d. Section 9.7.3; Dao et al., NeurIPS 2022.
double attention_ratio(std::int64_t sequence, std::int64_t head_dim);

/// What the host takes to launch every kernel of every layer by itself. Section 9.7.3.
Seconds dispatch_time(std::int64_t layers, std::int64_t kernels, Seconds launch);

/// A part of a step's time and what a change leaves of it.
struct KeptPart {
  double share = 0;
  double kept = 1;
};

/// What is left of the step: the sum of share times kept. Napkin 9.6.
double kept_share(std::span<const KeptPart> parts);

/// Steps after which a one-time cost is repaid by the time that each saves. `kept` < 1.
double steps_to_repay(Seconds once, Seconds step, double kept);

/// What tensor parallelism exchanges in a training step: two all-reduces forward and two backward a layer, of
/// all tokens' hidden states. Section 9.7.2; Shoeybi et al., arXiv:1909.08053.
struct TensorExchange {
  std::int64_t layers = 0;
  Bytes payload;  ///< tokens x hidden x bytes of an element
  std::int64_t ranks = 1;
};
std::int64_t exchange_points(const TensorExchange& exchange);
/// Rings that reach `link` one way at once: points x 2 (g - 1)/g x payload / link.
Seconds exchange_time(const TensorExchange& exchange, ByteRate link);

/// What so many times the compute leaves of the loss: growth^-exponent, 0.050 in Kaplan et al.,
/// arXiv:2001.08361. MLSys 2, section 17.3.
double loss_left(double growth, double exponent);

/// The chance that at least one of `requests` independent ones is among the slowest `share`. Dean and
/// Barroso, CACM 56(2), 2013; MLSys 2, section 17.2.
double any_in_tail(double share, std::int64_t requests);

}  // namespace fleetsim
