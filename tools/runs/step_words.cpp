#include "tools/runs/step_words.hpp"

#include <charconv>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "models/text/nearest.hpp"

namespace fleetsim {
namespace {

template <class E>
struct Word {
  std::string_view name;
  E value;
};

constexpr Word<Sharding> kShardings[] = {{"none", Sharding::kNone},
                                         {"optimizer", Sharding::kOptimizer},
                                         {"gradients", Sharding::kGradients},
                                         {"full", Sharding::kFull}};
constexpr Word<Recompute> kRecomputes[] = {
    {"none", Recompute::kNone}, {"selective", Recompute::kSelective}, {"full", Recompute::kFull}};
constexpr Word<AttentionKernel> kAttentions[] = {{"flash2", AttentionKernel::kFlash2},
                                                 {"flash3", AttentionKernel::kFlash3},
                                                 {"cudnn", AttentionKernel::kCudnn}};
constexpr Word<Number> kNumbers[] = {
    {"bf16", Number::kBf16}, {"fp8", Number::kFp8}, {"mxfp8", Number::kMxfp8}, {"nvfp4", Number::kNvfp4}};
constexpr Word<bool> kFlags[] = {{"yes", true}, {"no", false}, {"true", true}, {"false", false}};

std::string unknown(std::string_view what, std::string_view found, const std::vector<std::string>& known) {
  std::string problem = "unknown " + std::string(what) + " \"" + std::string(found) + "\"";
  const std::vector<std::string> near = nearest_names(found, known);
  if (!near.empty()) return problem + " (did you mean \"" + near.front() + "\"?)";
  problem += "; expected one of";
  for (const std::string& each : known) problem += " " + each;
  return problem;
}

template <class E, std::size_t N>
std::string choose(std::string_view what, std::string_view found, const Word<E> (&words)[N], E& value) {
  std::vector<std::string> known;
  for (const Word<E>& word : words) {
    if (word.name == found) return value = word.value, std::string();
    known.emplace_back(word.name);
  }
  return unknown(what, found, known);
}

constexpr std::int64_t kMostCount = 1'000'000'000;  // products of two stay whole

std::string count(std::string_view what, std::string_view found, std::int64_t& value) {
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (error == std::errc() && end == found.data() + found.size() && value >= 1 && value <= kMostCount)
    return {};
  return std::string(what) + ": expected a whole number of at least 1; found \"" + std::string(found) + "\"";
}

/// "10/12/10" into 10, 12 and 10.
std::string counts(std::string_view what, std::string_view found, std::vector<std::int64_t>& values) {
  values.clear();
  for (;;) {
    const std::string_view word = found.substr(0, found.find('/'));
    const std::string problem = count(what, word, values.emplace_back());
    if (!problem.empty() || word.size() == found.size()) return problem;
    found.remove_prefix(word.size() + 1);
  }
}

std::string ratio(std::string_view what, std::string_view found, double& value) {
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (error == std::errc() && end == found.data() + found.size() && value >= 0 && value < kMostCount)
    return {};
  return std::string(what) + ": expected a number of at least 0; found \"" + std::string(found) + "\"";
}

std::string year(std::string_view found, double& value) {
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (error == std::errc() && end == found.data() + found.size() && value > 2000 && value < 2100) return {};
  return "release: expected a year such as 2025.5; found \"" + std::string(found) + "\"";
}

template <class E, std::size_t N>
std::string name_of(E value, const Word<E> (&words)[N]) {
  for (const Word<E>& word : words) {
    if (word.value == value) return std::string(word.name);
  }
  return {};
}

/// A number of at least 0; a plain one is a year.
struct Ratio {
  double* value;
};
/// Where a key's value goes.
using Target = std::variant<std::int64_t*, bool*, double*, Ratio, std::vector<std::int64_t>*, Sharding*,
                            Recompute*, AttentionKernel*>;

std::string assign(std::string_view key, std::string_view value, const Target& target) {
  struct Assign {
    std::string_view key, value;
    std::string operator()(std::int64_t* to) const { return count(key, value, *to); }
    std::string operator()(bool* to) const { return choose(key, value, kFlags, *to); }
    std::string operator()(double* to) const { return year(value, *to); }
    std::string operator()(Ratio to) const { return ratio(key, value, *to.value); }
    std::string operator()(std::vector<std::int64_t>* to) const { return counts(key, value, *to); }
    std::string operator()(Sharding* to) const { return choose(key, value, kShardings, *to); }
    std::string operator()(Recompute* to) const { return choose(key, value, kRecomputes, *to); }
    std::string operator()(AttentionKernel* to) const { return choose(key, value, kAttentions, *to); }
  };
  return std::visit(Assign{key, value}, target);
}

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// The value as `assign` reads it.
std::string shown(const Target& target) {
  struct Show {
    std::string operator()(const std::int64_t* from) const { return std::to_string(*from); }
    std::string operator()(const bool* from) const { return name_of(*from, kFlags); }
    std::string operator()(const double* from) const { return shortest(*from); }
    std::string operator()(Ratio from) const { return shortest(*from.value); }
    std::string operator()(const std::vector<std::int64_t>* from) const {
      std::string text;
      for (const std::int64_t each : *from) text += (text.empty() ? "" : "/") + std::to_string(each);
      return text;
    }
    std::string operator()(const Sharding* from) const { return name_of(*from, kShardings); }
    std::string operator()(const Recompute* from) const { return name_of(*from, kRecomputes); }
    std::string operator()(const AttentionKernel* from) const { return name_of(*from, kAttentions); }
  };
  return std::visit(Show{}, target);
}

/// Of all targets that have a value other than zero.
KeyValues key_values(const std::map<std::string, Target>& targets) {
  KeyValues values;
  for (const auto& [key, target] : targets) {
    const std::string value = shown(target);
    if (!value.empty() && value != "0") values.emplace_back(key, value);
  }
  return values;
}

std::string read_words(std::string_view words, std::string_view what,
                       const std::map<std::string, Target>& targets) {
  std::set<std::string> given;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return "expected KEY=VALUE; found \"" + std::string(word) + "\"";
    const std::string key{word.substr(0, equals)};
    const auto target = targets.find(key);
    if (target == targets.end()) {
      std::vector<std::string> known;
      for (const auto& [name, ignored] : targets) known.push_back(name);
      return unknown(what, key, known);
    }
    if (!given.insert(key).second) return "\"" + key + "\" is given twice";
    const std::string problem = assign(key, word.substr(equals + 1), target->second);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::map<std::string, Target> software_targets(Software& s) {
  return {{"attention", &s.attention},
          {"skips_masked", &s.skips_masked},
          {"fused", &s.fused},
          {"fused_experts", &s.fused_experts},
          {"fused_products", &s.fused_products},
          {"fused_scaling", &s.fused_scaling},
          {"whole_graph", &s.whole_graph},
          {"prefetch", &s.prefetch},
          {"overlap", &s.overlap},
          {"graphs", &s.graphs},
          {"release", &s.release}};
}

std::map<std::string, Target> layout_targets(Layout& l) {
  return {{"tensor", &l.tensor},
          {"pipeline", &l.pipeline},
          {"interleave", &l.interleave},
          {"context", &l.context},
          {"expert", &l.expert},
          {"micro_batch", &l.micro_batch},
          {"shard_group", &l.shard_group},
          {"sequence_parallel", &l.sequence_parallel},
          {"sharding", &l.sharding},
          {"recompute", &l.recompute},
          {"stages", &l.stages},
          {"capacity", Ratio{&l.capacity}},
          {"imbalance", Ratio{&l.imbalance}},
          {"offload", &l.offload},
          {"uneven", &l.uneven}};
}

}  // namespace

std::string read_layout_words(std::string_view words, Layout& layout) {
  return read_words(words, "key of a layout", layout_targets(layout));
}

std::string read_software_words(std::string_view words, Software& s) {
  return read_words(words, "key of software", software_targets(s));
}

std::vector<std::string> software_keys() {
  Software any;
  std::vector<std::string> keys;
  for (const auto& [key, target] : software_targets(any)) keys.push_back(key);
  return keys;
}

std::string read_number_word(std::string_view word, Number& number) {
  return choose("precision", word, kNumbers, number);
}

std::string_view to_string(Number number) {
  for (const Word<Number>& word : kNumbers) {
    if (word.value == number) return word.name;
  }
  return "";
}

KeyValues layout_values(Layout layout) { return key_values(layout_targets(layout)); }

KeyValues software_values(Software software) { return key_values(software_targets(software)); }

std::string joined(const KeyValues& values, std::string_view between) {
  std::string text;
  for (const auto& [key, value] : values)
    text += (text.empty() ? std::string() : std::string(between)) + key + "=" + value;
  return text;
}

std::string described(const Layout& l) {
  std::string text;
  const auto degree = [&](std::string_view name, std::int64_t value) {
    if (value > 1) text += (text.empty() ? "" : " ") + std::string(name) + std::to_string(value);
  };
  degree("TP", l.tensor);
  degree("PP", l.pipeline);
  degree("VP", l.interleave);
  degree("CP", l.context);
  degree("EP", l.expert);
  degree("DP", l.data());
  if (text.empty()) text = "one device";
  text += ", micro-batch " + std::to_string(l.micro_batch);
  if (l.replicas() > 1) text += ", sharding " + name_of(l.sharding, kShardings);
  if (l.shard_group > 0) text += " in groups of " + std::to_string(l.shard_group);
  if (l.recompute != Recompute::kNone) text += ", recompute " + name_of(l.recompute, kRecomputes);
  if (l.offload) text += ", offload";
  for (std::size_t i = 0; i < l.stages.size(); ++i)
    text += (i == 0 ? ", stages of " : "/") + std::to_string(l.stages[i]);
  return text;
}

}  // namespace fleetsim
