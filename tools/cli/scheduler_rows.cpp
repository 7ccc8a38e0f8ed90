#include "tools/cli/scheduler_rows.hpp"

#include <nlohmann/json.hpp>

#include "sim/scenario/presets.hpp"
#include "sim/scheduler/backfill.hpp"
#include "sim/scheduler/elastic.hpp"
#include "sim/scheduler/order.hpp"
#include "sim/scheduler/parts.hpp"
#include "sim/scheduler/placement.hpp"
#include "sim/scheduler/victims.hpp"

namespace fleetsim {
namespace {

template <class Row>
void add_rows(std::string_view key, std::span<const Row> rows, std::vector<SchedulerRow>& to) {
  for (const Row& row : rows)
    to.push_back({std::string(key), std::string(row.name), std::string(row.about), std::string(row.source),
                  std::string(row.cost)});
}

/// "order priority, strict false, ...": what a preset stands for.
std::string parts_of(const nlohmann::ordered_json& parts, const std::string& prefix = "") {
  std::string text;
  for (const auto& [key, value] : parts.items()) {
    const std::string part = value.is_object()   ? parts_of(value, prefix + key + ".")
                             : value.is_string() ? prefix + key + " " + value.get<std::string>()
                                                 : prefix + key + " " + value.dump();
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

}  // namespace

std::vector<SchedulerRow> scheduler_rows() {
  std::vector<SchedulerRow> rows;
  for (const Preset& preset : presets())
    rows.push_back(
        {"preset", std::string(preset.name),
         std::string(preset.about) + "; it is " + parts_of(nlohmann::ordered_json::parse(preset.parts)),
         std::string(preset.source), "that of its parts"});
  add_rows("order", order_table(), rows);
  add_rows("backfill", backfill_table(), rows);
  add_rows("victims", victim_table(), rows);
  add_rows("elastic", elastic_table(), rows);
  for (const SchedulerPart& part : scheduler_parts())
    rows.push_back({std::string(part.key), std::string(part.name), std::string(part.about),
                    std::string(part.source), std::string(part.cost)});
  for (const PlacementPolicy& row : placement_table()) {
    const bool for_packing = row.place == nullptr;
    rows.push_back({"placement", std::string(row.name),
                    std::string(row.about) + (for_packing ? "; for jobs of at most one node" : ""),
                    row.source.empty() ? "common usage" : std::string(row.source),
                    std::string(row.cost) + (for_packing ? " for each node that has changed" : "")});
  }
  return rows;
}

std::string told(const SchedulerRow& row) {
  return row.about + ". Source: " + row.source + ". Cost: " + row.cost + ".";
}

}  // namespace fleetsim
