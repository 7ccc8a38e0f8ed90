#include <doctest/doctest.h>

#include <cmath>

#include "tests/engine/build.hpp"

// Gangs that wait for a slow member, or for links that others use. Ledgers are worked out in the comments.
namespace fleetsim {
namespace {

using namespace build;

ScriptedSlowness slow(std::uint32_t node, double speed, SimTime at = SimTime::zero(),
                      Duration length = Duration::max()) {
  ScriptedSlowness episode;
  episode.at = at;
  episode.length = length;
  episode.node = node;
  episode.hits = FaultScope::node;
  episode.speed = speed;
  return episode;
}

TEST_CASE("one rank at four fifths of its speed takes a fifth of a gang's throughput") {
  // Ten steps of 8 s take 10 s each, of all four devices: 80 s of work, 20 s of waiting.
  Scenario given = scenario({pool(4, 1)}, {stepping_job("a", 4, 1, 10, seconds(8))});
  given.slow_script = {slow(2, 0.8)};
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "a").end == at(100));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(4 * 20));
  CHECK(leaf(result, Leaf::program_unmodelled) == device_seconds(4 * 80));
}

TEST_CASE("the slowest of several members sets the pace, and who is not a member sets none") {
  Scenario given = scenario({pool(4, 1)}, {stepping_job("a", 3, 1, 10, seconds(8))});
  given.slow_script = {slow(0, 0.8), slow(1, 0.5), slow(3, 0.1)};
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "a").end == at(160));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(3 * 80));
}

TEST_CASE("a step keeps the speed it began with") {
  // Steps begin at 0, 10, 20 (slow: 20 s), 40 (slow), 60: the episode covers 15 to 50.
  Scenario given = scenario({pool(1, 1)}, {stepping_job("a", 1, 1, 5, seconds(10))});
  given.slow_script = {slow(0, 0.5, at(15), seconds(35))};
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "a").end == at(70));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(20));
}

TEST_CASE("slow steps count towards the interval of checkpoints, and are lost with them") {
  // Steps of 15 s: one reaches the interval of 12 s. 0-15, pause to 17; the second is struck at 30.
  JobClass job = stepping_job("a", 1, 1, 2, seconds(10));
  checkpoint(job, seconds(12), seconds(2));
  Scenario given = scenario({pool(1, 1)}, {job});
  given.slow_script = {slow(0, 10.0 / 15.0)};
  given.script = {crash(at(30))};
  const RunResult result = run_recorded(given);
  CHECK(leaf(result, Leaf::runtime_rework) == device_seconds(13));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(10));
  CHECK(outcome(result, "a").end == at(45));
}

TEST_CASE("traffic of others slows the share of a step that crosses the network, of gangs of several nodes") {
  // A quarter of 8 s at half speed: 2 s more. The straggler beside it adds 8 x (1/0.8 - 1) = 2 s.
  JobClass wide = stepping_job("wide", 2, 1, 10, seconds(8)),
           alone = stepping_job("alone", 1, 1, 10, seconds(8));
  for (JobClass* job : {&wide, &alone})
    job->step.stretched[static_cast<std::size_t>(SlowCause::noisy_neighbour)] = 0.25;
  Scenario given = scenario({pool(3, 1)}, {wide, alone});
  ScriptedSlowness traffic = slow(0, 0.5);
  traffic.hits = FaultScope::rack;
  traffic.cause = SlowCause::noisy_neighbour;
  given.slow_script = {traffic, slow(0, 0.8)};
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "wide").end == at(120));
  CHECK(outcome(result, "alone").end == at(80));
  CHECK(leaf(result, Leaf::program_noisy_neighbour) == device_seconds(2 * 20));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(2 * 20));
}

/// Ten steps of 10 s, commits every 20 s with a pause of 2 s; node 0 at half its speed from 30 s on.
Scenario with_a_swap(SwapAt when) {
  JobClass job = stepping_job("a", 1, 1, 10, seconds(10));
  checkpoint(job, seconds(20), seconds(2));
  job.reconfiguration.launch = seconds(3);
  job.swap = SwapPolicy{.after = seconds(15), .at = when};
  Scenario given = scenario({pool(2, 1)}, {job});
  given.slow_script = {slow(0, 0.5, at(30))};
  given.slow_script.front().repair = seconds(100);
  return given;
}

TEST_CASE("a straggler is swapped at the next commit, and nothing is lost") {
  // 0-20 steps, -22 commit, -32 a step, -52 a slow one, -54 commit; slow since 32, so the swap is due
  // from 47. 54-57 launch, -77, -79, -99, -101, -121 done.
  const RunResult result = run_recorded(with_a_swap(SwapAt::commit));
  CHECK(outcome(result, "a").end == at(121));
  CHECK(outcome(result, "a").swaps == 1);
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(10));
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(3));
  CHECK(leaf(result, Leaf::runtime_checkpoint) == device_seconds(8));
  CHECK(leaf(result, Leaf::out_of_service_failed) == device_seconds(67));
}

