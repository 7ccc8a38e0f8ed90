#include "sim/scheduler/quota.hpp"

#include <algorithm>
#include <optional>

namespace fleetsim {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

}  // namespace

Quotas::Quotas(const SchedulerSpec& scheduler)
    : specs_{scheduler.quotas},
      cohorts_{scheduler.cohorts},
      held_(specs_.size()),
      waiting_(specs_.size()),
      cohort_held_(cohorts_.size()),
      guaranteed_(cohorts_.size()),
      roots_(specs_.size(), kNone) {
  for (std::uint32_t quota = 0; quota < specs_.size(); ++quota) {
    if (!specs_[quota].cohort) continue;
    std::uint32_t root = *specs_[quota].cohort;
    while (cohorts_[root].parent) root = *cohorts_[root].parent;
    roots_[quota] = root;
    guaranteed_[root] += specs_[quota].guarantee.value_or(Capacity::zero());
  }
}

void Quotas::hold(std::uint32_t quota, Capacity capacity) {
  held_[quota] += capacity;
  for (auto cohort = specs_[quota].cohort; cohort; cohort = cohorts_[*cohort].parent)
    cohort_held_[*cohort] += capacity;
}

void Quotas::give_back(std::uint32_t quota, Capacity capacity) {
  held_[quota] -= capacity;
  for (auto cohort = specs_[quota].cohort; cohort; cohort = cohorts_[*cohort].parent)
    cohort_held_[*cohort] -= capacity;
}

bool Quotas::is_guaranteed(std::uint32_t quota, Capacity more) const {
  return specs_[quota].guarantee && held_[quota] + more <= *specs_[quota].guarantee;
}

bool Quotas::allows(std::uint32_t quota, Capacity more) const {
  const QuotaSpec& spec = specs_[quota];
  if (held_[quota] + more > spec.capacity) return false;
  for (auto cohort = spec.cohort; cohort; cohort = cohorts_[*cohort].parent)
    if (cohorts_[*cohort].limit && cohort_held_[*cohort] + more > *cohorts_[*cohort].limit) return false;
  if (!spec.guarantee || is_guaranteed(quota, more)) return true;
  if (roots_[quota] == kNone) return false;
  // It borrows: what others are guaranteed and neither hold nor lend stays theirs.
  Capacity kept;
  for (std::uint32_t other = 0; other < specs_.size(); ++other) {
    if (other == quota || roots_[other] != roots_[quota] || !specs_[other].guarantee) continue;
    const Capacity guarantee = *specs_[other].guarantee;
    const bool wants_it_all = !specs_[other].lend_when_head_blocked && waiting_[other] > 0;
    const Capacity lent = wants_it_all ? Capacity::zero() : specs_[other].lend.value_or(guarantee);
    const Capacity unlent = guarantee - std::min(lent, guarantee);
    if (unlent > held_[other]) kept += unlent - held_[other];
  }
  return cohort_held_[roots_[quota]] + more + kept <= guaranteed_[roots_[quota]];
}

bool Quotas::could_ever_allow(std::uint32_t quota, Capacity capacity) const {
  const QuotaSpec& spec = specs_[quota];
  if (capacity > spec.capacity) return false;
  for (auto cohort = spec.cohort; cohort; cohort = cohorts_[*cohort].parent)
    if (cohorts_[*cohort].limit && capacity > *cohorts_[*cohort].limit) return false;
  if (!spec.guarantee || capacity <= *spec.guarantee) return true;
  if (roots_[quota] == kNone) return false;
  Capacity unlent;
  for (std::uint32_t other = 0; other < specs_.size(); ++other)
    if (other != quota && roots_[other] == roots_[quota] && specs_[other].guarantee && specs_[other].lend)
      unlent += *specs_[other].guarantee - std::min(*specs_[other].lend, *specs_[other].guarantee);
  return capacity + unlent <= guaranteed_[roots_[quota]];
}

bool Quotas::may_reclaim(std::uint32_t owner, Capacity more, std::uint32_t borrower, Capacity given) const {
  if (owner == borrower || roots_[owner] == kNone || roots_[owner] != roots_[borrower]) return false;
  return is_guaranteed(owner, more) && specs_[borrower].guarantee &&
         held_[borrower] - given > *specs_[borrower].guarantee;
}

}  // namespace fleetsim
