#pragma once

#include <algorithm>
#include <vector>

#include "sim/engine/engine.hpp"

namespace fleetsim {

/// What will be given back to a pool, in order of time, as far as it is foreseen: `visit(at, parts, job)`,
/// until it returns false; nobody's job where devices serve again. Whoever is overdue may end any moment now.
template <class Visit>
void Engine::for_each_release(std::uint32_t pool, Visit&& visit) const {
  const Duration teardown = scenario_.pools[pool].teardown;
  std::vector<OutPart> leaving;
  for (const OutPart& part : faults_.teardowns)
    if (part.pool.value == pool && part.until > now_) leaving.push_back(part);
  const bool some_withdrawn = pools_[pool].some_withdrawn();
  if (some_withdrawn) foresee_returns(pool, leaving);
  std::stable_sort(leaving.begin(), leaving.end(),
                   [](const OutPart& a, const OutPart& b) { return a.until < b.until; });
  auto left = leaving.begin();
  const auto leave_until = [&](SimTime at) {
    for (; left != leaving.end() && left->until <= at; ++left)
      if (!visit(left->until, Placement{left->part()}, std::nullopt)) return false;
    return true;
  };
  const auto give_back = [&](SimTime at, const Placement& parts, JobId job) {
    if (!some_withdrawn || pools_[pool].packed() != nullptr) return visit(at, parts, job);
    const Placement serving = staying(pool, parts);
    return serving.empty() || visit(at, serving, job);
  };
  for (const Job& job : releases_) {
    if (job.pool.value != pool) continue;
    const SimTime at = std::max(job.expected_end, now_) + teardown;
    if (!leave_until(at) || !give_back(at, job.parts, job.slot)) return;
    if (!job.own_spares.empty() && !give_back(at, job.own_spares, job.slot)) return;
  }
  leave_until(SimTime::never());
}

}  // namespace fleetsim
