#include "models/catalog/catalog.hpp"
#include "models/catalog/find.hpp"
#include "models/quantity/parse.hpp"

namespace fleetsim {
namespace {

constexpr double kMicrosecond = 1e-6;

/// One matrix of weights: `tokens` and `microseconds` side by side.
void read_weights(const CatalogEntry& e, const nlohmann::json& weights, std::vector<MeasuredGemm>& products) {
  const std::int64_t n = e.plain_integer("n");
  const std::int64_t k = e.plain_integer("k");
  const nlohmann::json& tokens = weights.at("tokens");
  const nlohmann::json& times = weights.at("microseconds");
  if (tokens.size() != times.size()) e.fail("microseconds", "does not go with the tokens");
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    products.push_back({{.m = tokens[i].get<std::int64_t>(), .n = n, .k = k},
                        Seconds{times[i].get<double>() * kMicrosecond}});
  }
}

}  // namespace

Found<GemmTable> gemm_table(std::string_view name) {
  return find_entry<GemmTable>(
      CatalogKind::kGemms, name, [&](const CatalogEntry& e, const nlohmann::json& object) {
        GemmTable table{.accelerator = e.text("accelerator"),
                        .per_element = e.quantity("per_element", parse_bytes),
                        .curve = {.rate = e.quantity("rate", parse_flop_rate),
                                  .bandwidth = e.quantity("bandwidth", parse_byte_rate),
                                  .each = e.quantity("each", parse_seconds),
                                  .small_result = e.number("small_result"),
                                  .overlap = e.number("overlap")},
                        .products = {}};
        std::size_t index = 0;
        for (const nlohmann::json& weights : object.at("weights")) {
          const std::string place = "gemms/" + std::string(name) + ".json/weights/" + std::to_string(index++);
          read_weights(CatalogEntry(place, weights), weights, table.products);
        }
        return table;
      });
}

}  // namespace fleetsim
