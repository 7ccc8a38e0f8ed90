#include "sim/core/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace fleetsim {
namespace {

using Values = std::vector<double>;

TEST_CASE("Student's t has its tabulated quantiles") {
  // For 1 and 2 degrees of freedom in closed form: tan(pi (p - 1/2)), and (2p - 1) / sqrt(2 p (1 - p)).
  CHECK(student_t_quantile(0.975, 1) == doctest::Approx(12.706204736174707).epsilon(1e-12));
  CHECK(student_t_quantile(0.975, 2) == doctest::Approx(0.95 / std::sqrt(2 * 0.975 * 0.025)).epsilon(1e-12));
  CHECK(student_t_quantile(0.95, 10) == doctest::Approx(1.812461).epsilon(1e-6));   // printed tables
  CHECK(student_t_quantile(0.975, 63) == doctest::Approx(1.998341).epsilon(1e-6));  // printed tables
  CHECK(student_t_quantile(0.5, 7) == 0);
}

TEST_CASE("a ratio of sums has the jackknife's interval") {
  // Ratios without each: 130/160, 140/160, 170/200; pseudo-values, less three times 11/13: -1.625, -1.75,
  // -1.7; their deviation 0.062915, times t(0.975, 2) = 0.95 / sqrt(0.04875) = 4.3026527297, over
  // the root of 3.
  const Values numerators{90, 80, 50};
  const Values denominators{100, 100, 60};
  const Estimate estimate = ratio_of_sums({numerators, denominators});
  REQUIRE(estimate.mean.has_value());
  REQUIRE(estimate.half_width.has_value());
  CHECK(*estimate.mean == doctest::Approx(11.0 / 13).epsilon(1e-14));
  CHECK(*estimate.half_width == doctest::Approx(0.15629023698439434).epsilon(1e-12).scale(0));
  CHECK(estimate.n == 3);
}

TEST_CASE("with equal denominators the jackknife is the plain t interval") {
  const Values numerators{1, 2, 3, 4, 10};
  const Values denominators{1, 1, 1, 1, 1};
  const Estimate estimate = ratio_of_sums({numerators, denominators}, 0.9);
  // Mean 4, squared deviations 9 + 4 + 1 + 0 + 36 = 50, standard error sqrt(50 / 4 / 5).
  CHECK(*estimate.mean == doctest::Approx(4).epsilon(1e-14));
  CHECK(*estimate.half_width ==
        doctest::Approx(student_t_quantile(0.95, 4) * std::sqrt(2.5)).epsilon(1e-12).scale(0));
}

TEST_CASE("one replication has a mean and no interval") {
  const Values one{3};
  const Values four{4};
  const Estimate estimate = ratio_of_sums({one, four});
  CHECK(estimate.mean == 0.75);
  CHECK_FALSE(estimate.half_width.has_value());
  CHECK(estimate.n == 1);
}

TEST_CASE("without data there is no mean") {
  const Values zeros{0, 0};
  const Estimate estimate = ratio_of_sums({zeros, zeros});
  CHECK_FALSE(estimate.mean.has_value());
  CHECK_FALSE(estimate.half_width.has_value());
  CHECK(estimate.n == 2);
  CHECK_FALSE(ratio_of_sums({}).mean.has_value());
  CHECK_FALSE(paired_difference({zeros, zeros}, {zeros, zeros}).mean.has_value());
}

TEST_CASE("where all but one replication are without data there is no interval") {
  const Values numerators{0, 6, 0};
  const Values denominators{0, 8, 0};
  const Estimate estimate = ratio_of_sums({numerators, denominators});
  CHECK(estimate.mean == 0.75);
  CHECK_FALSE(estimate.half_width.has_value());
}

TEST_CASE("a huge replication does not wipe out the small ones") {
  // Without the first: 1 / 2 exactly. Taking 1e20 off the total would leave 0 / 0.
  const Values numerators{1e20, 1, 0};
  const Values denominators{1e20, 1, 1};
  const Estimate estimate = ratio_of_sums({numerators, denominators});
  // Ratios without each are 0.5, 1 and 1, pseudo-values 2, 1 and 1: deviation sqrt(1/3).
  REQUIRE(estimate.half_width.has_value());
  CHECK(*estimate.half_width == doctest::Approx(student_t_quantile(0.975, 2) / 3).epsilon(1e-12).scale(0));
}

TEST_CASE("what both sides share cancels in a paired difference") {
  const Values a{10, 20, 60};
  const Values b{9, 19, 59};
  const Values whole{100, 100, 100};
  const Estimate difference = paired_difference({a, whole}, {b, whole});
  CHECK(*difference.mean == doctest::Approx(0.01).epsilon(1e-12).scale(0));
  CHECK(*difference.half_width < 1e-12);  // exactly 1/100 in every replication: rounding alone is left
  CHECK(*ratio_of_sums({a, whole}).half_width > 0.5);
  const Estimate opposite = paired_difference({b, whole}, {a, whole});
  CHECK(*opposite.mean == -*difference.mean);
}

TEST_CASE("a paired difference with equal denominators is the t interval of the differences") {
  const Values a{3, 5, 10};
  const Values b{2, 2, 2};
  const Values ones{1, 1, 1};
  const Estimate difference = paired_difference({a, ones}, {b, ones});
  // Differences 1, 3, 8: mean 4, squared deviations 9 + 1 + 16 = 26.
  CHECK(*difference.mean == doctest::Approx(4).epsilon(1e-12).scale(0));
  CHECK(*difference.half_width ==
        doctest::Approx(student_t_quantile(0.975, 2) * std::sqrt(26.0 / 2 / 3)).epsilon(1e-12).scale(0));
}

TEST_CASE("percentiles are nearest ranks") {
  // Ranks ceil(fraction x 5): 5 % -> 1, 30 % -> 2, 40 % -> 2, 50 % -> 3, 100 % -> 5.
  const Values values{15, 20, 35, 40, 50};
  CHECK(percentile(values, 0.05) == 15);
  CHECK(percentile(values, 0.3) == 20);
  CHECK(percentile(values, 0.4) == 20);
  CHECK(percentile(values, 0.5) == 35);
  CHECK(percentile(values, 1) == 50);
  CHECK_FALSE(percentile({}, 0.5).has_value());
}

TEST_CASE("a percentile's rank is not raised by rounding") {
  Values values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  for (int i = 1; i <= 100; ++i) CHECK(percentile(values, i / 100.0) == i);  // 0.07 * 100 > 7 in doubles
}

}  // namespace
}  // namespace fleetsim
