#include <charconv>

#include "models/catalog/catalog.hpp"
#include "models/catalog/find.hpp"

namespace fleetsim {
namespace {

/// "512/256/128" as widths.
std::vector<std::int64_t> widths_of(const CatalogEntry& e, std::string_view key) {
  const std::string text = e.text(key);
  std::vector<std::int64_t> widths;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    const auto read = std::from_chars(at, text.data() + text.size(), widths.emplace_back());
    if (read.ec != std::errc() || widths.back() < 1) e.fail(key, "expected widths such as \"512/256\"");
    at = read.ptr + 1;
  }
  return widths;
}

}  // namespace

Found<RecommenderEntry> recommender(std::string_view name) {
  return find_entry<RecommenderEntry>(
      CatalogKind::kRecommenders, name, [](const CatalogEntry& e, const nlohmann::json&) {
        return RecommenderEntry{.model = {.tables = e.integer("tables"),
                                          .rows = e.integer("rows"),
                                          .width = e.integer("width"),
                                          .lookups = e.number("lookups"),
                                          .bottom = widths_of(e, "bottom"),
                                          .top = widths_of(e, "top"),
                                          .crosses = e.integer("crosses"),
                                          .cross_rank = e.integer("cross_rank")},
                                .batch = e.integer("batch")};
      });
}

}  // namespace fleetsim
