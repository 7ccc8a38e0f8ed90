#include "tools/runs/step_page.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "tools/report/table.hpp"
#include "tools/runs/step_words.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBarWidth = 24;

double tokens(const StepCase& one) {
  return static_cast<double>(one.input.layout.global_batch) * static_cast<double>(one.input.model.sequence);
}

double tokens_per_device_second(const StepCase& one) {
  return tokens(one) / one.step.total().si / static_cast<double>(one.input.layout.devices);
}

std::string counted(std::int64_t count, const std::string& one) {
  return format_integer(count) + " " + one + (count == 1 ? "" : "s");
}

std::string readable(std::string_view part) {
  std::string text{part};
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

std::string where(const StepNames& names) {
  return names.model + " on " + names.node + " (" + names.device + ", " + names.fabric + ")";
}

/// The parts of a step with their shares, and their sum.
std::string parts_table(const StepBreakdown& step, const Style& style) {
  const Seconds total = step.total();
  std::vector<TableRow> rows;
  for (const StepPart& part : step_parts()) {
    const Seconds time = step.*part.time;
    if (time == Seconds{}) continue;
    rows.push_back({readable(part.name), format_duration(time), format_percent(time / total),
                    bar(std::max(0.0, time / total), kBarWidth, style)});
  }
  rows.push_back({"step", format_duration(total), format_percent(1.0), ""});
  return text_table(
      {{"where it goes", Align::left}, {"time", Align::right}, {"share", Align::right}, {"", Align::left}},
      rows, style);
}

std::string utilizations(const StepCase& one, const std::string& arithmetic) {
  return format_percent(model_flops_utilization(one.step)) + " of " +
         format_flop_rate(one.step.model_flops / one.step.ideal /
                          static_cast<double>(one.input.layout.devices)) +
         " (" + arithmetic + "), HFU " + format_percent(hardware_flops_utilization(one.step)) + ", MBU " +
         format_percent(memory_bandwidth_utilization(one.step, one.input.device.memory_bandwidth));
}

std::string memory_line(const StepCase& one) {
  return wrap("Memory ",
              format_bytes(one.step.memory) + " of " + format_bytes(one.input.device.memory) + " a device");
}

/// What the time of matrix products rests on.
std::string products_text(const StepNames& names) {
  return names.own_products.empty() ? "by a curve of the device's best measured rate and fitted constants"
                                    : names.own_products;
}

/// "products and attention measured, copies scaled from h100-sxm".
std::string rates_text(const StepNames& names) {
  std::map<std::string, std::string> kinds;  // by where they are from; measured ones sort first
  for (const RateEvidence& rate : names.rates) {
    std::string& list = kinds[rate.scaled_from];
    list += (list.empty() ? "" : " and ") + std::string(rate.kind);
  }
  std::string text;
  for (const auto& [from, list] : kinds)
    text += (text.empty() ? "" : ", ") + list + (from.empty() ? " measured" : " scaled from " + from);
  return text;
}

/// "tensor measured; data fitted, extrapolated to 8,192 ranks".
std::string exchange_text(const StepInput& in) {
  std::string text;
  for (const ExchangeEvidence& each : exchange_evidence(in)) {
    text += (text.empty() ? "" : "; ") + std::string(each.kind) + " ";
    text += each.evidence == Evidence::kFormula ? "by formula from data sheets"
                                                : std::string(to_string(each.evidence));
    if (each.is_extrapolated) text += ", extrapolated to " + format_integer(each.ranks) + " ranks";
  }
  const SlowLinks& slow = in.slow_links;
  if (!text.empty() && std::max({slow.ring, slow.all_to_all, slow.sends}) > 1)
    text += "; nodes stand together, and above their switches links are narrower: rings take " +
            format_number(slow.ring) + " times as long, all-to-all " + format_number(slow.all_to_all) +
            ", sends " + format_number(slow.sends);
  return text.empty() ? "none" : text;
}

Json exchange_json(const StepInput& in) {
  Json list = Json::array();
  for (const ExchangeEvidence& each : exchange_evidence(in))
    list.push_back({{"kind", each.kind},
                    {"ranks", each.ranks},
                    {"evidence", to_string(each.evidence)},
                    {"extrapolated", each.is_extrapolated}});
  return list;
}

Json rates_json(const StepNames& names) {
  Json list = Json::array();
  for (const RateEvidence& each : names.rates) {
    Json rate{{"kind", each.kind}, {"evidence", each.scaled_from.empty() ? "measured" : "scaled"}};
    if (!each.scaled_from.empty()) rate["from"] = each.scaled_from;
    list.push_back(std::move(rate));
  }
  return list;
}

/// Numbers and flags as what they are.
Json values_json(const KeyValues& values) {
  Json object = Json::object();
  for (const auto& [key, value] : values) {
    const Json parsed = Json::parse(value, nullptr, false);
    object[key] = value == "yes" || value == "no" ? Json(value == "yes")
                  : parsed.is_number()            ? parsed
                                                  : Json(value);
  }
  return object;
}

Json step_json(const StepCase& one, const StepNames& names) {
  const Layout& l = one.input.layout;
  Json parts;
  for (const StepPart& part : step_parts()) parts[std::string(part.name)] = (one.step.*part.time).si;
  Json layout = values_json(layout_values(l));
  layout["data"] = l.data();
  layout["described"] = described(l);
  return {{"model", names.model},
          {"node", names.node},
          {"device", names.device},
          {"fabric", names.fabric},
          {"devices", l.devices},
          {"global_batch", l.global_batch},
          {"microbatches", l.accumulation()},
          {"sequence", one.input.model.sequence},
          {"precision", to_string(one.input.number)},
          {"layout", std::move(layout)},
          {"software", values_json(software_values(one.input.software))},
          {"step_s", one.step.total().si},
          {"parts_s", std::move(parts)},
          {"stage_sends_s", one.step.stage_sends.si},
          {"mfu", model_flops_utilization(one.step)},
          {"hfu", hardware_flops_utilization(one.step)},
          {"mbu", memory_bandwidth_utilization(one.step, one.input.device.memory_bandwidth)},
          {"tokens_per_device_second", tokens_per_device_second(one)},
          {"memory_bytes", one.step.memory.si},
          {"exchange", exchange_json(one.input)},
          {"rates", rates_json(names)},
          {"warnings", layout_warnings(l)}};
}

/// "8/7/7/7/7", where stages or chunks have unequal layers that nobody has stated; else nothing.
std::string uneven_text(const StepInput& in) {
  if (!in.layout.stages.empty()) return {};
  const std::vector<std::int64_t> layers = layers_of_chunks(in.layout, in.model);
  if (layers.front() == layers.back()) return {};
  std::string text;
  for (const std::int64_t each : layers) text += (text.empty() ? "" : "/") + std::to_string(each);
  return text;
}

}  // namespace

