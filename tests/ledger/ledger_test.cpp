#include "sim/ledger/ledger.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace fleetsim {
namespace {

DeviceTime amount(Int128 count) { return DeviceTime::milli_device_ns(count); }

TEST_CASE("ledger: every boundary passes on what it did not charge") {
  LeafTotals leaves{};
  const auto set = [&](Leaf leaf, int count) { leaves[static_cast<std::size_t>(leaf)] = amount(count); };
  set(Leaf::out_of_service_failed, 1);
  set(Leaf::out_of_service_maintenance, 2);
  set(Leaf::scheduling_no_demand, 4);
  set(Leaf::scheduling_transition, 8);
  set(Leaf::runtime_startup, 16);
  set(Leaf::runtime_unresolved, 32);
  set(Leaf::program_tensor_comm, 64);
  set(Leaf::program_unmodelled, 128);
  set(Leaf::ideal, 256);
  const Factors sums = factors(leaves);
  CHECK(sum(leaves) == amount(511));
  CHECK(sums.installed == amount(511));
  CHECK(sums.in_service == amount(508));
  CHECK(sums.held == amount(496));
  CHECK(sums.retained == amount(448));
  CHECK(sums.ideal == amount(256));
  CHECK(sums.unmodelled == amount(128));
  CHECK(sums.unresolved == amount(32));
}

TEST_CASE("ledger: totals by pool and by class count every cell once") {
  Ledger ledger(2, 2);
  ledger.add(PoolId{0}, ClassId{0}, Leaf::ideal, amount(1));
  ledger.add(PoolId{0}, ClassId{1}, Leaf::ideal, amount(2));
  ledger.add(PoolId{1}, ClassId{1}, Leaf::ideal, amount(4));
  ledger.add(PoolId{1}, Leaf::scheduling_spare, amount(8));
  ledger.add(PoolId{1}, ClassId{1}, Leaf::ideal, amount(16));
  CHECK(sum(ledger.total()) == amount(31));
  CHECK(sum(ledger.of_pool(PoolId{0})) == amount(3));
  CHECK(sum(ledger.of_pool(PoolId{1})) == amount(28));
  CHECK(sum(ledger.of_class(ClassId{0})) == amount(1));
  CHECK(sum(ledger.of_class(ClassId{1})) == amount(22));
  CHECK(sum(ledger.unheld(PoolId{0})) == amount(0));
  CHECK(sum(ledger.unheld(PoolId{1})) == amount(8));
  CHECK(sum(ledger.of(PoolId{1}, ClassId{1})) == amount(20));
}

TEST_CASE("ledger: replications add up cell by cell, and only if they are of one shape") {
  Ledger first(1, 1);
  first.add(PoolId{0}, ClassId{0}, Leaf::ideal, amount(3));
  Ledger second(1, 1);
  second.add(PoolId{0}, ClassId{0}, Leaf::ideal, amount(4));
  second.add(PoolId{0}, Leaf::scheduling_no_demand, amount(5));
  first.merge(second);
  Ledger both(1, 1);
  both.add(PoolId{0}, ClassId{0}, Leaf::ideal, amount(7));
  both.add(PoolId{0}, Leaf::scheduling_no_demand, amount(5));
  CHECK(first == both);
  CHECK_THROWS_AS(first.merge(Ledger(1, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace fleetsim
