#include "models/catalog/read_products.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace fleetsim {
namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;

/// What is wrong, and where.
struct Bad {
  std::string problem;
};

const json& member(const json& object, const std::string& pointer, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) throw Bad{pointer + "/" + key + ": is missing"};
  return *found;
}

template <class T>
T quantity_at(const json& object, const std::string& pointer, const char* key,
              Parsed<T> (*parse)(std::string_view)) {
  const json& text = member(object, pointer, key);
  const Parsed<T> parsed = parse(text.is_string() ? text.get<std::string>() : "");
  if (!parsed || !(parsed.value->si > 0))
    throw Bad{pointer + "/" + key + ": expected a quantity above zero with its unit"};
  return *parsed.value;
}

double number_at(const json& object, const std::string& pointer, const char* key) {
  const json& found = member(object, pointer, key);
  if (!found.is_number() || !(found.get<double>() >= 0))
    throw Bad{pointer + "/" + key + ": expected a number of at least 0"};
  return found.get<double>();
}

MeasuredGemm product_at(const json& row, const std::string& pointer) {
  const auto number = [&](std::size_t i) {
    if (!row.is_array() || row.size() != 4 || !row[i].is_number() || !(row[i].get<double>() > 0) ||
        row[i].get<double>() > 1e9)
      throw Bad{pointer + ": expected [m, n, k, microseconds]"};
    return row[i].get<double>();
  };
  const auto size = [&](std::size_t i) { return static_cast<std::int64_t>(number(i)); };
  return {{.m = size(0), .n = size(1), .k = size(2)}, Seconds{number(3) * kMicrosecond}};
}

MeasuredFormat format_at(const json& rate, const std::string& pointer) {
  const json& fit = member(rate, pointer, "fit");
  const std::string at = pointer + "/fit";
  const GemmCurve curve{.rate = quantity_at(fit, at, "rate", parse_flop_rate),
                        .bandwidth = quantity_at(fit, at, "bandwidth", parse_byte_rate),
                        .each = quantity_at(fit, at, "overhead", parse_seconds),
                        .small_result = number_at(fit, at, "area"),
                        .short_depth = number_at(fit, at, "depth")};
  std::vector<MeasuredGemm> products;
  const json& rows = member(rate, pointer, "products");
  for (std::size_t i = 0; i < rows.size(); ++i)
    products.push_back(product_at(rows[i], pointer + "/products/" + std::to_string(i)));
  return {curve, GemmSurface(products)};
}

}  // namespace

Parsed<MeasuredProducts> read_measured_products(std::string_view text) {
  const json file = json::parse(text, nullptr, false);
  if (file.is_discarded()) return {std::nullopt, "expected JSON"};
  struct Format {
    const char* key;
    std::optional<MeasuredFormat> MeasuredProducts::*member;
  };
  constexpr Format kFormats[] = {{"gemm_fp16", &MeasuredProducts::bf16},
                                 {"gemm_bf16", &MeasuredProducts::bf16},
                                 {"gemm_fp8", &MeasuredProducts::fp8},
                                 {"gemm_fp4", &MeasuredProducts::fp4}};
  MeasuredProducts products;
  try {
    if (file.is_object() && file.contains("accelerator")) {
      const json& name = file["accelerator"];
      if (!name.is_string()) throw Bad{"/accelerator: expected the name of an accelerator"};
      products.accelerator = name.get<std::string>();
    }
    const json& rates = member(file, "", "rates");
    for (const Format& format : kFormats) {
      if (rates.is_object() && rates.contains(format.key))
        products.*format.member = format_at(rates[format.key], std::string("/rates/") + format.key);
    }
  } catch (const Bad& bad) {
    return {std::nullopt, bad.problem};
  }
  if (!products.bf16 && !products.fp8 && !products.fp4)
    return {std::nullopt, "/rates: expected gemm_bf16, gemm_fp16, gemm_fp8 or gemm_fp4"};
  return {products, ""};
}

}  // namespace fleetsim
