#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/catalog/catalog.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

Accelerator device(std::string_view name) { return accelerator(name).entry.value(); }

double tera(FlopRate rate) { return rate.si / 1e12; }

std::vector<std::string> origins(const KernelRates& r) {
  std::vector<std::string> from = {r.gemm_bf16.scaled_from, r.copy.scaled_from,       r.add.scaled_from,
                                   r.norm.scaled_from,      r.activation.scaled_from, r.rotary.scaled_from};
  for (const auto& rate : {r.gemm_fp8, r.gemm_sustained}) {
    if (rate) from.push_back(rate->scaled_from);
  }
  for (const auto& rate : {r.flash2, r.flash3, r.flash4, r.cudnn}) {
    if (rate) from.push_back(rate->scaled_from);
  }
  return from;
}

}  // namespace

TEST_CASE("kernels stay below the data sheet, and scaled rates name a device of the catalog") {
  for (const std::string& name : names(CatalogKind::kAccelerators)) {
    CAPTURE(name);
    const Accelerator d = device(name);
    CHECK(d.rates.gemm_bf16.value < d.peak_bf16);
    CHECK(d.rates.gemm_bf16.value > 0.7 * d.peak_bf16);
    CHECK(d.peak_fp8.has_value() == d.rates.gemm_fp8.has_value());
    if (d.rates.gemm_fp8) CHECK(d.rates.gemm_fp8->value < d.peak_fp8.value());
    if (d.peak_fp4) CHECK(d.peak_fp4.value() > d.peak_fp8.value());
    CHECK(d.rates.copy.value < d.hbm_bandwidth);
    CHECK(d.rates.norm.value < d.rates.add.value);
    CHECK(d.rates.multiprocessors > 100);
    for (const std::string& from : origins(d.rates)) {
      if (!from.empty()) CHECK(accelerator(from));
      CHECK(from != name);
    }
  }
}

TEST_CASE("rates are those of the sources") {
  const KernelRates a100 = device("a100-80gb-sxm").rates;
  CHECK(tera(a100.gemm_bf16.value) == near(271.2));
  CHECK(a100.gemm_bf16.scaled_from.empty());
  CHECK_FALSE(a100.gemm_fp8);
  CHECK(device("a100-40gb-sxm").rates.copy.value / a100.copy.value == near(1555.0 / 2039, 1e-4));
  CHECK(device("a100-40gb-sxm").rates.copy.scaled_from == "a100-80gb-sxm");
  const KernelRates h100 = device("h100-sxm").rates;
  CHECK(tera(h100.gemm_bf16.value) == near(794.5));
  CHECK(tera(h100.gemm_fp8.value().value) == near(1402.6));
  CHECK(h100.copy.value == ByteRate{2522e9});
  CHECK(h100.eager_operation.value == Seconds{20e-6});
  CHECK(tera(device("b200").rates.gemm_fp8.value().value) == near(3432.5));
  CHECK(device("gb300").peak_fp4.value() == FlopRate{15e15});
}

TEST_CASE("attention slows at short sequences as FlashAttention-2 was measured to") {
  // Dao-AILab/flash-attention, the charts named in the catalog: TFLOP/s at so many tokens.
  const std::pair<std::int64_t, double> h100[] = {{1024, 221}, {2048, 265}, {4096, 294}, {16384, 328}};
  const std::pair<std::int64_t, double> a100[] = {{1024, 133}, {2048, 155}, {4096, 173}, {16384, 189}};
  for (const auto& [tokens, rate] : h100) {
    CHECK(tera(device("h100-sxm").rates.flash2.value().at(tokens)) == near(rate, 0.05));
  }
  for (const auto& [tokens, rate] : a100) {
    CHECK(tera(device("a100-80gb-sxm").rates.flash2.value().at(tokens)) == near(rate, 0.05));
  }
  // NVIDIA/cudnn-frontend on H200 at 4,096 tokens: forward 591, backward 474.
  CHECK(tera(device("h200-sxm").rates.cudnn.value().at(4096)) == near(3.5 / (1 / 591.0 + 2.5 / 474), 0.08));
}

TEST_CASE("accelerators are found as tables spell them") {
  const std::pair<std::string_view, std::string_view> spellings[] = {
      {"DGX-GB200", "gb200"},
      {"DGX-H100", "h100-sxm"},
      {"NVIDIA Blackwell GPU (B200-SXM-180GB)", "b200"},
      {"NVIDIA Blackwell GPU (GB200)", "gb200"},
      {"NVIDIA Blackwell Ultra GPU (GB300)", "gb300"},
      {"NVIDIA Blackwell Ultra GPU (B300-SXM-270GB)", "b300"},
      {"NVIDIA H100-SXM5-80GB", "h100-sxm"},
      {"A100-SXM-40GB", "a100-40gb-sxm"},
      {"A100-SXM-80GB (DGX)", "a100-80gb-sxm"},
      {"H200-SXM-141GB", "h200-sxm"},
  };
  for (const auto& [spelling, name] : spellings) {
    CHECK(accelerator_like(spelling).entry.value().name == name);
    CHECK(accelerator_like(spelling).entry.value().remark.empty());
  }
  CHECK(accelerator_like("H100 SXM (700 W)").entry.value().remark == "700 W");
  CHECK_FALSE(accelerator_like("TPU-v5p"));
}

TEST_CASE("nodes say which devices NVLink joins") {
  CHECK(node("dgx-h100").entry.value().nvlink_domain == 8);
  const Node tray = node("gb200-nvl72").entry.value();
  CHECK(tray.devices == 4);
  CHECK(tray.nvlink_domain == 72);
  const auto injection = [](std::string_view name) {
    const Node host = node(name).entry.value();
    return static_cast<double>(host.nics) * host.nic_bandwidth;
  };
  CHECK(injection("p5") == ByteRate{400e9});
  CHECK(injection("nd-h100-v5") == ByteRate{400e9});
  CHECK(injection("hgx-a100-roce") == ByteRate{200e9});  // 1,600 Gb/s
}

TEST_CASE("devices are known by the names that tools and vendors write; none by two, and no other") {
  const std::pair<std::string_view, std::string_view> all[] = {{"H100", "h100-sxm"},
                                                               {"H200", "h200-sxm"},
                                                               {"H100-SXM5", "h100-sxm"},
                                                               {"NVIDIA H100 80GB HBM3", "h100-sxm"},
                                                               {"NVIDIA H100 PCIe", "h100-pcie"},
                                                               {"NVIDIA H200", "h200-sxm"},
                                                               {"nvidia a100-sxm4-80gb", "a100-80gb-sxm"},
                                                               {"A100-SXM4-80GB", "a100-80gb-sxm"},
                                                               {"A100-40GB", "a100-40gb-sxm"},
                                                               {"A100", "a100-80gb-sxm"},
                                                               {"GB200", "gb200"},
                                                               {"GB200 NVL72", "gb200"},
                                                               {"NVIDIA GB300", "gb300"},
                                                               {"B200", "b200"}};
  for (const auto& row : all) {
    CAPTURE(std::string(row.first));
    const Found<Like<Accelerator>> found = accelerator_like(row.first);
    REQUIRE(found);
    CHECK(found.entry->name == row.second);
  }
  for (const std::string_view other : {"NVIDIA", "V100", "NVIDIA A100 80GB PCIe", "H100 NVL", "MI300X"})
    CHECK_FALSE(accelerator_like(other));
}
