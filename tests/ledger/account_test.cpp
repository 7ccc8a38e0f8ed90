#include <doctest/doctest.h>

#include <map>

#include "sim/ledger/records.hpp"
#include "tests/ledger/record_builder.hpp"

// Ledgers worked out by hand from records. Times in seconds, capacities in devices.
namespace fleetsim {
namespace {

TEST_CASE("account: a failure with a spare ready") {
  // Two devices and a spare, [0, 200). Steps of 10 s: 0-40, pause 40-42, commit; steps 42-60, then a device
  // breaks. 18 x 2 are rework. Detected at 65: 5 x 2 recovery; the spare joins, replacing and relaunching
  // take until 80: 15 x 2 recovery. Steps 80-120, pause to 122, steps 122-162, done. Retained (40 + 40 + 40)
  // x 2 = 240, pauses (2 + 2) x 2 = 8. Broken 65-95; spare 0-65 and 95-200 = 170; free 162-200 x 2 = 76. All:
  // 200 x 3.
  RecordBuilder make(0, 200);
  make.allocation(0, 65, 2).allocation(65, 162, 2);
  make.stretch(0, 42, 2, {.step = 40, .pause = 2}).commit(42);
  make.stretch(42, 60, 2, {.step = 18}).discard(60, Leaf::runtime_rework);
  make.leaf(60, 65, 2, Leaf::runtime_recovery).leaf(65, 80, 2, Leaf::runtime_recovery);
  make.stretch(80, 122, 2, {.step = 40, .pause = 2}).commit(122);
  make.stretch(122, 162, 2, {.step = 40}).commit(162);
  make.pool(162, 200, 2, Leaf::scheduling_no_demand);
  make.pool(0, 65, 1, Leaf::scheduling_spare).pool(95, 200, 1, Leaf::scheduling_spare);
  make.pool(65, 95, 1, Leaf::out_of_service_failed);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) == SecondsByLeaf{{"out_of_service.failed", 30},
                                                            {"scheduling.no_demand", 76},
                                                            {"scheduling.spare", 170},
                                                            {"runtime.checkpoint", 8},
                                                            {"runtime.recovery", 40},
                                                            {"runtime.rework", 36},
                                                            {"program.unmodelled", 240}});
  CHECK(sum(accounting.ledger.total()) == device_seconds(600));
}

TEST_CASE("account: an eviction that loses a given time commits what came before") {
  // One device, [0, 140). Commit at 42. Evicted at 75, the last 20 s lost: what ended by 55 is committed, a
  // step and 3 s of the next; 55-75 is preemption. Relaunch 75-90, then 47 s of steps. Retained 40 + 13 + 47.
  RecordBuilder make(0, 140);
  make.allocation(0, 75, 1).allocation(75, 137, 1);
  make.stretch(0, 42, 1, {.step = 40, .pause = 2}).commit(42);
  make.stretch(42, 55, 1, {.step = 13}).stretch(55, 75, 1, {.step = 20});
  make.commit(55).discard(75, Leaf::runtime_preemption);
  make.leaf(75, 90, 1, Leaf::runtime_preemption);
  make.stretch(90, 137, 1, {.step = 47}).commit(137);
  make.pool(137, 140, 1, Leaf::scheduling_no_demand);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) == SecondsByLeaf{{"scheduling.no_demand", 3},
                                                            {"runtime.checkpoint", 2},
                                                            {"runtime.preemption", 35},
                                                            {"program.unmodelled", 100}});
  CHECK(sum(accounting.ledger.total()) == device_seconds(140));
}

