#include "sim/scenario/resolve.hpp"

#include <algorithm>
#include <charconv>

#include "models/text/nearest.hpp"
#include "sim/scenario/keys.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kLongestChain = 32;

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && !tokens.empty()) {
      tokens.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!tokens.empty()) {
      tokens.back() += pointer[i];
    }
  }
  return tokens;
}

const Json* child(const Json& parent, const std::string& token) {
  if (parent.is_object()) {
    const auto found = parent.find(token);
    return found == parent.end() ? nullptr : &*found;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool whole = error == std::errc{} && end == token.data() + token.size();
  return parent.is_array() && whole && index < parent.size() ? &parent[index] : nullptr;
}

Json* child(Json& parent, const std::string& token) {
  return const_cast<Json*>(child(static_cast<const Json&>(parent), token));
}

/// A pointer like the one given that exists, for "did you mean".
std::string suggestion(const Json& parent, const std::string& prefix, const std::vector<std::string>& tokens,
                       std::size_t at) {
  std::vector<std::string> known;
  if (parent.is_object()) {
    for (const auto& [key, ignored] : parent.items()) known.push_back(key);
  }
  for (const KeyInfo& row : keys_of(type_at(prefix))) {
    if (std::find(known.begin(), known.end(), row.name) == known.end()) known.emplace_back(row.name);
  }
  const std::vector<std::string> near = nearest_names(tokens[at], known, 1);
  if (near.empty()) return "";
  std::string pointer = child_pointer(prefix, near.front());
  for (std::size_t i = at + 1; i < tokens.size(); ++i) pointer = child_pointer(pointer, tokens[i]);
  return "; did you mean " + describe(Json(pointer)) + "?";
}

/// A JSON object out of a text, or an issue.
std::optional<Json> parse_scenario(std::string_view text, const std::string& name,
                                   std::vector<Issue>& issues) {
  std::vector<TextProblem> problems;
  std::optional<Json> document = parse_json(text, problems);
  for (const TextProblem& problem : problems) issues.push_back({name, problem.place, problem.message});
  if (document && !document->is_object()) {
    issues.push_back({name, "", "expected a scenario, an object in JSON; found " + describe(*document)});
    document.reset();
  }
  return document;
}

/// The file that `extends` names, next to the file that says so; nothing when there is none or an issue.
std::optional<std::filesystem::path> extended_file(const SourceFile& file, std::vector<Issue>& issues) {
  const auto extends = file.document.find("extends");
  if (extends == file.document.end()) return std::nullopt;
  if (extends->is_string() && !extends->get_ref<const std::string&>().empty()) {
    return (file.folder / extends->get<std::string>()).lexically_normal();
  }
  issues.push_back({file.name, "/extends", "expected the name of a file; found " + describe(*extends)});
  return std::nullopt;
}

std::string identity(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(file, error);
  return error ? file.lexically_normal().string() : canonical.string();
}

std::vector<std::pair<std::string, Json>> read_alternatives(const Sources& sources,
                                                            std::vector<Issue>& issues) {
  std::vector<std::pair<std::string, Json>> alternatives{{"", Json::object()}};
  const auto found = sources.merged.find("alternatives");
  if (found == sources.merged.end()) return alternatives;
  const std::string& file = sources.files.front().name;
  if (!found->is_object()) {
    issues.push_back(
        {file, "/alternatives", "expected an object of patches by name; found " + describe(*found)});
    return alternatives;
  }
  for (const auto& [name, patch] : found->items()) {
    const std::string pointer = child_pointer("/alternatives", name);
    if (name.empty()) issues.push_back({file, pointer, "expected a name for the alternative; found \"\""});
    if (!patch.is_object()) {
      issues.push_back({file, pointer, "expected a JSON merge patch, an object; found " + describe(patch)});
      continue;
    }
    for (const char* key : {"extends", "alternatives", "sweep", "expect"}) {
      if (patch.contains(key))
        issues.push_back({file, child_pointer(pointer, key), "an alternative may not change this"});
    }
    alternatives.emplace_back(name, patch);
  }
  return alternatives;
}

std::vector<Axis> read_sweep(const Sources& sources, std::vector<Issue>& issues) {
  std::vector<Axis> axes;
  const auto found = sources.merged.find("sweep");
  if (found == sources.merged.end()) return axes;
  const std::string& file = sources.files.front().name;
  if (!found->is_object()) {
    issues.push_back(
        {file, "/sweep", "expected an object of values by JSON pointer; found " + describe(*found)});
    return axes;
  }
  for (const auto& [pointer, values] : found->items()) {
    if (!values.is_array() || values.empty()) {
      issues.push_back({file, child_pointer("/sweep", pointer),
                        "expected a list of at least one value; found " + describe(values)});
      continue;
    }
    axes.push_back({pointer, std::vector<Json>(values.begin(), values.end())});
  }
  return axes;
}

/// Whether a value of the command line is text that JSON can hold.
bool check_text(const char* option, const std::string& pointer, const std::string& text,
                std::vector<Issue>& issues) {
  if (is_utf8(text)) return true;
  issues.push_back({option, pointer, "expected text in UTF-8; found other bytes"});
  return false;
}

/// Takes the key at a pointer away, if it is there.
void erase_at(Json& document, const std::string& pointer) {
  const std::vector<std::string> tokens = tokens_of(pointer);
  Json* parent = &document;
  for (auto token = tokens.begin(); parent != nullptr && token + 1 != tokens.end(); ++token) {
    parent = child(*parent, *token);
  }
  if (parent != nullptr && parent->is_object()) parent->erase(tokens.back());
}

/// Adds an axis, or puts it in place of the one over the same key.
void add_axis(Axis axis, std::vector<Axis>& axes) {
  const auto same = std::find_if(axes.begin(), axes.end(),
                                 [&](const Axis& other) { return other.pointer == axis.pointer; });
  if (same == axes.end()) {
    axes.push_back(std::move(axis));
  } else {
    *same = std::move(axis);
  }
}

}  // namespace

