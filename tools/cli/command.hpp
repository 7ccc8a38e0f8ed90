#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fleetsim {

/// How the program ends.
enum class ExitCode : int {
  done = 0,
  check_failed = 1,  ///< an expectation, or the closure of a ledger
  bad_input = 2,     ///< or usage, or a place that cannot be written
  internal_fault = 3,
};

using Words = std::vector<std::string>;

/// A subcommand: a file of its own and a row in the table.
struct Command {
  std::string_view name;
  std::string_view about;
  ExitCode (*run)(const Words& words);  ///< the words after its name
};

// One file each.
ExitCode run_command(const Words& words);
ExitCode sweep_command(const Words& words);
ExitCode frontier_command(const Words& words);
ExitCode validate_command(const Words& words);
ExitCode account_command(const Words& words);
ExitCode import_command(const Words& words);
ExitCode calibrate_command(const Words& words);
ExitCode list_command(const Words& words);
ExitCode step_command(const Words& words);
ExitCode serve_command(const Words& words);
ExitCode explain_command(const Words& words);
ExitCode why_command(const Words& words);

}  // namespace fleetsim
