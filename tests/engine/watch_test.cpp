#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/engine/build.hpp"
#include "tests/engine/random_scenario.hpp"

// Why a job that is watched does not start: what keeps this job, interval by interval.
namespace fleetsim {
namespace {

using namespace build;

Watch watch(const Scenario& scenario, const std::string& id) {
  Watch watch;
  watch.id = id;
  simulate(scenario, {.replication = 0, .records = nullptr, .watch = &watch});
  REQUIRE(watch.arrived);
  return watch;
}

/// "10..50 no_room; 50..70 running", in seconds; with whom it waits for.
std::string told(const Watch& watch) {
  std::string text;
  for (const WatchSpan& span : watch.spans) {
    const auto second = [](SimTime time) { return std::to_string(time.ns() / 1'000'000'000); };
    text += (text.empty() ? "" : "; ") + second(span.from) + ".." + second(span.to) + " ";
    text += watch_states()[static_cast<std::size_t>(span.state)].name;
    if (!span.who.empty()) text += " " + span.who;
  }
  return text;
}

TEST_CASE("watch: no room in total, and then order, with the name of who is ahead") {
  const Scenario strict = scenario(
      {pool(4, 1)},
      {job("a", 3, 1, seconds(50)), job("b", 2, 1, seconds(20), at(10)), job("c", 1, 1, seconds(10), at(20))},
      seconds(80));
  CHECK(told(watch(strict, "b")) == "10..50 no_room; 50..70 running");
  const Watch c = watch(strict, "c");
  CHECK(told(c) == "20..50 order b; 50..60 running");
  CHECK(c.spans[0].least_ahead == 1);
  CHECK(c.spans[0].most_ahead == 1);
  CHECK(c.spans[0].least_free == Capacity::devices(1));
  REQUIRE(c.spans[1].parts.size() == 1);
  CHECK(c.spans[1].parts[0].node == 2);  // b took the first two
  CHECK(c.state == FinalState::completed);
  CHECK(c.end == at(60));
}

TEST_CASE("watch: a head that no pool can hold is refused and keeps nobody") {
  std::vector<JobClass> jobs{job("running", 1, 8, seconds(1000)), job("big", 2, 8, seconds(10), at(1)),
                             job("next", 1, 8, seconds(10), at(2)), job("other", 1, 8, seconds(10), at(3))};
  jobs[3].pools = {1};
  const Scenario two = scenario({pool(1, 8, "h"), pool(1, 8, "a")}, jobs);
  const Watch big = watch(two, "big");
  CHECK(big.state == FinalState::unsatisfiable);
  CHECK(big.end == at(1));
  CHECK(big.spans.empty());
  const Watch next = watch(two, "next");
  CHECK(told(next) == "2..1000 no_room; 1000..1010 running");
  CHECK(next.spans[0].most_ahead == 0);
  CHECK(told(watch(two, "other")) == "3..13 running");
}

TEST_CASE("watch: quota, fragmentation, one rack") {
  Scenario quota = scenario({pool(2, 1)}, {job("a", 1, 1, seconds(30)), job("b", 1, 1, seconds(10), at(5))});
  quota.scheduler.quotas = {{"team", Capacity::devices(1)}};
  quota.classes[0].quota = quota.classes[1].quota = 0;
  CHECK(told(watch(quota, "b")) == "5..30 quota team; 30..40 running");

  const Scenario shape =
      scenario({pool(2, 2)}, {job("a", 2, 1, seconds(50)), job("b", 1, 2, seconds(10), at(10))});
  CHECK(told(watch(shape, "b")) == "10..50 fragmentation; 50..60 running");

  Scenario racks = scenario({pool(4, 1)}, {job("a", 1, 1, seconds(40)), job("b", 1, 1, seconds(10)),
                                           job("c", 1, 1, seconds(60)), job("d", 2, 1, seconds(10), at(20))});
  racks.pools[0].racks = {0, 0, 1, 1};
  racks.classes[3].topology.level = TopologyLevel::rack;
  CHECK(told(watch(racks, "d")) == "20..40 topology; 40..50 running");
}

TEST_CASE("watch: a reserved start, and the depth of backfill") {
  // Both nodes are taken, one until 100 s and one until 200 s; b wants both, s one of them for too long.
  Scenario easy =
      scenario({pool(2, 8)}, {job("r1", 1, 8, seconds(100)), job("r2", 1, 8, seconds(200)),
                              job("b", 2, 8, seconds(100), at(1)), job("s", 1, 8, seconds(150), at(2))});
  for (const Backfill backfill : {Backfill::easy, Backfill::conservative}) {
    easy.scheduler.backfill = backfill;
    const Watch s = watch(easy, "s");
    CHECK(told(s) == "2..100 no_room; 100..200 reservation b; 200..300 no_room; 300..450 running");
    CHECK(s.spans[1].reserved == (backfill == Backfill::easy ? at(200) : at(300)));
    CHECK(watch(easy, "b").spans.back().from == at(200));
  }
  // s would be gone in time, but only one job behind b is looked at.
  easy.scheduler.backfill = Backfill::easy;
  easy.scheduler.backfill_depth = 1;
  easy.classes[3] = job("big", 2, 8, seconds(10), at(2));
  easy.classes.push_back(job("s", 1, 8, seconds(50), at(3)));
  const Watch s = watch(easy, "s");
  REQUIRE(s.spans.size() > 2);
  CHECK(s.spans[1].state == WatchState::backfill_depth);
  CHECK(s.spans[1].from == at(100));
}

TEST_CASE("watch: nodes that are broken, and nodes that are being torn down") {
  Scenario broken =
      scenario({pool(2, 1)}, {job("a", 1, 1, seconds(100), at(10)), job("b", 1, 1, seconds(10), at(20))});
  broken.script = {node_fault(at(5), 1, seconds(40))};
  CHECK(told(watch(broken, "b")) == "20..45 out_of_service; 45..55 running");

  Scenario teardown =
      scenario({pool(1, 1)}, {job("a", 1, 1, seconds(30)), job("b", 1, 1, seconds(10), at(20))});
  teardown.pools[0].teardown = seconds(5);
  CHECK(told(watch(teardown, "b")) == "20..30 no_room; 30..35 leaving; 35..45 running");
}

TEST_CASE("watch: partial hold names the holder, and tells what the gang has") {
  Scenario hold =
      scenario({pool(4, 1)}, {job("long", 2, 1, seconds(100)), job("gang", 4, 1, seconds(10), at(1)),
                              job("small", 1, 1, seconds(10), at(2))});
  hold.scheduler.admission = Admission::partial_hold;
  hold.scheduler.holders = 1;
  const Watch gang = watch(hold, "gang");
  CHECK(told(gang) == "1..100 assembling; 100..110 running");
  CHECK(gang.spans[0].assigned == Capacity::devices(2));
  hold.classes[1].gang.shape->nodes = 3;
  hold.classes[0].gang.shape->nodes = 3;
  hold.classes.push_back(job("tail", 1, 1, seconds(10), at(2)));
  hold.pools[0].nodes = 5;
  hold.pools[0].racks.assign(5, 0);
  // The gang takes the two that are free at 1 s and wants a third.
  CHECK(told(watch(hold, "small")).starts_with("2..100 no_room"));
}

TEST_CASE("watch: evictions, failures and restarts are told in their order") {
  Scenario two =
      scenario({pool(1, 1)}, {job("victim", 1, 1, seconds(100)), job("next", 1, 1, seconds(150), at(10))});
  two.classes[0].evictions.at = {at(20)};
  two.classes[0].evictions.terms.requeue = RequeueAt::behind;
  two.classes[0].evictions.terms.requeue_delay = seconds(5);
  two.script = {crash(at(200))};
  const Watch victim = watch(two, "victim");
  CHECK(told(victim) == "0..20 running; 20..25 away; 25..170 no_room; 170..200 running; 200..300 running");
  CHECK(victim.spans[1].evictions == 1);
  CHECK(victim.spans[3].starts == 2);
  CHECK(victim.spans[4].failures == 1);
  CHECK(victim.state == FinalState::completed);
}

TEST_CASE("watch: whoever is preempted gives way to a job by name, which waits for it to leave") {
  Scenario two =
      scenario({pool(1, 1)}, {job("low", 1, 1, seconds(100)), job("high", 1, 1, seconds(50), at(10))});
  two.classes[1].priority = 1;
  two.scheduler.order = "priority";
  two.scheduler.preemption = Preemption::kept;
  two.scheduler.preempt_by = PreemptBy::priority;
  const Watch low = watch(two, "low");  // without a commit it begins anew
  CHECK(told(low) == "0..10 running; 10..60 no_room; 60..160 running");
  CHECK(low.spans[0].gave_way_to.empty());
  CHECK(low.spans[1].gave_way_to == "high");
  CHECK(low.spans[1].evictions == 1);
  CHECK(low.spans[2].gave_way_to.empty());
  two.scheduler.eviction.save = seconds(5);
  CHECK(told(watch(two, "high")) == "10..15 leaving; 15..65 running");
  CHECK(told(watch(two, "low")) == "0..10 running; 10..15 saving; 15..65 no_room; 65..155 running");
}

TEST_CASE(
    "watch: a run is the same whether or not it is watched; spans have no gaps and are the job's waits") {
  std::size_t told_of = 0;
  for (std::uint64_t number = 0; number < 400; ++number) {
    CAPTURE(number);
    const Scenario scenario = random_scenario(number);
    const RunResult bare = run(scenario);
    for (std::size_t index = 0; index < std::min<std::size_t>(bare.jobs.size(), 5); ++index) {
      const JobOutcome& job = bare.jobs[index];
      CAPTURE(job.id);
      Watch seen;
      seen.id = job.id;
      const RunResult watched = simulate(
          scenario, {.replication = 0, .records = nullptr, .jobs = RunOptions::Jobs::each, .watch = &seen});
      CHECK(watched.ledger == bare.ledger);
      CHECK(watched.events == bare.events);
      REQUIRE(seen.arrived);
      if (seen.submit != job.submit || seen.spans.empty()) continue;  // another of the same name
      ++told_of;
      CHECK(seen.state == job.state);
      CHECK(seen.spans.front().from == job.submit);
      Duration waits;
      for (std::size_t i = 0; i < seen.spans.size(); ++i) {
        const WatchSpan& span = seen.spans[i];
        CHECK(span.from < span.to);
        if (i > 0) CHECK(seen.spans[i - 1].to == span.from);
        const bool waiting = is_queued(span.state) || span.state == WatchState::assembling ||
                             span.state == WatchState::provisioning || span.state == WatchState::away;
        if (waiting) waits += span.to - span.from;
      }
      if (job.state == FinalState::completed) CHECK(waits == job.queue_wait + job.requeue_wait);
    }
  }
  CHECK(told_of > 500);
}

}  // namespace
}  // namespace fleetsim
