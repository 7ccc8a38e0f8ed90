#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/scenario/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::uint32_t kMostReplications = 10'000'000;

/// Why jobs of this class never all end; empty when they do.
std::string_view endless_because(const JobClass& job) {
  if (job.arrivals.count == 0) return "";
  if (job.arrivals.drawn) return "its jobs never leave";
  if (job.service.kept) return "its replicas are replaced without end";
  if (job.service.warm > 0) return "its warm replicas wait without end";
  const bool stream = job.arrivals.gap.has_value() && !job.arrivals.count.has_value();
  if (stream) return "its arrivals have no \"count\"";
  const bool bounded = job.service.life || job.service.ready || job.steps || job.duration ||
                       !job.arrivals.listed.empty() || job.end || (job.limit && job.enforce_limits);
  return bounded ? "" : "its work has no end";
}

/// Whether the class has jobs of a list or trace; they may be missing, which is reported there.
bool brings_jobs(const Reader& root, const std::string& name) {
  const Json& job = root.find("workload")->at(name);
  return job.is_object() && (job.contains("jobs") || job.contains("trace"));
}

/// Reports work whose end is known, and is later than any instant.
void check_ends_in_time(const Reader& root, const JobClass& job) {
  if (job.elastic || job.end || job.arrivals.drawn || (job.limit && job.enforce_limits)) return;
  constexpr std::string_view kLate =
      "ends more than 292 years after the start of the run, whose \"until\" never comes";
  const Reader workload = root.object("workload", "");
  if (!job.arrivals.listed.empty()) {
    const auto late = [&](const ListedJob& each) {
      return each.submit + each.duration == SimTime::never() && !(each.limit && job.enforce_limits);
    };
    const auto found = std::find_if(job.arrivals.listed.begin(), job.arrivals.listed.end(), late);
    if (found != job.arrivals.listed.end())
      workload.problem(job.name, "job " + found->id + " " + std::string(kLate));
    return;
  }
  Duration work;
  if (job.steps) work = (job.step.time + job.step.wait) * *job.steps;
  if (!job.steps && job.duration && job.duration->is_fixed())
    work = round_to_duration(Seconds{job.duration->mean()});
  if (job.arrivals.submit + work != SimTime::never()) return;
  const Reader in = workload.object(job.name, "");
  for (const std::string_view key : in.present({"steps", "tokens", "duration", "device_time"}))
    in.problem(key, "the work " + std::string(kLate));
}

void check_done(const Reader& root, const Reader& in, const Scenario& scenario) {
  const auto none = [](const JobClass& job) { return job.arrivals.count == 0; };
  if (std::all_of(scenario.classes.begin(), scenario.classes.end(), none)) {
    in.problem("until", "expected jobs to wait for; found none: give a \"length\"");
  }
  for (const JobClass& job : scenario.classes) {
    check_ends_in_time(root, job);
    const std::string_view reason = endless_because(job);
    if (reason.empty() || (!job.arrivals.drawn && brings_jobs(root, job.name))) continue;
    in.problem("until", "never comes for workload \"" + job.name + "\": " + std::string(reason) +
                            "; give a \"length\" instead");
  }
}

void check_horizon(const Reader& in, const WindowSpec& spec) {
  const Duration length = spec.length.value_or(Duration::zero());
  const Duration horizon = spec.warm_up + length + spec.run_on.value_or(length);
  if (horizon.is_unbounded()) {
    in.problem(
        "expected \"warm_up\", \"length\" and \"run_on\" (default: one more length) to add up to less than "
        "292 years");
  }
}

}  // namespace

void read_window(const Reader& root, Scenario& scenario) {
  const std::optional<Reader> in = root.object("window");
  if (!in) return;
  WindowSpec& spec = scenario.window;
  assign(spec.length, in->duration("length", Sign::positive));
  assign(spec.warm_up, in->duration("warm_up"));
  assign(spec.run_on, in->duration("run_on"));
  if (in->at_most_one({"length", "until"}) == 0) {
    in->problem("expected a \"length\", or \"until\": \"done\"; found neither");
  }
  if (const Json* until = in->find("until")) {
    if (*until == "done") {
      check_done(root, *in, scenario);
    } else {
      in->expected("until", "\"done\"");
    }
  }
  check_horizon(*in, spec);
}

void read_runs(const Reader& root, Scenario& scenario) {
  const std::optional<Reader> in = root.object("runs");
  if (!in) return;
  RunsSpec& spec = scenario.runs;
  if (const Json* seed = in->find("seed")) {
    if (seed->is_number_unsigned()) {
      spec.seed = seed->get<std::uint64_t>();
    } else {
      in->expected("seed", "a whole number of 0 or more, of at most 64 bits");
    }
  }
  assign(spec.replications, in->count("replications", 1, kMostReplications));
  assign(spec.batch, in->count("batch", 1, kMostReplications));
  if (const std::optional<Reader> until = in->object("until")) {
    if (assign(spec.until_figure, until->text("figure"))) {
      check_figure(*until, "figure", spec.until_figure, scenario);
    }
    assign(spec.until_half_width, until->positive_number("half_width"));
  }
}

}  // namespace fleetsim
