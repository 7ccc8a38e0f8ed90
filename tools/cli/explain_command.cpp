#include <algorithm>
#include <array>
#include <optional>

#include "models/catalog/catalog.hpp"
#include "models/text/nearest.hpp"
#include "sim/ledger/leaf.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/study/figures.hpp"
#include "sim/workload/trace.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/cli/scheduler_rows.hpp"

namespace fleetsim {
namespace {

constexpr Usage kExplainUsage = {
    "explain",
    "NAME",
    1,
    1,
    {},
    "Explains a figure (mpg), a leaf of the ledger (runtime.rework), a key of a scenario "
    "(checkpoint.interval, or /workload/x/checkpoint), a policy or preset of a scheduler (easy, kueue), a "
    "format of traces, or an entry of the catalog."};

std::string entry(std::string_view label, std::string_view words) {
  return words.empty() ? "" : wrap("  " + pad_right(std::string(label) + " ", 12), words);
}

/// The figures that are ratios across a boundary.
struct Formula {
  std::string_view figure;  ///< last part of its name
  std::string_view text;
  std::optional<Boundary> boundary;  ///< whose leaves keep it below one
};

constexpr std::array kFormulas = {
    Formula{"availability", "in_service / installed; installed = out_of_service.* + in_service",
            Boundary::availability},
    Formula{"scheduling_goodput", "S = held / in_service; in_service = scheduling.* + held",
            Boundary::scheduling},
    Formula{"runtime_goodput", "R = retained / (held - runtime.unresolved); held = runtime.* + retained",
            Boundary::runtime},
    Formula{"program_goodput", "P = ideal / retained; retained = program.* + ideal", Boundary::program},
    Formula{"mpg", "S R P = ideal / in_service; 1 - MPG = (1 - S) + S (1 - R) + S R (1 - P)", std::nullopt},
    Formula{"job_product", "R P = ideal / (held - runtime.unresolved)", std::nullopt},
    Formula{"scheduling_goodput.size.SIZE",
            "held / (held + partial_gang + free while a gang of this size is queued that accepts the pool)",
            std::nullopt},
    Formula{"share.scheduling", "1 - S, of in_service", Boundary::scheduling},
    Formula{"share.runtime", "S (1 - R), of in_service", Boundary::runtime},
    Formula{"share.program", "S R (1 - P), of in_service", Boundary::program},
};

std::string leaves_at(Boundary boundary) {
  std::string list;
  for (const LeafInfo& leaf : leaf_table()) {
    if (leaf.boundary == boundary) list += (list.empty() ? "" : ", ") + std::string(leaf.name);
  }
  return list;
}

/// Whether the name is the pattern with its words in capitals replaced, or the end of it.
bool matches(std::string_view pattern, std::string_view name) {
  if (pattern == name || (pattern.size() > name.size() && pattern.ends_with(name) &&
                          pattern[pattern.size() - name.size() - 1] == '.'))
    return true;
  for (const std::string_view word : {"CLASS", "POOL", "LEAF", "SIZE", "QUOTA", "ROW"}) {
    const std::size_t at = pattern.find(word);
    if (at == pattern.npos) continue;
    const std::string_view before = pattern.substr(0, at), after = pattern.substr(at + word.size());
    if (after.find("ROW") != after.npos) return name.starts_with(before);
    return name.size() > before.size() + after.size() && name.starts_with(before) && name.ends_with(after);
  }
  return false;
}

std::string figure_texts(std::string_view name) {
  std::string text;
  for (const FigureInfo& figure : figure_table()) {
    if (!matches(figure.pattern, name)) continue;
    text += "figure " + std::string(figure.pattern) + "\n" + entry("meaning", figure.about) +
            entry("unit", figure.unit);
    for (const Formula& formula : kFormulas) {
      if (!matches(figure.pattern, formula.figure) && figure.pattern != formula.figure) continue;
      text += entry("formula", formula.text);
      if (formula.boundary) text += entry("lost to", leaves_at(*formula.boundary));
    }
  }
  return text;
}

std::string leaf_text(std::string_view name) {
  constexpr std::string_view kBoundaries[] = {"availability", "scheduling", "runtime", "program", "useful"};
  std::string text;
  for (const LeafInfo& leaf : leaf_table()) {
    const bool is_tail = leaf.name.ends_with(name) && leaf.name.size() > name.size() &&
                         leaf.name[leaf.name.size() - name.size() - 1] == '.';
    if (leaf.name != name && !is_tail) continue;
    text += "leaf " + std::string(leaf.name) + "\n" + entry("a device is", leaf.about) +
            entry("boundary", kBoundaries[static_cast<std::size_t>(leaf.boundary)]) +
            entry("mechanism", leaf.mechanism) + entry("removed by", leaf.layer) + entry("term", leaf.term) +
            entry("evidence", std::string(leaf.evidence) + ".csv");
  }
  return text;
}

std::string key_text(const KeyInfo& key) {
  const std::string fallback = key.fallback == "required" ? "required" : std::string(key.fallback);
  return "key " + std::string(key.object) + "." + std::string(key.name) + "\n" + entry("meaning", key.about) +
         entry("type", key.type) +
         (fallback == "required" ? entry("", "required") : entry("default", fallback));
}

std::string object_text(std::string_view object) {
  const auto keys = keys_of(object);
  if (keys.empty()) return {};
  std::string text = "object " + std::string(object) + "\n";
  for (const KeyInfo& key : keys) text += entry(key.name, key.about);
  return text;
}

std::string key_texts(std::string_view name) {
  if (name.starts_with('/')) {
    const std::string_view type = type_at(name);
    if (type.empty()) return {};
    const std::size_t slash = name.rfind('/');
    const std::string_view object = type_at(name.substr(0, slash));
    const KeyInfo* key = find_key(object, name.substr(slash + 1));
    return (key != nullptr ? key_text(*key) : "") + object_text(type);
  }
  std::string text;
  for (const KeyInfo& key : scenario_keys()) {
    if (key.name == name || std::string(key.object) + "." + std::string(key.name) == name)
      text += key_text(key);
  }
  return text + object_text(name);
}

template <class Row>
std::string row_texts(std::string_view what, std::span<const Row> rows, std::string_view name) {
  std::string text;
  for (const Row& row : rows) {
    if (row.name == name)
      text += std::string(what) + " " + std::string(row.name) + "\n" + entry("meaning", row.about);
  }
  return text;
}

/// Parts of schedulers of that name, whatever key they are under; or "order priority" with its key.
std::string scheduler_texts(std::string_view name) {
  std::string text;
  for (const SchedulerRow& row : scheduler_rows()) {
    if (row.name != name && row.key + " " + row.name != name) continue;
    text += row.key + " " + row.name + "\n" + entry("meaning", row.about) + entry("source", row.source) +
            entry("cost", row.cost);
  }
  return text;
}

/// Ratios of a step that are no figures of a result.
struct StepTerm {
  std::string_view name, meaning, formula, see;
};
constexpr std::array kStepTerms = {
    StepTerm{
        "mfu",
        "model FLOP/s utilization: the share of the devices' peak that the model's own arithmetic reaches",
        "model arithmetic of a step / (step time x devices x dense peak of the number format); matrix "
        "products, causal attention at half its square, forward once and backward twice, without "
        "recomputation, lookups, norms and optimizer: ideal / step",
        "fleetsim step prints it; of a job in a scenario it is P, program_goodput"},
    StepTerm{
        "hfu", "hardware FLOP/s utilization: MFU with what is computed again for the backward pass counted",
        "MFU x (model arithmetic + recomputation) / model arithmetic; equal to MFU without recomputation",
        "fleetsim step prints it"},
    StepTerm{"mbu",
             "memory bandwidth utilization: the share of the data sheet's bandwidth that traffic reaches",
             "bytes that a device moves to and from its memory in a step / (step time x bandwidth)",
             "fleetsim step prints it"}};

std::string step_term_text(std::string_view name) {
  std::string lower{name};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const StepTerm& term : kStepTerms) {
    if (term.name == lower)
      return "term " + std::string(term.name) + "\n" + entry("meaning", term.meaning) +
             entry("formula", term.formula) + entry("see", term.see);
  }
  return {};
}

std::string catalog_texts(std::string_view name) {
  std::string text;
  for (const CatalogKind kind : kCatalogKinds) {
    if (const auto file = catalog_text(kind, name))
      text += std::string(to_string(kind)) + " " + std::string(name) + "\n" + std::string(*file);
  }
  return text;
}

/// Everything that can be explained, for "did you mean".
std::vector<std::string> known_names() {
  std::vector<std::string> known;
  for (const FigureInfo& figure : figure_table()) {
    known.emplace_back(figure.pattern);
    known.emplace_back(figure.pattern.substr(figure.pattern.rfind('.') + 1));
  }
  for (const LeafInfo& leaf : leaf_table()) {
    known.emplace_back(leaf.name);
    known.emplace_back(leaf.name.substr(leaf.name.rfind('.') + 1));
  }
  for (const KeyInfo& key : scenario_keys()) {
    known.emplace_back(key.name);
    known.push_back(std::string(key.object) + "." + std::string(key.name));
  }
  for (const StepTerm& term : kStepTerms) known.emplace_back(term.name);
  for (const SchedulerRow& row : scheduler_rows()) known.push_back(row.name);
  for (const TraceFormat& row : trace_formats()) known.emplace_back(row.name);
  for (const CatalogKind kind : kCatalogKinds) {
    for (const std::string& name : names(kind)) known.push_back(name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

std::string unknown(const std::string& name) {
  std::string text;
  for (const std::string& near : nearest_names(name, std::span<const std::string>(known_names())))
    text += (text.empty() ? "; did you mean " : ", ") + ("\"" + near + "\"");
  return "nothing is named \"" + name + "\"" + (text.empty() ? "" : text + "?");
}

}  // namespace

ExitCode explain_command(const Words& words) {
  const Arguments arguments = Arguments::parse(kExplainUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const std::string& name = arguments.positional().front();
  const std::string text = figure_texts(name) + leaf_text(name) + key_texts(name) + scheduler_texts(name) +
                           step_term_text(name) + row_texts("trace format", trace_formats(), name) +
                           catalog_texts(name);
  return text.empty() ? fail("explain", unknown(name), ExitCode::bad_input) : print(text);
}

}  // namespace fleetsim
