#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/collective/measured_curve.hpp"

namespace fleetsim {

/// A row of results: times of the two runs of each size, where they were reported.
struct NcclRow {
  Bytes message{};
  std::optional<Seconds> out_of_place{}, in_place{};
};

/// One run of a program of nccl-tests.
struct NcclRun {
  std::string program;          ///< "all_reduce_perf"; empty where the output does not say
  std::int64_t ranks = 0;       ///< zero where the output does not say
  std::int64_t hosts = 0;       ///< different ones among the ranks
  std::string device;           ///< of the first rank
  double bus_over_algorithm{};  ///< ratio of the two bandwidths at the largest size, zero where not known
  std::vector<NcclRow> rows;
};

struct NcclReading {
  std::vector<NcclRun> runs;
  std::vector<std::string> notes;      ///< what was odd
  std::optional<std::string> problem;  ///< why nothing is used, with its line
};

/// Reads what nccl-tests prints, of any version from 2.0, or the file it writes with `--json`; several runs
/// may follow each other. Lines of other programs in between are left out.
NcclReading read_nccl_tests(std::string_view text);

/// The collective of a program, or by the ratio of bandwidths where that is of an all-reduce.
std::optional<Collective> collective_of(const NcclRun& run);

}  // namespace fleetsim
