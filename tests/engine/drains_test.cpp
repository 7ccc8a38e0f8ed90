#include <doctest/doctest.h>

#include "tests/engine/build.hpp"

// Nodes that leave and come back by plan. The amounts are worked out in the comments, in device-seconds.
namespace fleetsim {
namespace {

using namespace build;

DrainSpec drain(SimTime when, std::vector<std::uint32_t> nodes, Duration length = Duration::max(),
                DrainMode mode = DrainMode::now) {
  DrainSpec spec;
  spec.at = when;
  spec.nodes = std::move(nodes);
  spec.length = length;
  spec.mode = mode;
  return spec;
}

DatedNodes dated(std::vector<std::uint32_t> nodes, SimTime from, SimTime until = SimTime::never()) {
  return {.nodes = std::move(nodes), .from = from, .until = until};
}

using Amounts = std::vector<std::pair<Leaf, std::int64_t>>;

/// That the ledger has these amounts, in device-seconds, and nothing else.
void check_ledger(const RunResult& result, const Amounts& expected) {
  DeviceTime all;
  for (const auto& [of_leaf, amount] : expected) {
    const std::string_view name = leaf_info(of_leaf).name;
    CAPTURE(name);
    CHECK(leaf(result, of_leaf) == device_seconds(amount));
    all += device_seconds(amount);
  }
  CHECK(sum(result.ledger.total()) == all);
}

TEST_CASE("a drained node is not free, and the job that it runs is left to end") {
  // Four nodes of 8. R has node 0 until 100; the node is drained at 50 and is back at 300. Until 60 the other
  // three are free with nobody queued: 24 x 60 = 1440. J asks for all 32 at 60: it waits for 1 s until K
  // takes 24 of them, 9 s from the end of K at 91, and 200 s with node 0 out: 24 x 210 = 5040, too little for
  // it. Work: R 800, K 24 x 30 = 720, J 3200. Out: 8 x 200 = 1600. In service: 32 x 200 + 24 x 200 = 11200.
  JobClass r = job("R", 1, 8, seconds(100)), j = job("J", 4, 8, seconds(100), at(60)),
           k = job("K", 3, 8, seconds(30), at(61));
  k.limit = seconds(30);
  Scenario fleet = scenario({pool(4, 8)}, {r, j, k}, seconds(400));
  fleet.pools[0].drains = {drain(at(50), {0}, seconds(250), DrainMode::when_released)};
  for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::conservative}) {
    CAPTURE(static_cast<int>(backfill));
    fleet.scheduler.strict = backfill != Backfill::none;
    fleet.scheduler.backfill = backfill;
    const RunResult result = run_recorded(fleet);
    CHECK(outcome(result, "R").end == at(100));
    CHECK(outcome(result, "K").first_start == at(61));
    CHECK(outcome(result, "K").end == at(91));
    CHECK(outcome(result, "J").first_start == at(300));
    CHECK(outcome(result, "J").end == at(400));
    check_ledger(result, {{Leaf::out_of_service_maintenance, 1600},
                          {Leaf::scheduling_no_demand, 1440},
                          {Leaf::scheduling_shortfall, 5040},
                          {Leaf::program_unmodelled, 800 + 720 + 3200}});
    CHECK(factors(result.ledger.total()).in_service == device_seconds(11200));
  }
}

