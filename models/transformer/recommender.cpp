#include "models/transformer/recommender.hpp"

namespace fleetsim {
namespace {

std::int64_t chain(std::int64_t from, const std::vector<std::int64_t>& widths) {
  std::int64_t weights = 0;
  for (const std::int64_t to : widths) weights += from * to, from = to;
  return weights;
}

}  // namespace

std::int64_t dense_parameters(const Recommender& m) {
  const std::int64_t crossed = m.crosses * 2 * m.interaction() * m.cross_rank;
  const std::vector<std::int64_t> bottom(m.bottom.begin() + 1, m.bottom.end());
  return chain(m.bottom.front(), bottom) + crossed + chain(m.interaction(), m.top);
}

Bytes checkpoint_bytes(const Recommender& m) {
  constexpr double kElement = 4, kRowState = 4, kDenseState = 14;
  return Bytes{static_cast<double>(m.rows) * (static_cast<double>(m.width) * kElement + kRowState) +
               static_cast<double>(dense_parameters(m)) * kDenseState};
}

Flops training_flops_per_sample(const Recommender& m) {
  constexpr double kOperations = 6;  // a weight: forward 2, backward 4
  return Flops{kOperations * static_cast<double>(dense_parameters(m))};
}

}  // namespace fleetsim
