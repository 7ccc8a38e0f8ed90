#include "models/catalog/catalog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/catalog/measured_network.hpp"
#include "models/reliability/reliability.hpp"
#include "models/transformer/transformer.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

bool reads(CatalogKind kind, const std::string& name) {
  switch (kind) {
    case CatalogKind::kAccelerators:
      return accelerator(name).entry.has_value();
    case CatalogKind::kNodes:
      return node(name).entry.has_value();
    case CatalogKind::kFabrics:
      return fabric(name).entry.has_value();
    case CatalogKind::kTransformers:
      return transformer(name).entry.has_value();
    case CatalogKind::kFailures:
      return failure_mix(name).entry.has_value();
    case CatalogKind::kPrices:
      return price(name).entry.has_value();
    case CatalogKind::kStorage:
      return storage(name).entry.has_value();
    case CatalogKind::kGemms:
      return gemm_table(name).entry.has_value();
    case CatalogKind::kRecommenders:
      return recommender(name).entry.has_value();
    case CatalogKind::kRecovery:
      return recovery_budget(name).entry.has_value();
    case CatalogKind::kCalibration:
      return catalog_text(kind, name).has_value();
    case CatalogKind::kCollectives:
      break;
  }
  return read_measured_network(catalog_text(kind, name).value()).value.has_value();
}

}  // namespace

TEST_CASE("every entry of the catalog reads and says what it is") {
  for (const CatalogKind kind : kCatalogKinds) {
    CAPTURE(std::string(to_string(kind)));
    CHECK_FALSE(names(kind).empty());
    for (const std::string& name : names(kind)) {
      CAPTURE(name);
      CHECK(reads(kind, name));
      CHECK_FALSE(about(kind, name).value_or("").empty());
    }
  }
}

TEST_CASE("nodes name accelerators that exist") {
  for (const std::string& name : names(CatalogKind::kNodes)) {
    CHECK(accelerator(node(name).entry.value().accelerator));
  }
}

TEST_CASE("a name that is not there leads to those like it") {
  const Found<Accelerator> found = accelerator("h100");
  CHECK_FALSE(found);
  CHECK(found.problem == R"(unknown accelerator "h100" (did you mean "h100-sxm"?))");
  CHECK(found.nearest.front() == "h100-sxm");
  CHECK(failure_mix("textbok").nearest.front() == "textbook");
  CHECK(transformer("zzzzzzzz").problem == R"(unknown transformer "zzzzzzzz")");
  CHECK_FALSE(about(CatalogKind::kPrices, "no such price"));
}

TEST_CASE("data sheet rates") {
  const Accelerator h100 = accelerator("h100-sxm").entry.value();
  CHECK(h100.peak_bf16 == FlopRate{989e12});
  CHECK(h100.peak_fp8 == FlopRate{1979e12});
  CHECK(h100.hbm_bandwidth == ByteRate{3.35e12});
  CHECK(h100.nvlink_one_way == ByteRate{450e9});
  CHECK_FALSE(accelerator("a100-80gb-sxm").entry.value().peak_fp8);
  const Node dgx = node("dgx-h100").entry.value();
  CHECK(dgx.devices == 8);
  CHECK(dgx.nic_bandwidth == ByteRate{50e9});
  CHECK(fabric("ndr400-rail").entry.value().link == ByteRate{50e9});
}

TEST_CASE("the textbook's failure mix gives its MTBF") {
  const auto mtbf = [](std::string_view mix, Extent extent) {
    return hours(mean_time_between(failure_rate(failure_mix(mix).entry.value().rows, extent)));
  };
  CHECK(mtbf("textbook", {.devices = 128, .nodes = 16}) == near(302.41935483870964));    // ch. 9, napkin 9.3
  CHECK(mtbf("textbook-gpu-only", {.devices = 1024, .nodes = 128}) == near(48.828125));  // ch. 17
}

TEST_CASE("the Llama 3 mix gives the 419 interruptions it was counted from") {
  const FailureMix mix = failure_mix("llama3-405b").entry.value();
  const PerSecond rate = failure_rate(mix.rows, {.devices = 16384, .nodes = 2048});
  CHECK(rate * (54 * kOneDay) == near(419));
  const auto count_of = [&](std::string_view cause) {
    const auto row =
        std::find_if(mix.rows.begin(), mix.rows.end(), [&](const FailureRow& r) { return r.name == cause; });
    REQUIRE(row != mix.rows.end());
    return failure_rate(std::vector{*row}, {.devices = 16384, .nodes = 2048}) * (54 * kOneDay);
  };
  CHECK(count_of("Faulty GPU (incl. NVLink)") == near(148));
  CHECK(count_of("Network switch/cable") == near(35));
}

TEST_CASE("transformers have their published and their nominal counts") {
  const auto counted = [](std::string_view name) { return parameter_count(transformer(name).entry.value()); };
  CHECK(counted("llama2-70b") == 68'976'648'192);
  CHECK(counted("llama3-405b") == 405'853'388'800);
  CHECK(counted("gpt3-175b") == 174'604'259'328);  // the paper says 175.0 billion
  CHECK(checkpoint_bytes(transformer("llama2-70b").entry.value()) == Bytes{980e9});
  CHECK(checkpoint_bytes(transformer("gpt3-175b").entry.value()) == Bytes{2.45e12});
}

TEST_CASE("storage, recovery and prices of the textbook") {
  const Storage tier = storage("textbook-parallel-file-system").entry.value();
  CHECK(tier.aggregate / static_cast<double>(tier.jobs_sharing) == ByteRate{100e9});
  const RecoveryBudget budget = recovery_budget("textbook").entry.value();
  CHECK(recovery_time(budget, Seconds{9.8}).si == near(369.8));
  CHECK((price("textbook-fleet").entry.value() * kOneHour).si == near(2));
  CHECK(price("textbook-spot").entry.value() / price("textbook-fleet").entry.value() == near(0.35));
}