TEST_CASE("backfill knows when drained nodes are back") {
  // As above, but K may take 300 s, and so would keep J from its start at 300: it follows J. L takes one node
  // at 70 for at most 230 s, and does not. M is planned for a node that is drained while N works there until
  // 200.
  JobClass r = job("R", 1, 8, seconds(100)), j = job("J", 4, 8, seconds(100), at(60)),
           k = job("K", 3, 8, seconds(30), at(61)), l = job("L", 1, 8, seconds(100), at(70));
  k.limit = seconds(300);
  l.limit = seconds(230);
  Scenario fleet = scenario({pool(4, 8)}, {r, j, k, l}, seconds(500));
  fleet.pools[0].drains = {drain(at(50), {0}, seconds(250), DrainMode::when_released)};
  Scenario two = scenario(
      {pool(2, 1)},
      {job("N", 1, 1, seconds(200)), job("O", 1, 1, seconds(900)), job("M", 1, 1, seconds(10), at(60))},
      seconds(900));
  two.pools[0].drains = fleet.pools[0].drains;
  for (const Backfill backfill : {Backfill::easy, Backfill::conservative}) {
    CAPTURE(static_cast<int>(backfill));
    fleet.scheduler.backfill = two.scheduler.backfill = backfill;
    const RunResult result = run_recorded(fleet);
    CHECK(outcome(result, "J").first_start == at(300));
    CHECK(outcome(result, "K").first_start == at(400));
    CHECK(outcome(result, "L").first_start == at(70));
    CHECK(outcome(run_recorded(two), "M").first_start == at(300));
  }
}

TEST_CASE("utilisation is of what was installed, not of what is at some time") {
  // Node 0 is there until 15 and busy in 0-3 and 11-15, node 1 until 10 and busy in 0-1: 8 of 25.
  Scenario fleet =
      scenario({pool(2, 1)},
               {job("a", 1, 1, seconds(3)), job("b", 1, 1, seconds(1)), job("c", 1, 1, seconds(4), at(11))},
               seconds(20));
  fleet.pools[0].dated = {dated({0}, at(0), at(15)), dated({1}, at(0), at(10))};
  const RunResult result = run_recorded(fleet);
  check_ledger(result, {{Leaf::program_unmodelled, 8}, {Leaf::scheduling_no_demand, 17}});
  CHECK(outcome(result, "c").end == at(15));
}

TEST_CASE("a gang without a replacement waits for one, or is queued again") {
  // 30 s are lost, node 0 is away in 30-50, the relaunch takes 5 s and the work 100 s: 50 + 5 + 100 = 155.
  for (const NoReplacement policy : {NoReplacement::hold, NoReplacement::release}) {
    Scenario fleet = scenario({pool(1, 1)}, {job("a", 1, 1, seconds(100))}, seconds(200));
    fleet.classes[0].no_replacement = policy;
    fleet.classes[0].reconfiguration.launch = seconds(5);
    fleet.classes[0].recovery.replace = seconds(50);  // after failures alone
    fleet.pools[0].drains = {drain(at(30), {0}, seconds(20))};
    const RunResult result = run_recorded(fleet);
    check_ledger(result, {{Leaf::runtime_reconfiguration, 30 + 5},
                          {Leaf::out_of_service_maintenance, 20},
                          {Leaf::program_unmodelled, 100},
                          {Leaf::scheduling_no_demand, 45}});
    const JobOutcome& a = outcome(result, "a");
    CHECK(a.end == at(155));
    CHECK(a.drains == 1);
    CHECK(a.member_wait == (policy == NoReplacement::hold ? seconds(20) : seconds(0)));
    CHECK(a.requeue_wait == (policy == NoReplacement::hold ? seconds(0) : seconds(20)));
    CHECK(result.classes[0].drains == 1);
  }
}

