#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "sim/ledger/leaf.hpp"
#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/names.hpp"

namespace fleetsim {
namespace {

constexpr double kMostSteps = 9e18;  // of 64 bits
constexpr std::int64_t kSharesInP = 1'000'000'000;

/// Nanoseconds of waiting beside a time, where they are a share of both.
double stalled(Duration time, double stall) { return static_cast<double>(time.ns()) * stall / (1 - stall); }

/// Wait of each step when a share of stepping time is spent waiting.
void read_stall(const Reader& in, JobClass& job) {
  const Json& value = *in.find("input_stall");
  const std::optional<double> stall = in.share("input_stall");
  if (!stall) return;
  const double wait = stalled(job.step.time, *stall);
  if (!(wait < kMostSteps)) {
    report_expected(value, in.pointer_of("input_stall"), "a share below 1", in.problems());
    return;
  }
  job.input_stall = *stall;
  job.step.wait = Duration::nanoseconds(std::llround(wait));
  if (job.step.continuous && *stall > 0)
    in.problem("input_stall", "needs \"step\": without a step there is nothing to wait before");
}

/// Wait of each step from the time that reading a batch takes.
void read_input(const Reader& input, JobClass& job) {
  const std::optional<Duration> io = input.duration("io");
  const bool prefetch = input.flag("prefetch").value_or(true);
  if (!io) return;
  job.step.read = *io;
  job.step.prefetch = prefetch;
  job.step.wait = wait_of_step(job, job.step.time);
  const double wait = to_seconds(job.step.wait).si;
  job.input_stall = wait / (wait + to_seconds(job.step.time).si);
  if (job.step.continuous) input.problem("needs \"step\": without a step there is nothing to wait before");
}

FlopConvention read_convention(const Reader& step) {
  return step
      .choice("flops",
              {FlopConvention::kSixN, FlopConvention::kDenseAttention, FlopConvention::kCausalAttention})
      .value_or(FlopConvention::kSixN);
}

/// The peak that all accepted pools share; nothing when it is not known or they differ.
std::optional<FlopRate> common_peak(const ClassContext& context, const JobClass& job) {
  std::optional<FlopRate> peak;
  for (const std::uint32_t pool : job.pools) {
    const std::optional<FlopRate>& here = context.scenario.pools[pool].peak;
    if (!here || (peak && *peak != *here)) return std::nullopt;
    peak = here;
  }
  return peak;
}

/// Time of a step at peak arithmetic, from the model; nothing when something it takes is not known.
std::optional<Seconds> model_ideal(const Reader& step, const ClassContext& context, const JobClass& job) {
  const std::optional<FlopRate> peak = common_peak(context, job);
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!job.step.tokens || !peak || !gang) return std::nullopt;
  Flops work;
  if (context.recommender) {
    work = training_flops_per_sample(*context.recommender) * *job.step.tokens;
  } else if (context.model) {
    Transformer model = *context.model;
    if (const auto sequence = step.whole("sequence", {1})) model.sequence = *sequence;
    work = training_flops_per_token(model, read_convention(step)) * *job.step.tokens;
  } else {
    return std::nullopt;
  }
  const double devices = static_cast<double>(gang->milli()) / 1000;
  const Seconds time = work / (*peak * devices);
  if (std::isnan(time.si)) return std::nullopt;  // both beyond any number
  return time;
}

/// The ideal part of a step, from whatever the scenario says of it. From a model, P is known better than to
/// the nanosecond of a step.
std::optional<Duration> ideal_of_step(const Reader& step, const ClassContext& context, JobClass& job) {
  if (const auto ideal = step.duration("ideal", Sign::positive)) {
    if (*ideal > job.step.time) step.expected("ideal", "at most the step's own \"time\"");
    return ideal;
  }
  if (job.program_goodput) {
    return Duration::nanoseconds(
        std::llround(*job.program_goodput * static_cast<double>(job.step.time.ns())));
  }
  const std::optional<Seconds> exact = model_ideal(step, context, job);
  if (!exact) return std::nullopt;
  const std::optional<Duration> ideal = round_to_duration(*exact);
  if (step.has("time")) job.program_goodput = *exact / to_seconds(job.step.time);
  if (step.has("time") && *ideal > job.step.time) {
    const double ratio = static_cast<double>(ideal->ns()) / static_cast<double>(job.step.time.ns());
    step.expected("time", "at least the " + format_duration(*ideal) +
                              " that the model's arithmetic takes at peak (it would be " +
                              format_percent(ratio) + " of peak)");
    return std::nullopt;
  }
  return ideal;
}

/// Named parts of the step, in the order of the table of leaves, and what they sum up to.
Duration read_parts(const Reader& step, std::vector<std::pair<Leaf, std::int64_t>>& weights) {
  Duration sum;
  const Json* parts = step.find("parts");
  if (parts == nullptr) return sum;
  if (!parts->is_object()) {
    step.expected("parts", "an object of times by loss");
    return sum;
  }
  const std::vector<std::string_view> known = program_parts();
  const Reader in(*parts, step.pointer_of("parts"), "", step.problems());
  for (const auto& [name, ignored] : parts->items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      in.problems().push_back({in.pointer(), in.pointer_of(name), unknown_name("loss", name, known)});
      continue;
    }
    const std::optional<Duration> time = in.duration(name);
    if (!time) continue;
    weights.emplace_back(*leaf_by_name("program." + name), time->ns());
    sum += *time;
  }
  std::sort(weights.begin(), weights.end());
  return sum;
}

