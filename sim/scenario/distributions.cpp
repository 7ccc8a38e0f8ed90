#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/quantity/parse.hpp"
#include "sim/scenario/reader.hpp"

namespace fleetsim {
namespace {

using Shape = Distribution::Shape;

std::optional<double> seconds(std::optional<Duration> time) {
  if (!time) return std::nullopt;
  return to_seconds(*time).si;
}

std::optional<Shape> read_weibull(const Reader& in) {
  if (in.at_most_one({"mean", "scale"}) == 0) in.problem("expected a mean or a scale; found neither");
  const std::optional<double> mean = seconds(in.duration("mean", Sign::positive));
  const std::optional<double> scale = seconds(in.duration("scale", Sign::positive));
  const std::optional<double> shape = in.positive_number("shape");
  if (!shape || (!mean && !scale)) return std::nullopt;
  return scale ? Distribution::Weibull{*scale, *shape} : Distribution::Weibull::with_mean(*mean, *shape);
}

std::optional<Shape> read_lognormal(const Reader& in) {
  const std::optional<double> median = seconds(in.duration("median", Sign::positive));
  const std::optional<double> sigma = in.number("sigma");
  if (!median || !sigma) return std::nullopt;
  return Distribution::Lognormal{*median, *sigma};
}

/// The times under a key; nothing if one of them is wrong.
std::optional<std::vector<double>> read_times(const Reader& in, std::string_view key) {
  const std::optional<std::vector<Duration>> times = in.durations(key);
  if (!times) return std::nullopt;
  std::vector<double> values;
  for (const Duration time : *times) values.push_back(to_seconds(time).si);
  return values;
}

std::optional<Shape> read_uniform(const Reader& in) {
  const std::optional<std::vector<double>> ends = read_times(in, "uniform");
  if (!ends) return std::nullopt;
  if (ends->size() == 2) return Distribution::Uniform{(*ends)[0], (*ends)[1]};
  in.expected("uniform", "two times, [low, high]");
  return std::nullopt;
}

std::optional<Shape> read_time_choice(const Reader& in) {
  const std::optional<std::vector<WeightedName>> entries = in.weights("choice");
  if (!entries) return std::nullopt;
  Distribution::Choice choice;
  for (const WeightedName& entry : *entries) {
    const Parsed<Duration> time = parse_duration(entry.name);
    if (time) choice.values.push_back(to_seconds(*time.value).si);
    if (!time) in.problem("choice", time.problem);
    choice.weights.push_back(entry.weight);
  }
  if (choice.values.size() != choice.weights.size()) return std::nullopt;
  return choice;
}

std::optional<Shape> read_shape(const Reader& in) {
  if (in.at_most_one({"exponential", "weibull", "lognormal", "uniform", "empirical", "choice"}) == 0) {
    in.problem(
        "expected a form of distribution: exponential, weibull, lognormal, uniform, empirical or choice");
    return std::nullopt;
  }
  if (const auto mean = seconds(in.duration("exponential", Sign::positive)))
    return Distribution::Exponential{*mean};
  if (in.has("weibull")) return read_weibull(*in.object("weibull"));
  if (in.has("lognormal")) return read_lognormal(*in.object("lognormal"));
  if (in.has("uniform")) return read_uniform(in);
  if (in.has("choice")) return read_time_choice(in);
  if (auto values = read_times(in, "empirical")) return Distribution::Empirical{std::move(*values)};
  return std::nullopt;
}

}  // namespace

std::optional<Distribution> read_distribution(const Json& value, const std::string& pointer,
                                              Problems& problems) {
  if (!value.is_object()) {
    const auto time = read_quantity(value, pointer, parse_duration, Sign::not_negative, problems);
    if (!time) return std::nullopt;
    return Distribution{Distribution::Fixed{to_seconds(*time).si}};
  }
  const std::size_t before = problems.size();
  const std::optional<Shape> shape = read_shape(Reader(value, pointer, "distribution", problems));
  if (!shape || problems.size() > before) return std::nullopt;
  if (const auto wrong = Distribution::problem_with(*shape)) {
    problems.push_back({pointer, pointer, "not a distribution: " + *wrong});
    return std::nullopt;
  }
  return Distribution{*shape};
}

double least_value(const Distribution& distribution) {
  const Shape& shape = distribution.shape();
  if (const auto* fixed = std::get_if<Distribution::Fixed>(&shape)) return fixed->value;
  if (const auto* uniform = std::get_if<Distribution::Uniform>(&shape)) return uniform->low;
  if (const auto* empirical = std::get_if<Distribution::Empirical>(&shape)) return empirical->values.front();
  if (const auto* choice = std::get_if<Distribution::Choice>(&shape)) {
    return *std::min_element(choice->values.begin(), choice->values.end());
  }
  return 0;
}

}  // namespace fleetsim
