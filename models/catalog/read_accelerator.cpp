#include "models/catalog/catalog.hpp"
#include "models/catalog/find.hpp"
#include "models/quantity/parse.hpp"

namespace fleetsim {
namespace {

constexpr double kHalfRateSequence = 450;  // tokens at which attention runs at half of its best rate

std::string scaled_from(const CatalogEntry& rate) {
  return rate.has("scaled_from") ? rate.plain("scaled_from") : std::string();
}

template <class T>
Measured<T> read_rate(const CatalogEntry& e, std::string_view key, Parsed<T> (*parse)(std::string_view)) {
  return {e.quantity(key, parse), scaled_from(e.at(key))};
}

std::optional<Measured<FlopRate>> read_flop_rate(const CatalogEntry& e, std::string_view key) {
  if (!e.has(key)) return std::nullopt;
  return read_rate(e, key, parse_flop_rate);
}

std::optional<AttentionRate> read_attention(const CatalogEntry& e, std::string_view key) {
  if (!e.has(key)) return std::nullopt;
  const CatalogEntry rate = e.at(key);
  return AttentionRate{e.quantity(key, parse_flop_rate), rate.plain_integer("sequence"), scaled_from(rate)};
}

KernelRates read_rates(const CatalogEntry& e) {
  return {.gemm_bf16 = read_rate(e, "gemm_bf16", parse_flop_rate),
          .gemm_fp8 = read_flop_rate(e, "gemm_fp8"),
          .gemm_sustained = read_flop_rate(e, "gemm_sustained"),
          .flash2 = read_attention(e, "flash2"),
          .flash3 = read_attention(e, "flash3"),
          .flash4 = read_attention(e, "flash4"),
          .cudnn = read_attention(e, "cudnn"),
          .copy = read_rate(e, "copy", parse_byte_rate),
          .add = read_rate(e, "add", parse_byte_rate),
          .norm = read_rate(e, "norm", parse_byte_rate),
          .activation = read_rate(e, "activation", parse_byte_rate),
          .rotary = read_rate(e, "rotary", parse_byte_rate),
          .kernel_launch = read_rate(e, "kernel_launch", parse_seconds),
          .eager_operation = read_rate(e, "eager_operation", parse_seconds),
          .multiprocessors = e.integer("multiprocessors")};
}

std::optional<FlopRate> read_peak(const CatalogEntry& e, std::string_view key) {
  if (!e.has(key)) return std::nullopt;
  return e.quantity(key, parse_flop_rate);
}

}  // namespace

FlopRate AttentionRate::at(std::int64_t tokens) const {
  const auto fill = [](std::int64_t length) { return 1 + kHalfRateSequence / static_cast<double>(length); };
  return rate * (fill(sequence) / fill(tokens));
}

Found<Accelerator> accelerator(std::string_view name) {
  return find_entry<Accelerator>(
      CatalogKind::kAccelerators, name, [&](const CatalogEntry& e, const nlohmann::json&) {
        return Accelerator{.name = std::string(name),
                           .peak_bf16 = e.quantity("peak_bf16", parse_flop_rate),
                           .peak_fp8 = read_peak(e, "peak_fp8"),
                           .peak_fp4 = read_peak(e, "peak_fp4"),
                           .hbm = e.quantity("hbm", parse_bytes),
                           .hbm_bandwidth = e.quantity("hbm_bandwidth", parse_byte_rate),
                           .nvlink_one_way = e.quantity("nvlink_one_way", parse_byte_rate),
                           .power = e.quantity("power", parse_watts),
                           .rates = read_rates(e.at("rates"))};
      });
}

}  // namespace fleetsim