TEST_CASE("survivors wait as an incomplete gang; a pool spare goes before the queue, and is refilled") {
  // Two of three nodes work, the third is the spare. At 10 node 0 goes: 2 x 10 lost, then the spare is a
  // member: 10-110. Node 0 is back at 1010 and becomes the spare.
  PoolSpec three = pool(3, 1);
  three.spares = 1;
  three.drains = {drain(at(10), {0}, seconds(1000))};
  Scenario fleet = scenario({three}, {job("a", 2, 1, seconds(100))}, seconds(1200));
  check_ledger(run_recorded(fleet), {{Leaf::runtime_reconfiguration, 20},
                                     {Leaf::program_unmodelled, 200},
                                     {Leaf::out_of_service_maintenance, 1000},
                                     {Leaf::scheduling_spare, 10 + 190},
                                     {Leaf::scheduling_no_demand, 2 * (1200 - 110)}});
  // Without the spare node 1 waits in 10-1010; both work in 1010-1110.
  fleet.pools = {pool(2, 1)};
  fleet.pools[0].drains = three.drains;
  check_ledger(run_recorded(fleet), {{Leaf::runtime_reconfiguration, 20},
                                     {Leaf::program_unmodelled, 200},
                                     {Leaf::out_of_service_maintenance, 1000},
                                     {Leaf::scheduling_partial_gang, 1000},
                                     {Leaf::scheduling_no_demand, 2 * 90}});
}

Scenario checkpointing(DrainSpec drained) {
  JobClass a = stepping_job("a", 1, 1, 10, seconds(10));
  checkpoint(a, seconds(20), seconds(2));
  a.reconfiguration.launch = seconds(5);
  Scenario fleet = scenario({pool(2, 1)}, {a}, seconds(150));
  fleet.pools[0].drains = {std::move(drained)};
  return fleet;
}

TEST_CASE("a gang that leaves at its next commit loses nothing") {
  // Commits at 22 and 44, where it leaves node 0 for node 1; relaunch 44-49; commits at 71 and 93; ends at
  // 113. Node 0 is out in 44-130. Free: node 1 in 0-44 and 113-150, node 0 in 130-150: 101.
  const Amounts expected{{Leaf::program_unmodelled, 100},
                         {Leaf::runtime_checkpoint, 8},
                         {Leaf::runtime_reconfiguration, 5},
                         {Leaf::out_of_service_maintenance, 86},
                         {Leaf::scheduling_no_demand, 101}};
  check_ledger(run_recorded(checkpointing(drain(at(30), {0}, seconds(100), DrainMode::at_commit))), expected);
  // It leaves at once where it has just committed, and the next time comes too late: 44 is the same instant.
  check_ledger(run_recorded(checkpointing(drain(at(44), {0}, seconds(86)))), expected);
}

TEST_CASE("asynchronous: the commit is when the checkpoint is durable, and what it does not cover is lost") {
  // Staged at 20-22, durable at 32, where 10 s are lost. Relaunch 32-37, eight steps more with pauses at
  // 57-59, 79-81, 101-103: ends at 123. Node 0 is out in 32-125; node 1 free in 0-32 and 123-150, node 0 in
  // 125-150.
  Scenario fleet = checkpointing(drain(at(25), {0}, seconds(100), DrainMode::at_commit));
  fleet.classes[0].checkpoint.mode = CheckpointMode::asynchronous;
  fleet.classes[0].checkpoint.flush = seconds(10);
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "a").end == at(123));
  check_ledger(result, {{Leaf::program_unmodelled, 100},
                        {Leaf::runtime_checkpoint, 8},
                        {Leaf::runtime_reconfiguration, 10 + 5},
                        {Leaf::out_of_service_maintenance, 93},
                        {Leaf::scheduling_no_demand, 32 + 27 + 25}});
}

TEST_CASE("at the next commit: nobody leaves where the drain is over by then, or where none comes") {
  const RunResult over = run_recorded(checkpointing(drain(at(25), {0}, seconds(10), DrainMode::at_commit)));
  CHECK(outcome(over, "a").drains == 0);
  CHECK(leaf(over, Leaf::out_of_service_maintenance) == DeviceTime::zero());
  // Its one commit is its end, at 50; node 0 is out from there until 110.
  Scenario plain = scenario({pool(2, 1)}, {job("a", 1, 1, seconds(50))}, seconds(150));
  plain.pools[0].drains = {drain(at(10), {0}, seconds(100), DrainMode::at_commit)};
  const RunResult result = run_recorded(plain);
  CHECK(outcome(result, "a").end == at(50));
  CHECK(leaf(result, Leaf::out_of_service_maintenance) == device_seconds(60));
}

