#include "models/program/napkin.hpp"

#include <cmath>

namespace fleetsim {
namespace {

constexpr std::int64_t kExchangesPerLayer = 4;

}  // namespace

double ridge_point(FlopRate peak, ByteRate bandwidth) { return peak.si / bandwidth.si; }

double fusion_ratio(Bytes weights, Bytes activations, std::int64_t followers) {
  const Bytes fused = weights + 2 * activations;
  return (fused + 2 * static_cast<double>(followers) * activations) / fused;
}

double attention_ratio(std::int64_t sequence, std::int64_t head_dim) {
  return 1 + static_cast<double>(sequence) / static_cast<double>(head_dim);
}

Seconds dispatch_time(std::int64_t layers, std::int64_t kernels, Seconds launch) {
  return static_cast<double>(layers * kernels) * launch;
}

double kept_share(std::span<const KeptPart> parts) {
  double kept = 0;
  for (const KeptPart& part : parts) kept += part.share * part.kept;
  return kept;
}

double steps_to_repay(Seconds once, Seconds step, double kept) { return once / ((1 - kept) * step); }

std::int64_t exchange_points(const TensorExchange& exchange) { return kExchangesPerLayer * exchange.layers; }

Seconds exchange_time(const TensorExchange& exchange, ByteRate link) {
  const double ranks = static_cast<double>(exchange.ranks);
  const double moved = 2 * (ranks - 1) / ranks;
  return static_cast<double>(exchange_points(exchange)) * moved * exchange.payload / link;
}

double loss_left(double growth, double exponent) { return std::pow(growth, -exponent); }

double any_in_tail(double share, std::int64_t requests) {
  return 1 - std::pow(1 - share, static_cast<double>(requests));
}

}  // namespace fleetsim
