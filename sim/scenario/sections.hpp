#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/reader.hpp"
#include "sim/scenario/spec.hpp"
#include "sim/scenario/traces.hpp"

namespace fleetsim {

// One function for each section of a scenario file. `root` is the whole file; earlier sections are read
// before later ones refer to them, and a section reports what it can even if those before it were wrong.

/// `fleet` and `faults`: pools, their rows of failures, incidents.
void read_fleet(const Reader& root, Scenario& scenario, Traces& traces);
/// `nodes` of a pool where it says how they differ; the widest node gives `devices_per_node` unless that is
/// given.
void read_node_list(const Reader& pool, Scenario& scenario, Traces& traces, PoolSpec& spec);
/// `drains` and `installed` of a pool whose nodes and racks are read.
void read_drains(const Reader& in, PoolSpec& pool);
void read_scheduler(const Reader& root, Scenario& scenario);
/// @param notes  what is allowed but worth a warning
void read_workload(const Reader& root, Scenario& scenario, Traces& traces, std::vector<std::string>& notes);
/// `window`; refuses an end of "done" that never comes.
void read_window(const Reader& root, Scenario& scenario);
/// Fills in what packed pools need, and reports what does not go with them; all else is read before.
void read_packing(const Reader& root, Scenario& scenario);
void read_runs(const Reader& root, Scenario& scenario);

/// What an expectation may name of the study around it.
struct StudyNames {
  std::vector<std::string_view> alternatives;
  Json sweep;  ///< of the file: lists of values by pointer; an empty object where there are none
};
/// `assume` and `expect`.
void read_figures(const Reader& root, const StudyNames& study, Scenario& scenario);
/// Reports a figure that names a pool or a class of jobs that is not there.
void check_figure(const Reader& in, std::string_view key, const std::string& figure,
                  const Scenario& scenario);
/// A value of an axis of the sweep as a person would write it.
std::string axis_text(const Json& value);

/// The bit of a model of devices, which gets one if it has none; nothing, with a problem at `key`, where
/// there are too many.
DeviceTypes model_bit(const Reader& in, std::string_view key, const std::string& name, Scenario& scenario);
/// CPUs in thousandths, and bytes of memory.
std::optional<std::int64_t> read_cpus(const Reader& in, std::string_view key);
std::optional<std::int64_t> read_memory(const Reader& in, std::string_view key);
/// Says that a file is not there, and where to get it.
std::string missing_file(const Reader& in, std::string_view what, const std::string& file,
                         const Traces& traces);

/// Reports names that could not be written in a figure such as "jobs.NAME.mpg".
void check_name(const Reader& entry, std::string_view what, const std::string& name);

/// Rows of failures from a `faults` object, for one pool.
std::vector<FaultRow> read_fault_rows(const Reader& in);
/// Its incidents; `pool` is theirs if they name none.
void read_incidents(const Reader& in, const PoolSpec* pool, Scenario& scenario);
/// Rows of slowness from a `faults` object, and its episodes.
std::vector<SlowRow> read_slow_rows(const Reader& in);
void read_slow_episodes(const Reader& in, const PoolSpec* pool, Scenario& scenario);
/// The pool that an incident names, or is of; nothing where that is not known and has been reported.
std::optional<std::uint32_t> place_in_pools(const Reader& in, const PoolSpec* pool, const Scenario& scenario);
/// Whether failures of the row hit or take out whole racks.
bool spans_racks(const FaultRow& row);

}  // namespace fleetsim
