#include "tools/cli/step_input.hpp"

#include <algorithm>
#include <string>

#include "models/catalog/catalog.hpp"
#include "models/catalog/measured_network.hpp"
#include "models/catalog/network.hpp"
#include "models/catalog/read_products.hpp"
#include "models/quantity/format.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/runs/step_words.hpp"

namespace fleetsim {
namespace {

constexpr std::uint64_t kMostOfAStep = 10'000'000;

/// What is wrong; empty where nothing is.
using Problem = std::string;

Problem read_model(const Arguments& arguments, AskedStep& asked) {
  asked.names.model = arguments.value("model").value_or("");
  if (asked.names.model.empty()) return "expected --model, or --file";
  const Found<Like<Transformer>> model = transformer_like(asked.names.model);
  if (!model && !recommender(asked.names.model)) return model.problem;
  if (!model) return {};
  asked.input.model = model.entry->entry;
  asked.names.model = model.entry->name;
  return {};
}

/// Of the device that the products name, or of any where they name none.
Problem check_products(const MeasuredProducts& own, const Accelerator& device, Number number) {
  if (!own.accelerator.empty() && own.accelerator != device.name)
    return "was measured on " + own.accelerator + ", and the node has " + device.name;
  const std::optional<MeasuredFormat>& format = number == Number::kBf16    ? own.bf16
                                                : number == Number::kNvfp4 ? own.fp4
                                                                           : own.fp8;
  if (!format) return "has no products in " + std::string(to_string(number));
  const FlopRate peak = number == Number::kBf16    ? device.peak_bf16
                        : number == Number::kNvfp4 ? device.peak_fp4.value_or(FlopRate{})
                                                   : device.peak_fp8.value_or(FlopRate{});
  if (format->curve.rate > peak)
    return "reaches " + format_flop_rate(format->curve.rate) + ", beyond the peak of " + device.name + ", " +
           format_flop_rate(peak);
  return {};
}

Problem read_products(const std::string& file, const Accelerator& device, AskedStep& asked) {
  const std::optional<std::string> text = file_text(file);
  if (!text) return file + ": cannot be read";
  const Parsed<MeasuredProducts> own = read_measured_products(*text);
  if (!own) return file + ": " + own.problem;
  if (const Problem problem = check_products(*own.value, device, asked.input.number); !problem.empty())
    return file + ": " + problem;
  asked.input.device.products = std::make_shared<const MeasuredProducts>(*own.value);
  asked.names.own_products = "as measured by the user where the shape was, else by the curve fitted to those";
  asked.names.own_products += own.value->accelerator.empty()
                                  ? "; the file does not say on which device, taken to be this one"
                                  : " on " + own.value->accelerator;
  if (asked.input.number != Number::kBf16 && !own.value->bf16)
    asked.names.own_products += "; those in BF16 by the catalog";
  return {};
}

Problem read_network(const Arguments& arguments, AskedStep& asked) {
  const Found<Network> links = network(asked.names.node, asked.names.fabric);
  if (!links) return links.problem;
  Network known = *links.entry;
  if (const auto file = arguments.value("network")) {
    const std::optional<std::string> text = file_text(*file);
    if (!text) return *file + ": cannot be read";
    const Parsed<MeasuredNetwork> own = read_measured_network(*text);
    if (!own) return *file + ": " + own.problem;
    const auto& measured_on = own.value->accelerators;
    if (!measured_on.empty() &&
        std::find(measured_on.begin(), measured_on.end(), asked.names.device) == measured_on.end())
      return *file + ": was measured on " + measured_on.front() + ", and the node has " + asked.names.device;
    if (own.value->fabric && *own.value->fabric != asked.names.fabric)
      return *file + ": was measured on fabric " + *own.value->fabric + ", and the step is on " +
             asked.names.fabric;
    if (const auto misfit = use_measurements(*own.value, known)) return *file + ": " + *misfit;
  }
  asked.input.links = std::make_shared<const Network>(std::move(known));
  return {};
}

Problem read_device(const Arguments& arguments, const Accelerator& device, AskedStep& asked) {
  asked.names.device = device.name;
  asked.input.device = step_device(device);
  if (const auto word = arguments.value("precision")) {
    if (Problem problem = read_number_word(*word, asked.input.number); !problem.empty()) return problem;
  }
  if (!has_products(asked.input.device, asked.input.number))
    return device.name + " has no matrix products in " + std::string(to_string(asked.input.number));
  if (const auto words = arguments.value("software")) {
    const Problem problem = read_software_words(*words, asked.input.software);
    if (!problem.empty()) return "--software: " + problem;
  }
  asked.names.rates = rate_evidence(device, asked.input.number, asked.input.software.attention);
  const auto file = arguments.value("gemms");
  return file ? read_products(*file, device, asked) : Problem{};
}

}  // namespace

std::optional<AskedStep> read_step_input(Arguments& arguments) {
  AskedStep asked;
  const auto is_wrong = [&](const Problem& problem) {
    if (!problem.empty()) arguments.reject(problem);
    return !problem.empty();
  };
  if (is_wrong(read_model(arguments, asked))) return std::nullopt;
  asked.names.node = arguments.value("node").value_or("dgx-h100");
  const Found<Node> node = fleetsim::node(asked.names.node);
  if (is_wrong(node.problem)) return std::nullopt;
  asked.names.fabric = arguments.value("fabric").value_or(node.entry->fabric);
  const Accelerator device = *accelerator(node.entry->accelerator).entry;
  if (is_wrong(read_device(arguments, device, asked)) || is_wrong(read_network(arguments, asked)))
    return std::nullopt;

  StepInput& input = asked.input;
  const auto sequence = arguments.whole("sequence", 1, 100'000'000);
  if (sequence) input.model.sequence = static_cast<std::int64_t>(*sequence);
  const auto devices = arguments.exit() ? std::nullopt : arguments.whole("gpus", 1, kMostOfAStep);
  const auto batch = arguments.exit() ? std::nullopt : arguments.whole("batch", 1, 1'000'000'000'000);
  if (arguments.exit()) return std::nullopt;
  input.layout.devices =
      static_cast<std::int64_t>(devices.value_or(static_cast<std::uint64_t>(node.entry->devices)));
  input.layout.global_batch =
      batch ? static_cast<std::int64_t>(*batch) : kUsualSequencesPerDevice * input.layout.devices;
  return asked;
}

}  // namespace fleetsim
