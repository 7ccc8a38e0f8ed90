#include <doctest/doctest.h>

#include "tests/tools/hand_made.hpp"
#include "tests/tools/program.hpp"
#include "tools/report/page.hpp"
#include "tools/report/result_tables.hpp"

namespace fleetsim {
namespace {

/// Three budgets with a best that one of the others cannot be told from.
HandMade budgets() {
  HandMade made;
  for (const char* const budget : {"0", "4", "unlimited"}) {
    add_point(made, "", small_scenario());
    made.points.back().sweep = {{"/scheduler/preemption/pool_budget/evictions", budget}};
  }
  made.study.standings = {{0, 1, Estimate{-0.0123, 0.0023, 4}},
                          {1, 1, Estimate{0.0, 0.0, 4}},
                          {2, 1, Estimate{-0.0011, 0.0023, 4}}};
  return made;
}

}  // namespace

TEST_CASE("a sweep marks its best point, and says how far off the others are and which may be as good") {
  const HandMade made = budgets();
  const std::string page =
      sweep_page(made.study, {.file = "f", .took = {}, .notes = {}, .made_by = {}, .style = {}});
  CHECK(has(page, "\n  0          0.225 ± 0.004  -0.0123 ± 0.0023     0.5000"));
  CHECK(has(page, "\n  4          0.225 ± 0.004              best     0.5000"));
  CHECK(has(page, "\n  unlimited  0.225 ± 0.004  -0.0011 ± 0.0023  ~  0.5000"));
  CHECK(has(page, "best: highest mpg"));
}

TEST_CASE("points of an alternative stand below its name, and a figure below whom it is of") {
  HandMade made = budgets();
  made.points[2].alternative = "other";
  PageContext context{.file = "f", .took = {}, .notes = {}, .made_by = {}, .style = {}};
  context.show = {"jobs.a.runtime_goodput"};
  const std::string page = sweep_page(made.study, context);
  CHECK(has(page, "\n  base\n    0 "));
  CHECK(has(page, "\n  other\n    unlimited "));
  CHECK(has(page, " a\n  evictions "));
  CHECK(has(page, "runtime_goodput\n  base"));
}

TEST_CASE("summary.csv has the difference from the best beside the objective, and only what is asked for") {
  const HandMade made = budgets();
  const std::string table = summary_table(made.study, {"mpg"});
  CHECK(has(table, "0,,0,mpg,1,less_best,-0.0123\n0,,0,mpg,1,less_best_half_width,0.0023\n"));
  CHECK_FALSE(has(table, "scheduling_goodput"));
  CHECK(has(summary_table(made.study), "scheduling_goodput"));
}

TEST_CASE("what several points warn of is said once, with how many of them do") {
  HandMade made = budgets();
  for (PointResult& point : made.study.points) point.warnings = {"all of them"};
  made.study.points[1].warnings.push_back("one of them");
  PageContext context;
  context.notes = {"the reader's"};
  CHECK(warnings_text(made.study, context) ==
        "WARNING    all of them\nWARNING    one of them (at 1 of 3 points)\nWARNING    the reader's\n");
}

}  // namespace fleetsim
