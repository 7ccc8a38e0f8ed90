#pragma once

#include <string>
#include <vector>

namespace fleetsim {

/// Anything that a scheduler may be composed of, out of whatever table has it.
struct SchedulerRow {
  std::string key, name;  ///< "preemption.by", "priority"
  std::string about, source, cost;
};

std::vector<SchedulerRow> scheduler_rows();

/// Sentences on a row: what it does, its source and its cost.
std::string told(const SchedulerRow& row);

}  // namespace fleetsim