TEST_CASE("account: a checkpoint that is not yet durable saves nothing") {
  // One device, [0, 150). Staged 30-31, durable at 46: the commit of 31 comes after the steps 31-46, which
  // stay provisional. Staged 61-62, failure at 70 before it is durable: 31-70 = 39 rework. Recovery 70-80.
  // Steps 80-110, staged to 111, durable at 126, done at 141. Retained 30 + 30 + 30, pauses 1 + 1.
  RecordBuilder make(0, 150);
  make.allocation(0, 141, 1);
  make.stretch(0, 31, 1, {.step = 30, .pause = 1}).stretch(31, 46, 1, {.step = 15}).commit(31);
  make.stretch(46, 62, 1, {.step = 15, .pause = 1}).stretch(62, 70, 1, {.step = 8});
  make.discard(70, Leaf::runtime_rework).leaf(70, 80, 1, Leaf::runtime_recovery);
  make.stretch(80, 111, 1, {.step = 30, .pause = 1}).stretch(111, 126, 1, {.step = 15}).commit(111);
  make.stretch(126, 141, 1, {.step = 15}).commit(141);
  make.pool(141, 150, 1, Leaf::scheduling_no_demand);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) == SecondsByLeaf{{"scheduling.no_demand", 9},
                                                            {"runtime.checkpoint", 2},
                                                            {"runtime.recovery", 10},
                                                            {"runtime.rework", 39},
                                                            {"program.unmodelled", 90}});
  CHECK(sum(accounting.ledger.total()) == device_seconds(150));
}

TEST_CASE("account: parts of a retained stretch go to their leaves, of a discarded one to one leaf") {
  // 2 devices. Retained: 10 s of steps, 3 of waits, 2 of pause, 1 slowed by a checkpoint, 5 by a straggler, 6
  // by neighbours, 4 of slow first steps. The same discarded: 27 x 2, the slow first steps apart.
  const Parts parts{
      .step = 10, .wait = 3, .pause = 2, .excess = 1, .straggler = 5, .neighbour = 6, .warm_up = 4};
  RecordBuilder make(0, 62);
  make.allocation(0, 62, 2).stretch(0, 31, 2, parts).commit(31);
  make.stretch(31, 62, 2, parts).discard(62, Leaf::runtime_abandoned);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) == SecondsByLeaf{{"runtime.startup", 16},
                                                            {"runtime.input_wait", 6},
                                                            {"runtime.checkpoint", 4},
                                                            {"runtime.abandoned", 54},
                                                            {"program.straggler", 10},
                                                            {"program.checkpoint_write", 2},
                                                            {"program.noisy_neighbour", 12},
                                                            {"program.unmodelled", 20}});
}

TEST_CASE("account: a gang that is not complete waits for members, or is provisioned") {
  RecordBuilder make(0, 20);
  make.allocation(0, 5, 1, {.never_complete = true});
  make.records.allocations.back().incomplete = Leaf::scheduling_transition;
  make.allocation(5, 20, 1, {.complete = 8}).leaf(8, 20, 1, Leaf::runtime_startup);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) ==
        SecondsByLeaf{{"scheduling.partial_gang", 3}, {"scheduling.transition", 5}, {"runtime.startup", 12}});
}

TEST_CASE("account: what has no fate when the records end is unresolved") {
  RecordBuilder make(0, 40);
  make.allocation(0, 40, 1).stretch(0, 10, 1, {.step = 10}).commit(10);
  make.stretch(10, 40, 1, {.step = 20, .wait = 7, .warm_up = 3});
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) ==
        SecondsByLeaf{{"runtime.startup", 3}, {"runtime.unresolved", 27}, {"program.unmodelled", 10}});
}

TEST_CASE("account: only the window counts, and fates from after it do") {
  // Window [100, 200) of a job that holds 2 devices and 1 spare device from 50, complete at 110, to 250.
  // Assembling 100-110 x 2, spares 100-200 x 1, startup 110-120 of [110, 120); steps 120-200, decided at 230.
  RecordBuilder make(100, 200);
  make.allocation(50, 250, 2, {.complete = 110, .spare = 1});
  make.leaf(110, 120, 2, Leaf::runtime_startup);
  make.stretch(120, 200, 2, {.step = 80}).stretch(200, 230, 2, {.step = 30}).commit(230);
  make.leaf(230, 250, 2, Leaf::runtime_zombie);
  make.pool(0, 120, 1, Leaf::scheduling_shortfall).pool(120, 300, 1, Leaf::scheduling_capability);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) == SecondsByLeaf{{"scheduling.capability", 80},
                                                            {"scheduling.shortfall", 20},
                                                            {"scheduling.partial_gang", 20},
                                                            {"runtime.startup", 20},
                                                            {"runtime.idle_reservation", 100},
                                                            {"program.unmodelled", 160}});
  CHECK(sum(accounting.ledger.total()) == device_seconds(400));
}

