#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/quantity/duration.hpp"
#include "sim/core/random_stream.hpp"

namespace fleetsim {

/// A number that may be random, in SI units of whatever it measures. Samples depend on the stream alone, with
/// any compiler, as far as the C library's exp, log and pow agree.
class Distribution {
 public:
  struct Fixed {
    double value;
    bool operator==(const Fixed&) const = default;
  };
  /// On [low, high); low < high.
  struct Uniform {
    double low;
    double high;
    bool operator==(const Uniform&) const = default;
  };
  /// mean > 0.
  struct Exponential {
    double mean;
    bool operator==(const Exponential&) const = default;
  };
  /// P(X > x) = exp(-(x / scale)^shape); both > 0. A shape below 1 is a hazard that falls with age.
  struct Weibull {
    double scale;
    double shape;
    static Weibull with_mean(double mean, double shape);
    bool operator==(const Weibull&) const = default;
  };
  /// median e^(sigma Z) with Z standard normal; median > 0, sigma >= 0.
  struct Lognormal {
    double median;
    double sigma;
    bool operator==(const Lognormal&) const = default;
  };
  /// Any of the values with equal chance: the inverse of their empirical distribution function, without
  /// interpolation. In any order, at least one.
  struct Empirical {
    std::vector<double> values;
    bool operator==(const Empirical&) const = default;
  };
  /// values[i] with a chance in proportion to weights[i]: as many of each, weights >= 0, not all 0.
  struct Choice {
    std::vector<double> values;
    std::vector<double> weights;
    bool operator==(const Choice&) const = default;
  };
  using Shape = std::variant<Fixed, Uniform, Exponential, Weibull, Lognormal, Empirical, Choice>;

  /// What is wrong with a shape's parameters, such as "the mean must be positive"; nullopt if nothing.
  static std::optional<std::string> problem_with(const Shape& shape);

  /// @throws std::invalid_argument if there is a problem with the shape.
  explicit Distribution(Shape shape);

  const Shape& shape() const { return shape_; }

  double sample(RandomStream& stream) const;

  /// A sample in seconds, to the nearest nanosecond; what is negative becomes zero.
  Duration sample_duration(RandomStream& stream) const;

  double mean() const { return mean_; }

  /// No draw is made, and every sample is the mean.
  bool is_fixed() const { return std::holds_alternative<Fixed>(shape_); }

  /// Exponential, or a Weibull of shape 1: the time left does not depend on the time gone by.
  bool is_memoryless() const;

  bool operator==(const Distribution& other) const { return shape_ == other.shape_; }

 private:
  Shape shape_;  ///< values of an `Empirical` sorted, weights of a `Choice` as given
  std::vector<double> cumulative_weights_;
  double mean_;
};

}  // namespace fleetsim