/// The split of a step whose time is known.
void split_step(const Reader& step, const ClassContext& context, JobClass& job) {
  std::vector<std::pair<Leaf, std::int64_t>> weights;
  const Duration parts = read_parts(step, weights);
  const std::optional<Duration> ideal = ideal_of_step(step, context, job);
  const Duration rest = job.step.time - parts - ideal.value_or(Duration::zero());
  if (!step.has("time")) return;
  if (rest < Duration::zero() && (!ideal || *ideal <= job.step.time)) {
    step.problem(step.has("parts") ? "parts" : "time",
                 "expected parts that, with the ideal, fit in the step's time; found " +
                     format_duration(Duration::zero() - rest) + " too much");
    return;
  }
  if (!ideal && weights.empty()) return;
  weights.emplace_back(ideal ? Leaf::program_unattributed : Leaf::program_unmodelled, rest.ns());
  if (ideal) weights.emplace_back(Leaf::ideal, ideal->ns());
  std::erase_if(weights, [](const auto& entry) { return entry.second == 0; });
  job.program.weights = std::move(weights);
  if (ideal && !job.program_goodput)
    job.program_goodput = static_cast<double>(ideal->ns()) / static_cast<double>(job.step.time.ns());
}

std::optional<std::int64_t> steps_for_tokens(const Reader& in, const JobClass& job) {
  const std::optional<double> tokens = in.positive_number("tokens");
  if (!tokens) return std::nullopt;
  if (!job.step.tokens) {
    in.problem("tokens", "needs \"step\" with \"tokens\", to be a number of steps");
    return std::nullopt;
  }
  const double steps = std::ceil(*tokens / *job.step.tokens);
  if (steps < kMostSteps) return static_cast<std::int64_t>(steps);
  in.expected("tokens", "fewer than 9e18 steps of tokens");
  return std::nullopt;
}