TEST_CASE("account: an interval that starts before the window is clipped to it") {
  RecordBuilder make(100, 200);
  make.allocation(50, 250, 1).leaf(50, 250, 1, Leaf::runtime_idle_reservation);
  CHECK(seconds_by_leaf(account(make.records).ledger) == SecondsByLeaf{{"runtime.idle_reservation", 100}});
}

TEST_CASE("account: a gang that misses a member is partial until it is complete again") {
  // 3 devices 0-10; one breaks at 10 and the 2 others wait until 30 for another.
  RecordBuilder make(0, 40);
  make.allocation(0, 10, 3).allocation(10, 30, 2, {.never_complete = true}).allocation(30, 40, 3);
  make.stretch(0, 10, 3, {.step = 10}).discard(10, Leaf::runtime_rework);
  make.leaf(30, 40, 3, Leaf::runtime_recovery);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  CHECK(seconds_by_leaf(accounting.ledger) ==
        SecondsByLeaf{{"scheduling.partial_gang", 40}, {"runtime.recovery", 30}, {"runtime.rework", 30}});
}

TEST_CASE("account: retained time is split over the steps' leaves once a job, to the last unit") {
  // 10 ns of one milli-device in two commits: at a share of 1/3 each commit alone would give 1.67 and round
  // to 2 + 2; together 3.33 and 6.67, so 3 and 7.
  Records records = RecordBuilder(0, 1).records;
  const auto ns = [](std::int64_t time) { return SimTime::at_ns(time); };
  const Capacity one = Capacity::milli_devices(1);
  AllocationRow held;
  held.gang_complete = ns(0);
  held.to = ns(10);
  held.capacity = one;
  records.allocations.push_back(held);
  for (const std::int64_t begin : {0, 5}) {
    TimelineRow row;
    row.kind = TimelineKind::stretch;
    row.from = ns(begin);
    row.to = ns(begin + 5);
    row.capacity = one;
    row.step = Duration::nanoseconds(5);
    records.timeline.push_back(row);
    row.kind = TimelineKind::commit;
    records.timeline.push_back(row);
  }
  records.steps = {{0, Leaf::ideal, 333'000'000}, {0, Leaf::program_unattributed, 667'000'000}};
  const Accounting accounting = account(records);
  CHECK(accounting.problems.empty());
  const LeafTotals totals = accounting.ledger.total();
  CHECK(totals[static_cast<std::size_t>(Leaf::ideal)] == DeviceTime::milli_device_ns(3));
  CHECK(totals[static_cast<std::size_t>(Leaf::program_unattributed)] == DeviceTime::milli_device_ns(7));
  CHECK(sum(totals) == DeviceTime::milli_device_ns(10));
}

TEST_CASE("account: jobs are charged to their class and to the pool that they are in") {
  RecordBuilder make(0, 100);
  make.records.pools = {"first", "second"};
  make.records.classes = {"a", "b"};
  make.records.jobs = {{"x", 1, SimTime::zero()}, {"y", 0, SimTime::zero()}};
  make.allocation(0, 50, 1).stretch(0, 50, 1, {.step = 50}).commit(50);
  make.records.allocations.back().reason = "evicted";
  make.on(0, 1).allocation(50, 100, 2).stretch(50, 100, 2, {.step = 50}).commit(100);
  make.on(1, 1).allocation(0, 100, 4).leaf(0, 100, 4, Leaf::runtime_startup);
  make.pool(0, 50, 2, Leaf::scheduling_quota);
  const Accounting accounting = account(make.records);
  CHECK(accounting.problems.empty());
  const Ledger& ledger = accounting.ledger;
  const auto cell = [&](std::uint32_t pool, std::uint32_t job_class) {
    return sum(ledger.of(PoolId{pool}, ClassId{job_class}));
  };
  CHECK(cell(0, 0) == device_seconds(0));
  CHECK(cell(0, 1) == device_seconds(50));
  CHECK(cell(1, 0) == device_seconds(400));
  CHECK(cell(1, 1) == device_seconds(100));
  CHECK(sum(ledger.unheld(PoolId{1})) == device_seconds(100));
}

}  // namespace
}  // namespace fleetsim
