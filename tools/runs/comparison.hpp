#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/runs/errors.hpp"
#include "tools/runs/published_run.hpp"

namespace fleetsim {

/// One run beside its prediction.
struct ComparedRun {
  std::string id, family, device;
  std::optional<Seconds> predicted, measured;
  std::string infeasible, unsupported;  ///< why there is no prediction
  std::optional<Bytes> memory{};        ///< that a device needs, as predicted
  std::int64_t devices = 0;

  std::optional<double> error() const {
    if (!predicted || !measured) return std::nullopt;
    return *predicted / *measured - 1;
  }
};

struct RunComparison {
  std::vector<ComparedRun> rows;
  ErrorSummary all;
  std::map<std::string, ErrorSummary> by_family;
};

RunComparison compare(const std::vector<PublishedRun>& runs, const StepConstants& constants);

std::string comparison_page(const RunComparison& comparison);
/// id,family,device,predicted_s,measured_s,error,devices of the runs that have all of them.
std::string comparison_csv(const RunComparison& comparison);
/// `rows` of `id`, `predicted_s`, `measured_s`, `error`, or `infeasible` or `unsupported` with why.
std::string comparison_json(const RunComparison& comparison);

}  // namespace fleetsim