/// Stepping time that yields a device-time of ideal work.
std::optional<Distribution> time_for_ideal(const Reader& in, const JobClass& job) {
  const std::optional<Duration> ideal = in.device_time("device_time");
  if (!ideal) return std::nullopt;
  const std::optional<Capacity> gang = gang_capacity(job);
  if (!gang) in.problem("device_time", "needs a gang of one size");
  if (!job.program_goodput || !(*job.program_goodput > 0)) {
    in.problem("device_time", "needs a known ideal: \"program_goodput\" above 0, or \"model\" and \"step\"");
    return std::nullopt;
  }
  if (!gang) return std::nullopt;
  const double devices = static_cast<double>(gang->milli()) / 1000;
  const double own = to_seconds(*ideal).si / (devices * *job.program_goodput);
  const double stepping = own / (1 - job.input_stall);
  if (round_to_duration(Seconds{stepping}).is_unbounded()) {
    in.expected("device_time", "work of less than 292 years");
    return std::nullopt;
  }
  return Distribution{Distribution::Fixed{stepping}};
}

}  // namespace

Duration wait_of_step(const JobClass& job, Duration time) {
  const StepSpec& step = job.step;
  if (step.read) return step.prefetch ? std::max(Duration::zero(), *step.read - time) : *step.read;
  return Duration::nanoseconds(std::llround(stalled(time, job.input_stall)));
}

void read_step(const Reader& in, JobClass& job) {
  in.at_most_one({"input_stall", "input"});
  if (const auto step = in.object("step")) {
    job.step.continuous = false;
    if (step->flag("model") != true) {
      assign(job.step.time, step->duration("time", Sign::positive));
      assign(job.step.tokens, step->positive_number("tokens"));
      if (!step->has("time")) step->problem("missing key \"time\", or \"model\": true");
      for (const std::string_view key : step->present({"global_batch", "precision", "software"}))
        step->problem(key, "goes with \"model\": true, which is not there");
    }
    assign(job.step.stretched[static_cast<std::size_t>(SlowCause::straggler)],
           step->share("straggler_share"));
    assign(job.step.stretched[static_cast<std::size_t>(SlowCause::noisy_neighbour)],
           step->share("neighbour_share"));
  }
  if (in.has("input_stall")) read_stall(in, job);
  if (const auto input = in.object("input")) read_input(*input, job);
  if ((job.step.time + job.step.wait).is_unbounded())
    in.problem("expected a step with its wait of less than 292 years");
}

void read_program(const Reader& in, const ClassContext& context, JobClass& job) {
  const std::optional<Reader> step = in.object("step");
  if (!job.step.model) assign(job.program_goodput, in.share("program_goodput"));
  if (step && step->has("ideal") && in.has("program_goodput")) {
    in.problem("program_goodput", "excluded by \"step\" with \"ideal\": give one of them");
  }
  if (step) {
    step->whole("sequence", {1});
    if (job.step.model || step->flag("model") == true) return;
    read_convention(*step);
    const bool as_share = job.program_goodput && !step->has("parts");
    if (!as_share) return split_step(*step, context, job);
  }
  if (!job.program_goodput) return;
  const std::int64_t ideal = std::llround(*job.program_goodput * static_cast<double>(kSharesInP));
  if (ideal < kSharesInP) job.program.weights.emplace_back(Leaf::program_unattributed, kSharesInP - ideal);
  if (ideal > 0) job.program.weights.emplace_back(Leaf::ideal, ideal);
}

void read_work(const Reader& in, JobClass& job) {
  in.at_most_one({"steps", "tokens", "duration", "device_time"});
  assign(job.steps, in.whole("steps", {1, static_cast<std::int64_t>(kMostSteps)}));
  assign(job.steps, steps_for_tokens(in, job));
  assign(job.duration, in.distribution("duration"));
  assign(job.duration, time_for_ideal(in, job));
  assign(job.epoch, in.whole("epoch", {1, static_cast<std::int64_t>(kMostSteps)}));
  if (in.has("epoch") && !in.has("step")) in.problem("epoch", "needs \"step\", of which an epoch is so many");
  if (in.has("steps") && !in.has("step")) in.problem("steps", "needs \"step\", to know what one takes");
}

}  // namespace fleetsim
