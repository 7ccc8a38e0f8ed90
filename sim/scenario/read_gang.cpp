#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/limits.hpp"

namespace fleetsim {
namespace {

constexpr WholeRange kSizes{1, kMostDevices};

void read_choice(const Reader& in, GangSpec& gang) {
  const std::optional<std::vector<WeightedName>> sizes = in.weights("choice");
  if (!sizes) return;
  for (const WeightedName& entry : *sizes) {
    const std::optional<std::uint32_t> size = devices_of(entry.name);
    if (!size) {
      const std::string place = child_pointer(in.pointer_of("choice"), entry.name);
      report_expected(Json(entry.name), place, "a size in whole devices, above 0", in.problems());
      continue;
    }
    gang.sizes.push_back(*size);
    gang.weights.push_back(entry.weight);
  }
}

void read_shape(const Reader& in, GangSpec& gang) {
  if (in.at_most_one({"choice", "nodes", "milli", "members"}) == 0) {
    in.problem("expected one of \"choice\", \"nodes\", \"milli\" and \"members\"; found none");
  }
  read_choice(in, gang);
  GangShape shape;
  assign(shape.milli, in.count("milli", 1, 1000));
  const bool nodes = assign(shape.nodes, in.count("nodes", 1, kMostNodes));
  const bool per_node = assign(shape.per_node, in.count("per_node", 1, kMostPerNode));
  assign(shape.remainder, in.count("remainder", 0, kMostPerNode));
  for (const std::string_view key : in.present({"per_node", "remainder"})) {
    if (!in.has("nodes")) in.problem(key, "goes with \"nodes\", which is not there");
  }
  if (nodes && !in.has("per_node")) in.problem("missing key \"per_node\", which goes with \"nodes\"");
  if (shape.milli != 0 || (nodes && per_node)) gang.shape = shape;
}

void check_layout(const Reader& in, const JobClass& job) {
  std::int64_t product = 1;
  for (const std::string_view key : {"tensor", "pipeline", "data", "context", "expert"}) {
    product = std::min(product * in.count(key, 1, 1'000'000).value_or(1), kSizes.most);
  }
  for (const std::string_view key : in.present({"interleave", "micro_batch", "sequence_parallel", "sharding",
                                                "shard_group", "recompute", "offload"})) {
    in.problem(key, "goes with \"step\" with \"model\": true, which is not there");
  }
  const std::optional<Capacity> gang = gang_capacity(job);
  if (gang && gang->milli() != product * 1000) {
    in.problem("expected degrees whose product is the gang, " + std::to_string(gang->milli() / 1000) +
               "; found " + std::to_string(product));
  }
}

}  // namespace

std::optional<std::uint32_t> devices_of(const std::string& text) {
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || size < kSizes.least || size > kSizes.most) return std::nullopt;
  return static_cast<std::uint32_t>(size);
}

void read_gang(const Reader& in, JobClass& job) {
  const Json* value = in.find("gang");
  if (value == nullptr) {
    if (in.present({"jobs", "trace"}).empty()) in.problem("missing key \"gang\": how many devices a job has");
  } else if (value->is_object()) {
    read_shape(in.object("gang", "gang"), job.gang);
  } else if (const auto size = whole_of(*value, kSizes)) {
    job.gang.sizes = {static_cast<std::uint32_t>(*size)};
    job.gang.weights = {1.0};
  } else if (value->is_number()) {
    report_not_in(kSizes, *value, in.pointer_of("gang"), in.problems());
  } else {
    in.expected("gang", "a number of devices, or an object with a choice or a shape");
  }
  const auto step = in.object("step");
  const auto layout = in.object("layout");
  if (layout && !(step && step->flag("model") == true)) check_layout(*layout, job);
}

std::optional<Capacity> gang_capacity(const JobClass& job) {
  if (job.gang.shape) return job.gang.shape->capacity();
  if (job.gang.sizes.size() == 1) return Capacity::devices(job.gang.sizes.front());
  return std::nullopt;
}

double mean_devices(const GangSpec& gang) {
  if (gang.shape) return static_cast<double>(gang.shape->capacity().milli()) / 1000;
  double devices = 0, weight = 0;
  for (std::size_t i = 0; i < gang.sizes.size(); ++i) {
    devices += gang.sizes[i] * gang.weights[i];
    weight += gang.weights[i];
  }
  return weight > 0 ? devices / weight : 0;
}

}  // namespace fleetsim
