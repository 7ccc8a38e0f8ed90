#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "sim/core/random_stream.hpp"
#include "tests/engine/build.hpp"
#include "tests/engine/random_scenario.hpp"

// How long jobs wait and for what, and how gangs of a size fare.
namespace fleetsim {
namespace {

using namespace build;

DeviceTime job_seconds(std::int64_t count) { return Capacity::devices(count) * seconds(1); }
DeviceTime waiting(const RunResult& result, Leaf reason) {
  return result.waiting[0][static_cast<std::size_t>(reason)];
}

/// A job of 3 nodes for 50 s, at 10 s one of 2 for 20 s, at 20 s one of 1 for 10 s, on 4 nodes in strict
/// order.
Scenario strict_order() {
  return scenario(
      {pool(4, 1)},
      {job("a", 3, 1, seconds(50)), job("b", 2, 1, seconds(20), at(10)), job("c", 1, 1, seconds(10), at(20))},
      seconds(80));
}

TEST_CASE("percentiles are the nearest ranks of all values sorted") {
  RandomStream random{StreamKey{7, 0, Purpose::kArrival, 0}};
  for (std::size_t count : {1u, 2u, 3u, 10u, 19u, 20u, 21u, 100u, 101u, 1000u}) {
    CAPTURE(count);
    std::vector<std::vector<JobTimes>> lists(3);
    std::vector<std::int64_t> waits;
    std::vector<double> slowdowns;
    for (std::size_t i = 0; i < count; ++i) {
      const auto wait = static_cast<std::int64_t>(random() % 50);
      waits.push_back(wait);
      slowdowns.push_back(1 + static_cast<double>(wait) / 8);
      lists[random() % 3].push_back(
          {Duration::nanoseconds(wait), Duration::nanoseconds(2 * wait + 1), slowdowns.back()});
    }
    std::sort(waits.begin(), waits.end());
    std::sort(slowdowns.begin(), slowdowns.end());
    const JobPercentiles found = percentiles(lists);
    CHECK(found.jobs == static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
      // The least value that so many per cent do not exceed.
      std::size_t rank = 1;
      while (rank * 100 < count * static_cast<std::size_t>(kPercentiles[i])) ++rank;
      CHECK(found.queue_wait[i].ns() == waits[rank - 1]);
      CHECK(found.time_to_result[i].ns() == 2 * waits[rank - 1] + 1);
      CHECK(found.bounded_slowdown[i] == slowdowns[rank - 1]);
    }
  }
}

TEST_CASE(
    "percentiles of a run are of its completed jobs, by class and in all; none where they are not asked "
    "for") {
  // Three jobs of 20 s one after the other, and one of 5 s that comes when all is over.
  JobClass three = job("three", 1, 1, seconds(20));
  three.arrivals.gap = fixed(0);
  three.arrivals.count = 3;
  const Scenario queue = scenario({pool(1, 1)}, {three, job("late", 1, 1, seconds(5), at(100))});
  const RunResult result = run(queue);
  REQUIRE(result.percentiles.size() == 3);
  const JobPercentiles& of_three = result.percentiles[0];
  CHECK(of_three.jobs == 3);
  CHECK(of_three.queue_wait == std::array{seconds(20), seconds(40), seconds(40), seconds(40), seconds(40)});
  CHECK(of_three.time_to_result[0] == seconds(40));
  CHECK(of_three.bounded_slowdown == std::array{2.0, 3.0, 3.0, 3.0, 3.0});
  CHECK(result.percentiles[1].queue_wait[4] == Duration::zero());
  CHECK(result.percentiles[1].bounded_slowdown[4] == 1.0);  // 5 s over 10 s: at least 1
  CHECK(result.percentiles[2].jobs == 4);
  CHECK(result.percentiles[2].queue_wait[0] == Duration::zero());  // 0, 0, 20, 40
  CHECK(result.percentiles[2].queue_wait[1] == seconds(40));
  CHECK(simulate(queue, {}).percentiles.empty());
}

TEST_CASE("whoever never starts has waited as well, and has starved after ten times its length") {
  Scenario full = scenario({pool(1, 1)},
                           {job("holder", 1, 1, seconds(10'000)), job("short", 1, 1, seconds(20), at(50)),
                            job("long", 1, 1, seconds(40), at(50)), job("tiny", 1, 1, seconds(1), at(200))},
                           seconds(300));
  full.window.run_on = Duration::zero();
  const RunResult result = run(full);
  CHECK(result.classes[0].longest_wait == Duration::zero());
  CHECK(result.classes[1].longest_wait == seconds(250));
  CHECK(result.classes[1].starved == 1);  // 250 s > 10 x 20 s
  CHECK(result.classes[2].starved == 0);
  CHECK(result.classes[3].longest_wait == seconds(100));
  CHECK(result.classes[3].starved == 0);  // not more than 10 x 10 s, the least length
}

TEST_CASE("a stay in the queue after an eviction counts as a wait") {
  Scenario two =
      scenario({pool(1, 1)}, {job("victim", 1, 1, seconds(100)), job("next", 1, 1, seconds(150), at(10))});
  two.classes[0].evictions.at = {at(20)};
  two.classes[0].evictions.terms.requeue = RequeueAt::behind;
  const RunResult result = run(two);
  CHECK(result.classes[0].longest_wait == seconds(150));
  CHECK(result.classes[1].longest_wait == seconds(10));
}

TEST_CASE("gangs of a size are charged what is free while one of them is queued") {
  const RunResult result = run(strict_order());
  // Sizes 2 to 3: a and b; one of the four nodes is free while b is queued, from 10 to 50 s.
  CHECK(result.by_size[1].held == device_seconds(150 + 40));
  CHECK(result.by_size[1].free == device_seconds(40));
  // Size 1: c, queued from 20 to 50 s.
  CHECK(result.by_size[0].held == device_seconds(10));
  CHECK(result.by_size[0].free == device_seconds(30));
  CHECK(result.by_size[2].held == DeviceTime::zero());
}

TEST_CASE("an assembling gang is queued, and what it holds is its size's partial time") {
  Scenario slow = scenario({pool(4, 1)}, {job("first", 1, 1, seconds(100)), job("gang", 4, 1, seconds(300))});
  slow.scheduler.admission = Admission::partial_hold;
  const RunResult result = run(slow);
  CHECK(result.by_size[2].partial == device_seconds(300));
  CHECK(result.by_size[2].held == device_seconds(4 * 300));
  CHECK(result.by_size[2].free == DeviceTime::zero());
}

TEST_CASE("jobs wait for the reason for which their pool has something free") {
  const RunResult result = run(strict_order());
  CHECK(waiting(result, Leaf::scheduling_shortfall) == job_seconds(10));        // b alone
  CHECK(waiting(result, Leaf::scheduling_reservation) == job_seconds(2 * 30));  // and c, which would fit
  const RunResult full =
      run(scenario({pool(1, 1)}, {job("a", 1, 1, seconds(30)), job("b", 1, 1, seconds(30), at(10))}));
  CHECK(waiting(full, Leaf::scheduling_no_demand) == job_seconds(20));  // nothing is free
}

TEST_CASE("with one size, always queued, S of the size is S") {
  JobClass backlog = job("gang", 3, 1, seconds(70));
  backlog.arrivals.gap = fixed(1);
  backlog.arrivals.count = 100;
  Scenario busy = scenario({pool(4, 1)}, {backlog}, seconds(1'000));
  busy.window.warm_up = seconds(100);
  const RunResult result = run(busy);
  const Factors sums = factors(result.ledger.total());
  const SizeTime& size = result.by_size[1];
  CHECK(size.held == sums.held);
  CHECK(size.held + size.partial + size.free == sums.in_service);
  CHECK(size.free == device_seconds(1'000));
}

TEST_CASE("sizes add up to the ledger, and what is free in front of them to the records") {
  for (std::uint64_t number = 0; number < 600; ++number) {
    CAPTURE(number);
    const Scenario scenario = random_scenario(number);
    Records records;
    const RunResult result = simulate(scenario, {.replication = 0, .records = &records});
    SizeTime all;
    DeviceTime most;
    for (const SizeTime& each : result.by_size) {
      CHECK(each.free >= DeviceTime::zero());
      all.held += each.held;
      all.partial += each.partial;
      all.free += each.free;
      most = std::max(most, each.free);
    }
    const LeafTotals leaves = result.ledger.total();
    CHECK(all.held == factors(leaves).held);
    DeviceTime incomplete = leaves[static_cast<std::size_t>(Leaf::scheduling_partial_gang)];
    for (std::uint32_t index = 0; index < scenario.classes.size(); ++index)
      incomplete +=
          result.ledger.of_class(ClassId{index})[static_cast<std::size_t>(Leaf::scheduling_transition)];
    CHECK(all.partial == incomplete);
    DeviceTime free_with_queue;
    for (const PoolRow& row : records.pool_rows)
      if (row.queue_depth > 0 && row.leaf <= Leaf::scheduling_shortfall &&
          row.leaf >= Leaf::scheduling_no_demand)
        free_with_queue += row.capacity * (row.to - row.from);
    CHECK(most <= free_with_queue);
    CHECK(free_with_queue <= all.free);
    for (const LeafTotals& pool : result.waiting)
      for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf) {
        CHECK(pool[leaf] >= DeviceTime::zero());
        const bool is_reason = leaf >= static_cast<std::size_t>(Leaf::scheduling_no_demand) &&
                               leaf <= static_cast<std::size_t>(Leaf::scheduling_shortfall);
        if (!is_reason) CHECK(pool[leaf] == DeviceTime::zero());
      }
  }
}

}  // namespace
}  // namespace fleetsim
