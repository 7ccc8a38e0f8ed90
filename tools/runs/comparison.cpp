#include "tools/runs/comparison.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::ordered_json;

TableRow summary_row(const std::string& name, const ErrorSummary& s) {
  return {name,
          format_integer(static_cast<std::int64_t>(s.rows)),
          format_percent(s.median),
          format_percent(s.p90),
          format_percent(s.mean),
          format_percent(s.bias)};
}

Json summary_json(const ErrorSummary& s) {
  return {{"rows", s.rows}, {"median", s.median}, {"p90", s.p90}, {"mape", s.mean}, {"bias", s.bias}};
}

/// A run that was measured did fit, whatever is predicted of its memory.
void predict(const PublishedRun& run, const StepConstants& constants, ComparedRun& row) {
  if (!run.input || !run.infeasible.empty()) return;
  const StepBreakdown step = step_breakdown(*run.input, constants);
  const Bytes has = run.input->device.memory;
  if (!std::isfinite(step.total().si)) {
    row.unsupported = "its numbers give no time";
  } else if (!run.measured && step.memory > has) {
    row.infeasible = "a device has " + format_bytes(has) + " and needs " + format_bytes(step.memory) + ", " +
                     format_bytes(step.memory - has) + " too much";
  } else {
    row.predicted = step.total();
    row.memory = step.memory;
  }
}

/// Below the table, since a reason is longer than a column.
std::string refused_rows(const RunComparison& comparison, const Style& style) {
  std::string list;
  for (const ComparedRun& row : comparison.rows) {
    const std::string id = clean(row.id.empty() ? "(no id)" : row.id, style);
    if (!row.unsupported.empty())
      list += wrap("  " + id + "  ", "unsupported: " + clean(row.unsupported, style));
    if (!row.infeasible.empty())
      list += wrap("  " + id + "  ", "infeasible: " + clean(row.infeasible, style));
  }
  return list.empty() ? list : "\nNot predicted:\n" + list;
}

}  // namespace

RunComparison compare(const std::vector<PublishedRun>& runs, const StepConstants& constants) {
  RunComparison comparison;
  std::vector<double> all;
  std::map<std::string, std::vector<double>> by_family;
  for (const PublishedRun& run : runs) {
    ComparedRun row{.id = run.id,
                    .family = run.family,
                    .device = run.device,
                    .predicted = std::nullopt,
                    .measured = run.measured,
                    .infeasible = run.infeasible,
                    .unsupported = run.unsupported};
    if (run.input) row.devices = run.input->layout.devices;
    predict(run, constants, row);
    if (const std::optional<double> error = row.error()) {
      all.push_back(*error);
      by_family[run.family].push_back(*error);
    }
    comparison.rows.push_back(std::move(row));
  }
  comparison.all = summarize(all);
  for (const auto& [family, errors] : by_family) comparison.by_family[family] = summarize(errors);
  return comparison;
}

std::string comparison_page(const RunComparison& comparison) {
  const Style style;
  std::vector<TableRow> rows;
  for (const ComparedRun& row : comparison.rows) {
    const auto time = [](const std::optional<Seconds>& t) {
      return t ? format_duration(*t) : std::string("-");
    };
    const std::optional<double> error = row.error();
    rows.push_back({clean(row.id, style), time(row.predicted), time(row.measured),
                    error ? format_percent(*error) : "-"});
  }
  std::string page = text_table({{"run", Align::left},
                                 {"predicted", Align::right},
                                 {"measured", Align::right},
                                 {"error", Align::right}},
                                rows, style);
  page += refused_rows(comparison, style);
  if (comparison.all.rows == 0)
    return page + "\nNo row was both predicted and measured: there is no error to show.\n";
  std::vector<TableRow> families;
  for (const auto& [family, summary] : comparison.by_family)
    families.push_back(summary_row(clean(family, style), summary));
  families.push_back(summary_row("all", comparison.all));
  page += "\nAbsolute relative errors of the step time; bias is the median with its sign.\n" +
          text_table({{"family", Align::left},
                      {"runs", Align::right},
                      {"median", Align::right},
                      {"90 % within", Align::right},
                      {"MAPE", Align::right},
                      {"bias", Align::right}},
                     families, style);
  return page;
}

std::string comparison_csv(const RunComparison& comparison) {
  std::string csv = "id,family,device,predicted_s,measured_s,error,devices\n";
  const auto quoted = [](const std::string& text) {
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + '"';
  };
  for (const ComparedRun& row : comparison.rows) {
    const std::optional<double> error = row.error();
    if (!error) continue;
    csv += quoted(row.id) + "," + quoted(row.family) + "," + quoted(row.device);
    for (const double value : {row.predicted->si, row.measured->si, *error}) csv += "," + Json(value).dump();
    csv += "," + std::to_string(row.devices) + "\n";
  }
  return csv;
}

std::string comparison_json(const RunComparison& comparison) {
  Json rows = Json::array();
  for (const ComparedRun& row : comparison.rows) {
    Json json{{"id", row.id}, {"family", row.family}, {"device", row.device}};
    if (row.predicted) json["predicted_s"] = row.predicted->si;
    if (row.memory) json["memory_bytes"] = row.memory->si;
    if (row.measured) json["measured_s"] = row.measured->si;
    if (const std::optional<double> error = row.error()) json["error"] = *error;
    if (!row.infeasible.empty()) json["infeasible"] = row.infeasible;
    if (!row.unsupported.empty()) json["unsupported"] = row.unsupported;
    rows.push_back(std::move(json));
  }
  Json json{{"rows", std::move(rows)}, {"all", summary_json(comparison.all)}};
  for (const auto& [family, summary] : comparison.by_family) json["families"][family] = summary_json(summary);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fleetsim