std::string step_page(const StepCase& one, const StepNames& names, const Style& style) {
  const StepInput& in = one.input;
  const Layout& l = in.layout;
  std::string page = heading("STEP", style) + "  predicted: " + format_duration(one.step.total()) + " for " +
                     counted(l.global_batch, "sequence") + " of " + counted(in.model.sequence, "token") +
                     " on " + counted(l.devices, "device") + ", " + std::string(to_string(in.number)) + "\n";
  page += wrap("      model: ", where(names));
  page += wrap("      layout: ", described(l) + "; " + format_integer(l.accumulation()) +
                                     (l.accumulation() == 1 ? " microbatch" : " microbatches") + " a step");
  if (const std::string uneven = uneven_text(in); !uneven.empty())
    page +=
        wrap("      layers: ",
             uneven + (l.interleave == 1 ? " by stage" : " by chunk, one round of stages after the other") +
                 "; the fullest sets the pace");
  page += wrap("      as words: ", joined(layout_values(l), ", "));
  page += wrap("      software: ", joined(software_values(in.software), ", ")) + "\n";
  page += parts_table(one.step, style);
  if (one.step.stage_sends > Seconds{})
    page += "\n" + wrap("Sends ", "between pipeline stages, " + format_duration(one.step.stage_sends) +
                                      ", are in tensor comm, as far as nothing hides them");
  for (const std::string& warning : layout_warnings(l)) page += "\n" + wrap("Warning ", warning);
  page +=
      "\n" + wrap("MFU ", utilizations(one, "model arithmetic, causal attention counted half") + "; " +
                              format_number(tokens_per_device_second(one)) + " tokens a second and device");
  page += "\n" + memory_line(one);
  page += "\n" + wrap("Products ", products_text(names));
  page += wrap("Rates ", rates_text(names));
  page += wrap("Exchange ", exchange_text(in));
  page += "\n" + wrap("Error ", step_calibration().errors + " (models/README.md)");
  return page + "\n";
}