const Json* value_at(const Json& document, std::string_view pointer) {
  const Json* value = &document;
  for (const std::string& token : tokens_of(pointer)) {
    value = child(*value, token);
    if (value == nullptr) return nullptr;
  }
  return value;
}

bool is_within(std::string_view pointer, std::string_view prefix) {
  return pointer.starts_with(prefix) && (pointer.size() == prefix.size() || pointer[prefix.size()] == '/');
}

Json json_or_text(const std::string& text) {
  std::vector<TextProblem> problems;
  const std::optional<Json> value = parse_json(text, problems);
  return value && problems.empty() ? *value : Json(text);
}

std::optional<std::string> set_at(Json& document, const std::string& pointer, const Json& value) {
  if (!pointer.starts_with('/'))
    return "expected a JSON pointer such as \"/window/length\"; found " + describe(Json(pointer));
  const std::vector<std::string> tokens = tokens_of(pointer);
  for (const std::string_view key : {"extends", "alternatives", "sweep"}) {
    if (tokens.front() == key) return "says what the study is, and cannot be varied within it";
  }
  // Checked first, so that nothing is half done: from `missing` on, keys are to be made.
  const Json* there = &document;
  std::string prefix;
  std::size_t missing = 0;
  for (; missing < tokens.size(); ++missing) {
    const Json* next = child(*there, tokens[missing]);
    if (next == nullptr) break;
    there = next;
    prefix = child_pointer(prefix, tokens[missing]);
  }
  std::string made = prefix;
  for (std::size_t i = missing; i < tokens.size(); ++i) {
    const bool known = there->is_object() && find_key(type_at(made), tokens[i]) != nullptr;
    if (!known) return "names no key of the scenario" + suggestion(*there, made, tokens, i);
    made = child_pointer(made, tokens[i]);
    static const Json kEmpty = Json::object();
    there = &kEmpty;
  }
  Json* target = &document;
  for (const std::string& token : tokens) {
    Json* next = child(*target, token);
    target = next != nullptr ? next
                             : &(target->is_object() ? (*target)[token] : (*target = Json::object())[token]);
  }
  *target = value;
  return std::nullopt;
}

std::optional<Sources> load_sources(std::string_view text, const std::string& name,
                                    std::vector<Issue>& issues) {
  Sources sources;
  std::vector<std::string> seen{identity(name)};
  std::string content(text), file = name;
  while (true) {
    std::optional<Json> document = parse_scenario(content, file, issues);
    if (!document) return std::nullopt;
    sources.files.push_back({file, std::filesystem::path(file).parent_path(), std::move(*document)});
    const std::size_t before = issues.size();
    const auto next = extended_file(sources.files.back(), issues);
    if (issues.size() > before) return std::nullopt;
    if (!next) break;
    const auto refuse = [&](const std::string& why) {
      issues.push_back({file, "/extends", describe(Json(next->string())) + ": " + why});
      return std::nullopt;
    };
    if (std::find(seen.begin(), seen.end(), identity(*next)) != seen.end())
      return refuse("extends itself, in a circle");
    if (seen.size() >= kLongestChain) return refuse("more than 32 files extend each other");
    seen.push_back(identity(*next));
    std::string problem;
    const std::optional<std::string> base = read_text_file(*next, problem);
    if (!base) return refuse(problem);
    content = *base;
    file = next->string();
  }
  sources.merged = sources.files.back().document;
  for (auto patch = std::next(sources.files.rbegin()); patch != sources.files.rend(); ++patch) {
    sources.merged.merge_patch(patch->document);
  }
  sources.merged.erase("extends");
  return sources;
}

StudyPlan plan_study(const Sources& sources, const ReadOptions& options, std::vector<Issue>& issues) {
  StudyPlan plan;
  // What changes the study itself comes before the study is read; the rest is set in each of its points.
  Sources changed = sources;
  for (const auto& [pointer, text] : options.sets) {
    if (!check_text("--set", pointer, text, issues)) continue;
    const Json value = json_or_text(text);
    const bool of_study = is_within(pointer, "/alternatives") || is_within(pointer, "/sweep");
    if (!of_study) {
      plan.settings.push_back({"--set", pointer, value});
    } else if (value.is_null()) {
      erase_at(changed.merged, pointer);
    } else if (const auto wrong = set_at(changed.merged, pointer, value)) {
      issues.push_back({"--set", pointer, *wrong});
    }
  }
  plan.alternatives = read_alternatives(changed, issues);
  plan.axes = read_sweep(changed, issues);
  if (options.seed) plan.settings.push_back({"--seed", "/runs/seed", *options.seed});
  if (options.replications)
    plan.settings.push_back({"--replications", "/runs/replications", *options.replications});
  for (const auto& [pointer, texts] : options.vary) {
    Axis axis{pointer, {}, true};
    for (const std::string& text : texts) {
      if (check_text("--vary", pointer, text, issues)) axis.values.push_back(json_or_text(text));
    }
    if (texts.empty()) issues.push_back({"--vary", pointer, "expected at least one value; found none"});
    add_axis(std::move(axis), plan.axes);
  }
  const auto is_set = [&](const Axis& axis) {
    return std::any_of(plan.settings.begin(), plan.settings.end(),
                       [&](const Setting& setting) { return setting.pointer == axis.pointer; });
  };
  std::erase_if(plan.axes,
                [&](const Axis& axis) { return axis.values.empty() || (!axis.from_option && is_set(axis)); });
  return plan;
}

}  // namespace fleetsim
