#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// What the queues of a scheduler hold, and may hold. A queue may always have what it is guaranteed, if there
/// is room for it; beyond that, what others of its tree of cohorts leave unused and lend; never more than its
/// limit, nor than the limit of a cohort that it is in.
class Quotas {
 public:
  explicit Quotas(const SchedulerSpec& scheduler);

  void hold(std::uint32_t quota, Capacity capacity);
  void give_back(std::uint32_t quota, Capacity capacity);
  Capacity held(std::uint32_t quota) const { return held_[quota]; }
  /// So many more of its jobs wait.
  void wait(std::uint32_t quota, std::int64_t jobs) { waiting_[quota] += jobs; }

  bool allows(std::uint32_t quota, Capacity more) const;
  /// Whether it would if nobody held anything.
  bool could_ever_allow(std::uint32_t quota, Capacity capacity) const;
  bool is_guaranteed(std::uint32_t quota, Capacity more) const;
  /// Whether `owner` may have back from `borrower` what it is guaranteed; `given` is what the borrower is to
  /// give back already.
  bool may_reclaim(std::uint32_t owner, Capacity more, std::uint32_t borrower, Capacity given) const;
  /// Whether a queue's order is its own: it has a guarantee, and keeps nobody of another queue from starting.
  bool is_queue(std::uint32_t quota) const { return specs_[quota].guarantee.has_value(); }

 private:
  const std::vector<QuotaSpec>& specs_;
  const std::vector<CohortSpec>& cohorts_;
  std::vector<Capacity> held_;
  std::vector<std::int64_t> waiting_;
  std::vector<Capacity> cohort_held_;  ///< of all queues below
  std::vector<Capacity> guaranteed_;   ///< by root: to all queues below
  std::vector<std::uint32_t> roots_;   ///< by queue
};

}  // namespace fleetsim
