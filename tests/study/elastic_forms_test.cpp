#include "sim/study/elastic_forms.hpp"

#include <doctest/doctest.h>

#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

/// Two sizes, the larger from the tenth hour on; a day.
Scenario growing(const std::string& policy) {
  Scenario scenario;
  scenario.pools = {pool_of(2)};
  scenario.pools[0].dated = {{.nodes = {1}, .from = SimTime::zero() + kHour * 10}};
  JobClass job;
  job.name = "job";
  job.pools = {0};
  job.gang.sizes = {8};
  job.step.time = kSecond * 36;
  job.step.continuous = false;
  job.epoch = 100;
  ElasticSpec elastic;
  elastic.policy = policy;
  elastic.sizes = {{.devices = 8, .time = kSecond * 36}, {.devices = 16, .time = kSecond * 18}};
  elastic.resize.pause = kHour;
  job.elastic = elastic;
  scenario.classes = {job};
  scenario.window.length = kHour * 24;
  return scenario;
}

double epochs(const Scenario& scenario) {
  const ClosedForms forms = elastic_forms(scenario, scenario.classes[0]);
  const auto found = forms.find("jobs.job.epochs");
  return found == forms.end() ? -1 : found->second.value;
}

}  // namespace

TEST_CASE(
    "epochs of an elastic job, by when it starts and grows: one an hour at the small size, two at the "
    "large") {
  CHECK(epochs(growing("immediate")) == near(24.0));
  CHECK(epochs(growing("wait")) == near(14 * 2.0));
  CHECK(epochs(growing("step-up")) == near(10 + 13 * 2.0));
  CHECK(epochs(growing("fill-and-shrink")) == near(10 + 13 * 2.0));
  CHECK(epochs(growing("fixed")) == -1);
  Scenario at_once = growing("wait");
  at_once.pools[0].dated.clear();
  CHECK(epochs(at_once) == near(48.0));
  Scenario never = growing("wait");
  never.classes[0].elastic->sizes.back().devices = 24;
  CHECK(epochs(never) == -1);
  Scenario pauses = growing("step-up");
  const ClosedForms forms = elastic_forms(pauses, pauses.classes[0]);
  CHECK(forms.at("jobs.job.break_even_pause").value == near(7 * 3600.0));
}

TEST_CASE("no equation is given for an elastic job that is disturbed, or done before the end") {
  const auto with = [](auto change) {
    Scenario scenario = growing("step-up");
    change(scenario);
    return epochs(scenario);
  };
  CHECK(with([](Scenario& s) { s.pools[0].faults = {row("gpu", FaultScope::device, 1000)}; }) == -1);
  CHECK(with([](Scenario& s) { s.classes[0].startup.launch = kHour; }) == -1);
  CHECK(with([](Scenario& s) { s.classes.push_back(s.classes[0]); }) == -1);
  CHECK(with([](Scenario& s) { s.window.warm_up = kHour; }) == -1);
  CHECK(with([](Scenario& s) { s.classes[0].steps = 3500; }) == -1);
  CHECK(with([](Scenario& s) { s.classes[0].steps = 3600; }) == near(36.0));
  CHECK(with([](Scenario& s) { s.pools[0].dated[0].until = SimTime::zero() + kHour * 20; }) == -1);
}

}  // namespace fleetsim
