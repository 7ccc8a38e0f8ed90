#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.hpp"

namespace fleetsim {

/// An option of a subcommand.
struct OptionRow {
  std::string_view name;   ///< without dashes
  std::string_view value;  ///< what stands for its value in the help; "" is a flag
  std::string_view about;
  bool required = false;  ///< shown without brackets
};

/// What a subcommand takes.
struct Usage {
  std::string_view command;
  std::string_view positional;      ///< as the help shows it: "SCENARIO..."
  std::size_t least = 0, most = 0;  ///< positional words
  std::span<const OptionRow> options;
  std::string_view about;
};

/// The words of a command line, sorted out. What is wrong with them has been said on standard error.
class Arguments {
 public:
  /// Nothing more is to be done when `exit` is there: help was asked for, or the words are wrong.
  static Arguments parse(const Usage& usage, const Words& words);

  const std::optional<ExitCode>& exit() const { return exit_; }
  const Words& positional() const { return positional_; }
  bool has(std::string_view option) const { return values_.contains(option); }
  /// The last value given.
  std::optional<std::string> value(std::string_view option) const;
  /// All values of an option that may be repeated.
  Words values(std::string_view option) const;
  /// A whole number from `least` to `most`; anything else is said to be wrong and makes `exit`.
  std::optional<std::uint64_t> whole(std::string_view option, std::uint64_t least, std::uint64_t most);
  /// Says on standard error what is wrong, with the way to the help, and makes `exit`.
  void reject(const std::string& problem);

 private:
  std::string command_;
  std::optional<ExitCode> exit_;
  Words positional_;
  std::map<std::string, Words, std::less<>> values_;
};

/// " (did you mean "x"?)", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace fleetsim