std::string recommender_page(const StepCase& one, const StepNames& names, const Style& style) {
  const StepInput& in = one.input;
  const Layout& l = in.layout;
  std::string page = heading("STEP", style) + "  predicted: " + format_duration(one.step.total()) + " for " +
                     counted(l.global_batch, "sample") + " on " + counted(l.devices, "device") + ", " +
                     std::string(to_string(in.number)) + "\n";
  page += wrap("      model: ", where(names));
  page += wrap("      layout: ", "tables spread over all devices, layers in copies; " +
                                     counted(l.micro_batch, "sample") + " a device") +
          "\n";
  page += parts_table(one.step, style);
  page +=
      "\n" + wrap("MFU ", utilizations(one, "products of the layers; lookups are no arithmetic") + "; " +
                              format_number(tokens_per_device_second(one)) + " samples a second and device");
  page += "\n" + memory_line(one);
  page += "\n" + wrap("Products ", products_text(names));
  page += "\n" + wrap("Error ",
                      "not known: no published run was compared, and nothing overlaps; take it for "
                      "the exchange and the memory (models/README.md)");
  return page + "\n";
}

std::string steps_page(const StepTable& table, const StepNames& names, const Style& style) {
  std::vector<TableRow> rows;
  for (const SizedSteps& size : table.sizes) {
    if (!size.problem.empty()) {
      rows.push_back({clean(size.problem, style), format_integer(size.devices), format_integer(size.batch),
                      "", "", "", "", "", "", ""});
    }
    for (const StepCase& one : size.cases) {
      const auto share = [&](Seconds time) { return format_percent(time / one.step.total()); };
      rows.push_back({described(one.input.layout), format_integer(size.devices), format_integer(size.batch),
                      format_duration(one.step.total()), format_percent(model_flops_utilization(one.step)),
                      format_number(tokens_per_device_second(one)), share(one.step.tensor_comm),
                      share(one.step.data_comm), share(one.step.pipeline_bubble),
                      format_bytes(one.step.memory)});
    }
  }
  std::string page = wrap("", where(names)) + "\n";
  page += text_table({{"layout", Align::left},
                      {"devices", Align::right},
                      {"batch", Align::right},
                      {"step", Align::right},
                      {"MFU", Align::right},
                      {"tokens/s", Align::right},
                      {"tensor", Align::right},
                      {"data", Align::right},
                      {"bubble", Align::right},
                      {"memory", Align::right}},
                     rows, style);
  page +=
      "\n" + wrap("",
                  "tokens/s: of each device; tensor, with sends between stages, data and bubble: shares of "
                  "the step, as far as nothing hides them");
  if (table.tried > 0)
    page += format_integer(static_cast<std::int64_t>(table.tried)) + " layouts tried, " +
            format_integer(static_cast<std::int64_t>(table.fitting)) + " fit.\n";
  return page;
}

std::string steps_json(const StepTable& table, const StepNames& names) {
  Json steps = Json::array();
  for (const SizedSteps& size : table.sizes) {
    if (!size.problem.empty())
      steps.push_back(
          {{"devices", size.devices}, {"global_batch", size.batch}, {"infeasible", size.problem}});
    for (const StepCase& one : size.cases) steps.push_back(step_json(one, names));
  }
  return Json{{"steps", std::move(steps)}}.dump(2) + "\n";
}

}  // namespace fleetsim
