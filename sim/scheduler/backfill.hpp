#pragma once

#include <span>
#include <string_view>

namespace fleetsim {

/// Who may pass a job that cannot start, under a strict order. In the order of `enum class Backfill`.
struct BackfillPolicy {
  std::string_view name, about, source, cost;
};

std::span<const BackfillPolicy> backfill_table();

}  // namespace fleetsim
