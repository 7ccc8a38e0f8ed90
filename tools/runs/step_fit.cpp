#include "tools/runs/step_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tools/runs/errors.hpp"

namespace fleetsim {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kHuberWidth = 0.04;
constexpr double kPull = 0.01;
constexpr double kDifference = 0.01;  // of a constant's logarithm, for derivatives
constexpr double kLargestStep = 0.5;
constexpr int kSteps = 25;
constexpr int kDampings = 8;

struct WeightedRun {
  const PublishedRun* run;
  double weight;
};

double log_error(const PublishedRun& run, const StepConstants& constants) {
  return std::log1p(relative_error(run, constants));
}

/// Gauss-Newton with Levenberg's damping, in the logarithms of the constants.
class Fit {
 public:
  Fit(std::vector<WeightedRun> runs, std::vector<ConstantRow> rows)
      : runs_{std::move(runs)}, rows_{std::move(rows)} {}

  StepConstants from(StepConstants at) const;

 private:
  double pull(const ConstantRow& row) const {
    const double width = std::log(100.0) / std::log(row.high / row.low);
    return kPull * width * width;
  }
  double off_start(const ConstantRow& row, const StepConstants& at) const {
    return std::log(at.*row.member / row.start);
  }

  double cost(const StepConstants& at) const;
  void normal_equations(const StepConstants& at, Matrix& normal, Vector& gradient) const;
  StepConstants moved(const StepConstants& at, const Matrix& normal, const Vector& gradient,
                      double damping) const;

  std::vector<WeightedRun> runs_;
  std::vector<ConstantRow> rows_;
};

double Fit::cost(const StepConstants& at) const {
  double sum = 0;
  for (const WeightedRun& row : runs_) {
    const double size = std::abs(log_error(*row.run, at));
    sum += row.weight * (size < kHuberWidth ? size * size / 2 : kHuberWidth * (size - kHuberWidth / 2));
  }
  for (const ConstantRow& row : rows_) {
    const double off = off_start(row, at);
    sum += pull(row) * off * off;
  }
  return sum;
}

void Fit::normal_equations(const StepConstants& at, Matrix& normal, Vector& gradient) const {
  const auto size = static_cast<Eigen::Index>(rows_.size());
  normal = Matrix::Zero(size, size);
  gradient = Vector::Zero(size);
  std::vector<StepConstants> nudged(rows_.size(), at);
  for (std::size_t i = 0; i < rows_.size(); ++i) nudged[i].*rows_[i].member *= std::exp(kDifference);
  Vector slope(size);
  for (const WeightedRun& row : runs_) {
    const double error = log_error(*row.run, at);
    const double weight = row.weight * std::min(1.0, kHuberWidth / std::abs(error));
    for (Eigen::Index i = 0; i < size; ++i)
      slope[i] = (log_error(*row.run, nudged[static_cast<std::size_t>(i)]) - error) / kDifference;
    normal += weight * slope * slope.transpose();
    gradient += weight * error * slope;
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    const ConstantRow& row = rows_[static_cast<std::size_t>(i)];
    normal(i, i) += 2 * pull(row);
    gradient[i] += 2 * pull(row) * off_start(row, at);
  }
}

StepConstants Fit::moved(const StepConstants& at, const Matrix& normal, const Vector& gradient,
                         double damping) const {
  Matrix damped = normal;
  damped.diagonal() *= 1 + damping;
  const Vector step = damped.ldlt().solve(gradient);
  StepConstants to = at;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double factor =
        std::exp(-std::clamp(step[static_cast<Eigen::Index>(i)], -kLargestStep, kLargestStep));
    to.*rows_[i].member = std::clamp(at.*rows_[i].member * factor, rows_[i].low, rows_[i].high);
  }
  return to;
}

StepConstants Fit::from(StepConstants at) const {
  if (runs_.empty()) return at;
  double best = cost(at);
  double damping = 0.01;
  Matrix normal;
  Vector gradient;
  for (int step = 0; step < kSteps; ++step) {
    normal_equations(at, normal, gradient);
    bool better = false;
    for (int tried = 0; tried < kDampings && !better; ++tried) {
      const StepConstants to = moved(at, normal, gradient, damping);
      const double there = cost(to);
      better = there < best - 1e-9;
      if (better) at = to, best = there;
      damping = better ? std::max(1e-4, damping / 3) : damping * 4;
    }
    if (!better) break;
  }
  return at;
}

}  // namespace

StepConstants fit_step_constants(std::span<const PublishedRun* const> runs) {
  std::map<std::string, int> repeats;
  for (const PublishedRun* run : runs) ++repeats[run->configuration];
  StepConstants constants;
  for (const ConstantRow& row : step_calibration().rows) constants.*row.member = row.start;
  for (const ConstantPart part : {ConstantPart::kEveryModel, ConstantPart::kExpertsAndStates}) {
    std::vector<WeightedRun> chosen;
    for (const PublishedRun* run : runs) {
      const bool mixture = run->input->model.experts > 1;
      if (mixture == (part == ConstantPart::kExpertsAndStates))
        chosen.push_back({run, 1 / std::sqrt(repeats[run->configuration])});
    }
    std::vector<ConstantRow> rows;
    for (const ConstantRow& row : step_calibration().rows) {
      if (row.part == part) rows.push_back(row);
    }
    constants = Fit(std::move(chosen), std::move(rows)).from(constants);
  }
  return constants;
}

}  // namespace fleetsim
