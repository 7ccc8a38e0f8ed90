#include "models/money/pareto.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

bool beats(const Objectives& a, const Objectives& b) {
  return a != b && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

}  // namespace

std::vector<std::size_t> pareto_set(std::span<const Objectives> choices) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto beats_this = [&](const Objectives& other) { return beats(other, choices[i]); };
    if (std::none_of(choices.begin(), choices.end(), beats_this)) kept.push_back(i);
  }
  return kept;
}

}  // namespace fleetsim
