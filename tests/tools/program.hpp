#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ledger/temporary_folder.hpp"

namespace fleetsim {

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

inline void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Ended {
  int code = -1;
  std::string out, err;
};

/// Runs the built program, as a shell would, and waits for it.
inline Ended run_program(const std::vector<std::string>& words, const std::string& environment = "") {
  const TemporaryFolder folder;
  std::string command = environment + " '" FLEETSIM_PROGRAM "'";
  for (const std::string& word : words) command += " '" + word + "'";  // words without a quote in them
  const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
  const int status = std::system((command + " >'" + out + "' 2>'" + err + "' </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

/// A job that is struck by failures, in a window short enough for a test.
inline constexpr std::string_view kTinyScenario = R"({
  "name": "Tiny",
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 4, "price": "2 USD/GPU-h" } } },
  "faults": { "components": { "gpu": { "mttf": "200 h" } }, "repair": "10 min" },
  "workload": {
    "a": { "gang": 16, "step": { "time": "10 s" }, "program_goodput": 0.5, "input_stall": 0.1,
           "checkpoint": { "interval": "10 min", "pause": "5 s" }, "startup": { "launch": "30 s" } },
    "b": { "gang": 8, "arrivals": { "poisson": "2 /h" }, "duration": "20 min", "program_goodput": 0.25 } },
  "window": { "length": "1 d", "warm_up": "1 h" },
  "runs": { "seed": 3, "replications": 4 }
})";

}  // namespace fleetsim