TEST_CASE("maintenance repeats, overlaps and touches") {
  PoolSpec one = pool(1, 1);
  one.drains = {drain(at(50), {0}, seconds(10))};
  one.drains[0].every = seconds(100);
  check_ledger(run_recorded(scenario({one}, {}, seconds(1000))),
               {{Leaf::out_of_service_maintenance, 10 * 10}, {Leaf::scheduling_no_demand, 900}});
  one.drains = {drain(at(10), {0}, seconds(40)), drain(at(30), {0}, seconds(40))};
  check_ledger(run_recorded(scenario({one}, {}, seconds(100))),
               {{Leaf::out_of_service_maintenance, 60}, {Leaf::scheduling_no_demand, 40}});
  // From one to the next at 30 the node is free for no time, and the gang that waits does not start there.
  for (const bool later_first : {false, true}) {
    one.drains = {drain(at(10), {0}, seconds(20)), drain(at(30), {0}, seconds(20))};
    if (later_first) std::swap(one.drains[0], one.drains[1]);
    const RunResult result = run_recorded(scenario({one}, {job("a", 1, 1, seconds(100))}, seconds(150)));
    CHECK(outcome(result, "a").drains == 1);
    check_ledger(result, {{Leaf::runtime_reconfiguration, 10},
                          {Leaf::out_of_service_maintenance, 40},
                          {Leaf::program_unmodelled, 100}});
  }
}

TEST_CASE("a gang does not move from a node to one that is drained at the same instant") {
  PoolSpec three = pool(3, 1);
  three.drains = {drain(at(10), {0}), drain(at(10), {1})};
  const RunResult result = run_recorded(scenario({three}, {job("a", 1, 1, seconds(100))}));
  CHECK(outcome(result, "a").drains == 1);
  CHECK(outcome(result, "a").end == at(110));
}

TEST_CASE("what is drained does not fail, and what has failed is repaired into maintenance") {
  PoolSpec one = pool(1, 1);
  one.drains = {drain(at(20), {0}, seconds(30))};
  Scenario fleet = scenario({one}, {}, seconds(100));
  fleet.script = {node_fault(at(25), 0, seconds(1000))};
  check_ledger(run_recorded(fleet),
               {{Leaf::out_of_service_maintenance, 30}, {Leaf::scheduling_no_demand, 70}});
  fleet.script = {node_fault(at(10), 0, seconds(20))};  // back at 30, amid the drain
  check_ledger(run_recorded(fleet), {{Leaf::out_of_service_failed, 20},
                                     {Leaf::out_of_service_maintenance, 20},
                                     {Leaf::scheduling_no_demand, 60}});
  fleet.script = {node_fault(at(10), 0, seconds(80))};  // back at 90, after it
  check_ledger(run_recorded(fleet), {{Leaf::out_of_service_failed, 80}, {Leaf::scheduling_no_demand, 20}});
}

TEST_CASE("a failure that is not yet noticed stays one when its node is drained") {
  // Fails at 10, noticed at 20, repaired at 25 into the maintenance of 15-40; then it works for 100 s.
  PoolSpec one = pool(1, 1);
  one.drains = {drain(at(15), {0}, seconds(25))};
  Scenario fleet = scenario({one}, {job("a", 1, 1, seconds(100))}, seconds(150));
  fleet.script = {node_fault(at(10), 0, seconds(5))};
  fleet.script[0].detect = seconds(10);
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "a").drains == 0);
  check_ledger(result, {{Leaf::runtime_rework, 10},
                        {Leaf::runtime_recovery, 10},
                        {Leaf::out_of_service_failed, 5},
                        {Leaf::out_of_service_maintenance, 15},
                        {Leaf::program_unmodelled, 100},
                        {Leaf::scheduling_no_demand, 10}});
}

