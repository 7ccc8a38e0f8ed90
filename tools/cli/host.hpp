#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/arguments.hpp"
#include "tools/report/facts.hpp"
#include "tools/report/text.hpp"

/// What the program asks of the machine it runs on, and of nothing that reaches a result.
namespace fleetsim {

/// The style of standard output: colour on a terminal unless NO_COLOR is set, ASCII where asked for, or where
/// the locale is not UTF-8.
Style output_style(const Arguments& arguments);

/// Folders of traces, from FLEETSIM_TRACES.
std::vector<std::filesystem::path> trace_folders();

/// The whole file, or nothing where it cannot be read.
std::optional<std::string> file_text(const std::string& path);

Provenance provenance();

/// Prints, and tells whether all of it arrived.
ExitCode print(std::string_view text);

/// "fleetsim COMMAND: problem" on standard error.
ExitCode fail(std::string_view command, std::string_view problem, ExitCode code);

/// One line on standard error, rewritten as work is done; nothing where that is no terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::size_t total);

 private:
  bool on_terminal_;
  std::size_t percent_ = 101;  ///< last shown; none yet
};

}  // namespace fleetsim
