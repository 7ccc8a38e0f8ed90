#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/study.hpp"
#include "tools/report/facts.hpp"
#include "tools/report/text.hpp"

namespace fleetsim {

/// What a page says besides the result.
struct PageContext {
  std::string file;                ///< the scenario's, as the user named it
  std::optional<Seconds> took;     ///< time of the host, shown on the page and nowhere else
  std::vector<std::string> notes;  ///< warnings of the reader
  Provenance made_by;
  Style style;
  std::vector<std::string> show{};  ///< figures that a table of points has columns for, instead of its own
};

// Pages of at most 100 columns, functions of what they are given alone. What has no value reads "no data".

/// What became of the capacity of the base scenario, and how its alternatives compare.
std::string run_page(const StudyResult& study, const PageContext& context);
/// One row a point: the three factors, what they come to, how far that is from the best, cost, and time to
/// result; or the figures that are to be shown.
std::string sweep_page(const StudyResult& study, const PageContext& context);
/// What a reader of a page of points should know before trusting it, each once; "" if nothing.
std::string warnings_text(const StudyResult& study, const PageContext& context);
/// Which points no other beats in time to result, MPG and cost.
std::string frontier_page(const StudyResult& study, const PageContext& context);
/// What the scenario expects of itself, beside what came out.
std::string expectations_table(const StudyResult& study, const Style& style);
/// A ledger by boundary, exact: what `account` prints.
std::string ledger_table(const LeafTotals& leaves, const Style& style);

}  // namespace fleetsim
