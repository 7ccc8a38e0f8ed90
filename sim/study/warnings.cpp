#include "sim/study/warnings.hpp"

#include <algorithm>
#include <set>

#include "models/checkpoint/interval.hpp"
#include "models/quantity/format.hpp"
#include "sim/scenario/class_sections.hpp"
#include "sim/scenario/installed.hpp"
#include "sim/study/class_terms.hpp"
#include "sim/study/refusal.hpp"

namespace fleetsim {
namespace {

using Warnings = std::vector<std::string>;

void add_short_window(const PointResult& point, Warnings& warnings) {
  const Scenario& scenario = point.point->scenario;
  if (!scenario.window.length) return;
  for (const JobClass& job_class : scenario.classes) {
    const Figure* mtbf = point.find("jobs." + job_class.name + ".mtbf");
    if (mtbf == nullptr || !mtbf->closed_form || *mtbf->closed_form <= to_seconds(*scenario.window.length).si)
      continue;
    warnings.push_back("the window of " + format_duration(*scenario.window.length) +
                       " is shorter than the mean time between failures of " + job_class.name + ", " +
                       format_duration(Seconds{*mtbf->closed_form}) + ": many replications see no failure");
  }
}

void add_young(const Scenario& scenario, Warnings& warnings) {
  for (const JobClass& job_class : scenario.classes) {
    const std::optional<ClassTerms> known = class_terms(scenario, job_class);
    if (job_class.checkpoint.rule != CheckpointRule::young || !known) continue;
    const std::string warning = young_warning(known->terms.write, known->terms.failures);
    if (!warning.empty()) warnings.push_back(job_class.name + ": " + warning);
  }
}

/// The same of a list, over the time from its first arrival until one would follow its last. Of a few jobs
/// there is no average.
double offered_by_list(const JobClass& job_class) {
  const std::vector<ListedJob>& jobs = job_class.arrivals.listed;
  constexpr std::size_t kFew = 10;
  if (jobs.size() < kFew || job_class.arrivals.drawn) return 0;
  const auto [first, last] = std::minmax_element(
      jobs.begin(), jobs.end(), [](const ListedJob& a, const ListedJob& b) { return a.submit < b.submit; });
  const Seconds span = to_seconds(last->submit - first->submit);
  if (!(span.si > 0)) return 0;
  double device_seconds = 0;
  for (const ListedJob& job : jobs)
    device_seconds += (job.milli != 0 ? job.milli / 1000.0 : job.devices) * to_seconds(job.duration).si;
  const auto count = static_cast<double>(jobs.size());
  return device_seconds / (span.si * count / (count - 1));
}

/// Devices that jobs which come one after the other keep busy on average, launches included.
double offered_devices(const JobClass& job_class, const Scenario& scenario) {
  const ArrivalSpec& arrivals = job_class.arrivals;
  if (!arrivals.listed.empty()) return offered_by_list(job_class);
  if (const auto& life = job_class.service.life ? job_class.service.life : job_class.service.ready;
      life && arrivals.gap && !arrivals.count)
    return mean_devices(job_class.gang) * (Seconds{life->mean()} / Seconds{arrivals.gap->mean()});
  const std::optional<Seconds> work = mean_work(job_class);
  if (!arrivals.gap || arrivals.count || !work) return 0;
  const std::optional<ClassTerms> known = class_terms(scenario, job_class);
  const Seconds held = known ? known->terms.held : *work + to_seconds(job_class.startup.total());
  return mean_devices(job_class.gang) * (held / Seconds{arrivals.gap->mean()});
}

/// Devices of a pool over the window, those with a date for as long as they are there.
double mean_installed(const PoolSpec& pool, const WindowSpec& window) {
  if (!window.length) return static_cast<double>(devices_of(pool));
  const SimTime from = SimTime::zero() + window.warm_up, to = from + *window.length;
  return installed(pool, from, to).to_double() / (Capacity::devices(1) * *window.length).to_double();
}

void add_unstable_queue(const Scenario& scenario, Warnings& warnings) {
  double offered = 0, capacity = 0;
  std::set<std::uint32_t> pools;
  for (const JobClass& job_class : scenario.classes) {
    const double devices = offered_devices(job_class, scenario);
    if (devices == 0) continue;
    offered += devices;
    pools.insert(job_class.pools.begin(), job_class.pools.end());
  }
  if (pools.empty()) return;
  for (const std::uint32_t pool : pools) {
    const PoolSpec& spec = scenario.pools[pool];
    capacity +=
        mean_installed(spec, scenario.window) - static_cast<double>(spec.spares) * spec.devices_per_node;
  }
  // A job without an end keeps its devices from all others.
  for (const JobClass& job_class : scenario.classes) {
    const bool endless = !mean_work(job_class) && !job_class.arrivals.gap && !job_class.end &&
                         !(job_class.limit && job_class.enforce_limits);
    const bool beside = std::any_of(job_class.pools.begin(), job_class.pools.end(),
                                    [&](std::uint32_t pool) { return pools.contains(pool); });
    if (endless && beside) capacity -= mean_devices(job_class.gang);
  }
  // Without chance, all that is there may be just enough.
  const auto is_even = [](const JobClass& of) {
    return (!of.arrivals.gap || of.arrivals.gap->is_fixed()) && (!of.duration || of.duration->is_fixed()) &&
           of.gang.sizes.size() <= 1;
  };
  const bool by_chance = !std::all_of(scenario.classes.begin(), scenario.classes.end(), is_even);
  if (by_chance ? offered < capacity : offered <= capacity * (1 + 1e-9)) return;
  warnings.push_back("the queue is unstable: jobs arrive that need " + format_number(offered) +
                     " devices on average, of " + format_number(std::max(capacity, 0.0)) +
                     "; waits grow with the window, or with the list");
}

void add_unresolved(const PointResult& point, Warnings& warnings) {
  const Factors sums = factors(point.ledger.total());
  if (sums.unresolved == DeviceTime::zero()) return;
  warnings.push_back(format_percent(ratio(sums.unresolved, sums.held), 2) +
                     " of held time is unresolved: its fate was not known when the run ended");
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

/// Runs that ended otherwise than they should.
void add_run_states(const PointResult& point, Warnings& warnings) {
  const std::string names = first_names(point.holders);
  const auto add = [&](RunState state, std::string_view what, std::string_view named) {
    const std::int64_t runs = point.run_states[static_cast<std::size_t>(state)];
    if (runs == 0) return;
    warnings.push_back(std::to_string(runs) + " of " + std::to_string(point.replications) + " runs " +
                       std::string(what) +
                       (named.empty() || names.empty() ? "" : std::string(named) + names));
  };
  add(RunState::stalled, "stalled: jobs wait for each other and nothing can happen any more",
      "; waiting in the first of them: ");
  add(RunState::out_of_time,
      "are not done by the last instant that there is, after 292 years, and stopped before: give a "
      "\"length\"",
      "; left in the first of them: ");
  add(RunState::bound, "ended at their bound with the fate of some work unknown", "");
}

void add_hopeless_jobs(const PointResult& point, Warnings& warnings) {
  for (std::size_t i = 0; i < point.classes.size(); ++i) {
    const std::string& name = point.point->scenario.classes[i].name;
    const ClassOutcome& sums = point.classes[i];
    if (sums.unsatisfiable > 0)
      warnings.push_back((sums.unsatisfiable == 1 ? "a job" : std::to_string(sums.unsatisfiable) + " jobs") +
                         (" of " + name) + " could never start" +
                         (sums.refusal ? ": " + text_of(*sums.refusal, point.point->scenario) : ""));
    if (sums.no_progress > 0)
      warnings.push_back(std::to_string(sums.no_progress) + " jobs of " + name +
                         " made no progress: they were stopped again and again before they could commit");
  }
}

void add_unused_quotas(const Scenario& scenario, Warnings& warnings) {
  const std::vector<QuotaSpec>& quotas = scenario.scheduler.quotas;
  for (std::uint32_t index = 0; index < quotas.size(); ++index) {
    const auto counts = [&](const JobClass& job_class) { return job_class.quota == index; };
    if (std::none_of(scenario.classes.begin(), scenario.classes.end(), counts))
      warnings.push_back("no workload counts against quota " + quotas[index].name);
  }
  const bool guarantees = std::any_of(quotas.begin(), quotas.end(),
                                      [](const QuotaSpec& quota) { return quota.guarantee.has_value(); });
  const auto free_rider = std::find_if(scenario.classes.begin(), scenario.classes.end(),
                                       [](const JobClass& job_class) { return !job_class.quota; });
  if (guarantees && free_rider != scenario.classes.end())
    warnings.push_back("jobs of " + free_rider->name +
                       " count against no quota: guarantees are not kept, nor taken back, from them");
}

/// Names of figures that the scenario uses and that are not there.
void add_unknown_figures(const PointResult& point, Warnings& warnings) {
  const Scenario& scenario = point.point->scenario;
  const auto check = [&](const std::string& figure, const std::string& use) {
    if (!figure.empty() && point.find(figure) == nullptr)
      warnings.push_back("there is no figure \"" + figure + "\" for " + use);
  };
  check(scenario.runs.until_figure, "\"until\": all replications were run");
  for (const FigureAssumption& each : scenario.assume) check(each.figure, "\"assume\"");
  for (const Expectation& each : scenario.expect) {
    if (each.of.alternative != point.point->alternative) continue;
    check(each.of.figure, "\"expect\"");
    check(each.other.figure, "\"expect\"");
  }
}

}  // namespace

std::string text_of(const UnequalJobs& unequal, std::span<const PointResult> points) {
  const auto counted = [](const PointResult& point) {
    const JobCount count = count_jobs(point);
    return format_integer(count.completed) + " of " + format_integer(count.submitted);
  };
  const PointResult &point = points[unequal.point], &base = points[unequal.base];
  return "means over completed jobs are not comparable: not the same jobs completed under \"" +
         point.point->alternative + "\" (" + counted(point) + ") and the base (" + counted(base) + ")";
}

std::vector<std::string> warnings_of(const PointResult& point) {
  const Scenario& scenario = point.point->scenario;
  Warnings warnings;
  add_run_states(point, warnings);
  add_hopeless_jobs(point, warnings);
  add_unstable_queue(scenario, warnings);
  add_short_window(point, warnings);
  add_young(scenario, warnings);
  add_unresolved(point, warnings);
  add_unused_quotas(scenario, warnings);
  add_unknown_figures(point, warnings);
  return warnings;
}

}  // namespace fleetsim
