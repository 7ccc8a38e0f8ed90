#include "models/gemm/gemm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/catalog/catalog.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

struct Errors {
  double median;
  double p90;
};

Errors errors(std::vector<double> found) {
  std::sort(found.begin(), found.end());
  const auto at = [&](double q) {
    return found[static_cast<std::size_t>(q * static_cast<double>(found.size()))];
  };
  return {at(0.5), at(0.9)};
}

Errors fit_errors(std::string_view name) {
  const GemmTable table = gemm_table(name).entry.value();
  REQUIRE(table.products.size() == 224);
  std::vector<double> off;
  for (const MeasuredGemm& product : table.products) {
    off.push_back(std::fabs(
        gemm_time(table.curve, product.shape.product(), {table.per_element.si, table.per_element.si}) /
            product.time -
        1));
  }
  return errors(off);
}

}  // namespace

TEST_CASE("a product costs two operations an element of work and three matrices of traffic") {
  CHECK(Gemm{2, 3, 5}.flops() == Flops{60});
  CHECK(gemm_work({2, 3, 5}, {}).traffic == Bytes{62});
  // Two at once, their factors in FP8.
  const GemmWork both = gemm_work({2, 3, 5, 2}, {.factors = 1});
  CHECK(both.flops == Flops{120});
  CHECK(both.traffic == Bytes{2 * (25 + 12)});
}

TEST_CASE("the curve joins arithmetic and traffic") {
  // 1,000 operations and 380 bytes: 10 s and 3.8 s
  const Gemm shape{5, 10, 10};
  GemmCurve curve{.rate = FlopRate{100}, .bandwidth = ByteRate{100}, .each = Seconds{1}};
  CHECK(gemm_time(curve, shape, {}).si == near(1 + std::hypot(10, 4)));
  curve.overlap = 1;
  CHECK(gemm_time(curve, shape, {}).si == near(15));
  curve.small_result = 50;  // as many elements as the result has
  CHECK(gemm_time(curve, shape, {}).si == near(25));
}

TEST_CASE("the curves of the catalog fit the measured products") {
  const Errors a100 = fit_errors("a100-80gb-sxm-fp16");
  CHECK(a100.median == near(0.039, 0.03));
  CHECK(a100.p90 == near(0.113, 0.03));
  const Errors h100 = fit_errors("h100-sxm-fp16");
  CHECK(h100.median == near(0.041, 0.03));
  CHECK(h100.p90 == near(0.149, 0.03));
}

TEST_CASE("the surface gives measured rates, interpolates between, and says nothing outside") {
  const GemmSurface h100(gemm_table("h100-sxm-fp16").entry.value().products);
  const GemmRate measured = h100.rate({.m = 3072, .n = 10240, .k = 8192}).value();
  CHECK(measured.basis == GemmBasis::kMeasured);
  CHECK(measured.rate.si == near(2.0 * 3072 * 10240 * 8192 / 750.0e-6));
  const GemmRate twice = h100.rate({.m = 4096, .n = 10240, .k = 8192}).value();
  CHECK(twice.rate.si == near(2.0 * 4096 * 10240 * 8192 * (1 / 982.5e-6 + 1 / 997.0e-6) / 2));

  const GemmRate tokens = h100.rate({.m = 3500, .n = 10240, .k = 8192}).value();
  CHECK(tokens.basis == GemmBasis::kInterpolated);
  CHECK(tokens.rate < std::max(measured.rate, twice.rate));
  CHECK(tokens.rate > std::min(measured.rate, twice.rate));
  CHECK(h100.rate({.m = 2048, .n = 12288, .k = 8192}).value().basis == GemmBasis::kInterpolated);
  CHECK(h100.rate({.m = 2048, .n = 8192, .k = 12288}).value().basis == GemmBasis::kInterpolated);

  CHECK_FALSE(h100.rate({.m = 8192, .n = 10240, .k = 8192}));  // more tokens than measured
  CHECK_FALSE(h100.rate({.m = 2048, .n = 1024, .k = 8192}));   // narrower
  CHECK_FALSE(h100.rate({.m = 2048, .n = 8192, .k = 32768}));  // deeper
  CHECK_FALSE(h100.rate({.m = 2048, .n = 4096, .k = 4096}));   // shares no side
}

TEST_CASE("interpolation meets measured products that it was not given") {
  for (const char* name : {"a100-80gb-sxm-fp16", "h100-sxm-fp16"}) {
    CAPTURE(name);
    const std::vector<MeasuredGemm> all = gemm_table(name).entry.value().products;
    std::vector<double> off;
    for (const std::int64_t left_out : {16, 64, 256, 1024, 3072}) {
      std::vector<MeasuredGemm> rest;
      std::copy_if(all.begin(), all.end(), std::back_inserter(rest),
                   [&](const MeasuredGemm& p) { return p.shape.m != left_out; });
      const GemmSurface surface(rest);
      for (const MeasuredGemm& p : all) {
        if (p.shape.m != left_out) continue;
        off.push_back(
            std::fabs(surface.rate(p.shape).value().rate / (p.shape.product().flops() / p.time) - 1));
      }
    }
    REQUIRE(off.size() == 80);
    const Errors e = errors(off);
    CHECK(e.median < 0.07);  // over steps twice as long as those of the table
    CHECK(e.p90 < 0.20);
  }
}
