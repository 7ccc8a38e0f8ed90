#include "sim/core/distribution.hpp"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace fleetsim {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

bool positive(double x) { return x > 0 && std::isfinite(x); }

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

double unit_uniform(RandomStream& stream) { return boost::random::uniform_01<double>{}(stream); }
double unit_exponential(RandomStream& stream) {
  return boost::random::exponential_distribution<double>{}(stream);
}
double unit_normal(RandomStream& stream) { return boost::random::normal_distribution<double>{}(stream); }

/// The element at the fraction `u`, in [0, 1), of a list of `size`. The product may round up to `size`.
std::size_t index_at(double u, std::size_t size) {
  return std::min(static_cast<std::size_t>(u * static_cast<double>(size)), size - 1);
}

double mean_of(const Distribution::Shape& shape) {
  return std::visit(
      Overloaded{
          [](const Distribution::Fixed& d) { return d.value; },
          [](const Distribution::Uniform& d) { return d.low + (d.high - d.low) / 2; },
          [](const Distribution::Exponential& d) { return d.mean; },
          [](const Distribution::Weibull& d) { return d.scale * std::tgamma(1 + 1 / d.shape); },
          [](const Distribution::Lognormal& d) { return d.median * std::exp(d.sigma * d.sigma / 2); },
          [](const Distribution::Empirical& d) {
            return std::accumulate(d.values.begin(), d.values.end(), 0.0) /
                   static_cast<double>(d.values.size());
          },
          [](const Distribution::Choice& d) {
            return std::inner_product(d.values.begin(), d.values.end(), d.weights.begin(), 0.0) /
                   std::accumulate(d.weights.begin(), d.weights.end(), 0.0);
          },
      },
      shape);
}

const char* problem_with_choice(const Distribution::Choice& d) {
  if (d.values.size() != d.weights.size()) return "there must be as many weights as values";
  if (!all_finite(d.values)) return "the values must be finite";
  const bool weights_are_valid = all_finite(d.weights) && std::all_of(d.weights.begin(), d.weights.end(),
                                                                      [](double w) { return w >= 0; });
  if (!weights_are_valid) return "the weights must be finite and not negative";
  if (!positive(std::accumulate(d.weights.begin(), d.weights.end(), 0.0)))
    return "at least one weight must be positive";
  return nullptr;
}

}  // namespace

Distribution::Weibull Distribution::Weibull::with_mean(double mean, double shape) {
  return {.scale = mean / std::tgamma(1 + 1 / shape), .shape = shape};
}

std::optional<std::string> Distribution::problem_with(const Shape& shape) {
  const auto unless = [](bool fine, const char* problem) { return fine ? nullptr : problem; };
  const char* const problem = std::visit(
      Overloaded{
          [&](const Fixed& d) { return unless(std::isfinite(d.value), "the value must be finite"); },
          [&](const Uniform& d) {
            return unless(d.low < d.high && std::isfinite(d.low) && std::isfinite(d.high - d.low),
                          "low must be below high, and both finite");
          },
          [&](const Exponential& d) { return unless(positive(d.mean), "the mean must be positive"); },
          [&](const Weibull& d) {
            return unless(positive(d.scale) && positive(d.shape), "mean, scale and shape must be positive");
          },
          [&](const Lognormal& d) {
            return unless(positive(d.median) && d.sigma >= 0 && std::isfinite(d.sigma),
                          "the median must be positive and sigma not negative");
          },
          [&](const Empirical& d) {
            return unless(!d.values.empty() && all_finite(d.values),
                          "there must be at least one value, and all finite");
          },
          [](const Choice& d) { return problem_with_choice(d); },
      },
      shape);
  if (problem != nullptr) return problem;
  if (!std::isfinite(mean_of(shape))) return "the mean must be finite";
  return std::nullopt;
}

Distribution::Distribution(Shape shape) : shape_{std::move(shape)}, mean_{0} {
  if (const auto problem = problem_with(shape_)) throw std::invalid_argument{*problem};
  mean_ = mean_of(shape_);
  if (auto* empirical = std::get_if<Empirical>(&shape_)) {
    std::sort(empirical->values.begin(), empirical->values.end());
  }
  if (const auto* choice = std::get_if<Choice>(&shape_)) {
    std::partial_sum(choice->weights.begin(), choice->weights.end(), std::back_inserter(cumulative_weights_));
  }
}

double Distribution::sample(RandomStream& stream) const {
  return std::visit(
      Overloaded{
          [](const Fixed& d) { return d.value; },
          [&](const Uniform& d) { return d.low + (d.high - d.low) * unit_uniform(stream); },
          [&](const Exponential& d) { return d.mean * unit_exponential(stream); },
          [&](const Weibull& d) { return d.scale * std::pow(unit_exponential(stream), 1 / d.shape); },
          [&](const Lognormal& d) { return d.median * std::exp(d.sigma * unit_normal(stream)); },
          [&](const Empirical& d) { return d.values[index_at(unit_uniform(stream), d.values.size())]; },
          [&](const Choice& d) {
            const double at = unit_uniform(stream) * cumulative_weights_.back();
            const auto found =
                std::upper_bound(cumulative_weights_.begin(), cumulative_weights_.end() - 1, at);
            return d.values[static_cast<std::size_t>(found - cumulative_weights_.begin())];
          },
      },
      shape_);
}

Duration Distribution::sample_duration(RandomStream& stream) const {
  return std::max(Duration::zero(), round_to_duration(Seconds{sample(stream)}));
}

bool Distribution::is_memoryless() const {
  if (const auto* weibull = std::get_if<Weibull>(&shape_)) return weibull->shape == 1;
  return std::holds_alternative<Exponential>(shape_);
}

}  // namespace fleetsim
