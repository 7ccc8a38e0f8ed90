#include "tools/cli/host.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tools/cli/build_id.hpp"

namespace fleetsim {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_utf8_locale() {
  std::string locale;
  for (const char* name : {"LANG", "LC_CTYPE", "LC_ALL"}) {  // the last that is set decides
    if (std::string value = environment(name); !value.empty()) locale = std::move(value);
  }
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
}

}  // namespace

Style output_style(const Arguments& arguments) {
  const bool colour =
      isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return {.ascii = arguments.has("ascii") || !is_utf8_locale(), .colour = colour};
}

std::vector<std::filesystem::path> trace_folders() {
  std::vector<std::filesystem::path> folders;
  const std::string list = environment("FLEETSIM_TRACES");
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

std::optional<std::string> file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Provenance provenance() { return {FLEETSIM_VERSION, std::string(build_id())}; }

ExitCode print(std::string_view text) {
  std::cout << text << std::flush;
  if (std::cout) return ExitCode::done;
  std::cerr << "fleetsim: cannot write to standard output\n";
  return ExitCode::bad_input;
}

ExitCode fail(std::string_view command, std::string_view problem, ExitCode code) {
  std::cerr << "fleetsim " << command << ": " << clean(problem, Style{}) << "\n";
  return code;
}

Progress::Progress() : on_terminal_{isatty(STDERR_FILENO) == 1} {}

Progress::~Progress() {
  if (on_terminal_ && percent_ <= 100) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::show(std::size_t done, std::size_t total) {
  if (!on_terminal_ || total == 0) return;
  const std::size_t percent = done * 100 / total;
  if (percent == percent_) return;
  percent_ = percent;
  std::cerr << "\r" << done << " of " << total << " runs, " << percent << " %\x1b[K" << std::flush;
}

}  // namespace fleetsim
