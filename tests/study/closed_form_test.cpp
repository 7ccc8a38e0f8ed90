#include "sim/study/closed_form.hpp"

#include <doctest/doctest.h>

#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

// Times are whole nanoseconds here, and the published values come of unrounded ones.
constexpr double kRounding = 1e-12;
constexpr double kRuntimeGoodput = 0.43391320107212844 / 0.4800032500361115;  // as published, 0.9039797148

double value(const ClosedForms& forms, std::string_view figure) {
  const auto found = forms.find(figure);
  REQUIRE_MESSAGE(found != forms.end(), std::string{figure});
  return found->second.value;
}

ClosedForms textbook_forms() {
  Scenario scenario = textbook_job();
  scenario.assume = {{.figure = "pools.train.scheduling_goodput", .value = 0.65}};
  return closed_forms(scenario);
}

}  // namespace

TEST_CASE("equation 4 gives the textbook job's runtime goodput and its terms") {
  const ClosedForms forms = textbook_forms();
  CHECK(value(forms, "jobs.llama.runtime_goodput") == near(kRuntimeGoodput, kRounding));
  CHECK(forms.find("jobs.llama.runtime_goodput")->second.kind == "first order");
  CHECK(value(forms, "jobs.llama.startup") == near(309.8 / 604'800));
  CHECK(value(forms, "jobs.llama.input") == near(0.05 / 0.65));
  CHECK(value(forms, "jobs.llama.checkpoint") == near(std::sqrt(2 * 9.8 / 1'088'709.677419355)));
  CHECK(value(forms, "jobs.llama.recovery") == near(369.8 / 1'088'709.677419355));
  CHECK(value(forms, "jobs.llama.preemption") == near(1'209.8 / 86'400));
}

TEST_CASE("the textbook's product, shares and cost follow from an assumed scheduling goodput") {
  const ClosedForms forms = textbook_forms();
  CHECK(value(forms, "jobs.llama.program_goodput") == near(0.4800032500361115, kRounding));
  CHECK(value(forms, "jobs.llama.job_product") == near(0.43391320107212844, kRounding));
  CHECK(value(forms, "scheduling_goodput") == near(0.65, 0));
  CHECK(forms.find("scheduling_goodput")->second.kind == "assumed");
  CHECK(value(forms, "mpg") == near(0.2820435806968835, kRounding));
  CHECK(value(forms, "cost_per_useful_device_hour") == near(7.091102712064311, kRounding));
  CHECK(value(forms, "cost_per_useful_device_hour.held") == near(2 / 0.43391320107212844, kRounding));
  CHECK(value(forms, "pools.train.mpg") == near(0.2820435806968835, kRounding));
  CHECK(value(forms, "share.scheduling") == near(0.35, kRounding));
  CHECK(value(forms, "share.runtime") == near(0.0624131853780889, 1e-11));
  CHECK(value(forms, "share.program") == near(0.3055432339250276, kRounding));
  CHECK(value(forms, "share.useful") == near(0.2820435806968835, kRounding));
  CHECK(value(forms, "value_of_point.program") == near(0.65 * kRuntimeGoodput, kRounding));
}

TEST_CASE("mean time between failures and checkpoint intervals of the textbook job") {
  const ClosedForms forms = textbook_forms();
  CHECK(value(forms, "jobs.llama.mtbf") / 3600 == near(302.41935483870964, kRounding));
  CHECK(value(forms, "jobs.llama.young_interval") / 60 == near(76.98973538621047, kRounding));
  CHECK(value(forms, "jobs.llama.young_interval_with_evictions") / 60 == near(20.876154233824444, kRounding));
  CHECK(value(forms, "jobs.llama.checkpoint_interval") / 60 == near(76.98973538621047, kRounding));
}

TEST_CASE("the exact renewal value stands beside the first order") {
  // The interval is rounded up to whole steps: 13 ms of 77 min, half of which an eviction loses.
  constexpr double kSteps = 1e-7;
  CHECK(value(textbook_forms(), "jobs.llama.runtime_goodput_renewal") == near(0.9070109116968004, kSteps));
  Scenario scenario = textbook_job();
  scenario.classes[0].evictions.terms.lost_work.reset();
  ClosedForms forms = closed_forms(scenario);
  CHECK(value(forms, "jobs.llama.runtime_goodput_renewal") == near(0.8912397099325939, kSteps));
  // First order, as for a long run but for the startup.
  CHECK(value(forms, "jobs.llama.runtime_goodput") == near(0.8881760699346309 - 309.8 / 604'800, 1e-9));
  scenario.classes[0].evictions.rate.reset();
  forms = closed_forms(scenario);
  CHECK(value(forms, "jobs.llama.runtime_goodput_renewal") == near(0.918853692246708, kSteps));
}

TEST_CASE("a long run that saves on notice, by productive time") {
  // Spot capacity: 15 min of saving and 30 min of restart per 2 productive hours.
  Scenario scenario = textbook_job();
  scenario.pools[0].faults.clear();
  JobClass& job = scenario.classes[0];
  job.input_stall = 0;
  job.step.wait = Duration::zero();
  job.checkpoint.interval = kHour;
  job.checkpoint.pause = Duration::zero();
  job.preemption = {.launch = 1800 * kSecond};
  job.evictions.rate = PerSecond{1.0 / 7200};
  job.evictions.clock = EvictionClock::productive;
  job.evictions.terms.lost_work.reset();
  job.evictions.terms.save = 900 * kSecond;
  CHECK(value(closed_forms(scenario), "jobs.llama.runtime_goodput_renewal") == near(1 / 1.375, 1e-5));
}

TEST_CASE("what is not known has no closed form") {
  SUBCASE("gangs of several sizes") {
    Scenario scenario = textbook_job();
    scenario.classes[0].gang = {.shape = std::nullopt, .sizes = {64, 128}, .weights = {1, 1}};
    CHECK(!closed_forms(scenario).contains("jobs.llama.runtime_goodput"));
  }
  SUBCASE("failures without checkpoints") {
    Scenario scenario = textbook_job();
    scenario.classes[0].checkpoint = {};
    CHECK(!closed_forms(scenario).contains("jobs.llama.runtime_goodput"));
  }
  SUBCASE("evictions by order") {
    Scenario scenario = textbook_job();
    scenario.scheduler.preemption = Preemption::kept;
    CHECK(!closed_forms(scenario).contains("jobs.llama.runtime_goodput"));
  }
  SUBCASE("a scheduling goodput that nobody assumed") {
    const ClosedForms forms = closed_forms(textbook_job());
    CHECK(!forms.contains("mpg"));
    CHECK(!forms.contains("share.scheduling"));
    CHECK(forms.contains("job_product"));
  }
  SUBCASE("the weights of two classes") {
    Scenario scenario = textbook_job();
    scenario.assume = {{.figure = "scheduling_goodput", .value = 0.65}};
    scenario.classes.push_back(scenario.classes[0]);
    scenario.classes[1].name = "other";
    const ClosedForms forms = closed_forms(scenario);
    CHECK(forms.contains("jobs.other.runtime_goodput"));
    CHECK(!forms.contains("runtime_goodput"));
    CHECK(!forms.contains("mpg"));
  }
  SUBCASE("the exact value with failures that are not memoryless") {
    Scenario scenario = textbook_job();
    scenario.pools[0].faults[0].lifetime =
        Distribution{Distribution::Weibull::with_mean(50'000 * 3600.0, 0.7)};
    const ClosedForms forms = closed_forms(scenario);
    CHECK(value(forms, "jobs.llama.runtime_goodput") == near(kRuntimeGoodput));
    CHECK(!forms.contains("jobs.llama.runtime_goodput_renewal"));
  }
}

TEST_CASE("an assumption takes the place of an equation") {
  Scenario scenario = textbook_job();
  scenario.assume = {{.figure = "scheduling_goodput", .value = 0.5},
                     {.figure = "runtime_goodput", .value = 0.8}};
  CHECK(value(closed_forms(scenario), "mpg") == near(0.5 * 0.8 * 0.4800032500361115));
}

TEST_CASE("a job with an end starts once in its own time") {
  Scenario scenario = textbook_job();
  JobClass& job = scenario.classes[0];
  job.duration = Distribution{Distribution::Fixed{100'000}};
  scenario.window.length.reset();
  const ClosedForms forms = closed_forms(scenario);
  CHECK(forms.find("jobs.llama.runtime_goodput")->second.kind == "first order, over one job");
  const double others = 1 - kRuntimeGoodput - 309.8 / 604'800;
  const double own = 100'000 * (1 - 0.05 / 0.65);
  const double held = (own + 309.8) / (1 - others);
  CHECK(value(forms, "jobs.llama.runtime_goodput") == near(own / held));
  CHECK(value(forms, "jobs.llama.time_to_result") == near(held));
  CHECK(value(forms, "jobs.llama.queue_wait") == 0);
}

TEST_CASE("rows that are detected sooner shorten the mean recovery by their share of failures") {
  Scenario scenario = textbook_job();
  scenario.pools[0].faults[0].detect = 10 * kSecond;  // GPU: 128 / 50,000 h of 128 x 2.58333e-5 / h
  const double share = (1.0 / 50'000) / 2.58333333333333e-5;
  CHECK(value(closed_forms(scenario), "jobs.llama.recovery") ==
        near((369.8 - 50 * share) / 1'088'709.677419355));
}

}  // namespace fleetsim
