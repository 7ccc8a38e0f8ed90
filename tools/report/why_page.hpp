#pragma once

#include <string>

#include "sim/engine/watch.hpp"
#include "sim/study/study.hpp"
#include "tools/report/page.hpp"

namespace fleetsim {

/// What is told of a watched job: of which run.
struct WatchedRun {
  const StudyPoint& point;
  std::uint32_t replication = 0;
};

/// Why the job waited, interval by interval; when and where it started; what happened to it then.
std::string why_page(const Watch& watch, const WatchedRun& run, const PageContext& context);
/// The same, complete and exact, in strict JSON.
std::string why_json(const Watch& watch, const WatchedRun& run, const Provenance& made_by);

}  // namespace fleetsim
