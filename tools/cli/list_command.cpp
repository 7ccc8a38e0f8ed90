#include <array>

#include "models/catalog/catalog.hpp"
#include "sim/ledger/leaf.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/study/figures.hpp"
#include "sim/workload/trace.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/scheduler_rows.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

/// A name, and one line about it.
struct Entry {
  std::string name, about;
};
using Entries = std::vector<Entry>;

template <CatalogKind kind>
Entries catalog_entries() {
  Entries entries;
  for (const std::string& name : names(kind)) entries.push_back({name, about(kind, name).value_or("")});
  return entries;
}

template <class Row>
Entries rows_of(std::span<const Row> rows, std::string_view Row::*name) {
  Entries entries;
  for (const Row& row : rows) entries.push_back({std::string(row.*name), std::string(row.about)});
  return entries;
}

/// All that a scheduler is composed of, or the rows of one of its keys by their names alone.
Entries schedulers() {
  Entries entries;
  for (const SchedulerRow& row : scheduler_rows()) entries.push_back({row.key + " " + row.name, told(row)});
  return entries;
}
Entries rows_of_key(std::string_view key) {
  Entries entries;
  for (const SchedulerRow& row : scheduler_rows())
    if (row.key == key) entries.push_back({row.name, told(row)});
  return entries;
}
Entries preset_names() { return rows_of_key("preset"); }
Entries orders() { return rows_of_key("order"); }
Entries backfills() { return rows_of_key("backfill"); }
Entries victims() { return rows_of_key("victims"); }
Entries elastics() { return rows_of_key("elastic"); }
Entries placements() { return rows_of_key("placement"); }

Entries leaves() { return rows_of(leaf_table(), &LeafInfo::name); }
Entries figures() { return rows_of(figure_table(), &FigureInfo::pattern); }
Entries formats() { return rows_of(trace_formats(), &TraceFormat::name); }

Entries keys() {
  Entries entries;
  for (const KeyInfo& key : scenario_keys())
    entries.push_back({std::string(key.object) + "." + std::string(key.name), std::string(key.about)});
  return entries;
}

struct Kind {
  std::string_view name, about;
  Entries (*entries)();
};

constexpr std::array kKinds = {
    Kind{"schedulers", "all that a scheduler is composed of, with its source and its cost", schedulers},
    Kind{"presets", "schedulers under names that users know", preset_names},
    Kind{"backfills", "who may pass a job that cannot start", backfills},
    Kind{"elastic", "when a gang of several possible sizes starts, and when it changes its size", elastics},
    Kind{"victims", "who is stopped first when room has to be made", victims},
    Kind{"orders", "which queued job is served first", orders},
    Kind{"placements", "which nodes a gang gets", placements},
    Kind{"trace-formats", "logs that can be read", formats},
    Kind{"figures", "what a result holds; LEAF, POOL, CLASS and ROW stand for names", figures},
    Kind{"leaves", "where device-time can go", leaves},
    Kind{"keys", "what a scenario file may say", keys},
    Kind{"accelerators", "catalog: devices", catalog_entries<CatalogKind::kAccelerators>},
    Kind{"nodes", "catalog: nodes", catalog_entries<CatalogKind::kNodes>},
    Kind{"fabrics", "catalog: networks between nodes", catalog_entries<CatalogKind::kFabrics>},
    Kind{"transformers", "catalog: models", catalog_entries<CatalogKind::kTransformers>},
    Kind{"failures", "catalog: rates of failure", catalog_entries<CatalogKind::kFailures>},
    Kind{"prices", "catalog: prices of a device-hour", catalog_entries<CatalogKind::kPrices>},
    Kind{"storage", "catalog: file systems", catalog_entries<CatalogKind::kStorage>},
    Kind{"recoveries", "catalog: times to recover", catalog_entries<CatalogKind::kRecovery>},
    Kind{"collectives", "catalog: measured sweeps of collectives",
         catalog_entries<CatalogKind::kCollectives>},
    Kind{"gemms", "catalog: measured matrix products", catalog_entries<CatalogKind::kGemms>},
    Kind{"recommenders", "catalog: recommendation models", catalog_entries<CatalogKind::kRecommenders>},
};

const Entry kSchema{"schema", "the JSON Schema of a scenario file, which is scenarios/schema.json"};

constexpr OptionRow kListOptions[] = {{"verbose", "", "a line about each"}};
constexpr Usage kListUsage = {
    "list",
    "[KIND]",
    0,
    1,
    kListOptions,
    "Names what there is of a kind; without one, the kinds. `fleetsim explain NAME` tells more."};

std::string lines(const Entries& entries, bool verbose) {
  std::string text;
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  for (const Entry& entry : entries)
    text += verbose && !entry.about.empty() ? wrap(pad_right(entry.name, width) + "  ", entry.about)
                                            : entry.name + "\n";
  return text;
}

Words with_long_names(Words words) {
  for (std::string& word : words) {
    if (word == "-v") word = "--verbose";
  }
  return words;
}

}  // namespace

ExitCode list_command(const Words& words) {
  Arguments arguments = Arguments::parse(kListUsage, with_long_names(words));
  if (arguments.exit()) return *arguments.exit();
  if (arguments.positional().empty()) {
    Entries kinds;
    for (const Kind& kind : kKinds) kinds.push_back({std::string(kind.name), std::string(kind.about)});
    kinds.push_back(kSchema);
    return print(lines(kinds, true));
  }
  const std::string& name = arguments.positional().front();
  if (name == kSchema.name) return print(scenario_schema());
  std::vector<std::string_view> known{kSchema.name};
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return print(lines(kind.entries(), arguments.has("verbose")));
    known.push_back(kind.name);
  }
  return fail("list", "unknown kind \"" + name + "\"" + did_you_mean(name, known), ExitCode::bad_input);
}

}  // namespace fleetsim
