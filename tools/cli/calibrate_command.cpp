#include <iostream>

#include "tools/cli/arguments.hpp"
#include "tools/cli/calibrate.hpp"
#include "tools/cli/host.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr CalibrateTarget kTargets[] = {
    {"nccl", "sweeps of collectives, as nccl-tests prints them or writes them as JSON", calibrate_nccl},
    {"gemm", "matrix products, a CSV table m,n,k,dtype,time_us or tflops", calibrate_gemm},
    {"step", "published training runs, a JSON table of rows, for the constants of the step model",
     calibrate_step},
};

std::string help_text() {
  std::vector<TableRow> rows;
  for (const CalibrateTarget& each : kTargets)
    rows.push_back({std::string(each.name), std::string(each.about)});
  return "usage: fleetsim calibrate WHAT FILE [--help] ...\n\nFits what was measured on one's own machine, "
         "shows by how much the fit is off, and writes it as the\ncatalog has it.\n\n" +
         text_table({{"", Align::left}, {"", Align::left}}, rows, Style{});
}

}  // namespace

ExitCode calibrate_command(const Words& words) {
  if (!words.empty() && words.front() == "--help") return print(help_text());
  if (words.empty()) {
    std::cerr << help_text();
    return ExitCode::bad_input;
  }
  std::vector<std::string_view> known;
  for (const CalibrateTarget& each : kTargets) {
    if (each.name == words.front()) return each.run({words.begin() + 1, words.end()});
    known.push_back(each.name);
  }
  return fail("calibrate",
              "unknown measurement \"" + words.front() + "\"" + did_you_mean(words.front(), known),
              ExitCode::bad_input);
}

}  // namespace fleetsim