TEST_CASE("a straggler is swapped at once, and what was not committed is lost") {
  // At 47: the 25 s since the commit at 22. 47-50 launch, then eight steps and three commits: done at 136.
  const RunResult result = run_recorded(with_a_swap(SwapAt::now));
  CHECK(outcome(result, "a").end == at(136));
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(28));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(0));
  CHECK(leaf(result, Leaf::runtime_checkpoint) == device_seconds(8));
}

TEST_CASE("a gang keeps its straggler until there is another node") {
  Scenario given = with_a_swap(SwapAt::now);
  given.classes.push_back(job("b", 1, 1, seconds(70)));
  // b holds node 1 until 70: 22-32, 32-52, pause, 54-70 of a slow step is lost.
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "a").swaps == 1);
  CHECK(leaf(result, Leaf::runtime_reconfiguration) == device_seconds(16 + 3));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(10));
}

TEST_CASE("a repaired straggler is as good as new") {
  // Node 0 fails at 25 for 5 s: whoever runs there afterwards runs at full speed.
  Scenario given = scenario({pool(1, 1)}, {stepping_job("a", 1, 1, 3, seconds(10))});
  given.slow_script = {slow(0, 0.5)};
  given.script = {node_fault(at(25), 0, seconds(5))};
  const RunResult result = run_recorded(given);
  CHECK(outcome(result, "a").end == at(60));
}

SlowRow thermal(double per_second, double mean_length, double speed) {
  SlowRow row;
  row.name = "thermal";
  row.hits = FaultScope::node;
  row.rate = PerSecond{per_second};
  row.length = exponential(mean_length);
  row.least_speed = row.most_speed = speed;
  return row;
}

TEST_CASE("statistical: episodes come at their rate, and slow a gang for the time they last") {
  // One node: slow with probability 1 - exp(-rate x length), and then a fifth of the time is lost.
  const double rate = 1.0 / 5000, length = 1000;
  PoolSpec one = pool(1, 1);
  one.slow = {thermal(rate, length, 0.8)};
  JobClass job = stepping_job("a", 1, 1, 10'000'000, seconds(1));
  const std::int64_t window = 20'000'000;
  const RunResult result = run(scenario({one}, {job}, seconds(window)));
  const double expected = static_cast<double>(window) * rate;
  CHECK(std::abs(static_cast<double>(result.episodes[0][0]) - expected) < 4 * std::sqrt(expected));
  const double slow_share = 1 - std::exp(-rate * length);
  const double share = ratio(leaf(result, Leaf::program_straggler), device_seconds(window));
  // About 3,600 busy periods of about 1,100 s, whose spread is of that order: four of their standard error.
  CHECK(share == doctest::Approx(0.2 * slow_share).epsilon(4 * std::sqrt(2.0) / std::sqrt(3600.0)));
}

TEST_CASE("episodes do not depend on what is done about them") {
  PoolSpec nodes = pool(6, 2);
  nodes.slow = {thermal(1.0 / 3000, 400, 0.7)};
  nodes.slow.front().hits = FaultScope::device;
  nodes.slow.front().share = 0.25;
  JobClass job = stepping_job("a", 4, 2, 100'000, seconds(3));
  checkpoint(job, seconds(60), seconds(1));
  Scenario ignoring = scenario({nodes}, {job}, seconds(100'000)), swapping = ignoring;
  swapping.classes.front().swap = SwapPolicy{.after = seconds(30), .at = SwapAt::commit};
  const RunResult a = run_recorded(ignoring), b = run_recorded(swapping);
  CHECK(a.episodes == b.episodes);
  CHECK(outcome(b, "a").swaps > 100);
  CHECK(leaf(b, Leaf::program_straggler) < leaf(a, Leaf::program_straggler));
}

TEST_CASE("the share that is slow from the start is that many") {
  // A fifth of ten nodes, one job of one step of 10 s on each.
  PoolSpec nodes = pool(10, 1);
  SlowRow bad;
  bad.name = "bad";
  bad.hits = FaultScope::node;
  bad.share = 0.2;
  bad.least_speed = bad.most_speed = 0.5;
  nodes.slow = {bad};
  JobClass each = stepping_job("a", 1, 1, 1, seconds(10));
  each.arrivals.gap = fixed(0);
  each.arrivals.count = 10;
  const RunResult result = run_recorded(scenario({nodes}, {each}));
  CHECK(leaf(result, Leaf::program_straggler) == device_seconds(2 * 10));
}

}  // namespace
}  // namespace fleetsim