TEST_CASE("what was the spare before maintenance of the whole pool is the spare after it") {
  // Nodes 0 and 1 are one rack, the spare is another: only if it is the spare again can the gang start.
  PoolSpec three = pool(3, 1);
  three.racks = {0, 0, 1};
  three.spares = 1;
  three.drains = {drain(at(10), {0, 1, 2}, seconds(10))};
  JobClass gang = job("a", 2, 1, seconds(5), at(30));
  gang.topology.level = TopologyLevel::rack;
  CHECK(outcome(run_recorded(scenario({three}, {gang}, seconds(100))), "a").first_start == at(30));
}

TEST_CASE("a teardown that maintenance cuts short does not end the next one") {
  // Teardown 20 s: that of a, from 10 on, is cut at 15 by a drain until 18. b starts there and ends at 23,
  // and its own teardown goes on until 43, not until 30.
  PoolSpec one = pool(1, 1);
  one.teardown = seconds(20);
  one.drains = {drain(at(15), {0}, seconds(3))};
  const RunResult result = run_recorded(
      scenario({one}, {job("a", 1, 1, seconds(10)), job("b", 1, 1, seconds(5)), job("c", 1, 1, seconds(5))}));
  CHECK(outcome(result, "b").first_start == at(18));
  CHECK(outcome(result, "c").first_start == at(43));
}

TEST_CASE(
    "jobs that share a device: those on a drained node are queued again, or end; what is left goes first") {
  JobClass a = job("a", 1, 1, seconds(100)), b = job("b", 1, 1, seconds(60));
  a.gang.shape = GangShape{.milli = 400};
  b.gang.shape = GangShape{.milli = 500};
  Scenario fleet = scenario({pool(2, 1)}, {a, b}, seconds(130));
  fleet.pools[0].drains = {drain(at(30), {0})};
  // 0.9 x 30 lost; both begin again on node 1. Free: 0.1 x 30 of device 0; of device 1 30, then
  // 0.1 x 60 until b ends at 90, 0.6 x 40 until a ends at 130: 63.
  const RunResult now = run_recorded(fleet);
  CHECK(outcome(now, "a").end == at(130));
  check_ledger(now, {{Leaf::runtime_reconfiguration, 27},
                     {Leaf::out_of_service_maintenance, 100},
                     {Leaf::program_unmodelled, 40 + 30},
                     {Leaf::scheduling_no_demand, 63}});
  // Left to end: 0.1 x 30 out until b ends at 60, 0.6 x 40 until a ends at 100, then the device: 57.
  fleet.pools[0].drains[0].mode = DrainMode::when_released;
  check_ledger(run_recorded(fleet), {{Leaf::out_of_service_maintenance, 57},
                                     {Leaf::program_unmodelled, 40 + 30},
                                     {Leaf::scheduling_no_demand, 3 + 130}});
}

TEST_CASE("jobs wait for nodes that will be installed, and the ledger knows nothing of them before") {
  // Two nodes, and two more from 100 on: 2 x 300 + 2 x 200 = 1000. Until then two are too few for four.
  PoolSpec four = pool(4, 1);
  four.dated = {dated({2, 3}, at(100))};
  const Scenario fleet = scenario({four}, {job("a", 4, 1, seconds(50))}, seconds(300));
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "a").first_start == at(100));
  check_ledger(result, {{Leaf::scheduling_shortfall, 200},
                        {Leaf::program_unmodelled, 200},
                        {Leaf::scheduling_no_demand, 600}});
}

