#include "tests/engine/brute_force_scheduler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "sim/core/random_stream.hpp"
#include "sim/workload/trace.hpp"
#include "tests/engine/random_problem.hpp"

// The oracle of backfill against schedules worked out by hand, against what must hold for any schedule, and
// against a recorded log whose answer two independent programs agree on.
namespace fleetsim::brute_force {
namespace {

constexpr Policy kPolicies[] = {Policy::fcfs, Policy::greedy, Policy::easy, Policy::conservative};

Job job(Time submit, Shape shape, Time duration) { return {submit, shape, duration, duration}; }
Job job(Time submit, Shape shape, Time duration, Time estimate) {
  return {submit, shape, duration, estimate};
}

Problem problem(int nodes, int devices, std::vector<Job> jobs) {
  Problem made;
  made.nodes = nodes;
  made.devices = devices;
  made.jobs = std::move(jobs);
  return made;
}

std::vector<Outcome> outcomes(Problem of, Policy policy) {
  of.policy = policy;
  return schedule(of);
}

using Starts = std::vector<std::optional<Time>>;
Starts starts(const Problem& of, Policy policy) {
  Starts all;
  for (const Outcome& outcome : outcomes(of, policy)) all.push_back(outcome.start);
  return all;
}

TEST_CASE("first fit: whole members by node number, then the remainder on the first other node with room") {
  CHECK(first_fit({2, 4, 0}, {3, 4, 6, 4}) == Counts{0, 4, 4, 0});
  CHECK(first_fit({1, 4, 2}, {2, 4, 4}) == Counts{2, 4, 0});  // below the member's node
  CHECK(first_fit({1, 4, 3}, {4, 2, 3}) == Counts{4, 0, 3});
  CHECK(first_fit({0, 0, 1}, {0, 5}) == Counts{0, 1});
  CHECK_FALSE(first_fit({1, 8, 0}, {4, 4}));  // free devices do not add up over nodes
  CHECK_FALSE(first_fit({1, 4, 2}, {7, 1}));  // the remainder never shares a member's node
}

TEST_CASE("by hand: a job that waits for busy nodes has its time kept") {
  // Both nodes are full, until 100 and 200. The pair of nodes can start at 200, and whoever takes the node
  // that frees at 100 for 150 would hold it until 250.
  const Problem two = problem(
      2, 8, {job(0, {1, 8, 0}, 100), job(0, {1, 8, 0}, 200), job(1, {2, 8, 0}, 100), job(2, {1, 8, 0}, 150)});
  CHECK(starts(two, Policy::easy) == Starts{0, 0, 200, 300});
  CHECK(starts(two, Policy::conservative) == Starts{0, 0, 200, 300});
  CHECK(starts(two, Policy::fcfs) == Starts{0, 0, 200, 300});
  CHECK(starts(two, Policy::greedy) == Starts{0, 0, 250, 100});
  CHECK(outcomes(two, Policy::easy)[2].first_promise == 200);
  // Who ends when the head's time comes is in nobody's way; who ends a tick later is.
  const auto until = [](Time end) {
    return problem(2, 1, {job(0, {1, 1, 0}, 100), job(1, {2, 1, 0}, 10), job(2, {1, 1, 0}, end - 2)});
  };
  for (const Policy policy : {Policy::easy, Policy::conservative}) {
    CHECK(starts(until(100), policy) == Starts{0, 100, 2});
    CHECK(starts(until(101), policy) == Starts{0, 100, 110});
  }
}

TEST_CASE("by hand: a head that has no start since a node is out blocks nobody") {
  // The job of four nodes is promised 100; from 50 to 300 one node is out, and no time is known for it.
  Problem four = problem(4, 1, {job(0, {1, 1, 0}, 100), job(1, {4, 1, 0}, 50), job(60, {1, 1, 0}, 80)});
  four.outages = {{3, 50, 300}};
  for (const Policy policy : {Policy::greedy, Policy::easy, Policy::conservative})
    CHECK(starts(four, policy) == Starts{0, 300, 60});
  CHECK(starts(four, Policy::fcfs) == Starts{0, 300, 350});
  CHECK(outcomes(four, Policy::easy)[1].first_promise == 100);
  CHECK(outcomes(four, Policy::conservative)[1].first_promise == 100);
  four.outages = {{0, 50, 300}};
  CHECK_THROWS_AS(schedule(four), std::invalid_argument);
}

TEST_CASE("by hand: a whole node is not two halves") {
  const Problem halves =
      problem(2, 8, {job(0, {2, 4, 0}, 500), job(0, {1, 8, 0}, 100), job(1, {0, 0, 1}, 100)});
  CHECK(starts(halves, Policy::easy) == Starts{0, 500, 1});
  CHECK(starts(halves, Policy::conservative) == Starts{0, 500, 1});
  CHECK(starts(halves, Policy::fcfs) == Starts{0, 500, 500});
  CHECK(outcomes(halves, Policy::fcfs)[2].taken == Counts{0, 1});
}

TEST_CASE("by hand: two gangs of the whole cluster run one after the other") {
  const Problem gangs = problem(4, 1, {job(0, {4, 1, 0}, 100), job(0, {4, 1, 0}, 100)});
  for (const Policy policy : kPolicies) CHECK(starts(gangs, policy) == Starts{0, 100});
}

TEST_CASE("by hand: a third too much work, and each job waits 33 longer than the last") {
  Problem queue = problem(1, 8, {});
  Starts expected;
  for (Time k = 0; k < 10; ++k) {
    queue.jobs.push_back(job(100 * k, {1, 8, 0}, 133));
    expected.push_back(133 * k);
  }
  for (const Policy policy : kPolicies) CHECK(starts(queue, policy) == expected);
}

TEST_CASE("by hand: beside the head's nodes there is room for one") {
  // At 100 five nodes are free and the head takes four; two jobs stay far beyond 100.
  const Problem five = problem(
      5, 1, {job(0, {2, 1, 0}, 100), job(1, {4, 1, 0}, 10), job(2, {1, 1, 0}, 500), job(2, {1, 1, 0}, 500)});
  CHECK(starts(five, Policy::easy) == Starts{0, 100, 2, 110});
  // Devices left over do not help where the head's members need theirs on one node: of the 8 the head takes 3
  // and 3, so that 2 on the free node are too many and 1 is not.
  const auto beside = [](int devices) {
    return problem(2, 4, {job(0, {1, 4, 0}, 100), job(1, {2, 3, 0}, 10), job(2, {1, devices, 0}, 500)});
  };
  CHECK(starts(beside(2), Policy::easy) == Starts{0, 100, 110});
  CHECK(starts(beside(1), Policy::easy) == Starts{0, 100, 2});
  CHECK(starts(beside(1), Policy::conservative) == Starts{0, 100, 2});
}

TEST_CASE("by hand: who is third keeps its place under conservative only") {
  // The head takes three of four nodes at 100. A long job on the fourth does not touch the head, but the
  // third job needs all four.
  const Problem third = problem(
      4, 1, {job(0, {2, 1, 0}, 100), job(1, {3, 1, 0}, 100), job(2, {4, 1, 0}, 50), job(3, {1, 1, 0}, 300)});
  CHECK(starts(third, Policy::easy) == Starts{0, 100, 303, 3});
  CHECK(starts(third, Policy::conservative) == Starts{0, 100, 200, 250});
}

TEST_CASE("by hand: who is overdue leaves at any moment, but has not left") {
  // On two nodes one job says 50 and takes 100. From 60 on the pair could start at any moment, so that nobody
  // behind it may start; nor does the pair before 100.
  const Problem pair =
      problem(2, 1, {job(0, {1, 1, 0}, 100, 50), job(60, {2, 1, 0}, 10), job(61, {1, 1, 0}, 10)});
  for (const Policy policy : {Policy::easy, Policy::conservative})
    CHECK(starts(pair, policy) == Starts{0, 100, 110});
  CHECK(outcomes(pair, Policy::easy)[1].first_promise == 60);
  // One node is enough for this one: it takes the free one, not the first that will be.
  const Problem single = problem(2, 1, {job(0, {1, 1, 0}, 100, 50), job(60, {1, 1, 0}, 10)});
  for (const Policy policy : kPolicies) {
    CHECK(outcomes(single, policy)[1].start == 60);
    CHECK(outcomes(single, policy)[1].taken == Counts{0, 1});
  }
}

TEST_CASE("by hand: depth counts the jobs behind the head, whether they start or not") {
  const auto with_depth = [](Problem of, std::optional<int> depth, Policy policy) {
    of.depth = depth;
    return starts(of, policy);
  };
  // Two that are too long stand before one that may pass.
  const Problem refused = problem(3, 1,
                                  {job(0, {2, 1, 0}, 100), job(1, {3, 1, 0}, 10), job(2, {1, 1, 0}, 500),
                                   job(2, {1, 1, 0}, 500), job(2, {1, 1, 0}, 20)});
  // There is room for both that may pass; with a depth of 1 the second is next when the first has ended.
  const Problem started = problem(
      4, 1, {job(0, {2, 1, 0}, 100), job(1, {4, 1, 0}, 10), job(2, {1, 1, 0}, 20), job(2, {1, 1, 0}, 20)});
  for (const Policy policy : {Policy::easy, Policy::conservative}) {
    CHECK(with_depth(refused, 2, policy) == Starts{0, 100, 110, 110, 110});
    CHECK(with_depth(refused, 3, policy) == Starts{0, 100, 110, 110, 2});
    CHECK(with_depth(refused, std::nullopt, policy) == Starts{0, 100, 110, 110, 2});
  }
  for (const Policy policy : {Policy::greedy, Policy::easy, Policy::conservative}) {
    CHECK(with_depth(started, 0, policy) == Starts{0, 100, 110, 110});
    CHECK(with_depth(started, 1, policy) == Starts{0, 100, 2, 22});
    CHECK(with_depth(started, 2, policy) == Starts{0, 100, 2, 2});
  }
}

TEST_CASE("by hand: the shortest estimate first, jobs without length, and jobs that fit nowhere") {
  Problem one = problem(1, 8, {job(0, {1, 8, 0}, 100), job(1, {1, 8, 0}, 9, 50), job(2, {1, 8, 0}, 60, 10)});
  one.order = Order::sjf;
  for (const Policy policy : kPolicies) CHECK(starts(one, policy) == Starts{0, 160, 100});
  const Problem none = problem(
      1, 8, {job(0, {1, 8, 0}, 100), job(0, {2, 1, 0}, 5), job(0, {1, 8, 0}, 0, 60), job(0, {1, 8, 0}, 50)});
  for (const Policy policy : kPolicies) CHECK(starts(none, policy) == Starts{0, std::nullopt, 100, 100});
}

/// Of the nodes in service, after everything that happens at `at`.
Counts free_at(const Problem& of, const std::vector<Outcome>& ran, Time at) {
  Counts free(static_cast<std::size_t>(of.nodes), of.devices);
  for (const Outage& outage : of.outages)
    if (outage.from <= at && at < outage.until) free[static_cast<std::size_t>(outage.node)] = 0;
  for (std::size_t index = 0; index < ran.size(); ++index)
    if (ran[index].start && *ran[index].start <= at && at < *ran[index].start + of.jobs[index].duration)
      for (std::size_t node = 0; node < free.size(); ++node) free[node] -= ran[index].taken[node];
  return free;
}

std::vector<Time> instants(const Problem& of, const std::vector<Outcome>& ran) {
  std::vector<Time> all;
  for (std::size_t index = 0; index < ran.size(); ++index) {
    all.push_back(of.jobs[index].submit);
    if (ran[index].start) all.push_back(*ran[index].start);
    if (ran[index].start) all.push_back(*ran[index].start + of.jobs[index].duration);
  }
  for (const Outage& outage : of.outages) all.insert(all.end(), {outage.from, outage.until});
  return all;
}

bool has_shape(const Counts& taken, const Shape& shape) {
  Counts expected(static_cast<std::size_t>(shape.nodes), shape.per_node);
  if (shape.remainder > 0) expected.push_back(shape.remainder);
  Counts used;
  std::copy_if(taken.begin(), taken.end(), std::back_inserter(used), [](int count) { return count > 0; });
  std::sort(expected.begin(), expected.end());
  std::sort(used.begin(), used.end());
  return used == expected;
}

TEST_CASE("random: no device is held twice, and nobody waits at the head, or under greedy at all, who fits") {
  int waited = 0, out = 0;
  for (std::uint64_t number = 0; number < 1'200; ++number) {
    CAPTURE(number);
    Maker maker{number};
    Problem of = maker.make(kPolicies[number % 4], Maker::Estimates::guessed);
    if (maker.chance(30)) of.order = Order::sjf;
    if (maker.chance(50)) maker.add_outages(of);
    const std::vector<Outcome> ran = schedule(of);
    const Counts whole(static_cast<std::size_t>(of.nodes), of.devices);
    for (std::size_t index = 0; index < ran.size(); ++index) {
      REQUIRE(ran[index].start.has_value() == first_fit(of.jobs[index].shape, whole).has_value());
      if (!ran[index].start) continue;
      CHECK(*ran[index].start >= of.jobs[index].submit);
      CHECK(has_shape(ran[index].taken, of.jobs[index].shape));
      waited += *ran[index].start > of.jobs[index].submit ? 1 : 0;
    }
    for (const Time at : instants(of, ran)) {
      const Counts free = free_at(of, ran, at);
      CHECK(*std::min_element(free.begin(), free.end()) >= 0);
      if (of.order == Order::sjf) continue;
      for (std::size_t index = 0; index < ran.size(); ++index) {
        if (!ran[index].start || of.jobs[index].submit > at || *ran[index].start <= at) continue;
        CHECK_FALSE(first_fit(of.jobs[index].shape, free));
        if (of.policy != Policy::greedy) break;
      }
    }
    out += static_cast<int>(of.outages.size());
  }
  CHECK(waited > 5'000);
  CHECK(out > 300);
}

TEST_CASE("random: first come, first served starts in the order of the queue") {
  for (std::uint64_t number = 0; number < 200; ++number) {
    CAPTURE(number);
    Maker maker{number};
    Problem of = maker.make(Policy::fcfs, Maker::Estimates::guessed);
    maker.add_outages(of);
    Time last = 0;
    for (const Outcome& outcome : schedule(of)) {
      CHECK(outcome.start.value_or(last) >= last);
      last = outcome.start.value_or(last);
    }
  }
}

TEST_CASE("random: with exact estimates first promises are kept, under conservative to the tick") {
  int passed = 0, promised = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    CAPTURE(number);
    const Policy policy = number % 2 == 0 ? Policy::easy : Policy::conservative;
    const Problem of = Maker{number}.make(policy, Maker::Estimates::exact);
    const std::vector<Outcome> ran = schedule(of);
    for (std::size_t index = 0; index < ran.size(); ++index) {
      if (!ran[index].start) continue;
      for (std::size_t ahead = 0; ahead < index; ++ahead)
        passed += ran[ahead].start && *ran[ahead].start > *ran[index].start ? 1 : 0;
      if (!ran[index].first_promise) continue;
      ++promised;
      CHECK(*ran[index].start <= *ran[index].first_promise);
      if (policy == Policy::conservative) CHECK(*ran[index].start == *ran[index].first_promise);
    }
  }
  CHECK(promised > 2'000);
  CHECK(passed > 2'000);
}

TEST_CASE("recorded: HPC2N under three policies starts when two independent programs say") {
  const char* const folder = std::getenv("FLEETSIM_TRACES");
  std::ifstream file;
  if (folder != nullptr) file.open(std::string{folder} + "/alea_swf/hpc2n.swf");
  if (!file.is_open()) {
    MESSAGE("skipped: set FLEETSIM_TRACES to a folder with alea_swf/hpc2n.swf (Parallel Workloads Archive)");
    return;
  }
  const TraceReading trace = trace_format("swf")->read(file, TraceOptions{});
  REQUIRE(trace.problems.empty());
  // Processors of a flat pool are devices of one node.
  const auto sum_of_starts = [&](Policy policy, Maker::Estimates estimates) {
    constexpr Time kSecond = 1'000'000'000;
    Problem of = problem(1, 240, {});
    for (const ListedJob& each : trace.jobs) {
      const Duration estimate =
          estimates == Maker::Estimates::exact ? each.duration : each.limit.value_or(each.duration);
      of.jobs.push_back(job(each.submit.ns() / kSecond, {1, static_cast<int>(each.devices), 0},
                            each.duration.ns() / kSecond, estimate.ns() / kSecond));
    }
    Time sum = 0;
    for (const Outcome& outcome : outcomes(of, policy)) sum += outcome.start.value();
    return sum;
  };
  CHECK(sum_of_starts(Policy::fcfs, Maker::Estimates::guessed) == 9'395'614'681);
  CHECK(sum_of_starts(Policy::easy, Maker::Estimates::guessed) == 9'389'081'057);
  CHECK(sum_of_starts(Policy::easy, Maker::Estimates::exact) == 9'388'806'879);
  CHECK(sum_of_starts(Policy::conservative, Maker::Estimates::guessed) == 9'389'477'034);
}

}  // namespace
}  // namespace fleetsim::brute_force
