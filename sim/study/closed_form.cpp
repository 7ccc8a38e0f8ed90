#include "sim/study/closed_form.hpp"

#include <optional>
#include <vector>

#include "models/checkpoint/interval.hpp"
#include "models/money/cost.hpp"
#include "models/reliability/reliability.hpp"
#include "sim/study/class_terms.hpp"
#include "sim/study/elastic_forms.hpp"
#include "sim/study/service_forms.hpp"

namespace fleetsim {
namespace {

constexpr const char* kFirstOrder = "first order";
constexpr const char* kAsGiven = "as given";

/// Forms by name; what is assumed stays as it is.
class Book {
 public:
  explicit Book(const std::vector<FigureAssumption>& assumed) {
    for (const FigureAssumption& each : assumed) forms_[each.figure] = {each.value, "assumed"};
  }

  void set(const std::string& figure, double value, const std::string& kind) {
    forms_.try_emplace(figure, ClosedForm{value, kind});
  }
  const ClosedForm* find(const std::string& figure) const {
    const auto found = forms_.find(figure);
    return found == forms_.end() ? nullptr : &found->second;
  }
  ClosedForms take() { return std::move(forms_); }

 private:
  ClosedForms forms_;
};

/// Devices of the one gang of a class; 0 if it has several.
double devices_of(const JobClass& job_class) {
  const GangSpec& gang = job_class.gang;
  if (gang.shape) return static_cast<double>(gang.shape->capacity().milli()) / 1000;
  return gang.sizes.size() == 1 ? gang.sizes.front() : 0;
}

void add_intervals(const std::string& job, const JobClass& job_class, const RuntimeTerms& terms, Book& book) {
  const CheckpointSpec& checkpoint = job_class.checkpoint;
  if (terms.failures > PerSecond{0})
    book.set(job + "mtbf", mean_time_between(terms.failures).si, "sum of rates");
  if (checkpoint.mode == CheckpointMode::none || checkpoint.interval.is_unbounded()) return;
  book.set(job + "checkpoint_interval", to_seconds(checkpoint.interval).si, kAsGiven);
  const auto young = [&](const std::string& figure, PerSecond rate) {
    const std::optional<Seconds> interval = young_interval(terms.write, rate);
    if (interval && *interval > Seconds{0}) book.set(job + figure, interval->si, kFirstOrder);
  };
  young("young_interval", terms.failures);
  const double devices = devices_of(job_class);
  if (checkpoint.rule == CheckpointRule::young && terms.input_stall > 0 && terms.failures > PerSecond{0} &&
      devices > 0)
    book.set(
        job + "input_crossing",
        devices_where_failures_cost(terms.input_stall, terms.write, terms.recovery, terms.failures / devices),
        kFirstOrder);
  young("young_interval_with_evictions", terms.failures + terms.evictions);
}

/// Whether the job starts at once: it is alone in an empty fleet.
bool is_alone(const Scenario& scenario) {
  const ArrivalSpec& arrivals = scenario.classes.front().arrivals;
  return scenario.classes.size() == 1 && !arrivals.gap && arrivals.listed.empty();
}

/// Wait + ideal / (N R P), where ideal / (N P) is the job's stepping time without its waits.
void add_time_to_result(const std::string& job, const Scenario& scenario, const JobClass& job_class,
                        Book& book) {
  const std::optional<Seconds> work = mean_work(job_class);
  const ClosedForm* runtime = book.find(job + "runtime_goodput");
  if (!work || runtime == nullptr || !(runtime->value > 0)) return;
  if (is_alone(scenario)) book.set(job + "queue_wait", 0, "alone in the fleet");
  const ClosedForm* wait = book.find(job + "queue_wait");
  if (wait == nullptr) return;
  const Seconds own = *work * (1 - job_class.input_stall);
  book.set(job + "time_to_result", wait->value + own.si / runtime->value, kFirstOrder);
}

/// @returns whether there is a runtime goodput of the class.
bool add_class(const Scenario& scenario, const JobClass& job_class, Book& book) {
  const std::string job = "jobs." + job_class.name + ".";
  if (const std::optional<ClassTerms> known = class_terms(scenario, job_class)) {
    const RuntimeLosses& losses = known->losses;
    book.set(job + "runtime_goodput", losses.runtime_goodput(), known->kind);
    book.set(job + "startup", losses.startup, known->kind);
    book.set(job + "input", losses.input_wait, known->kind);
    book.set(job + "checkpoint", losses.checkpoint(), known->kind);
    book.set(job + "rework", losses.checkpoint_rework, known->kind);
    book.set(job + "recovery", losses.recovery, known->kind);
    book.set(job + "preemption", losses.preemption, known->kind);
    if (known->renewal)
      book.set(job + "runtime_goodput_renewal", long_run_runtime_goodput(*known->renewal),
               "exact renewal, long run");
    add_intervals(job, job_class, known->terms, book);
  }
  if (job_class.program_goodput && !changes_size(job_class))
    book.set(job + "program_goodput", *job_class.program_goodput, kAsGiven);
  if (!job_class.step.continuous)
    book.set(job + "step_time", to_seconds(job_class.step.time).si,
             job_class.step.model ? "step model" : kAsGiven);
  const ClosedForm* runtime = book.find(job + "runtime_goodput");
  const ClosedForm* program = book.find(job + "program_goodput");
  if (runtime != nullptr && program != nullptr)
    book.set(job + "job_product", runtime->value * program->value, runtime->kind);
  add_time_to_result(job, scenario, job_class, book);
  return runtime != nullptr;
}

/// The price that all pools share.
std::optional<Price> common_price(const Scenario& scenario) {
  const std::optional<Price> price = scenario.pools.front().price;
  for (const PoolSpec& pool : scenario.pools)
    if (pool.price != price) return std::nullopt;
  return price;
}

void add_cost(const Scenario& scenario, Book& book) {
  const std::optional<Price> price = common_price(scenario);
  if (!price) return;
  const auto per_hour = [](Price cost) { return cost * kOneHour; };
  const auto add = [&](const std::string& figure, const std::string& goodput) {
    const ClosedForm* form = book.find(goodput);
    if (form != nullptr && form->value > 0)
      book.set(figure, per_hour(cost_per_useful(*price, form->value)).si, form->kind);
  };
  add("cost_per_useful_device_hour", "mpg");
  add("cost_per_useful_device_hour.held", "job_product");
  add("cost_per_held_device_hour", "scheduling_goodput");
}

/// A pool in which every job runs like those of one class.
void add_fleet(const Scenario& scenario, const JobClass& job_class, Book& book) {
  const std::string like = scenario.classes.size() == 1 ? "" : "; every job like " + job_class.name;
  const auto copy = [&](const std::string& figure) {
    if (const ClosedForm* form = book.find("jobs." + job_class.name + "." + figure))
      book.set(figure, form->value, form->kind + like);
  };
  copy("runtime_goodput");
  copy("program_goodput");
  copy("job_product");
  const ClosedForm* runtime = book.find("runtime_goodput");
  const ClosedForm* program = book.find("program_goodput");
  const auto forms_with = [&](const ClosedForm* scheduling) -> std::optional<PoolForms> {
    if (scheduling == nullptr || runtime == nullptr || program == nullptr) return std::nullopt;
    return pool_forms(
        {.scheduling = scheduling->value, .runtime = runtime->value, .program = program->value});
  };
  if (job_class.pools.size() == 1) {
    const std::string pool = "pools." + scenario.pools[job_class.pools.front()].name + ".";
    if (const auto forms = forms_with(book.find(pool + "scheduling_goodput")))
      book.set(pool + "mpg", forms->mpg, runtime->kind);
  }
  if (const auto forms = forms_with(book.find("scheduling_goodput"))) {
    const std::string kind = runtime->kind;
    book.set("mpg", forms->mpg, kind);
    book.set("share.scheduling", forms->share_scheduling, "assumed");
    book.set("share.runtime", forms->share_runtime, kind);
    book.set("share.program", forms->share_program, kind);
    book.set("share.useful", forms->share_useful, kind);
    book.set("value_of_point.scheduling", forms->value_of_scheduling, kind);
    book.set("value_of_point.runtime", forms->value_of_runtime, kind);
    book.set("value_of_point.program", forms->value_of_program, kind);
  }
}

}  // namespace

ClosedForms closed_forms(const Scenario& scenario) {
  Book book{scenario.assume};
  if (scenario.pools.empty() || scenario.classes.empty()) return book.take();
  if (scenario.pools.size() == 1) {
    // The fleet and its only pool are the same.
    const std::string of_pool = "pools." + scenario.pools.front().name + ".scheduling_goodput";
    const auto copy = [&](const std::string& from, const std::string& to) {
      if (const ClosedForm* form = book.find(from)) book.set(to, form->value, form->kind);
    };
    copy(of_pool, "scheduling_goodput");
    copy("scheduling_goodput", of_pool);
  }
  std::vector<const JobClass*> known;
  for (const JobClass& job_class : scenario.classes) {
    if (job_class.kind == JobKind::service) {
      for (const auto& [figure, form] : service_forms(scenario, job_class))
        book.set(figure, form.value, form.kind);
      continue;
    }
    for (const auto& [figure, form] : elastic_forms(scenario, job_class))
      book.set(figure, form.value, form.kind);
    if (add_class(scenario, job_class, book)) known.push_back(&job_class);
  }
  // With several the weights in which they hold the pool are not known.
  if (known.size() == 1) add_fleet(scenario, *known.front(), book);
  add_cost(scenario, book);
  return book.take();
}

}  // namespace fleetsim
