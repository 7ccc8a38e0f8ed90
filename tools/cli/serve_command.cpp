#include "models/catalog/network.hpp"
#include "models/quantity/format.hpp"
#include "models/serving/serving.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/studies.hpp"
#include "tools/report/table.hpp"
#include "tools/report/text.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kServeOptions[] = {
    {"model", "NAME", "transformer of the catalog"},
    {"node", "NAME", "node of the catalog; dgx-h100 unless given"},
    {"gpus", "N", "tensor-parallel devices of the replica; a node unless given"},
    {"batch", "N", "sequences at a time; 1 unless given"},
    {"context", "N", "tokens of each sequence; 1,024 unless given"},
    kAsciiOption};
constexpr Usage kServeUsage = {
    "serve",
    "",
    0,
    0,
    kServeOptions,
    "Predicts a decode step and the prefill of a replica in bf16, kernels replayed "
    "from graphs, from measured "
    "kernels; what a server does between steps comes on top."};

constexpr std::uint64_t kMostDevices = 100'000, kMostTokens = 1'000'000'000;

std::int64_t number(Arguments& arguments, std::string_view option, std::int64_t usual, std::uint64_t most) {
  const auto given = arguments.whole(option, 1, most);
  return given ? static_cast<std::int64_t>(*given) : usual;
}

std::optional<Replica> read_replica(Arguments& arguments, std::string& title) {
  const auto wrong = [&](const std::string& problem) {
    arguments.reject(problem);
    return std::nullopt;
  };
  const std::optional<std::string> name = arguments.value("model");
  if (!name) return wrong("expected --model");
  const Found<Like<Transformer>> model = transformer_like(*name);
  if (!model) return wrong(model.problem);
  const Found<Node> node = fleetsim::node(arguments.value("node").value_or("dgx-h100"));
  if (!node) return wrong(node.problem);
  Replica replica{.model = model.entry->entry,
                  .device = *accelerator(node.entry->accelerator).entry,
                  .network = *network(node.entry->name, node.entry->fabric).entry};
  replica.tensor = number(arguments, "gpus", node.entry->devices, kMostDevices);
  title = model.entry->name + " on " + format_integer(replica.tensor) + " x " + node.entry->accelerator +
          " (" + node.entry->name + "), bf16";
  return replica;
}

TableRow row_of(std::string what, const ServingStep& step, const Style& style) {
  const auto share = [&](Seconds part) { return format_percent(part / step.time); };
  return {clean(what, style),       format_duration(step.time), format_percent(step.mbu),
          format_percent(step.mfu), share(step.products),       share(step.attention),
          share(step.other),        share(step.exchange)};
}

}  // namespace

ExitCode serve_command(const Words& words) {
  Arguments arguments = Arguments::parse(kServeUsage, words);
  if (arguments.exit()) return *arguments.exit();
  std::string title;
  const std::optional<Replica> replica = read_replica(arguments, title);
  const ServingLoad load{.batch = number(arguments, "batch", 1, kMostTokens),
                         .context = number(arguments, "context", 1024, kMostTokens)};
  if (arguments.exit()) return *arguments.exit();
  for (const std::string& problem : replica_problems(*replica, load)) arguments.reject(problem);
  if (arguments.exit()) return *arguments.exit();
  const Style style = output_style(arguments);
  const std::vector<Column> columns = {{"", Align::left},          {"time", Align::right},
                                       {"MBU", Align::right},      {"MFU", Align::right},
                                       {"products", Align::right}, {"attention", Align::right},
                                       {"small", Align::right},    {"exchange", Align::right}};
  const std::vector<TableRow> rows = {row_of("decode step", decode_step(*replica, load), style),
                                      row_of("prefill", prefill_step(*replica, load), style)};
  const ReplicaMemory memory = replica_memory(*replica, load);
  title += ", " + format_integer(load.batch) + (load.batch == 1 ? " sequence of " : " sequences of ") +
           format_integer(load.context) + " tokens";
  return print(
      heading("SERVE", style) + "  " + clean(title, style) + "\n\n" + text_table(columns, rows, style) +
      "\n  floor of a decode step, weights alone: " + format_duration(weight_floor(*replica)) +
      "\n  a device holds " + format_bytes(memory.weights) + " of weights and " + format_bytes(memory.cache) +
      " of cache; at most " + format_integer(largest_batch(*replica, load.context)) +
      " sequences of this context fit\n  predicted from measured kernels; what a server does "
      "between steps is not in it\n");
}

}  // namespace fleetsim
