#include <iostream>
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

/// How the sum of the leaves compares with a capacity that does not change; "" if it is one.
std::string closure_problem(const LeafTotals& leaves, Duration window) {
  if (window <= Duration::zero()) return "";
  const bool whole = sum(leaves).milli_device_ns() % window.ns() == 0;
  return whole ? "" : "the leaves do not add up to a capacity over the whole window";
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
  if (const std::string problem = closure_problem(leaves, window); !problem.empty())
    return fail("account", problem, ExitCode::check_failed);
  if (arguments.has("json")) return print(as_json(leaves, window));
  const std::string facts =
      format_integer(static_cast<std::int64_t>(reading.records.jobs.size())) + " jobs, " +
      std::to_string(reading.records.pools.size()) +
      (reading.records.pools.size() == 1 ? " pool, a window of " : " pools, a window of ") +
      short_duration(window) + "; the ledger closes exactly\n";
  return print(facts + "\n" + ledger_table(leaves, output_style(arguments)) + "\n" + factor_line(leaves));
}

}  // namespace fleetsim
