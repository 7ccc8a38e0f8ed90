#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/scenario/read.hpp"

namespace fleetsim {

inline constexpr std::int64_t kSecond = 1'000'000'000;

/// The textbook's job in a pool it shares.
inline constexpr std::string_view kSharedPool = R"({
  "name": "Llama 2 70B in a shared pool",
  "about": "One week on 128 H100s, one forced eviction a day.",
  "fleet": { "pools": { "train": { "node": "dgx-h100", "nodes": 64, "fabric": "ndr400-rail", "price": "2 USD/GPU-h", "spares": 2 } } },
  "faults": { "components": "textbook", "repair": { "lognormal": { "median": "60 min", "sigma": 1.4 } } },
  "workload": {
    "llama": { "kind": "training", "model": "llama2-70b", "gang": 128, "layout": { "tensor": 8, "data": 16 },
      "step": { "time": "245 ms", "tokens": 35446 }, "checkpoint": { "interval": "young", "bandwidth": "100 GB/s" },
      "input_stall": 0.0769231, "evictions": { "rate": "1 /d", "lost_work": "15 min" } },
    "others": { "kind": "training", "arrivals": { "poisson": "2 /h" }, "gang": { "choice": { "8": 0.5, "16": 0.2, "32": 0.2, "64": 0.1 } }, "duration": { "lognormal": { "median": "3 h", "sigma": 1.2 } }, "program_goodput": 0.48 }
  },
  "scheduler": { "order": "fifo", "admission": "partial-hold" },
  "window": { "length": "7 d", "warm_up": "2 d" },
  "runs": { "seed": 1, "replications": 64, "until": { "figure": "mpg", "half_width": 0.002 } },
  "alternatives": { "atomic admission": { "scheduler": { "admission": "atomic" } },
                    "lost since commit": { "workload": { "llama": { "evictions": { "lost_work": "since_last_commit" } } } } },
  "sweep": { "/workload/llama/evictions/rate": ["0 /d", "1 /d", "4 /d", "12 /d"] },
  "assume": { "pools.train.scheduling_goodput": 0.65 },
  "expect": [ { "figure": "jobs.llama.runtime_goodput", "basis": "closed_form", "value": 0.903980, "within": 1e-6, "source": "ch. 9, notebook 9.3" } ]
})";

/// A job on a pool of two nodes: little enough to vary one thing at a time.
inline constexpr std::string_view kSmall = R"({
  "fleet": { "pools": { "p": { "device": "x", "devices_per_node": 8, "nodes": 2 } } },
  "faults": { "components": { "gpu": { "mttf": "1000 h" } } },
  "workload": { "a": { "gang": 8, "step": { "time": "10 s" }, "steps": 100,
                       "checkpoint": { "interval": "40 s", "pause": "2 s" } } },
  "window": { "length": "1000 s" }
})";

inline StudyReading read(std::string_view text, const ReadOptions& options = {}) {
  return read_study_text(text, "test.json", options);
}

using Sets = std::vector<std::pair<std::string, std::string>>;

/// The text with keys set.
inline StudyReading read_with(std::string_view text, Sets sets) {
  ReadOptions options;
  options.sets = std::move(sets);
  return read(text, options);
}

inline std::string listing(const StudyReading& reading) {
  std::string text;
  for (const Issue& issue : reading.issues)
    text += issue.file + ": " + issue.pointer + ": " + issue.message + "\n";
  return text;
}

/// The base scenario of a reading that has to be without issues.
inline Scenario scenario_of(const StudyReading& reading) {
  INFO(listing(reading));
  REQUIRE(reading.issues.empty());
  REQUIRE(!reading.points.empty());
  return reading.points.front().scenario;
}

inline bool has_issue(const StudyReading& reading, std::string_view pointer, std::string_view message) {
  return std::any_of(reading.issues.begin(), reading.issues.end(), [&](const Issue& issue) {
    return issue.pointer == pointer && issue.message.find(message) != std::string::npos;
  });
}

/// The message of a reading that has to have one issue, at the pointer.
inline std::string only_issue(const StudyReading& reading, std::string_view pointer) {
  INFO(listing(reading));
  REQUIRE(reading.issues.size() == 1);
  CHECK(reading.points.empty());
  CHECK(reading.issues.front().pointer == pointer);
  return reading.issues.front().message;
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace fleetsim
