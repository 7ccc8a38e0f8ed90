#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/time.hpp"

/// Alibaba's GPU cluster trace of 2023, "openb": a list of nodes and a list of pods. Source:
/// github.com/alibaba/clusterdata, cluster-trace-gpu-v2023.
namespace fleetsim {

/// Device models by number. Both lists of a trace are read with the same one, since each may name models that
/// the other does not. Bit i of a set of models stands for the i-th name; there are at most 64.
using DeviceModelNames = std::vector<std::string>;

struct OpenbNode {
  std::string name;
  std::int64_t cpu_milli = 0, memory_mib = 0;
  std::uint32_t cards = 0;
  std::uint64_t model = 0;  ///< one bit; none without cards
};

struct OpenbPod {
  std::string name;
  std::int64_t line = 0;  ///< of the file
  std::int64_t cpu_milli = 0, memory_mib = 0;
  std::uint32_t cards = 0;
  std::uint32_t milli_per_card = 0;  ///< 1000 but for a share of one card; 0 without cards
  std::uint64_t models = 0;          ///< those it accepts; none named: any
  SimTime submit;
  /// From being scheduled to deletion; nothing for a pod that was never scheduled, and for lists without
  /// times.
  std::optional<Duration> run;
  /// For a pod that was never scheduled: from submission to deletion.
  std::optional<Duration> gave_up_after;
};

template <class Row>
struct OpenbReading {
  std::vector<Row> rows;              ///< in the order of the file
  std::vector<std::string> notes;     ///< what was skipped, with counts and line numbers
  std::vector<std::string> problems;  ///< what is wrong with the file; with any, `rows` is not usable
};

/// Columns sn, cpu_milli, memory_mib, gpu, model.
OpenbReading<OpenbNode> read_openb_nodes(std::istream& in, DeviceModelNames& models);

/// Columns name, cpu_milli, memory_mib, num_gpu, gpu_milli and, in some lists, gpu_spec ("A|B": either),
/// creation_time, deletion_time, scheduled_time in seconds (the last is empty for a pod that never ran). A
/// row that asks for shares of several cards is outside the format's documented use, and is skipped with a
/// note.
OpenbReading<OpenbPod> read_openb_pods(std::istream& in, DeviceModelNames& models);

}  // namespace fleetsim
