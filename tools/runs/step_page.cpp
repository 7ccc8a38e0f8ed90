#include "tools/runs/step_page.hpp"

#include <algorithm>
#include <cmath>
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

/// Without the comma that thousands have.
std::string year(double release) {
  const double whole = std::floor(release);
  return std::to_string(static_cast<int>(whole)) + format_fixed(release - whole, 1).substr(1);
}

/// What the time of matrix products rests on.
std::string products_text(const StepInput& in) {
  return in.device.products ? "as measured by the user where the shape was, else by the curve fitted to those"
                            : "by a curve of the device's best measured rate and fitted constants";
}

std::string readable(std::string_view part) {
  std::string text{part};
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

}  // namespace

std::string step_page(const StepCase& one, const Style& style) {
  const StepInput& in = one.input;
  const Seconds total = one.step.total();
  std::string page =
      heading("STEP", style) + "  predicted: " + format_duration(total) + " for " +
      format_integer(in.layout.global_batch) + " sequences of " + format_integer(in.model.sequence) +
      " tokens on " + format_integer(in.layout.devices) + " devices, " + std::string(to_string(in.number)) +
      "\n" +
      wrap("      layout: ", described(in.layout) + "; " + format_integer(in.layout.accumulation()) +
                                 " microbatches a step; software of " + year(in.software.release)) +
      "\n";
  std::vector<TableRow> rows;
  for (const StepPart& part : step_parts()) {
    const Seconds time = one.step.*part.time;
    if (time == Seconds{}) continue;
    rows.push_back({readable(part.name), format_duration(time), format_percent(time / total),
                    bar(std::max(0.0, time / total), kBarWidth, style)});
  }
  rows.push_back({"step", format_duration(total), format_percent(1.0), ""});
  page += text_table(
      {{"where it goes", Align::left}, {"time", Align::right}, {"share", Align::right}, {"", Align::left}},
      rows, style);
  page +=
      "\n" +
      wrap("MFU ", format_percent(model_flops_utilization(one.step)) + " of " +
                       format_flop_rate(one.step.model_flops / one.step.ideal /
                                        static_cast<double>(in.layout.devices)) +
                       " (model arithmetic, causal attention counted half), HFU " +
                       format_percent(hardware_flops_utilization(one.step)) + ", MBU " +
                       format_percent(memory_bandwidth_utilization(one.step, in.device.memory_bandwidth)) +
                       "; " + format_number(tokens_per_device_second(one)) + " tokens a second and device");
  page += "\n" + wrap("Memory ",
                      format_bytes(one.step.memory) + " of " + format_bytes(in.device.memory) + " a device");
  page += "\n" + wrap("Products ", products_text(in));
  page += "\n" + wrap("Error ", step_calibration().errors + " (models/README.md)");
  return page + "\n";
}

std::string steps_page(const std::vector<StepCase>& cases, const LayoutSearch& search, const Style& style) {
  std::vector<TableRow> rows;
  for (const StepCase& one : cases) {
    const auto share = [&](Seconds time) { return format_percent(time / one.step.total()); };
    rows.push_back({described(one.input.layout), format_integer(one.input.layout.devices),
                    format_duration(one.step.total()), format_percent(model_flops_utilization(one.step)),
                    format_number(tokens_per_device_second(one)), share(one.step.tensor_comm),
                    share(one.step.data_comm), share(one.step.pipeline_bubble),
                    format_bytes(one.step.memory)});
  }
  std::string page = text_table({{"layout", Align::left},
                                 {"devices", Align::right},
                                 {"step", Align::right},
                                 {"MFU", Align::right},
                                 {"tokens/s", Align::right},
                                 {"tensor", Align::right},
                                 {"data", Align::right},
                                 {"bubble", Align::right},
                                 {"memory", Align::right}},
                                rows, style);
  if (search.tried > 0)
    page += "\n" + format_integer(static_cast<std::int64_t>(search.tried)) + " layouts tried, " +
            format_integer(static_cast<std::int64_t>(search.fitting)) + " fit.\n";
  return page;
}

std::string steps_json(const std::vector<StepCase>& cases) {
  Json steps = Json::array();
  for (const StepCase& one : cases) {
    Json parts;
    for (const StepPart& part : step_parts()) parts[std::string(part.name)] = (one.step.*part.time).si;
    const Layout& l = one.input.layout;
    steps.push_back({{"devices", l.devices},
                     {"global_batch", l.global_batch},
                     {"sequence", one.input.model.sequence},
                     {"precision", to_string(one.input.number)},
                     {"layout",
                      {{"tensor", l.tensor},
                       {"pipeline", l.pipeline},
                       {"interleave", l.interleave},
                       {"context", l.context},
                       {"expert", l.expert},
                       {"data", l.data()},
                       {"micro_batch", l.micro_batch},
                       {"described", described(l)}}},
                     {"step_s", one.step.total().si},
                     {"parts_s", std::move(parts)},
                     {"mfu", model_flops_utilization(one.step)},
                     {"hfu", hardware_flops_utilization(one.step)},
                     {"mbu", memory_bandwidth_utilization(one.step, one.input.device.memory_bandwidth)},
                     {"tokens_per_device_second", tokens_per_device_second(one)},
                     {"memory_bytes", one.step.memory.si}});
  }
  return Json{{"steps", std::move(steps)}}.dump(2) + "\n";
}

}  // namespace fleetsim
