#include <exception>
#include <iostream>

#include "tools/cli/arguments.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/host.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr Command kCommands[] = {
    {"run", "run scenarios and show where the capacity went", run_command},
    {"sweep", "run a scenario over a grid of values", sweep_command},
    {"frontier", "which alternatives no other beats", frontier_command},
    {"validate", "say all that is wrong with scenario files", validate_command},
    {"account", "compute the ledger from records alone", account_command},
    {"import", "turn the log of a scheduler into a trace", import_command},
    {"step", "predict the time of a training step, and where it goes", step_command},
    {"serve", "predict what decode and prefill of a replica take, and where it goes", serve_command},
    {"calibrate", "turn measurements of one's own machine into entries of the catalog", calibrate_command},
    {"list", "name policies, catalog entries, figures, leaves, keys", list_command},
    {"why", "why a job waited, and what happened to it", why_command},
    {"explain", "what a figure, a leaf, a key or a name means", explain_command},
};

std::string help_text() {
  std::vector<TableRow> rows;
  for (const Command& command : kCommands)
    rows.push_back({std::string(command.name), std::string(command.about)});
  return "usage: fleetsim COMMAND [--help] ...\n\nSimulates fleets of accelerators and accounts for every "
         "device-nanosecond.\n\n" +
         text_table({{"", Align::left}, {"", Align::left}}, rows, Style{}) +
         "\nExit codes: 0 done, 1 a check failed, 2 bad input or usage, 3 internal fault.\n";
}

ExitCode dispatch(const Words& words) {
  if (words.empty() || words.front() == "--help" || words.front() == "-h" || words.front() == "help") {
    if (!words.empty()) return print(help_text());
    std::cerr << help_text();
    return ExitCode::bad_input;
  }
  if (words.front() == "--version")
    return print("fleetsim " + provenance().version + " (" + provenance().build + ")\n");
  std::vector<std::string_view> known;
  for (const Command& command : kCommands) {
    if (command.name == words.front()) return command.run({words.begin() + 1, words.end()});
    known.push_back(command.name);
  }
  std::cerr << "fleetsim: unknown command \"" << clean(words.front(), Style{}) << "\""
            << did_you_mean(words.front(), known) << "\nfleetsim --help lists them\n";
  return ExitCode::bad_input;
}

}  // namespace

}  // namespace fleetsim

int main(int count, char** words) {
  using namespace fleetsim;
  try {
    return static_cast<int>(dispatch(Words(words + (count > 0 ? 1 : 0), words + count)));
  } catch (const std::exception& error) {
    std::cerr << "fleetsim: internal fault: " << error.what() << "\n";
    return static_cast<int>(ExitCode::internal_fault);
  }
}