TEST_CASE("where nodes are taken away for good, gangs go on elsewhere and nobody waits for what is gone") {
  // Nodes 2 and 3 go at 100 with 2 x 100 of b, which goes on where a ends, in 200-400. c asks for four nodes
  // at 50 and d at 150; no pool has so many any more.
  PoolSpec four = pool(4, 1);
  four.dated = {dated({2, 3}, at(0), at(100))};
  const RunResult result =
      run_recorded(scenario({four},
                            {job("a", 2, 1, seconds(200)), job("b", 2, 1, seconds(200)),
                             job("c", 4, 1, seconds(1), at(50)), job("d", 4, 1, seconds(1), at(150))},
                            seconds(400)));
  check_ledger(result, {{Leaf::program_unmodelled, 800}, {Leaf::runtime_reconfiguration, 200}});
  CHECK(outcome(result, "b").end == at(400));
  CHECK(outcome(result, "c").state == FinalState::unsatisfiable);
  CHECK(outcome(result, "d").state == FinalState::unsatisfiable);
}

TEST_CASE("a gang that no pool could begin any more goes on, but is refused once it is stopped") {
  // Node 0 of two and a spare goes for good at 50; the spare takes its place. The failure at 60 is repaired
  // at 70. Evicted at 80, the gang of two finds one node beside the spares.
  PoolSpec three = pool(3, 1);
  three.spares = 1;
  three.drains = {drain(at(50), {0})};
  Scenario fleet = scenario({three}, {job("a", 2, 1, seconds(100))}, seconds(200));
  fleet.script = {node_fault(at(60), 1, seconds(10))};
  CHECK(outcome(run_recorded(fleet), "a").end == at(170));
  fleet.classes[0].evictions.at = {at(80)};
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "a").state == FinalState::unsatisfiable);
  CHECK(outcome(result, "a").held == seconds(80));
}

TEST_CASE("a gang left to end on a node that goes for good waits for a repair elsewhere, not for that node") {
  PoolSpec two = pool(2, 1);
  two.drains = {drain(at(10), {0}, Duration::max(), DrainMode::when_released)};
  Scenario fleet = scenario({two}, {job("a", 2, 1, seconds(100))}, seconds(200));
  fleet.script = {node_fault(at(50), 1, seconds(10))};
  CHECK(outcome(run_recorded(fleet), "a").end == at(160));
  fleet.script = {node_fault(at(50), 0, seconds(10))};
  const RunResult result = run_recorded(fleet);
  CHECK(outcome(result, "a").state == FinalState::unsatisfiable);
  CHECK(outcome(result, "a").held == seconds(50));
}

TEST_CASE("a run until all is done ends, however often maintenance comes, and says when it is stuck") {
  PoolSpec two = pool(2, 1);
  two.drains = {drain(at(50), {0}, seconds(10))};
  two.drains[0].every = seconds(100);
  const RunResult done = run_recorded(scenario({two}, {job("a", 1, 1, seconds(500))}));
  CHECK(done.state == RunState::completed);
  CHECK(outcome(done, "a").end == at(50 + 500));  // on node 1 from then on
  Scenario both = scenario({two}, {job("a", 2, 1, seconds(40)), job("b", 2, 1, seconds(40))});
  both.scheduler.admission = Admission::partial_hold;
  both.scheduler.interleave = true;
  const RunResult stuck = run(both);
  CHECK(stuck.state == RunState::stalled);
  CHECK(stuck.holders == std::vector<std::string>{"a", "b"});
}

TEST_CASE("lives of nodes begin when they are installed") {
  // A life lasts 100 s exactly: node 1, there from 50 on, breaks at 150.
  PoolSpec two = pool(2, 1);
  FaultRow row;
  row.name = "wear";
  row.hits = row.takes_out = FaultScope::node;
  row.lifetime = fixed(100);
  row.repair = fixed(1000);
  two.faults = {row};
  two.dated = {dated({1}, at(50))};
  check_ledger(run_recorded(scenario({two}, {}, seconds(200))),
               {{Leaf::out_of_service_failed, 100 + 50}, {Leaf::scheduling_no_demand, 100 + 100}});
}

}  // namespace
}  // namespace fleetsim
