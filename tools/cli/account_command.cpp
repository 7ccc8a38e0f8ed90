#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "sim/ledger/records.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/host.hpp"
#include "tools/records/records_csv.hpp"
#include "tools/report/page.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kAccountOptions[] = {{"json", "", "print the leaves as exact integers"},
                                         {"ascii", "", "no characters beyond ASCII"}};
constexpr Usage kAccountUsage = {
    "account",
    "DIR",
    1,
    1,
    kAccountOptions,
    "Computes the ledger from scheduler.csv, timeline.csv and steps.csv alone, whether a "
    "simulated run or a real cluster left them."};

void say(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::cerr << clean(problem, Style{}) << "\n";
}

std::string short_devices(Capacity capacity) {
  const bool whole = capacity.milli() % 1000 == 0;
  return (whole ? format_integer(capacity.milli() / 1000)
                : format_number(static_cast<double>(capacity.milli()) / 1000)) +
         " devices";
}

/// What a pool's records add up to where that changes inside the window: capacity that came or went, or rows
/// that are missing. The records cannot tell which.
std::string capacity_changes(const Records& records) {
  std::vector<std::map<SimTime, Capacity>> changes(records.pools.size());
  const auto add = [&](std::uint32_t pool, SimTime from, SimTime to, Capacity capacity) {
    from = std::clamp(from, records.window_start, records.window_end);
    to = std::clamp(to, records.window_start, records.window_end);
    changes[pool][from] += capacity;
    changes[pool][to] -= capacity;
  };
  for (const AllocationRow& row : records.allocations)
    add(row.pool, row.from, row.to, row.capacity + row.spare);
  for (const PoolRow& row : records.pool_rows) add(row.pool, row.from, row.to, row.capacity);
  std::string text;
  for (std::size_t pool = 0; pool < changes.size(); ++pool) {
    Capacity there;
    std::int64_t told = 0;
    for (const auto& [at, change] : changes[pool]) {
      const Capacity before = there;
      there += change;
      if (change == Capacity::zero() || at == records.window_start || at == records.window_end) continue;
      if (told++ == 0)
        text += "pool " + records.pools[pool] + ": " + short_devices(before) + " on record until " +
                short_duration(at - records.window_start) + " into the window, then " + short_devices(there);
    }
    if (told > 1) text += ", and " + std::to_string(told - 1) + " more changes";
    if (told > 0) text += "\n";
  }
  return text;
}

std::string as_json(const LeafTotals& leaves, Duration window) {
  nlohmann::ordered_json ledger;
  ledger["installed"] = to_string(sum(leaves));
  ledger["window_ns"] = std::to_string(window.ns());
  for (const LeafInfo& leaf : leaf_table())
    ledger[std::string(leaf.name)] = to_string(leaves[static_cast<std::size_t>(leaf.leaf)]);
  return nlohmann::ordered_json{{"ledger", std::move(ledger)}}.dump(2) + "\n";
}

std::string factor_line(const LeafTotals& leaves) {
  const Factors sums = factors(leaves);
  const auto share = [](DeviceTime part, DeviceTime whole) {
    return whole == DeviceTime::zero() ? std::string("no data") : format_fixed(ratio(part, whole), 6);
  };
  const bool is_known = sums.unmodelled == DeviceTime::zero();
  return "  S " + share(sums.held, sums.in_service) + "   R " +
         share(sums.retained, sums.held - sums.unresolved) + "   P " +
         (is_known ? share(sums.ideal, sums.retained) : "unknown") + "   MPG " +
         (is_known ? share(sums.ideal, sums.in_service) : "unknown") + "\n";
}

}  // namespace

ExitCode account_command(const Words& words) {
  const Arguments arguments = Arguments::parse(kAccountUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const RecordsReading reading = read_records(arguments.positional().front());
  say(reading.problems);
  if (!reading.problems.empty()) return ExitCode::bad_input;
  const Accounting accounting = account(reading.records);
  say(accounting.problems);
  if (!accounting.problems.empty()) return ExitCode::check_failed;

  const LeafTotals leaves = accounting.ledger.total();
  const Duration window = reading.records.window_end - reading.records.window_start;
  if (arguments.has("json")) return print(as_json(leaves, window));
  const std::string facts =
      format_integer(static_cast<std::int64_t>(reading.records.jobs.size())) + " jobs, " +
      std::to_string(reading.records.pools.size()) +
      (reading.records.pools.size() == 1 ? " pool, a window of " : " pools, a window of ") +
      short_duration(window) + "; the ledger closes exactly\n" + capacity_changes(reading.records);
  return print(facts + "\n" + ledger_table(leaves, output_style(arguments)) + "\n" + factor_line(leaves));
}

}  // namespace fleetsim
